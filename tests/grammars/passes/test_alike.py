"""Terminals that can't be told apart."""

from __future__ import annotations

from grammars.form import CharacterSet, Exclusion, Literal, Reference, Repeat, choice
from grammars.passes.alike import ambiguous_terminals
from tests.fakes.small_grammars import grammar_of

DIGITS = Repeat(CharacterSet(((48, 57),)), 1, None)


def test_the_same_texts() -> None:
    """Declared terminals only; literals, inferred terminals and exclusions are not compared."""
    names = ("A", "B", "C", "D", "E", "F")
    rules = {
        "start": choice([*map(Reference, names), Literal("+")]),
        **dict.fromkeys("ABC", DIGITS),
        "D": Literal("d"),
        **dict.fromkeys("EF", Exclusion(DIGITS, Literal("00"))),
    }
    grammar = grammar_of(rules, lexical={name: name != "start" for name in rules})
    found = list(ambiguous_terminals(grammar, {"C"}))
    assert [one.message for one in found] == ["B matches the same texts as A"]
