"""What clients are told of grammars, as messages of bounded size. Pure."""

from __future__ import annotations

from typing import Final

from daemon.api.messages import GrammarFinding, GrammarFindings, GrammarProblem, GrammarState
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.runner import MAX_DIAGNOSTICS, Outcome
from grammars.diagnostics import Diagnostic, Severity

MAX_WORDS: Final = 1000
"""Characters of one text: it may quote the grammar, which may be one long line."""
MAX_PROBLEMS: Final = 20

_IMPORTANCE: Final[dict[Severity, int]] = {"error": 0, "warning": 1, "note": 2}


def findings_of(request: int, outcome: Outcome) -> GrammarFindings:
    """What a trial has found, errors first."""
    if outcome.passing:
        return GrammarFindings(request, [], "busy")
    found = sorted(outcome.diagnostics, key=lambda one: _IMPORTANCE[one.severity])
    return GrammarFindings(request, [_finding(one) for one in found[:MAX_DIAGNOSTICS]])


def state_of(document: str, grammar: DocumentGrammar) -> GrammarState:
    """How a document's grammars fare; nothing of a document that has none and should have none."""
    has_any = grammar.whole is not None or grammar.islands or grammar.expected or grammar.notes
    problems = [GrammarProblem(_short(one.about), _short(one.text)) for one in grammar.problems]
    return GrammarState(document, _short(grammar.line) if has_any else "", problems[:MAX_PROBLEMS])


def _finding(found: Diagnostic) -> GrammarFinding:
    words = found.severity, _short(found.code), _short(found.message), _short(found.advice)
    if (span := found.span) is None:
        return GrammarFinding(*words)
    return GrammarFinding(*words, span.line, span.column, span.end_line, span.end_column)


def _short(words: str) -> str:
    return words if len(words) <= MAX_WORDS else words[: MAX_WORDS - 1] + "…"
