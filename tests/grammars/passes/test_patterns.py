"""Regular expressions in a grammar are read into the form."""

from __future__ import annotations

import pytest

from grammars.diagnostics import GrammarError
from grammars.form import CharacterSet, Literal, Pattern, Repeat, sequence
from grammars.passes.patterns import read_patterns
from tests.fakes.small_grammars import grammar_of


def test_patterns_are_read() -> None:
    """Anywhere in an expression."""
    grammar = read_patterns(grammar_of({"A": sequence([Literal("a"), Pattern("[0-9]+")])}))
    digits = Repeat(CharacterSet(((48, 57),)), 1, None)
    assert grammar.rules["A"].expression == sequence([Literal("a"), digits])


def test_all_mistakes_are_found() -> None:
    """One error each."""
    with pytest.raises(GrammarError) as caught:
        read_patterns(grammar_of({"A": Pattern("("), "B": Pattern("*")}))
    assert len(caught.value.diagnostics) == 2
