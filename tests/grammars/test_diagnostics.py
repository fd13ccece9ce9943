"""What is said of a grammar file."""

from __future__ import annotations

import pytest

from grammars.diagnostics import Diagnostic, GrammarError, Span

WARNING = Diagnostic("warning", "unreachable-rule", "the rule 'x' is never used", span=Span(3, 1, 3, 2))
ERROR = Diagnostic("error", "undefined-rule", "the rule 'y' is not defined", "define it", Span(2, 5, 2, 6))


def test_a_finding_is_one_line_with_its_place() -> None:
    assert ERROR.located("a.bnf") == "a.bnf:2:5: error: the rule 'y' is not defined; define it"
    assert Diagnostic("note", "n", "all is well").located("a.bnf") == "a.bnf: note: all is well"


def test_an_error_says_what_its_first_error_says() -> None:
    error = GrammarError([WARNING, ERROR])
    assert error.diagnostics == (WARNING, ERROR)
    assert str(error) == "grammar:2:5: error: the rule 'y' is not defined; define it"


def test_without_an_error_there_is_no_grammar_error() -> None:
    with pytest.raises(ValueError, match="needs an error"):
        GrammarError([WARNING])
