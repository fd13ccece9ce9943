"""Recursion at the ends of rules becomes repetition, and every language stays what it was."""

import pytest
from hypothesis import given, settings

from grammars.form import (
    EMPTY,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Sequence,
    choice,
    optional,
    references,
    sequence,
)
from grammars.passes.recursion import unrolled
from tests.fakes.sentences import sentences
from tests.fakes.small_grammars import grammar_of, small_grammars

A, B = Reference("A"), Reference("B")
a, b, c, plus = Literal("a"), Literal("b"), Literal("c"), Literal("+")


@settings(max_examples=300)
@given(small_grammars())
def test_language_is_preserved(grammar: Grammar) -> None:
    """Brute force over all texts of up to five characters, for every rule of random grammars."""
    rewritten = unrolled(grammar)
    for name in grammar.rules:
        assert sentences(rewritten.rules, name, 5) == sentences(grammar.rules, name, 5)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice([a, sequence([A, b])]), sequence([a, Repeat(b, 0, None)])),
        (choice([a, sequence([A, a])]), Repeat(a, 1, None)),
        (choice([a, sequence([a, A])]), Repeat(a, 1, None)),
        (choice([EMPTY, sequence([A, a])]), sequence([EMPTY, Repeat(a, 0, None)])),
        (choice([a, sequence([b, A])]), sequence([Repeat(b, 0, None), a])),
        (choice([a, A]), a),
        (sequence([a, optional(sequence([b, A]))]), sequence([Repeat(sequence([a, b]), 0, None), a])),
        (
            sequence([optional(sequence([A, b])), a]),
            sequence([a, Repeat(sequence([b, a]), 0, None)]),
        ),
        (sequence([a, choice([b, A])]), sequence([Repeat(a, 0, None), a, b])),
        (
            sequence([a, Repeat(sequence([b, A]), 0, None)]),
            sequence([a, Repeat(sequence([b, a]), 0, None)]),
        ),
        (
            choice([a, sequence([A, plus, A]), sequence([A, b])]),
            None,
        ),
    ],
)
def test_direct_recursion(before: Expression, after: Expression | None) -> None:
    """Left, right and both, also through optional parts and groups at an end."""
    grammar = grammar_of({"A": before})
    rewritten = unrolled(grammar)
    if after is not None:
        assert rewritten.rules["A"].expression == after
    assert A not in list(references(rewritten.rules["A"].expression))
    assert sentences(rewritten.rules, "A", 6) == sentences(grammar.rules, "A", 6)


def test_operators() -> None:
    """`e: e "+" e | "-" e | e "!" | e "?" e ":" e | e e | atom` becomes flat, with the operand as a rule of its own."""
    grammar = grammar_of(
        {
            "A": choice(
                [
                    sequence([A, plus, A]),
                    sequence([Literal("-"), A]),
                    sequence([A, Literal("!")]),
                    sequence([A, Literal("?"), A, Literal(":"), A]),
                    sequence([A, A]),
                    sequence([Literal("("), A, Literal(")")]),
                    a,
                ]
            )
        }
    )
    rewritten = unrolled(grammar)
    operand = Reference("A operand")
    assert isinstance(rewritten.rules["A"].expression, Sequence)
    assert rewritten.rules["A"].expression.items[0] == operand
    assert sentences(rewritten.rules, "A", 6) == sentences(grammar.rules, "A", 6)


def test_empty_parts() -> None:
    """A repetition of nothing beside the recursion."""
    grammar = grammar_of({"A": sequence([optional(A), Repeat(EMPTY, 0, None)])})
    assert sentences(unrolled(grammar).rules, "A", 3) == sentences(grammar.rules, "A", 3) == {""}


def test_recursion_in_the_middle_stays() -> None:
    """Brackets are no lists."""
    grammar = grammar_of({"A": choice([a, sequence([Literal("("), A, Literal(")")])])})
    assert unrolled(grammar) == grammar


def test_nothing_to_begin_with_stays() -> None:
    """A rule that can never end is left for the check to refuse."""
    grammar = grammar_of({"A": sequence([a, A])})
    assert unrolled(grammar) == grammar


def test_through_another_rule() -> None:
    """`list: item rest`, `rest: "," list | ` is a list like any other."""
    grammar = grammar_of({"A": sequence([a, B]), "B": choice([sequence([plus, A]), EMPTY])})
    rewritten = unrolled(grammar)
    assert not list(references(rewritten.rules["A"].expression))
    assert sentences(rewritten.rules, "A", 6) == sentences(grammar.rules, "A", 6)


def test_through_another_rule_without_gain_stays() -> None:
    """Where putting one rule into the other leaves no recursion at an end, nothing changes."""
    grammar = grammar_of({"A": sequence([a, B]), "B": choice([sequence([plus, A, plus]), b])})
    assert unrolled(grammar) == grammar


def test_rules_that_only_lead_to_each_other_stay() -> None:
    """Neither ever ends; the check says so."""
    grammar = grammar_of({"A": sequence([a, B]), "B": sequence([b, A])})
    assert unrolled(grammar) == grammar


def test_too_many_alternatives_stay_as_they_are() -> None:
    """Optional ends are not multiplied out without bound."""
    many = choice([sequence([Literal(f"x{number}"), A]) for number in range(100)])
    grammar = grammar_of({"A": sequence([a, choice([many, EMPTY])])})
    assert unrolled(grammar) == grammar
