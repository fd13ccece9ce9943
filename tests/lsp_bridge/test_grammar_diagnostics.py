"""Findings at code points become diagnostics at the client's positions."""

from __future__ import annotations

import pytest
from lsprotocol import types

from daemon.api.messages import GrammarFinding
from lsp_bridge.documents import Document
from lsp_bridge.grammar_diagnostics import diagnostics_of
from lsp_bridge.positions import PositionEncoding

TEXT = '<a> ::= "🤗" <名字>\r\n\r\nlast'


def places(
    line: int, column: int, end_line: int, end_column: int, encoding: PositionEncoding = "utf-16"
) -> tuple[tuple[int, int], tuple[int, int]]:
    finding = GrammarFinding("error", "e", "m", "", line, column, end_line, end_column)
    [made] = diagnostics_of([finding], Document("u", "bnf", 1, TEXT, encoding))
    start, end = made.range.start, made.range.end
    return (start.line, start.character), (end.line, end.character)


@pytest.mark.parametrize(
    ("encoding", "start", "end"), [("utf-8", 15, 23), ("utf-16", 13, 17), ("utf-32", 12, 16)]
)
def test_a_range_is_in_the_units_agreed_on(encoding: PositionEncoding, start: int, end: int) -> None:
    assert places(1, 13, 1, 17, encoding) == ((0, start), (0, end))


@pytest.mark.parametrize(
    ("span", "start", "end"),
    [
        ((1, 1, 3, 5), (0, 0), (2, 4)),
        ((1, 1, 1, 1), (0, 0), (0, 1)),  # an empty one is widened
        ((1, 10, 1, 10), (0, 9), (0, 11)),  # by a whole code point
        ((3, 5, 3, 5), (2, 3), (2, 4)),  # at a line's end by the one before
        ((2, 1, 2, 1), (1, 0), (1, 0)),  # where there is none, it stays
        ((3, 1, 4, 1), (2, 0), (2, 4)),  # the end of the text
        ((9, 1, 9, 9), (2, 4), (2, 4)),  # what lies behind it
        ((1, 99, 1, 999), (0, 17), (0, 17)),
        ((0, 0, 0, 0), (0, 0), (0, 17)),  # no place: the first line
    ],
)
def test_every_place_lies_in_the_text(
    span: tuple[int, int, int, int], start: tuple[int, int], end: tuple[int, int]
) -> None:
    assert places(*span) == (start, end)


def test_what_is_said() -> None:
    """Message and advice as one, the kind by its name, a severity that editors know."""
    document = Document("u", "bnf", 1, "", "utf-16")
    found = [
        GrammarFinding("error", "undefined-rule", "there is no rule x", "define it"),
        GrammarFinding("warning", "w", "may be slow"),
        GrammarFinding("note", "n", "is so"),
    ]
    error, warning, note = diagnostics_of(found, document)
    assert (error.message, error.code) == ("there is no rule x; define it", "undefined-rule")
    assert {one.source for one in (error, warning, note)} == {"draftwire"}
    assert (error.severity, warning.severity, note.severity) == (
        types.DiagnosticSeverity.Error,
        types.DiagnosticSeverity.Warning,
        types.DiagnosticSeverity.Information,
    )
    assert (warning.message, note.message) == ("may be slow", "is so")
