"""Alternatives of single characters become one set."""

from __future__ import annotations

import pytest

from grammars.form import CharacterSet, Expression, Literal, Reference, choice, sequence
from grammars.passes.sets import gathered
from tests.fakes.small_grammars import grammar_of

a, b = Literal("a"), Literal("b")
AB = CharacterSet(((97, 98),))
DIGITS = CharacterSet(((48, 57),), ("Nd",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice([a, b]), AB),
        (choice([a, Literal("b", ignore_case=True)]), CharacterSet(((66, 66), (97, 98)))),
        (choice([a, Literal("xy"), b]), choice([AB, Literal("xy")])),
        (choice([a, Reference("D")]), CharacterSet(((48, 57), (97, 97)), ("Nd",))),
        (choice([a, Reference("W")]), choice([a, Reference("W")])),
        (
            choice([a, CharacterSet(((98, 98),), negated=True)]),
            choice([a, CharacterSet(((98, 98),), negated=True)]),
        ),
        (
            sequence([choice([a, b]), Literal("1", ignore_case=True)]),
            sequence([AB, Literal("1", ignore_case=True)]),
        ),
    ],
)
def test_terminals(before: Expression, after: Expression) -> None:
    """Literals of one character, sets, and terminals that are such."""
    rules = {"T": before, "D": DIGITS, "W": Literal("xyz")}
    grammar = grammar_of(rules, lexical=dict.fromkeys(rules, True))
    assert gathered(grammar).rules["T"].expression == after


def test_rules_stay() -> None:
    """`"+" | "-"` in a rule are two literals."""
    grammar = grammar_of({"A": choice([a, b])}, lexical={"A": False})
    assert gathered(grammar) == grammar
