"""What is wrong with a grammar file, where, and what to do about it. Values only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range in a grammar file. Lines and columns count from 1, columns in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. An error means that there is no grammar; after a warning there is one, but perhaps not as meant."""

    severity: Severity
    code: str
    """A stable name for the kind of finding, such as "undefined-rule"."""
    message: str
    """What is the case: one sentence, without the place."""
    advice: str = ""
    """What the author can do about it; empty where there is nothing to do."""
    span: Span | None = None

    def located(self, file: str) -> str:
        """One line for people: `FILE:LINE:COLUMN: severity: message; advice`."""
        place = file if self.span is None else f"{file}:{self.span.line}:{self.span.column}"
        return f"{place}: {self.severity}: {self.message}" + (f"; {self.advice}" if self.advice else "")


class GrammarError(Exception):
    """A grammar that can't be used. `diagnostics` holds at least one error, and what else was found."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        errors = [one for one in self.diagnostics if one.severity == "error"]
        if not errors:
            raise ValueError("a GrammarError needs an error among its diagnostics")
        super().__init__(errors[0].located("grammar"))
