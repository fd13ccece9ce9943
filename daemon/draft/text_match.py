"""Drafting without a model: how a text went on the last time that it stood somewhere. Pure.

The longest match wins, as in a suffix automaton over all of the texts; but nothing is built. The end of the text before
the cursor is sought in the texts as they are, which costs no memory and nothing for a key: only who drafts searches.
(Prompt lookup decoding, Saxena 2023, on characters: a match may end within a token, and keys end there mostly.)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

LONGEST_COMPARED: Final = 256
"""Characters before a place that are compared."""
LOOKED_AT: Final = 24
"""Places in each text that are compared, the last first."""
CONTINUED: Final = 96
"""Characters of a continuation."""
AROUND: Final = 256
"""Characters before a place, and behind its continuation, that are told of."""
LONGEST_WORD: Final = 64
_BEGUN: Final = re.compile(r"\b[^\W\d]\w+\Z")
_NEEDLES: Final = (96, 48, 24, 12, 6, 3)
"""Ends of the text that are sought, in characters: the first of them that is found has the longest match."""


@dataclass(frozen=True, slots=True)
class Match:
    """A place where the text before the cursor has stood before."""

    continuation: str
    """What followed it there, never empty."""
    matched: int
    """Characters before the place that are the same, as far as they were compared."""
    visible: int
    """Those of them that are no white space."""
    source: str = field(default="", compare=False)
    """What stands there, on both sides of the place ..."""
    at: int = field(default=0, compare=False)
    """... which is so far in it."""


def longest_match(before: str, texts: Sequence[str], shortest: int) -> Match | None:
    """Where the end of `before`, at least `shortest` of its characters, stands in `texts`; None if nowhere.

    Where matches are equally long the text that comes first in `texts` is taken, and in it the last place.
    """
    for length in [length for length in _NEEDLES if length > shortest] + [shortest]:
        if len(before) >= length:
            best = _longest(before, list(_ends(before[-length:], texts)))
            if best is not None:
                return best
    return None


def _ends(needle: str, texts: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Where the needle ends in the texts: none at the end of one, where nothing follows."""
    for text in texts:
        end = len(text) - 1
        for _ in range(LOOKED_AT):
            start = text.rfind(needle, 0, end)
            if start < 0:
                break
            yield text, start + len(needle)
            end = start + len(needle) - 1


def _longest(before: str, ends: Sequence[tuple[str, int]]) -> Match | None:
    if not ends:
        return None
    own = before[-LONGEST_COMPARED:]
    lengths = [common_ending(own, text[max(0, end - LONGEST_COMPARED) : end]) for text, end in ends]
    matched = max(lengths)
    text, end = ends[lengths.index(matched)]
    visible = matched - sum(map(str.isspace, own[len(own) - matched :]))
    start = max(0, end - AROUND)
    source = text[start : end + CONTINUED + AROUND]
    return Match(text[end : end + CONTINUED], matched, visible, source, end - start)


def rest_of_word(before: str, texts: Sequence[str]) -> str:
    """What the word at the end of `before` lacks of the last one in `texts` that begins like it; empty: there is none.

    Of two letters at least. The texts are looked at in their order.
    """
    begun = _BEGUN.search(before[-LONGEST_WORD:])
    if begun is None:
        return ""
    longer = re.compile(rf"\b{re.escape(begun[0])}(\w+)")
    for text in texts:
        found = longer.findall(text)
        if found:
            return str(found[-1])
    return ""


def common_ending(one: str, other: str) -> int:
    """How many characters at their ends are the same."""
    most = min(len(one), len(other))
    return bisect_left(
        range(1, most + 1), x=True, key=lambda count: one[-count:] != other[len(other) - count :]
    )
