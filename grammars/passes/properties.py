"""Unicode properties as ranges of code points: what surely has one, and what may have it at most.

The engine decides what `\\p{...}` matches, by tables of its own Unicode version. General categories are read from
Python's, where what Python's version does not assign yet may have any; other properties are bounded by hand. Callers
that look for conflicts want the most, those that look for room the least.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Final

from grammars.characters import LAST, Ranges, inverted, merged

_LAST_PLANE: Final = 0x3FFFF
"""Above are private characters, tags, and what is not assigned."""
_ALL: Final[Ranges] = ((0, LAST),)

_SCRIPTS: Final[dict[str, tuple[Ranges, Ranges]]] = {
    "Latin": (
        (
            (0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0x2E4), (0x1D00, 0x1EFF), (0x2071, 0x209F),
            (0x212A, 0x2188), (0x2C60, 0x2C7F), (0xA722, 0xA7FF), (0xAB30, 0xAB6F), (0xFB00, 0xFB06), (0xFF21, 0xFF5A),
            (0x10780, 0x107BF), (0x1DF00, 0x1DFFF),
        ),
        ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F)),
    ),
    "Han": (
        (
            (0x2E80, 0x2FDF), (0x3005, 0x3005), (0x3007, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3400, 0x4DBF),
            (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x16FE0, 0x16FFF), (0x20000, 0x3FFFF),
        ),
        ((0x3005, 0x3005), (0x3007, 0x3007), (0x3021, 0x3029), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x2A6DF)),
    ),
    "Hiragana": (((0x3041, 0x309F), (0x1B000, 0x1B16F), (0x1F200, 0x1F200)), ((0x3041, 0x3096), (0x309D, 0x309F))),
    "Katakana": (
        (
            (0x30A1, 0x30FF), (0x31F0, 0x31FF), (0x32D0, 0x32FE), (0x3300, 0x3357), (0xFF66, 0xFF9D),
            (0x1AFF0, 0x1B16F),
        ),
        ((0x30A1, 0x30FA), (0x30FD, 0x30FF), (0x31F0, 0x31FF)),
    ),
    "Hangul": (
        (
            (0x1100, 0x11FF), (0x302E, 0x302F), (0x3131, 0x318E), (0x3200, 0x321E), (0x3260, 0x327E), (0xA960, 0xA97F),
            (0xAC00, 0xD7FF), (0xFFA0, 0xFFDC),
        ),
        ((0x1100, 0x11FF), (0x3131, 0x318E), (0xAC00, 0xD7A3)),
    ),
    "Bopomofo": (((0x2EA, 0x2EB), (0x3105, 0x312F), (0x31A0, 0x31BF)), ((0x3105, 0x312F),)),
    "Greek": (
        (
            (0x370, 0x3FF), (0x1D26, 0x1DBF), (0x1F00, 0x1FFF), (0x2126, 0x2126), (0xAB65, 0xAB65), (0x10140, 0x1D24F),
            (0x1DF00, 0x1DFFF),
        ),
        ((0x391, 0x3A1), (0x3A3, 0x3E1)),
    ),
    "Cyrillic": (
        (
            (0x400, 0x52F), (0x1C80, 0x1C8F), (0x1D2B, 0x1D2B), (0x1D78, 0x1D78), (0x2DE0, 0x2DFF), (0xA640, 0xA69F),
            (0xFE2E, 0xFE2F), (0x1E030, 0x1E08F),
        ),
        ((0x400, 0x481), (0x48A, 0x52F)),
    ),
    "Arabic": (
        ((0x600, 0x6FF), (0x750, 0x77F), (0x860, 0x8FF), (0xFB50, 0xFEFF), (0x10E60, 0x1EEFF)),
        ((0x620, 0x63F),),
    ),
    "Hebrew": (((0x591, 0x5FF), (0xFB1D, 0xFB4F)), ((0x5D0, 0x5EA),)),
    "Thai": (((0xE01, 0xE5B),), ((0xE01, 0xE3A), (0xE40, 0xE5B))),
    "Devanagari": (((0x900, 0x97F), (0xA8E0, 0xA8FF), (0x11B00, 0x11B5F)), ((0x904, 0x939),)),
    "Armenian": (((0x531, 0x58F), (0xFB13, 0xFB17)), ((0x531, 0x556), (0x561, 0x586))),
    "Georgian": (((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)), ((0x10D0, 0x10FA),)),
}  # fmt: skip
"""Script -> where its characters lie, and those of them that no version of Unicode takes back."""

_ODD: Final[Ranges] = tuple(
    (code, code)
    for code in (0xB7, 0x387, 0x1885, 0x1886, 0x200C, 0x200D, 0x2118, 0x212E, 0x309B, 0x309C, 0x30FB, 0xFF65)
)
"""Characters of other categories that identifiers may have."""

_DERIVED: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], Ranges]]] = {
    "Alphabetic": (("L", "M", "N", "So"), ("L",), ()),
    "Uppercase": (("L", "M", "N", "So"), ("Lu",), ()),
    "Lowercase": (("L", "M", "N", "So"), ("Ll",), ()),
    "ID_Start": (("L", "N", "M"), ("Lu", "Ll", "Lo"), _ODD),
    "XID_Start": (("L", "N", "M"), ("Lu", "Ll"), _ODD),
    "ID_Continue": (("L", "N", "M", "Pc"), ("Lu", "Ll", "Lo", "Nd", "Pc"), _ODD),
    "XID_Continue": (("L", "N", "M", "Pc"), ("Lu", "Ll", "Nd", "Pc"), _ODD),
}
"""Property -> the categories of what may have it and of what surely has it, and more that may."""

_WHITE_SPACE: Final[Ranges] = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
_EXACT: Final[dict[str, Ranges]] = {
    "Any": _ALL,
    "ASCII": ((0, 0x7F),),
    "White_Space": _WHITE_SPACE,
    "Join_Control": ((0x200C, 0x200D),),
}


def property_ranges(name: str, *, sure: bool) -> Ranges:
    """The code points that surely have the property, or (not `sure`) that may have it. "^" before it negates it."""
    if name.startswith("^"):
        return inverted(property_ranges(name[1:], sure=not sure))
    name = name.rpartition("=")[2]
    if name in _EXACT:
        return _EXACT[name]
    if name in _SCRIPTS:
        return _SCRIPTS[name][sure]
    if name in _DERIVED:
        most, least, more = _DERIVED[name]
        return _of(least) if sure else merged((*_of(most), *more, *_unassigned()))
    if len(name) > 2:
        return () if sure else _ALL
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    return _of(wanted) if sure else merged((*_of(wanted), *_unassigned()))


def _of(names: Iterable[str]) -> Ranges:
    """The characters assigned to these general categories (or to those that begin like them)."""
    wanted = tuple(names)
    return merged(
        pair
        for category, pairs in _categories().items()
        if category.startswith(wanted) and category != "Cn"
        for pair in pairs
    )


def _unassigned() -> Ranges:
    return (*_categories()["Cn"], (_LAST_PLANE + 1, LAST))


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    """General category -> its code points up to the last plane of letters; some 40 ms, once."""
    found: dict[str, list[tuple[int, int]]] = {}
    codes = map(unicodedata.category, map(chr, range(_LAST_PLANE + 1)))
    start = 0
    for category, run in itertools.groupby(codes):
        end = start + sum(1 for _ in run)
        found.setdefault(category, []).append((start, end - 1))
        start = end
    return found
