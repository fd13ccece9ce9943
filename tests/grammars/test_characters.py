"""Sets of characters: ranges, cases, and the names that llguidance knows too."""

from __future__ import annotations

import pytest

from grammars.characters import (
    _PROPERTIES,
    POSIX,
    Ranges,
    folded,
    folded_properties,
    has_case,
    inverted,
    merged,
    property_name,
    word_without,
)


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], ()),
        ([(3, 4), (1, 2)], ((1, 4),)),
        ([(1, 9), (2, 3)], ((1, 9),)),
        ([(5, 6), (1, 3)], ((1, 3), (5, 6))),
    ],
)
def test_ranges_are_merged(ranges: list[tuple[int, int]], expected: Ranges) -> None:
    assert merged(ranges) == expected


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], ((0, 0x10FFFF),)),
        ([(0, 0x10FFFF)], ()),
        ([(0, 9), (11, 0x10FFFF)], ((10, 10),)),
        ([(5, 6)], ((0, 4), (7, 0x10FFFF))),
    ],
)
def test_ranges_are_inverted(ranges: list[tuple[int, int]], expected: Ranges) -> None:
    assert inverted(ranges) == expected
    assert inverted(inverted(ranges)) == merged(ranges)


def test_cases_are_folded_one_character_to_one() -> None:
    assert folded([(0x61, 0x63), (0x31, 0x31)]) == ((0x31, 0x31), (0x41, 0x43), (0x61, 0x63))
    assert folded([(0x3B1, 0x3B1)]) == ((0x391, 0x391), (0x3B1, 0x3B1))
    assert folded([(0xDF, 0xDF)]) == ((0xDF, 0xDF),)
    assert folded([(0x4E00, 0x9FFF)]) == ((0x4E00, 0x9FFF),)
    assert folded_properties(["Lu", "Ll", "Nd", "Uppercase"]) == ("LC", "Nd", "Cased")


def test_what_has_no_case_has_no_other_one() -> None:
    assert has_case("a1")
    assert not has_case("一1")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("L", "L"),
        ("^L", "^L"),
        ("Letter", "L"),
        ("Uppercase_Letter", "Lu"),
        ("Script=Han", "Han"),
        ("sc=greek", "Greek"),
        ("gc=Nd", "Nd"),
        ("IsHan", "Han"),
        ("isAlphabetic", "Alphabetic"),
        ("white space", "White_Space"),
        ("Klingon", None),
        ("^Klingon", None),
        ("Block=Cyrillic", None),
        ("InCyrillic", None),
    ],
)
def test_properties_have_one_name(written: str, name: str | None) -> None:
    assert property_name(written) == name


def test_the_engine_knows_every_property() -> None:
    from llguidance import LLMatcher

    names = sorted(set(_PROPERTIES.values()) - {"Cs"})
    text = "start: " + " | ".join(f"/\\p{{{name}}}/" for name in names)
    assert LLMatcher.validate_grammar(f"%llguidance {{}}\n{text}\n") == ""


def test_classes_of_posix_hold_ascii_only() -> None:
    assert all(last < 0x80 for ranges in POSIX.values() for _, last in ranges)


CONNECTORS = ((0x203F, 0x2040), (0x2054, 0x2054), (0xFE33, 0xFE34), (0xFE4D, 0xFE4F), (0xFF3F, 0xFF3F))
LETTERS = ((0x41, 0x5A), (0x61, 0x7A))


@pytest.mark.parametrize(
    ("ranges", "properties", "expected"),
    [
        ((), (), (((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)), ("L", "M", "N", "Pc"))),
        ((), ("N",), (((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)), ("L", "M", "Pc"))),
        (((0x5F, 0x5F),), ("Nd",), ((*LETTERS, *CONNECTORS), ("L", "M", "Nl", "No"))),
        (((0x5F, 0x5F),), ("N", "P"), (LETTERS, ("L", "M"))),
        ((), ("LC", "Zs"), (((0x30, 0x39), (0x5F, 0x5F)), ("M", "N", "Pc", "Lm", "Lo"))),
        (
            ((0x20, 0x2F),),
            (),
            (((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)), ("L", "M", "N", "Pc")),
        ),
        (((0x61, 0x61),), (), None),
        (((0x20, 0x2FFF),), (), None),
        ((), ("Han",), None),
        ((), ("^L",), None),
    ],
)
def test_word_characters_without_others(
    ranges: Ranges, properties: tuple[str, ...], expected: tuple[Ranges, tuple[str, ...]] | None
) -> None:
    assert word_without(ranges, properties) == expected
