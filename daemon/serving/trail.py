"""What the keys of one client leave behind: the texts it has around, when keys came, what became of accepted text.

State only. Documents that may not be read for completions are told of as not readable: no text of theirs is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from daemon.api.messages import Complete, Edit, Suggestion, SuggestionUpdate
from daemon.documents import Document, Place
from daemon.prompts.open_texts import OpenTexts
from daemon.serving.retention import REMEMBERED_OFFERS, Retention
from daemon.statistics import Statistics

Key = tuple[int, float]
"""The version that a key made, and when it came."""


class Trail:
    """One client's."""

    def __init__(self, statistics: Statistics, clock: Callable[[], float]) -> None:
        self.texts = OpenTexts()
        self._statistics = statistics
        self._clock = clock
        self._retentions: dict[str, Retention] = {}
        """By document, as all of these."""
        self._keys: dict[str, Key] = {}
        """The newest."""
        self._unanswered: dict[str, Key] = {}
        """Keys whose answer was empty because the models were late."""
        self._typed: deque[int] = deque(maxlen=REMEMBERED_OFFERS)
        """Suggestions that were typed to their last character."""

    def opened(self, document: Document, *, readable: bool) -> None:
        """The client has this document now, as a whole."""
        self._retentions[document.name] = Retention(self._statistics.was_kept)
        self.visited(Place(document, 0), readable=readable)

    def edited(self, before: Document, edits: Sequence[Edit], after: Place, *, readable: bool) -> None:
        """A key: the document `before` has become that of the place, where the cursor most likely is."""
        name, now = before.name, self._clock()
        self._keys[name] = (after.document.version, now)
        self._retentions[name].edited(before.text, edits, now)
        if len(edits) == 1 and edits[0].start == edits[0].end and len(edits[0].text) == 1:
            self._note_typed(after, now)
        if readable:
            self.texts.edited(before, edits)
        self.visited(after, readable=readable)

    def visited(self, place: Place, *, readable: bool) -> None:
        """The user is there, or it has turned out whether the document is readable."""
        if readable:
            self.texts.visited(place)
        else:
            self.texts.closed(place.document.name)

    def closed(self, name: str) -> None:
        """The document is gone."""
        for known in (self._retentions, self._keys, self._unanswered):
            known.pop(name, None)
        self.texts.closed(name)

    def answered(self, message: Complete, shown: Sequence[Suggestion], *, too_late: bool) -> float | None:
        """A request has its answer: the seconds since the key that it was made for; None if it was made for none.

        too_late: the models had said nothing in time.
        """
        retention = self._retentions.get(message.document)
        if retention is not None:
            for one in shown:
                retention.offered(one.id, message.offset, one.text, whole=one.complete)
        version, came = self._keys.get(message.document, (None, 0.0))
        if version is None or message.trigger != "automatic" or version != message.version:
            return None
        if too_late:
            self._unanswered[message.document] = (version, came)
        return self._clock() - came

    def updated(self, update: SuggestionUpdate) -> None:
        """What is shown has changed, or is there at last."""
        version, came = self._unanswered.get(update.document, (None, 0.0))
        if version == update.version:
            del self._unanswered[update.document]
            self._statistics.came_late(self._clock() - came)
        if update.document in self._retentions:
            shown = update.suggestion
            retention = self._retentions[update.document]
            retention.offered(shown.id, update.offset, shown.text, whole=shown.complete)

    def _note_typed(self, after: Place, now: float) -> None:
        """What the user typed to the end was taken, by the longest way (ux-14)."""
        typed = self._retentions[after.document.name].typed(after.document.text, after.offset, now)
        if typed is not None:
            suggestion, length = typed
            self._typed.append(suggestion)
            self._statistics.was_accepted("typed", length)

    def was_typed(self, suggestion: int) -> bool:
        """Whether it was counted already, since its last character was typed."""
        return suggestion in self._typed

    def accepted(self, suggestion: int, length: int, document: Document) -> None:
        """The user took the first `length` characters of a suggestion, if that was this document's."""
        self._retentions[document.name].accepted(suggestion, length, document.text, self._clock())

    def look(self) -> None:
        """Accepted text whose time is over: count what is still there."""
        for retention in self._retentions.values():
            retention.look(self._clock())
