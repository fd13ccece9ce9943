"""Which pieces of other files say most about the text around a cursor. Pure.

Files are cut where statements begin; a piece is worth the words it shares with the text around the cursor, each by how
rare it is among the pieces, the more for how few lines. Pieces where the user has been count for more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.documents import Place

BEFORE: Final = 2000
"""Characters that are looked at before the cursor ..."""
AFTER: Final = 1000
"""... and after it."""
MOST_LINES: Final = 24
"""Of a piece; a longer statement is cut."""
FEWEST_LINES: Final = 6
"""Shorter statements are joined with what follows."""
_FEW_SHARED: Final = 2
"""A piece that shares fewer words says nothing."""
_VISITED_WORTH: Final = 1.5
_WORD: Final = re.compile(r"[^\W\d]\w{2,}")


@dataclass(frozen=True, slots=True)
class Source:
    """A file that pieces may be taken from."""

    name: str
    """What the prompt calls it."""
    text: str
    spots: tuple[int, ...] = ()
    """Where the user has been in it: offsets in code points."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines of a file."""

    name: str
    start: int
    """Where they stand in it, in code points."""
    text: str


def words_around(place: Place) -> frozenset[str]:
    """The words that pieces are chosen by."""
    return _words(place.document.text[max(0, place.offset - BEFORE) : place.offset + AFTER])


def choose(words: frozenset[str], sources: Sequence[Source], most_characters: int) -> tuple[Piece, ...]:
    """The pieces worth most, together of at most so many characters, in the order of the files and their lines."""
    worths = _worths(words, sources)
    chosen: list[Piece] = []
    left = most_characters
    for piece in sorted(worths, key=lambda one: (-worths[one], one.name, one.start)):
        if len(piece.text) <= left:
            chosen.append(piece)
            left -= len(piece.text)
    return tuple(sorted(chosen, key=lambda one: (one.name, one.start)))


def worth(words: frozenset[str], pieces: Iterable[Piece], sources: Sequence[Source]) -> float:
    """What pieces are worth now; nothing if they are no longer what the sources say there."""
    worths = _worths(words, sources)
    return sum(worths.get(piece, 0.0) for piece in pieces)


def arranged(kept: Sequence[Piece], chosen: Iterable[Piece]) -> tuple[Piece, ...]:
    """The chosen pieces so that those which stood there before come first, in their old order: caches hold longer."""
    wanted = dict.fromkeys(chosen)
    old = [piece for piece in kept if piece in wanted]
    return (*old, *(piece for piece in wanted if piece not in set(old)))


def pieces_of(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces of whole lines: where each starts, and what it is. Blank ones are left out."""
    lines: list[str] = []
    start = at = 0
    for line in text.splitlines(keepends=True):
        begins = _begins_statement(lines, line) and len(lines) >= FEWEST_LINES
        if begins or len(lines) == MOST_LINES:
            yield from _unless_blank(start, lines)
            start, lines = at, []
        lines.append(line)
        at += len(line)
    yield from _unless_blank(start, lines)


def _begins_statement(before: Sequence[str], line: str) -> bool:
    follows_blank = bool(before) and not before[-1].strip()
    return follows_blank or re.match(r"[^\s)\]}#/*@]", line) is not None


def _unless_blank(start: int, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    text = "".join(lines)
    if text.strip():
        yield start, text


def _worths(words: frozenset[str], sources: Sequence[Source]) -> dict[Piece, float]:
    """Every piece that shares words enough, and what it is worth."""
    cut = [
        (source, Piece(source.name, start, text))
        for source in sources
        for start, text in pieces_of(source.text)
    ]
    shared = [words & _words(piece.text) for _, piece in cut]
    frequencies = Counter(word for found in shared for word in found)
    return {
        piece: _worth(found, frequencies, len(cut), piece)
        * (_VISITED_WORTH if _is_visited(source, piece) else 1)
        for (source, piece), found in zip(cut, shared, strict=True)
        if len(found) >= _FEW_SHARED
    }


def _worth(shared: frozenset[str], frequencies: Counter[str], count: int, piece: Piece) -> float:
    # sorted: the order of a set changes from process to process, and with it the sum's last digits
    rarity = sum(math.log(1 + count / frequencies[word]) for word in sorted(shared))
    return rarity / math.sqrt(len(piece.text))


def _is_visited(source: Source, piece: Piece) -> bool:
    return any(piece.start <= spot < piece.start + len(piece.text) for spot in source.spots)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))
