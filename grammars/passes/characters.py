"""Sets of characters as ranges of code points: what a set surely covers, and what it may cover at most.

Unicode properties are known by bounds (`grammars/passes/properties.py`): callers that look for conflicts use `most`,
callers that look for room use `least`. Pure arithmetic, nothing of grammars.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from grammars.characters import Ranges, inverted, merged
from grammars.form import CharacterSet
from grammars.passes.properties import property_ranges

BLANKS: Final = frozenset(" \t\r\n\f\v\u00a0\u3000")
LINE_ENDS: Final = frozenset("\r\n")


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """The code points in both."""
    return inverted((*inverted(one), *inverted(other)))


@lru_cache(maxsize=4096)
def most(characters: CharacterSet) -> Ranges:
    """Every code point that the set may hold, and perhaps more."""
    if characters.negated:
        return inverted(_plain(characters, sure=True))
    return _plain(characters, sure=False)


@lru_cache(maxsize=4096)
def least(characters: CharacterSet) -> Ranges:
    """Code points that the set surely holds, and perhaps not all of them."""
    if characters.negated:
        return inverted(_plain(characters, sure=False))
    return _plain(characters, sure=True)


def single(characters: CharacterSet) -> str | None:
    """The one character that the set is made of, if that is all."""
    ranges = merged(characters.ranges)
    if characters.negated or characters.properties or len(ranges) != 1 or ranges[0][0] != ranges[0][1]:
        return None
    return chr(ranges[0][0])


def only(characters: CharacterSet, among: frozenset[str]) -> bool:
    """Whether the set holds characters of `among` alone (and holds any)."""
    ranges = most(characters)
    return (
        bool(ranges)
        and sum(last - first + 1 for first, last in ranges) <= len(among)
        and all(chr(code) in among for first, last in ranges for code in range(first, last + 1))
    )


def holds(characters: CharacterSet, character: str) -> bool:
    """Whether the set may hold the character."""
    return any(first <= ord(character) <= last for first, last in most(characters))


@lru_cache(maxsize=4096)
def folded_character(character: str) -> CharacterSet:
    """The character in either case."""
    cases = {one for one in (character, character.lower(), character.upper()) if len(one) == 1}
    return CharacterSet(merged((ord(one), ord(one)) for one in cases))


def _plain(characters: CharacterSet, *, sure: bool) -> Ranges:
    ranges = list(characters.ranges)
    for name in characters.properties:
        ranges.extend(property_ranges(name, sure=sure))
    return merged(ranges)
