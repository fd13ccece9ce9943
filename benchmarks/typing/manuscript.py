"""The file that is typed: which parts of it are missing when it is opened, and how much of them stands by now. Pure.

Two parts are cut out, of whole lines: one in the middle, with the rest of the file behind it, and one at the end.
Editors indent new lines by themselves: the indentation that a part begins with is there, and the key that begins a
line brings that of the line with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

_MIDDLE: Final = (0.25, 0.45)
"""Where the first part begins, as shares of the file."""
_END: Final = (0.65, 0.8)
_FEWEST_LINES: Final = 24
"""A shorter file is cut at its end alone."""
_LINE_START: Final = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)
_KEY: Final = re.compile(r"\n[ \t]*(?=\S)|.|\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hole:
    """A missing part: the text from `start` up to `end`, which is a line's end."""

    start: int
    end: int


def holes_of(text: str, characters: int, draw: Random) -> list[Hole]:
    """Where to cut a file so that about `characters` have to be typed in each part, in the order of the file."""
    stripped = text.rstrip()
    starts = [found.end() for found in _LINE_START.finditer(stripped)]
    if not starts:
        return []
    shares = (_MIDDLE, _END) if len(starts) >= _FEWEST_LINES else (_END,)
    first = [starts[int(len(starts) * draw.uniform(*share))] for share in shares]
    ends = [*(_line_start(stripped, start) - 1 for start in first[1:]), len(stripped)]
    return [
        Hole(start, min(limit, _line_end(stripped, start + characters)))
        for start, limit in zip(first, ends, strict=True)
    ]


def next_key(rest: str) -> str:
    """What the next key inserts, of what is yet to be typed: a character, or a new line with its indentation."""
    found = _KEY.match(rest)
    assert found is not None, "there is something to type"
    return found[0]


def keys_for(rest: str, characters: int) -> int:
    """How many keys it takes to type so many characters of what is yet to be typed."""
    return sum(1 for key in _KEY.finditer(rest) if key.start() < characters)


class Manuscript:
    """A file with holes, being typed. It knows what should stand, not what was typed wrongly meanwhile."""

    def __init__(self, text: str, holes: Sequence[Hole]) -> None:
        self._text = text
        self._holes = holes
        self._typed = [0] * len(holes)
        self.current = 0
        """Which hole the typist is in."""

    @property
    def opened(self) -> str:
        """The text as it stands now, without mistakes."""
        parts, end = [], 0
        for hole, typed in zip(self._holes, self._typed, strict=True):
            parts.append(self._text[end : hole.start + typed])
            end = hole.end
        return "".join([*parts, self._text[end:]])

    @property
    def cursor(self) -> int:
        """Where the typist is, in `opened`."""
        missing = sum(
            hole.end - hole.start - typed
            for hole, typed in zip(self._holes[: self.current], self._typed[: self.current], strict=True)
        )
        return self.position - missing

    @property
    def position(self) -> int:
        """Where the typist is, in the whole file."""
        return self._holes[self.current].start + self._typed[self.current]

    @property
    def rest(self) -> str:
        """What is yet to be typed here."""
        return self._text[self.position : self._holes[self.current].end]

    def advance(self, characters: int) -> None:
        """So much more of it stands."""
        self._typed[self.current] += characters

    def others(self) -> list[int]:
        """The other holes where something is missing."""
        return [
            index
            for index, hole in enumerate(self._holes)
            if index != self.current and hole.start + self._typed[index] < hole.end
        ]


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end
