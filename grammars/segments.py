"""A text in segments: what is followed, and taken back, as one piece. Pure text; no engine, no grammar.

A segment ends after a boundary of the grammar (";", a line end): a place where a parser that has lost its way may find
its feet. Where none comes for a while it is cut anyway, so that no edit costs much: such an end is no boundary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 128
"""Characters of a segment."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text by where it ends; it begins where the one before ends. Code points of the text."""

    end: int
    is_boundary: bool
    """The grammar says that a statement may be over at the end."""


class Cutter:
    """Cuts texts after the boundaries of a grammar."""

    def __init__(self, boundaries: Sequence[str]) -> None:
        longest_first = sorted(filter(None, {*boundaries, "\n"}), key=len, reverse=True)
        self._boundary = re.compile("|".join(map(re.escape, longest_first)))

    def next(self, text: str, start: int, limit: int) -> Segment | None:
        """The segment from `start`, if it ends at or before `limit`.

        It depends on `start` and the text up to its own end alone.
        """
        farthest = start + LONGEST
        found = self._boundary.search(text, start, min(farthest, limit))
        if found is not None:
            return Segment(found.end(), is_boundary=True)
        return Segment(farthest, is_boundary=False) if farthest <= limit else None


def common_length(one: str, other: str, lengths: Sequence[int]) -> int:
    """How many of the ascending `lengths` lie in the common beginning of both texts."""
    low, high = 0, len(lengths)
    if not high or (lengths[-1] <= len(other) and one[: lengths[-1]] == other[: lengths[-1]]):
        return high
    while low < high:
        middle = (low + high) // 2
        start = lengths[low - 1] if low else 0
        end = lengths[middle]
        if end <= len(other) and one[start:end] == other[start:end]:
            low = middle + 1
        else:
            high = middle
    return low


def common_beginning(one: str, other: str) -> int:
    """How many code points both texts begin with."""
    return common_length(one, other, range(1, min(len(one), len(other)) + 1))


def place(text: str, offset: int) -> str:
    """`line N, column M` of a code point, both from 1."""
    line_start = text.rfind("\n", 0, offset) + 1
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - line_start + 1}"
