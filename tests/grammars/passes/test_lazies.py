"""Lazy repetitions in terminals are written without laziness."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
    walk,
)
from grammars.passes.lazies import without_laziness
from tests.fakes.sentences import CHARACTERS, sentences
from tests.fakes.small_grammars import grammar_of

a, b, plus = Literal("a"), Literal("b"), Literal("+")


def lazily(item: Expression) -> Repeat:
    return Repeat(item, 0, None, lazy=True)


def rewritten(expression: Expression) -> Expression:
    grammar = grammar_of({"A": expression, "B": choice([b, plus])}, lexical={"A": True, "B": True})
    return without_laziness(grammar).rules["A"].expression


@settings(max_examples=60)
@given(
    st.sampled_from([ANY_CHARACTER, choice([a, Literal("+b")]), CharacterSet(((97, 98),)), Reference("B")]),
    st.sampled_from([Literal("+a"), Literal("b"), Reference("B"), sequence([optional(a), Literal("+")])]),
)
def test_ends_at_the_first_chance(body: Expression, closing: Expression) -> None:
    """What is matched is what the greedy form matches, without the texts that could have ended before."""
    rules = {"A": sequence([lazily(body), closing]), "G": sequence([Repeat(body, 0, None), closing])}
    grammar = grammar_of({**rules, "B": choice([b, plus])}, lexical=dict.fromkeys("AGB", True))
    greedy = sentences(grammar.rules, "G", 4)
    first = {one for one in greedy if not any(one[:end] in greedy for end in range(len(one)))}
    assert sentences(without_laziness(grammar).rules, "A", 4) == first


def test_single_closing_character() -> None:
    """No exclusion is needed where one character closes: it is taken out of the set."""
    quote = Literal('"')
    without = CharacterSet(((34, 34),), negated=True)
    assert rewritten(sequence([quote, lazily(ANY_CHARACTER), quote])) == sequence(
        [quote, Repeat(without, 0, None), quote]
    )
    letters = CharacterSet(((97, 99),))
    assert rewritten(sequence([a, lazily(letters), b])) == sequence(
        [a, Repeat(CharacterSet(((97, 97), (99, 99))), 0, None), b]
    )


@pytest.mark.parametrize(
    ("body", "closing"),
    [
        (CharacterSet(properties=("L",)), b),
        (ANY_CHARACTER, Literal("b", ignore_case=True)),
        (ANY_CHARACTER, Literal("*/")),
    ],
)
def test_exclusion(body: Expression, closing: Expression) -> None:
    """Else the texts that could have ended before are excluded."""
    expression = rewritten(sequence([a, lazily(body), closing]))
    assert any(isinstance(one, Exclusion) for one in walk(expression))


def test_nothing_to_end_at() -> None:
    """A lazy repetition with nothing after it, or with what may be empty, is one like any other: that allows more."""
    assert rewritten(sequence([a, lazily(b)])) == sequence([a, Repeat(b, 0, None)])
    assert rewritten(sequence([a, lazily(b), optional(plus)])) == sequence(
        [a, Repeat(b, 0, None), optional(plus)]
    )
    assert rewritten(lazily(b)) == Repeat(b, 0, None)


def test_what_closes_reaches_to_the_first_part_that_is_there() -> None:
    """An optional part before the end belongs to what closes."""
    expression = rewritten(sequence([lazily(ANY_CHARACTER), optional(a), Literal("+b"), plus]))
    assert isinstance(expression, type(sequence([a, b])))
    assert isinstance(expression.items[0], Exclusion)
    assert expression.items[1] == plus


def test_rules_lose_laziness() -> None:
    """In what is not a terminal it means nothing."""
    grammar = grammar_of({"A": sequence([lazily(a), b])}, lexical={"A": False})
    assert without_laziness(grammar).rules["A"].expression == sequence([Repeat(a, 0, None), b])


def test_characters_cover_the_cases() -> None:
    """The brute force above knows a line end and a plain character."""
    assert {"\n", "a"} <= set(CHARACTERS)
