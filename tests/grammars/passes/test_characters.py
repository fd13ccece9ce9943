"""Bounds of character sets whose Unicode properties are not known exactly."""

from __future__ import annotations

import pytest

from grammars.form import ANY_CHARACTER, CharacterSet
from grammars.passes.characters import folded_character, holds, intersection, least, most, only, single

ABOVE = (0x80, 0x10FFFF)


@pytest.mark.parametrize(
    ("characters", "at_most", "at_least"),
    [
        (CharacterSet(((97, 99),)), ((97, 99),), ((97, 99),)),
        (ANY_CHARACTER, ((0, 0x10FFFF),), ((0, 0x10FFFF),)),
        (CharacterSet(properties=("Han",)), (ABOVE,), ()),
        (CharacterSet(properties=("Script=Han",)), (ABOVE,), ()),
        (CharacterSet(properties=("Nd",)), ((48, 57), ABOVE), ((48, 57),)),
        (CharacterSet(properties=("White_Space",)), ((9, 13), (28, 32), ABOVE), ((9, 13), (28, 32))),
        (CharacterSet(properties=("Emoji_Presentation",)), ((0, 0x10FFFF),), ()),
        (CharacterSet(properties=("Han",), negated=True), ((0, 0x10FFFF),), ((0, 127),)),
        (CharacterSet(properties=("^Nd",)), ((0, 47), (58, 0x10FFFF)), ((0, 47), (58, 127))),
        (
            CharacterSet(properties=("XID_Continue",)),
            ((48, 57), (65, 90), (95, 95), (97, 122), ABOVE),
            ((48, 57), (65, 90), (95, 95), (97, 122)),
        ),
        (CharacterSet(properties=("ID_Continue", "Any")), ((0, 0x10FFFF),), ((0, 127),)),
        (CharacterSet(properties=("Join_Control",)), (ABOVE,), ()),
    ],
)
def test_bounds(characters: CharacterSet, at_most: object, at_least: object) -> None:
    """Exact in ASCII; above, what may be and what is."""
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
