"""Terminals as position automata."""

from __future__ import annotations

import pytest

from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    Rule,
    choice,
    optional,
    sequence,
)
from grammars.passes.automaton import Automaton, alphabet, automaton, bits, share_a_text
from tests.fakes.small_grammars import grammar_of

DIGIT = CharacterSet(((48, 57),))
LETTERS = CharacterSet(((97, 122),))
NUMBER = sequence([Repeat(DIGIT, 1, None), optional(sequence([Literal("."), Repeat(DIGIT, 1, None)]))])


def made(expression: Expression) -> Automaton:
    rules = grammar_of({"T": expression, "N": NUMBER, "D": DIGIT}).rules
    return automaton(expression, rules, alphabet(rules))


@pytest.mark.parametrize(
    ("expression", "nullable", "first", "last", "follow"),
    [
        (Literal("ab"), False, {0}, {1}, [{1}, set()]),
        (Literal(""), True, set(), set(), []),
        (NUMBER, False, {0}, {0, 2}, [{0, 1}, {2}, {2}]),
        (Reference("N"), False, {0}, {0, 2}, [{0, 1}, {2}, {2}]),
        (choice([Literal("a"), optional(DIGIT)]), True, {0, 1}, {0, 1}, [set(), set()]),
        (sequence([optional(Literal("a")), optional(Literal("b"))]), True, {0, 1}, {0, 1}, [{1}, set()]),
        (Repeat(Exclusion(DIGIT, Literal("0")), 0, None), True, {0}, {0}, [{0}]),
        (Repeat(DIGIT, 0, 2), True, {0}, {0, 1}, [{1}, set()]),
        (Repeat(DIGIT, 2, 2), False, {0}, {1}, [{1}, set()]),
        (Repeat(Literal("ab"), 1, 2), False, {0}, {1, 3}, [{1}, {2}, {3}, set()]),
        (Repeat(DIGIT, 2, None), False, {0}, {1}, [{1}, {1}]),
        (Repeat(Reference("D"), 1, 2), False, {0}, {0, 1}, [{1}, set()]),
        (
            Repeat(sequence([Reference("D"), Reference("D")]), 0, 999),
            True,
            {0},
            {1},
            [{1}, {0}],
        ),
    ],
)
def test_positions(
    expression: Expression, nullable: bool, first: set[int], last: set[int], follow: list[set[int]]
) -> None:
    """What a text may begin and end with, and what may follow what."""
    machine = made(expression)
    assert machine.root.nullable == nullable
    assert set(bits(machine.root.first)) == first
    assert set(bits(machine.root.last)) == last
    assert [set(bits(one)) for one in machine.follow] == follow


def test_marks() -> None:
    """Positions inside words and inside exclusions."""
    machine = made(sequence([Literal("a_1"), Literal("+="), Exclusion(DIGIT, Literal("0"))]))
    assert set(bits(machine.words)) == {1, 2}
    assert set(bits(machine.inexact)) == {5}


def test_alphabet_tells_sets_apart() -> None:
    """Characters that overlap share bits, in any case where case does not count."""
    rules = grammar_of(
        {"T": Choice((Literal("e", ignore_case=True), DIGIT, CharacterSet(((65, 70),))))}
    ).rules
    letters_of = alphabet(rules, [CharacterSet(((48, 48),))])
    machine = automaton(rules["T"].expression, rules, letters_of)
    either, digit, hexadecimal = machine.masks
    assert either & hexadecimal
    assert not either & digit
    assert letters_of.mask(CharacterSet(((48, 48),))) & digit


def test_patterns_are_read_before() -> None:
    """A pass forgot something: that is a bug here."""
    with pytest.raises(AssertionError, match="read into the form"):
        made(Pattern("a"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Repeat(LETTERS, 2, 2), Repeat(LETTERS, 1, None), True),
        (Repeat(LETTERS, 2, 2), Literal("abc"), False),
        (Literal("ab"), Literal("a"), False),
        (Literal("ab"), Repeat(LETTERS, 3, None), False),
        (Literal("1"), LETTERS, False),
    ],
)
def test_terminals_that_may_match_the_same_text(
    one: Expression, other: Expression, *, expected: bool
) -> None:
    rules = {"one": Rule("one", one), "other": Rule("other", other)}
    letters_of = alphabet(rules)
    machines = [automaton(Reference(name), rules, letters_of) for name in rules]
    assert share_a_text(*machines) is expected
