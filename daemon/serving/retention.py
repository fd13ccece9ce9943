"""What becomes of accepted text: how much of it is still there after 30, 90 and 180 seconds. Pure; it keeps no text.

Accepted text is followed as ranges of the document: an edit shifts them, splits them, or takes characters away. What
stands between two edits does not change, so it is enough to look when the next edit or question comes. Where a
document is closed before the time is over, nothing is counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from daemon.api.messages import Edit
from daemon.draft.text_match import common_ending
from grammars.segments import common_beginning

HORIZONS_S: Final = (30, 90, 180)
REMEMBERED_OFFERS: Final = 8
"""Suggestions of late that may yet be accepted."""

Range = tuple[int, int]
"""From, and up to but not with, in code points of the document."""


@dataclass(slots=True)
class Kept:
    """Accepted suggestions at one time after they were accepted."""

    suggestions: int = 0
    whole: int = 0
    """Those of which every character was still there."""
    characters: int = 0
    kept_characters: int = 0

    def add(self, characters: int, kept: int) -> None:
        """Count one suggestion."""
        self.suggestions += 1
        self.whole += kept == characters
        self.characters += characters
        self.kept_characters += kept

    def summary(self) -> dict[str, Any]:
        """Plain values; the shares are None where nothing was accepted."""
        count = self.suggestions
        return {
            "suggestions": count,
            "whole_share": round(self.whole / count, 4) if count else None,
            "characters_share": round(self.kept_characters / self.characters, 4) if count else None,
        }


Tell = Callable[[int, int, int], None]
"""(horizon in seconds, characters accepted, characters kept)"""


@dataclass(slots=True)
class _Offer:
    """A suggestion that was shown."""

    start: int
    text: str
    whole: bool


@dataclass(slots=True)
class _Accepted:
    """Text that was accepted."""

    accepted_at: float
    length: int
    ranges: list[Range]
    """What of it is still there."""
    horizons_s: list[int] = field(default_factory=lambda: list(HORIZONS_S))
    """Those to come."""


class Retention:
    """One document's. `tell` is called once for each horizon of each suggestion that was accepted."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._offers: OrderedDict[int, _Offer] = OrderedDict()
        self._accepted: dict[int, _Accepted] = {}
        """By suggestion."""
        self._early: list[tuple[int, int]] = []
        """Suggestions and lengths that were accepted, of which the document does not have the text yet."""

    def offered(self, suggestion: int, start: int, text: str, *, whole: bool = True) -> None:
        """The suggestion is shown, or has changed: from `start` on, which is further on once it was typed along.

        whole: nothing will be added to it.
        """
        known = self._offers.get(suggestion)
        if known is not None and known.start <= start <= known.start + len(known.text):
            text, start = known.text[: start - known.start] + text, known.start
        self._offers[suggestion] = _Offer(start, text, whole)
        self._offers.move_to_end(suggestion)
        if len(self._offers) > REMEMBERED_OFFERS:
            self._offers.popitem(last=False)

    def accepted(self, suggestion: int, length: int, text: str, now: float) -> None:
        """The first `length` characters of the suggestion were taken, in one piece or with what was taken before.

        text: the document. It has them, or its next edit brings them: editors tell of the two in either order.
        """
        if not self._begin(suggestion, length, text, now) and suggestion in self._offers:
            self._early = [*self._early, (suggestion, length)][-REMEMBERED_OFFERS:]

    def _begin(self, suggestion: int, length: int, text: str, now: float) -> bool:
        """Follow what was accepted; False if the document does not have it."""
        offer = self._offers.get(suggestion)
        if offer is None or length < 1 or not text.startswith(offer.text[:length], offer.start):
            return False
        self.look(now)
        before = self._accepted.get(suggestion)
        if before is None:
            ranges = [(offer.start, offer.start + length)]
            self._accepted[suggestion] = _Accepted(now, length, ranges)
        elif length > before.length:
            before.ranges.append((offer.start + before.length, offer.start + length))
            before.length = length
        return True

    def typed(self, text: str, end: int, now: float) -> tuple[int, int] | None:
        """The suggestion that has just been typed to its last character, which is before `end`, and its length.

        text: the document as it is now. It counts as accepted from now on; None too if it was, or part of it, and while
        there may be more of it.
        """
        taken = self._accepted.keys() | {suggestion for suggestion, _ in self._early}
        for number, offer in reversed(self._offers.items()):
            ends_here = offer.whole and offer.text != "" and offer.start + len(offer.text) == end
            if ends_here and number not in taken and text.startswith(offer.text, offer.start):
                self._begin(number, len(offer.text), text, now)
                return number, len(offer.text)
        return None

    def edited(self, text: str, edits: Sequence[Edit], now: float) -> None:
        """The document, which is `text`, is about to change so."""
        self.look(now)
        for edit in edits:
            start, removed, added = _difference(text, edit)
            self._follow(start, removed, added)
            if self._early or edit is not edits[-1]:  # a large document is not copied for nothing
                text = text[: edit.start] + edit.text + text[edit.end :]
        early, self._early = self._early, []
        for suggestion, length in early:
            self._begin(suggestion, length, text, now)

    def look(self, now: float) -> None:
        """Tell of every horizon that is over."""
        for suggestion, one in list(self._accepted.items()):
            while one.horizons_s and now >= one.accepted_at + one.horizons_s[0]:
                kept = sum(end - start for start, end in one.ranges)
                self._tell(one.horizons_s.pop(0), one.length, kept)
            if not one.horizons_s:
                del self._accepted[suggestion]

    def _follow(self, start: int, removed: int, added: int) -> None:
        for offer in self._offers.values():
            if start < offer.start:
                offer.start = max(start, offer.start + added - removed)
        for one in self._accepted.values():
            one.ranges = [left for each in one.ranges for left in _after(each, start, removed, added)]


def _difference(text: str, edit: Edit) -> tuple[int, int, int]:
    """Where the edit changes something, how many characters it takes away there, and how many it adds.

    An editor that formats replaces whole documents: what is the same before and after stays what it was.
    """
    old, new = text[edit.start : edit.end], edit.text
    before = common_beginning(old, new)
    after = common_ending(old[before:], new[before:])
    return edit.start + before, len(old) - before - after, len(new) - before - after


def _after(one: Range, start: int, removed: int, added: int) -> list[Range]:
    """What an edit leaves of a range."""
    first, last = one
    end, shift = start + removed, added - removed
    before = (first, min(last, start))
    behind = (max(first, end) + shift, last + shift)
    return [left for left in (before, behind) if left[0] < left[1]]
