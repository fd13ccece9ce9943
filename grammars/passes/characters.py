"""Sets of characters as ranges of code points: what a set surely covers, and what it may cover at most.

Unicode properties are exact below U+0080 where Python knows them, and taken for all or nothing above: callers that
look for conflicts use `most`, callers that look for room use `least`. Pure arithmetic, nothing of grammars.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from grammars.characters import LAST, Ranges, inverted, merged
from grammars.form import CharacterSet

BLANKS: Final = frozenset(" \t\r\n\f\v\u00a0\u3000")
LINE_ENDS: Final = frozenset("\r\n")

_ABOVE_ASCII: Final[Ranges] = ((0x80, LAST),)
_ASCII: Final = [chr(code) for code in range(0x80)]
_NO_ASCII: Final = frozenset(
    [
        "Han",
        "Hiragana",
        "Katakana",
        "Hangul",
        "Bopomofo",
        "Greek",
        "Cyrillic",
        "Arabic",
        "Hebrew",
        "Thai",
        "Devanagari",
        "Armenian",
        "Georgian",
    ]
)
_KNOWN: Final[dict[str, Callable[[str], bool]]] = {
    "Any": lambda character: True,
    "ASCII": lambda character: True,
    "Alphabetic": str.isalpha,
    "Alpha": str.isalpha,
    "Latin": str.isalpha,
    "White_Space": str.isspace,
    "Uppercase": str.isupper,
    "Lowercase": str.islower,
    "XID_Start": str.isalpha,
    "XID_Continue": lambda character: character.isalnum() or character == "_",
    "ID_Start": str.isalpha,
    "ID_Continue": lambda character: character.isalnum() or character == "_",
    "Join_Control": lambda character: False,
}


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """The code points in both."""
    return inverted((*inverted(one), *inverted(other)))


@lru_cache(maxsize=4096)
def most(characters: CharacterSet) -> Ranges:
    """Every code point that the set may hold, and perhaps more above U+007F."""
    if characters.negated:
        return inverted(_plain(characters, sure=True))
    return _plain(characters, sure=False)


@lru_cache(maxsize=4096)
def least(characters: CharacterSet) -> Ranges:
    """Code points that the set surely holds, and perhaps not all of them above U+007F."""
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


def folded_character(character: str) -> CharacterSet:
    """The character in either case."""
    cases = {one for one in (character, character.lower(), character.upper()) if len(one) == 1}
    return CharacterSet(merged((ord(one), ord(one)) for one in cases))


def _plain(characters: CharacterSet, *, sure: bool) -> Ranges:
    ranges = list(characters.ranges)
    for name in characters.properties:
        ranges.extend(_property(name, sure=sure))
    return merged(ranges)


def _property(name: str, *, sure: bool) -> Ranges:
    if name.startswith("^"):
        return inverted(_property(name[1:], sure=not sure))
    name = name.rpartition("=")[2]
    above = () if sure else _ABOVE_ASCII
    if name in _NO_ASCII:
        return above
    if name in _KNOWN:
        belongs = _KNOWN[name]
    elif len(name) <= 2:
        belongs = lambda character: unicodedata.category(character).startswith(name)  # noqa: E731
    else:
        return () if sure else ((0, LAST),)
    return merged((*((ord(one), ord(one)) for one in _ASCII if belongs(one)), *above))
