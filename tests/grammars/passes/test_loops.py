"""Repetitions of what may be empty."""

import pytest
from hypothesis import given, settings

from grammars.diagnostics import Span
from grammars.form import (
    EMPTY,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    optional,
    sequence,
)
from grammars.passes.loops import without_empty_loops
from tests.fakes.sentences import sentences
from tests.fakes.small_grammars import grammar_of, small_grammars

a, b = Literal("a"), Literal("b")


@settings(max_examples=200)
@given(small_grammars())
def test_language_is_preserved(grammar: Grammar) -> None:
    """Brute force over all texts of up to five characters, for every rule of random grammars."""
    rewritten, _ = without_empty_loops(grammar)
    for name in grammar.rules:
        assert sentences(rewritten.rules, name, 5) == sentences(grammar.rules, name, 5)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Repeat(optional(a), 0, None), Repeat(a, 0, None)),
        (Repeat(Repeat(a, 0, None), 1, None), Repeat(a, 0, None)),
        (Repeat(choice([a, EMPTY, optional(b)]), 0, None), Repeat(choice([a, b]), 0, None)),
        (Repeat(sequence([optional(a), Repeat(b, 0, None)]), 0, None), Repeat(choice([a, b]), 0, None)),
        (Repeat(Repeat(optional(a), 2, None), 0, None), Repeat(a, 0, None)),
        (Repeat(EMPTY, 0, None), EMPTY),
        (Repeat(choice([EMPTY, Literal("")]), 0, None), Repeat(Literal(""), 0, None)),
        (Repeat(optional(a), 0, 3), Repeat(optional(a), 0, 3)),
        (Repeat(Repeat(a, 0, 3), 0, None), Repeat(Repeat(a, 0, 3), 0, None)),
        (Repeat(a, 1, None), Repeat(a, 1, None)),
        (Repeat(Reference("E"), 0, None), Repeat(Reference("E"), 0, None)),
    ],
)
def test_loops(before: Expression, after: Expression) -> None:
    """What is repeated loses the chance to be empty; what is not a loop keeps it."""
    grammar = grammar_of({"A": before, "E": EMPTY})
    rewritten, _ = without_empty_loops(grammar)
    assert rewritten.rules["A"].expression == after


def test_a_note_says_where() -> None:
    """Only for rules that the author wrote."""
    span = Span(3, 1, 3, 2)
    grammar = Grammar("test", {"A": Rule("A", Repeat(optional(a), 0, None), span)}, "A")
    _, notes = without_empty_loops(grammar)
    assert [(one.severity, one.code, one.span) for one in notes] == [("note", "empty-loop", span)]
    assert without_empty_loops(grammar_of({"A": Repeat(optional(a), 0, None)}))[1] == ()
