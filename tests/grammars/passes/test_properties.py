"""Bounds of Unicode properties, against another implementation of them."""

from __future__ import annotations

import re

import pytest
import regex

from grammars.passes.properties import property_ranges

NAMES = re.findall(
    r"\w+",
    "Han Hiragana Katakana Hangul Bopomofo Greek Cyrillic Arabic Hebrew Thai Devanagari Armenian Georgian Latin "
    "Alphabetic Uppercase Lowercase ID_Start XID_Start ID_Continue XID_Continue White_Space Join_Control ASCII Any "
    "L Lu LC N Nd P Pc M C Zs",
)
CHANGED = "\u0295"
"""A letter that was lower case up to Unicode 16."""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_sure_has_it_and_what_has_it_may_have_it(name: str) -> None:
    """Over all characters of the planes that have letters."""
    matching = regex.compile(rf"\p{{{name}}}")
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x34000)])).replace(CHANGED, "")
    having = set(matching.findall(every))
    sure, most = (
        {chr(code) for first, last in property_ranges(name, sure=certain) for code in range(first, last + 1)}
        for certain in (True, False)
    )
    assert {one for one in sure - having if one < "\U00034000" and not "\ud800" <= one <= "\udfff"} <= {
        CHANGED
    }
    assert not having - most


def test_negation_turns_the_bounds_around() -> None:
    assert property_ranges("^Thai", sure=True) == ((0, 0xE00), (0xE5C, 0x10FFFF))
    assert property_ranges("^Thai", sure=False) == ((0, 0xE00), (0xE3B, 0xE3F), (0xE5C, 0x10FFFF))


def test_what_is_not_known_may_be_anything() -> None:
    assert property_ranges("Emoji", sure=True) == ()
    assert property_ranges("Emoji", sure=False) == ((0, 0x10FFFF),)
    assert property_ranges("Script=Thai", sure=False) == property_ranges("Thai", sure=False)
