"""The daemon's findings in a grammar file -> LSP diagnostics, at the client's positions. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lsprotocol import types

from daemon.api.messages import GrammarFinding
from lsp_bridge.documents import Document

SOURCE: Final = "draftwire"

_SEVERITY: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


def diagnostics_of(findings: Iterable[GrammarFinding], document: Document) -> list[types.Diagnostic]:
    """The findings in the text as it is now; those without a place are on the first line."""
    return [
        types.Diagnostic(
            range=_range(one, document),
            message=one.message + (f"; {one.advice}" if one.advice else ""),
            severity=_SEVERITY[one.severity],
            code=one.code,
            source=SOURCE,
        )
        for one in findings
    ]


def _range(found: GrammarFinding, document: Document) -> types.Range:
    if not found.line:
        return _between((0, 0), document.line_end(0))
    start = document.position(found.line - 1, found.column - 1)
    end = document.position(found.end_line - 1, found.end_column - 1)
    if (
        end <= start
    ):  # an editor underlines nothing of an empty range: the code point there, or the one before
        end = document.position(found.line - 1, found.column)
    if end <= start:
        start = document.position(found.line - 1, found.column - 2)
    return _between(start, end)


def _between(start: tuple[int, int], end: tuple[int, int]) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))
