"""Where in a file the demonstration types: statements of its second half, taken out and begun anew. Pure.

What a statement is depends on the language; here it is a line at which one may begin, as far as the grammar's
boundaries tell, and without which the file is still what it was before. Where no line is like that (a language may
have no statement that can be left out), any will do.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from draftwire.demo.script import Passage

SHORTEST: Final = 6
"""Characters of a line that is worth typing, if there are such lines."""
TYPED: Final = 12
"""Characters that are typed of a statement at most; of a short one, half."""
_TRIED: Final = 60
"""Places of one kind that are tried out."""
_TRIED_CHARACTERS: Final = 4_000_000
"""The same, in characters of the texts: some seconds."""
_LOOKED_BACK: Final = 400
_BEGINNING: Final = re.compile(r"\w")
_CONTENT: Final = re.compile(r"[ \t]*(\S.*)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    """Of its first visible character, in code points of the text."""
    end: int


@dataclass(frozen=True, slots=True)
class Places:
    """Where to type."""

    passages: Sequence[Passage]
    """In the order of the file; empty if it has nothing but blanks, comments and single characters."""
    can_be_left_out: bool
    """The file is as good without each of these statements."""


def places_in(
    text: str,
    boundaries: Sequence[str],
    line_comments: Sequence[str],
    *,
    count: int,
    seed: int,
    keeps: Callable[[str], bool],
) -> Places:
    """At most `count` places. `keeps`: whether a text without a statement is as good."""
    source = random.Random(seed)  # reproducible: the same file is typed in the same places
    lines = [line for line in _lines(text) if _can_be_typed(text, line, line_comments)]
    usual = list(_by_preference(text, [line for line in lines if _is_usual(text, line)], boundaries))
    kinds = usual if any(usual) else [lines]
    tried = max(1, min(_TRIED, _TRIED_CHARACTERS // max(1, len(text))))

    def can_be_left_out(line: _Line) -> bool:
        return keeps(text[: line.start] + text[line.end :])

    left_out = _chosen(kinds, source, count, tried, can_be_left_out)
    chosen = left_out or _chosen(kinds, source, count, count, lambda line: True)
    return Places([_passage(text, line) for line in chosen], bool(left_out))


def _chosen(
    preferred: Sequence[Sequence[_Line]],
    source: random.Random,
    count: int,
    tried: int,
    is_good: Callable[[_Line], bool],
) -> list[_Line]:
    """At most `count` good lines, of the first kinds that have them; of each kind, `tried` are looked at."""
    chosen: list[_Line] = []
    for lines in preferred:
        left = [line for line in lines if line not in chosen]
        source.shuffle(left)
        for line in left[:tried]:
            if len(chosen) < count and is_good(line):
                chosen.append(line)
    return sorted(chosen, key=lambda one: one.start)


def _passage(text: str, line: _Line) -> Passage:
    statement = text[line.start : line.end]
    typed = statement[: min(TYPED, max(1, len(statement) // 2))].rstrip()
    return Passage(text[: line.start], typed, text[line.end :])


def _by_preference(text: str, lines: Sequence[_Line], boundaries: Sequence[str]) -> Iterator[list[_Line]]:
    """Lines of the second half after a boundary that is seen; then all of its lines; then the first half's."""
    later = [line for line in lines if line.start >= len(text) // 2]
    seen = tuple(one for one in boundaries if one.strip())
    yield [line for line in later if _before(text, line).endswith(seen)] if seen else []
    yield later
    yield list(lines[1:])


def _before(text: str, line: _Line) -> str:
    """The end of what stands before a line, without blanks."""
    return text[max(0, line.start - _LOOKED_BACK) : line.start].rstrip()


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        content = _CONTENT.match(line)
        if content:
            yield _Line(start + content.start(1), start + len(line.rstrip()))
        start += len(line) + 1


def _can_be_typed(text: str, line: _Line, line_comments: Sequence[str]) -> bool:
    is_comment = text.startswith(tuple(one for one in line_comments if one), line.start)
    return not is_comment and line.end - line.start > 1


def _is_usual(text: str, line: _Line) -> bool:
    """Long enough to be worth it, and it begins with a word."""
    return line.end - line.start >= SHORTEST and _BEGINNING.match(text, line.start) is not None
