"""Islands: places of one language in a text of another, such as SQL in a string or a fenced block of a Markdown file.

Where they are is said by patterns: a regular expression for what opens one, one for what closes it. What escapes the
host language has is left to the closing pattern. Texts in, places out; no grammar, no configuration, no files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from grammars.segments import common_beginning

MARGIN: Final = 512
"""Code points that a pattern may look beyond what it matches; also the longest opening text that is found anew."""
SLICE: Final = 32_768
"""Code points that are looked at in one go: the regular expressions of some islands take 1 to 5 ms for so many, in
which no other thread runs."""
LONGEST_AHEAD: Final = 65_536
"""Code points after the cursor in which the end of its island is looked for."""


@dataclass(frozen=True, slots=True)
class Island:
    """What an island looks like. Raises ValueError for a pattern that is none, or that matches the empty text."""

    open: str
    close: str
    grammar: str
    """The name of the grammar that holds inside."""
    opening: re.Pattern[str] = field(init=False, repr=False, compare=False)
    closing: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "opening", _pattern("open", self.open))
        object.__setattr__(self, "closing", _pattern("close", self.close))


@dataclass(frozen=True, slots=True)
class Found:
    """The island around a cursor. Code points of the host text."""

    start: int
    """After what opens it."""
    end: int | None
    """Before what closes it; None where nothing near does."""
    island: Island


@dataclass(frozen=True, slots=True)
class _Passed:
    """An island that was closed before a cursor."""

    opened: int
    end: int
    """After what closes it."""


class IslandFinder:
    """The islands of one document. A key costs what has changed before the cursor, not the text.

    At every place the first pattern that opens an island holds, in the order given, up to its close; what
    else would open one in there does not count.
    """

    def __init__(self, islands: Sequence[Island]) -> None:
        self._islands = tuple(islands)
        self._text = ""
        self._offset = 0
        self._passed: list[_Passed] = []
        self._opened: tuple[int, int, Island] | None = None
        """An open island: where what opens it begins and ends."""
        self._clear = 0
        """No island that is not in `_passed` opens before this, or, in one, it does not close before this."""

    def at(self, text: str, offset: int) -> Found | None:
        """The island that `offset` is in: after what opens it, and not within what closes it."""
        while not self.advance(text, offset):
            pass
        return None if self._opened is None else self._found(offset)

    def advance(self, text: str, offset: int) -> bool:
        """Look at SLICE code points more; whether all up to `offset` has been looked at, and `at` is cheap there."""
        if offset != self._offset or text != self._text:
            self._forget_from(min(common_beginning(self._text, text), self._offset, offset))
        self._text, self._offset = text, offset
        if not self._islands:
            return True
        end = min(offset, self._clear + SLICE)
        sure = end if end == offset else end - MARGIN
        openings = [_Search(island.opening, rank, island) for rank, island in enumerate(self._islands)]
        while self._find_closing(end, sure) if self._opened else self._find_opening(openings, end, sure):
            pass
        return end == offset

    def _found(self, offset: int) -> Found | None:
        assert self._opened is not None
        _, start, island = self._opened
        close = island.closing.search(self._text, max(start, self._clear), offset + LONGEST_AHEAD)
        if close is not None and close.start() < offset:
            return None
        return Found(start, close.start() if close else None, island)

    def _forget_from(self, unchanged: int) -> None:
        """Keep what rests on the first `unchanged` code points alone."""
        while self._passed and self._passed[-1].end + MARGIN > unchanged:
            last = self._passed.pop()
            self._opened, self._clear = None, min(self._clear, last.opened)
        if self._opened is not None and self._opened[1] + MARGIN > unchanged:
            self._clear, self._opened = min(self._clear, self._opened[0]), None
        least = self._opened[1] if self._opened else self._passed[-1].end if self._passed else 0
        self._clear = max(least, min(self._clear, unchanged - MARGIN))

    def _find_opening(self, openings: Sequence[_Search], end: int, sure: int) -> bool:
        """Go on to the next opening before `end`; what ends after `sure` may look another way with more text."""
        found = [
            (match.start(), search.rank, match.end(), search.island)
            for search in openings
            if (match := search.after(self._text, self._clear, end)) is not None
        ]
        opened, _, start, island = min(found, key=lambda match: match[:2], default=(end, 0, end, None))
        if island is None or (start > sure and opened > self._clear):
            self._clear = max(self._clear, min(opened, end - MARGIN))
            return False
        self._opened, self._clear = (opened, start, island), start
        return True

    def _find_closing(self, end: int, sure: int) -> bool:
        """As `_find_opening`, for what closes the island that is open."""
        assert self._opened is not None
        opened, _, island = self._opened
        match = island.closing.search(self._text, self._clear, end)
        if match is None or (match.end() > sure and match.start() > self._clear):
            self._clear = max(self._clear, min(match.start() if match else end, end - MARGIN))
            return False
        self._passed.append(_Passed(opened, match.end()))
        self._opened, self._clear = None, match.end()
        return True


@dataclass(slots=True)
class _Search:
    """A pattern, looked for from place to place: a match that lies ahead still is not looked for again."""

    pattern: re.Pattern[str]
    rank: int
    island: Island
    _match: re.Match[str] | None = None
    _is_known: bool = False

    def after(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match from `start` on. Of other calls, the text and the end are the same, the start is before."""
        if not self._is_known or (self._match is not None and self._match.start() < start):
            self._match, self._is_known = self.pattern.search(text, start, end), True
        return self._match


def island_at(text: str, offset: int, islands: Sequence[Island]) -> Found | None:
    """The island that `offset` is in, looked for from the start of the text."""
    return IslandFinder(islands).at(text, offset)


def _pattern(which: str, source: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(source, re.MULTILINE)
    except re.error as error:
        raise ValueError(f"{which} = {source!r} is no regular expression: {error}") from error
    if pattern.match("") is not None:
        raise ValueError(f"{which} = {source!r} matches the empty text: it must match at least a character")
    return pattern
