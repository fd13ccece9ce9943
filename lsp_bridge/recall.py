"""The suggestions of late, and which of them fit the buffer now: type-through without a round trip (ux-3,
ux-25).

What fits is a function of the text around the cursor and what was answered; nothing is tracked while the user
types. Of several that fit, the one that the editor shows comes first (ux-21). Pure: knows documents, not the editor
nor the daemon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from daemon.api.messages import Suggestion, SuggestionId, SuggestionUpdate
from daemon.api.text import SURROUNDINGS_RADIUS
from lsp_bridge.documents import Cursor, Document

REMEMBERED_ANSWERS = 8


@dataclass(frozen=True, slots=True)
class Offer:
    """What to show at a cursor: a suggestion, of which the user has typed the first `typed` code points."""

    suggestion: Suggestion
    typed: int = 0

    @property
    def text(self) -> str:
        """LF text to insert at the cursor."""
        return self.suggestion.text[self.typed :]

    @property
    def verified(self) -> int:
        """Code points of `text` that are the target's own."""
        return min(max(self.suggestion.verified - self.typed, 0), len(self.text))


@dataclass(frozen=True, slots=True)
class _Known:
    """A suggestion from its answer's offset on, as the news of it left it."""

    suggestion: Suggestion
    along: int = 0
    """So many of its code points had been typed when the newest of the news came, which told of the rest ..."""
    own: int = 0
    """... and so many of those were known as the target's: that the user types what a draft said makes it nobody's."""

    def at(self, typed: int) -> Suggestion:
        """As it is where `typed` code points of it stand before the cursor."""
        return (
            self.suggestion
            if typed >= self.along
            else msgspec.structs.replace(self.suggestion, verified=self.own)
        )

    def with_rest(self, typed: int, rest: Suggestion) -> _Known:
        """Once `rest` is known to follow what is typed."""
        text, verified = self.suggestion.text[:typed] + rest.text, typed + rest.verified
        suggestion = msgspec.structs.replace(rest, text=text, verified=verified)
        own = self.own if self.own < self.along else min(self.suggestion.verified, typed)
        return _Known(suggestion) if own == typed else _Known(suggestion, typed, own)


@dataclass(frozen=True, slots=True)
class _Answer:
    """Suggestions given at an offset between two texts, best first."""

    offset: int
    before: str
    after: str
    known: tuple[_Known, ...]

    @property
    def ids(self) -> list[SuggestionId]:
        return [one.suggestion.id for one in self.known]

    def offers(self, document: Document, cursor: Cursor) -> list[Offer]:
        typed_length = cursor.offset - self.offset
        if not 0 <= typed_length < max((len(one.suggestion.text) for one in self.known), default=0):
            return []
        if cursor.after != self.after or not self._follows(document):
            return []
        typed = document.slice(self.offset, cursor.offset)
        return [
            Offer(one.at(typed_length), typed_length)
            for one in self.known
            if len(one.suggestion.text) > typed_length and one.suggestion.text.startswith(typed)
        ]

    def _follows(self, document: Document) -> bool:
        start = self.offset - min(self.offset, SURROUNDINGS_RADIUS)
        return document.slice(start, self.offset) == self.before


class Recall:
    """The last answers of one document, newest first, and which suggestion of them is on the screen."""

    def __init__(self) -> None:
        self._answers: deque[_Answer] = deque(maxlen=REMEMBERED_ANSWERS)
        self._shown: SuggestionId | None = None

    def remember(self, cursor: Cursor, suggestions: Sequence[Suggestion]) -> None:
        """These suggestions were given at this cursor."""
        if suggestions:
            known = tuple(map(_Known, suggestions))
            self._answers.appendleft(_Answer(cursor.offset, cursor.before, cursor.after, known))

    def show(self, suggestion: SuggestionId) -> None:
        """The editor shows the suggestion of this id: it comes first for as long as it fits."""
        self._shown = suggestion

    def offers(self, document: Document, cursor: Cursor) -> list[Offer]:
        """What to show at the cursor: what is shown and still fits, then the rest of the newest answer that fits,
        best first; empty if none fits."""
        offers = next((found for answer in self._answers if (found := answer.offers(document, cursor))), [])
        shown = self._still_shown(document, cursor)
        return offers if shown is None else _led_by(shown, offers)

    def _still_shown(self, document: Document, cursor: Cursor) -> Offer | None:
        answer = next((one for one in self._answers if self._shown in one.ids), None)
        offers = [] if answer is None else answer.offers(document, cursor)
        return next((one for one in offers if one.suggestion.id == self._shown), None)

    def update(self, update: SuggestionUpdate) -> bool:
        """Take in a change to a remembered suggestion; False if none has its id or it does not follow from
        it.

        The update's text is relative to its own offset, which moves on while the user types along.
        """
        known = [answer for answer in self._answers if update.suggestion.id in answer.ids]
        changed = [(answer, _updated(answer, update)) for answer in known]
        for answer, new in changed:
            if new is not None:
                self._answers[self._answers.index(answer)] = new
        return any(new is not None for _, new in changed)


def _led_by(shown: Offer, offers: list[Offer]) -> list[Offer]:
    """The offers with what is shown in front.

    A newer one that says the same, or more of it, stands for it. Those that say less of it, or the same with other
    blanks, are left out.
    """
    if shown in offers:
        return [shown, *(one for one in offers if one != shown)]
    same = [one for one in offers if one.text.startswith(shown.text)]
    said = _without_blanks(shown.text)
    others = [one for one in offers if one not in same and not said.startswith(_without_blanks(one.text))]
    return [*(same or [shown]), *others]


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _updated(answer: _Answer, update: SuggestionUpdate) -> _Answer | None:
    """The answer with the update in it; None if the update's offset is not within the suggestion it
    changes."""
    place = answer.ids.index(update.suggestion.id)
    known = list(answer.known)
    typed = update.offset - answer.offset
    if update.kind == "withdrawn":
        del known[place]
    elif 0 <= typed <= len(known[place].suggestion.text):
        known[place] = known[place].with_rest(typed, update.suggestion)
    else:
        return None
    return replace(answer, known=tuple(known))
