"""Bounds of character sets whose Unicode properties are not known exactly."""

from __future__ import annotations

import pytest

from grammars.form import ANY_CHARACTER, CharacterSet
from grammars.passes.characters import folded_character, holds, intersection, least, most, only, single


@pytest.mark.parametrize(
    ("characters", "at_most", "at_least"),
    [
        (CharacterSet(((97, 99),)), ((97, 99),), ((97, 99),)),
        (ANY_CHARACTER, ((0, 0x10FFFF),), ((0, 0x10FFFF),)),
        (CharacterSet(properties=("Emoji_Presentation",)), ((0, 0x10FFFF),), ()),
        (CharacterSet(properties=("Emoji_Presentation",), negated=True), ((0, 0x10FFFF),), ()),
        (
            CharacterSet(((97, 99),), ("Thai",)),
            ((97, 99), (0xE01, 0xE5B)),
            ((97, 99), (0xE01, 0xE3A), (0xE40, 0xE5B)),
        ),
    ],
)
def test_bounds(characters: CharacterSet, at_most: object, at_least: object) -> None:
    """Ranges, and what may and what does have a property."""
    assert most(characters) == at_most
    assert least(characters) == at_least


def test_questions() -> None:
    """One character, only these characters, this character."""
    assert single(CharacterSet(((97, 97),))) == "a"
    assert single(CharacterSet(((97, 98),))) is None
    assert single(CharacterSet(((97, 97),), negated=True)) is None
    assert only(CharacterSet(((9, 10),)), frozenset("\t\n "))
    assert not only(CharacterSet(((9, 11),)), frozenset("\t\n "))
    assert not only(CharacterSet(), frozenset(" "))
    assert not only(ANY_CHARACTER, frozenset(" "))
    assert holds(CharacterSet(((97, 97),), negated=True), "b")
    assert folded_character("a") == CharacterSet(((65, 65), (97, 97)))
    assert folded_character("ß") == CharacterSet(((0xDF, 0xDF),))
    assert intersection(((1, 5),), ((4, 9),)) == ((4, 5),)
