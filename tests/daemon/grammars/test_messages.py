"""Findings and states as messages: the most important first, and never more than a message holds."""

from __future__ import annotations

import pytest

from daemon.api.framing import encode
from daemon.api.messages import GrammarFinding, GrammarFindings, GrammarProblem, GrammarState
from daemon.grammars.document_grammar import DocumentGrammar, Problem
from daemon.grammars.messages import MAX_PROBLEMS, MAX_WORDS, findings_of, state_of
from daemon.grammars.runner import MAX_DIAGNOSTICS, Outcome
from grammars.diagnostics import Diagnostic, Span

NAME = "file:///a.x"


def test_errors_come_first_and_each_has_its_place() -> None:
    outcome = Outcome(
        None,
        (
            Diagnostic("note", "n", "a note"),
            Diagnostic("warning", "w", "a warning", "do that", Span(3, 1, 3, 4)),
            Diagnostic("error", "e", "an error", "mend it", Span(7, 2, 8, 1)),
        ),
    )
    assert findings_of(5, outcome) == GrammarFindings(
        5,
        [
            GrammarFinding("error", "e", "an error", "mend it", 7, 2, 8, 1),
            GrammarFinding("warning", "w", "a warning", "do that", 3, 1, 3, 4),
            GrammarFinding("note", "n", "a note"),
        ],
    )


def test_what_says_nothing_of_the_grammar_is_no_finding() -> None:
    busy = Outcome(None, (Diagnostic("error", "busy", "no time"),), passing=True)
    assert findings_of(1, busy) == GrammarFindings(1, [], "busy")


def test_findings_are_bounded_however_much_they_quote() -> None:
    long = Diagnostic("error", "c" * 2000, "x" * 10**6, "y" * 10**6, Span(1, 1, 1, 2))
    answer = findings_of(1, Outcome(None, (long,) * 500))
    assert len(answer.findings) == MAX_DIAGNOSTICS
    first = answer.findings[0]
    assert {len(first.code), len(first.message), len(first.advice)} == {MAX_WORDS}
    assert first.message.endswith("x…")
    assert len(encode(answer)) < 1 << 20


@pytest.mark.parametrize(
    ("grammar", "line"),
    [
        (DocumentGrammar(None, reason="no grammar for this file", expected=False), ""),
        (DocumentGrammar(None, reason="no grammar", expected=False, notes=("no z",)), "no grammar; no z"),
        (DocumentGrammar(None, reason="compiling sql.bnf"), "compiling sql.bnf"),
    ],
)
def test_a_document_without_a_grammar_that_should_have_none_is_not_told_of(
    grammar: DocumentGrammar, line: str
) -> None:
    assert state_of(NAME, grammar) == GrammarState(NAME, line)


def test_problems_are_told_and_bounded() -> None:
    problems = tuple(Problem(str(i), "z" * 2000) for i in range(MAX_PROBLEMS + 1))
    state = state_of(NAME, DocumentGrammar(None, reason="r", problems=problems))
    assert len(state.problems) == MAX_PROBLEMS
    assert state.problems[3] == GrammarProblem("3", "z" * (MAX_WORDS - 1) + "…")
