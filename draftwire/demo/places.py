"""Where in a file the demonstration types: statements of its second half, taken out and begun anew. Pure.

What a statement is depends on the language; here it is a line at which one may begin, as far as the grammar's
boundaries tell, and without which the file is still what it was before.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from draftwire.demo.script import Passage

SHORTEST: Final = 6
"""Characters of a line that is worth typing."""
TYPED: Final = 12
"""Characters that are typed of a statement at most; of a short one, half."""
_TRIED: Final = 60
"""Places that are tried out."""
_BEGINNING: Final = re.compile(r"\w")
_CONTENT: Final = re.compile(r"[ \t]*(\S.*)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    """Of its first visible character, in code points of the text."""
    end: int


def passages_of(
    text: str,
    boundaries: Sequence[str],
    line_comments: Sequence[str],
    *,
    count: int,
    seed: int,
    keeps: Callable[[str], bool],
) -> list[Passage]:
    """At most `count` passages, in the order of the file. `keeps`: whether a text without a statement is as good."""
    source = random.Random(seed)  # reproducible: the same file is typed in the same places
    chosen: list[_Line] = []
    for lines in _by_preference(text, boundaries, line_comments):
        left = [line for line in lines if line not in chosen]
        source.shuffle(left)
        for line in left[:_TRIED]:
            if len(chosen) < count and keeps(text[: line.start] + text[line.end :]):
                chosen.append(line)
    return [_passage(text, line) for line in sorted(chosen, key=lambda one: one.start)]


def _passage(text: str, line: _Line) -> Passage:
    statement = text[line.start : line.end]
    typed = statement[: min(TYPED, max(1, len(statement) // 2))].rstrip()
    return Passage(text[: line.start], typed, text[line.end :])


def _by_preference(
    text: str, boundaries: Sequence[str], line_comments: Sequence[str]
) -> Iterator[list[_Line]]:
    """Lines of the second half after a boundary that is seen; then all of its lines; then the first half's."""
    lines = [line for line in _lines(text) if _is_typed(text[line.start : line.end], line_comments)]
    later = [line for line in lines if line.start >= len(text) // 2]
    seen = tuple(one for one in boundaries if one.strip())
    yield [line for line in later if text[: line.start].rstrip().endswith(seen)] if seen else []
    yield later
    yield lines[1:]


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        content = _CONTENT.match(line)
        if content:
            yield _Line(start + content.start(1), start + len(line.rstrip()))
        start += len(line) + 1


def _is_typed(statement: str, line_comments: Sequence[str]) -> bool:
    is_comment = statement.startswith(tuple(one for one in line_comments if one))
    return len(statement) >= SHORTEST and not is_comment and _BEGINNING.match(statement) is not None
