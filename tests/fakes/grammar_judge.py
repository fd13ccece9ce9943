"""One grammar file through the whole compiler and into the engine, in a process of its own: it might not survive."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import cache

from grammars.compiler import compile_text
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.engine import TokenTable, load
from grammars.interface import RecogniserFailed
from tests.fakes.broken_grammars import broken

_BEGINNINGS = (b"", b"a", b"{", b"SELECT a", b"aaaa aaaa", b"1 + 1", b"\xe4\xb8", b'"a')


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one file."""

    number: int
    outcome: str
    """"compiled", "refused", "refused by the engine", or what went wrong."""
    seconds: float
    """CPU time of all of it."""

    @property
    def is_fine(self) -> bool:
        """Whether the file was taken, or refused with a reason and places in it."""
        return self.outcome in ("compiled", "refused", "refused by the engine")


def judged(number: int) -> Verdict:
    """The outcome for `broken(number)`; whatever is raised is in it."""
    began = time.process_time()
    try:
        outcome = _outcome(number)
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"[:300]
    return Verdict(number, outcome, time.process_time() - began)


@cache
def _table() -> TokenTable:
    words = [b"SELECT", b" a", b"aaa", "状态".encode(), b"\n  ", b"==", b"1.5"]
    pieces = [*(bytes([byte]) for byte in range(256)), *words]
    return TokenTable([*pieces, b"<end>"], control_ids=(), stop_ids=(len(pieces),))


def _outcome(number: int) -> str:
    file = broken(number)
    try:
        compiled = compile_text(file.text, file_name=file.file_name, dialect=file.dialect)
    except GrammarError as error:
        return _misplaced(error.diagnostics, file.text) or "refused"
    wrong = _misplaced(compiled.diagnostics, file.text)
    if wrong:
        return wrong
    try:
        template = load(compiled, _table())
    except GrammarError:
        return "refused by the engine"
    for text in _BEGINNINGS:
        recogniser = template.copy()
        try:
            recogniser.consume(_table().greedy(text))
            recogniser.mask()
            recogniser.accepting()
        except RecogniserFailed:
            continue
    return "compiled"


def _misplaced(diagnostics: tuple[Diagnostic, ...], text: str) -> str:
    """The first diagnostic whose place is not in the file; empty: there is none."""
    lines = re.split(r"\r\n|\r|\n", text)
    for one in diagnostics:
        span = one.span
        if span is None:
            continue
        if not (
            1 <= span.line <= span.end_line <= len(lines)
            and 1 <= span.column <= len(lines[span.line - 1]) + 1
            and 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1
            and (span.line, span.column) <= (span.end_line, span.end_column)
        ):
            return f"{one.located('file')} ({span}) lies outside of the file"
    return ""
