"""A line that goes round in circles, as small models' do: where it does. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.draft.text_match import common_ending

_LONGEST_IN_A_ROW: Final = 16
_FOUR_IN_A_ROW: Final = re.compile(rf"(?=([^\n]{{1,{_LONGEST_IN_A_ROW}}}?)\1{{3}})")
_MOST_OF_WORDS: Final = 3
_MOST_OF_DATA: Final = 6
"""Numbers may be meant so."""
_LETTER: Final = re.compile(r"[^\W\d_]")


def before_loop(text: str, *, ended: bool) -> str:
    """The text up to where it goes round in circles within a line: the same characters over and over again.

    While the text goes on, what may become one time too many is held back.
    """
    ends = [
        found.start() + most * len(unit)
        for found in _FOUR_IN_A_ROW.finditer(text)
        if (most := _most_in_a_row(unit := found[1])) and text.startswith(unit * (most + 1), found.start())
    ]
    if not ended:
        ends += [len(text) - begun for begun in _begun_again(text)]
    return text[: min(ends, default=len(text))]


def _most_in_a_row(unit: str) -> int:
    """How many times in a row the characters may stand in a line; 0 where that is no matter of loops.

    It is where they are some with a sign or a blank among them (`.item`, `1, `; fewer with a letter than data), or one
    that nobody can see.
    """
    if len(unit) == 1:
        return 0 if unit.isprintable() or unit.isspace() else _MOST_OF_WORDS
    if unit.isalnum() or not any(map(str.isalnum, unit)):
        return 0
    return _MOST_OF_WORDS if _LETTER.search(unit) else _MOST_OF_DATA


def _begun_again(text: str) -> Iterator[int]:
    """How long the beginnings are, at the text's end, of what stands before them as often as it may."""
    line = text[text.rfind("\n") + 1 :]
    for length in range(2, _LONGEST_IN_A_ROW + 1):
        most = _most_in_a_row(line[-length:])
        if most and len(line) > most * length:
            same = common_ending(line, line[:-length])
            begun = same - (most - 1) * length
            if 0 < begun < length:
                yield begun
