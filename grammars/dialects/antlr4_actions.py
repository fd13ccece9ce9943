"""Code of the target language in an ANTLR4 file, blanked out before the file is parsed.

Actions `{...}` and predicates `{...}?` hold any language's code, with braces, strings and comments of its own, so that
no grammar of ANTLR4's notation can tell where they end. What they do is lost: a predicate that forbids something is
no longer asked, so more is allowed, and a note says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from grammars.diagnostics import Diagnostic
from grammars.dialects.reading import refusal, span_at

_STRING: Final = r"'(?:\\.|[^'\\\n])*'"
_COMMENT: Final = r"//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/"
_OUTSIDE: Final = re.compile(
    rf"(?P<passed>{_STRING}|{_COMMENT}|\[(?:\\.|[^\]\\])*\]|\b(?:options|tokens|channels)\s*\{{[^{{}}]*\}})"
    r"|(?P<named>@(?:\s*\w+\s*::)?\s*\w+\s*)?(?P<brace>\{)"
)
_INSIDE: Final = re.compile(rf"(?P<brace>[{{}}])|{_STRING}|\"(?:\\.|[^\"\\\n])*\"|{_COMMENT}")


@dataclass(frozen=True, slots=True)
class Blanked:
    """A file without code."""

    text: str
    """As long as the file, with the same lines: braces stay, what was between them is blanks."""
    diagnostics: tuple[Diagnostic, ...]
    """A note on actions and one on predicates, where there were any."""


def without_code(text: str) -> Blanked:
    """The file without the code in it. Raises GrammarError for code that does not end."""
    kept: list[str] = []
    actions: list[int] = []
    predicates: list[int] = []
    end = 0
    found = _OUTSIDE.search(text)
    while found:
        if found["brace"]:
            begin = found.start("brace")
            after = _code_end(text, begin)
            kept += [text[end : begin + 1], re.sub(r"[^\n]", " ", text[begin + 1 : after - 1]), "}"]
            end = after
            if text.startswith("?", after):
                predicates.append(begin)
            elif not found["named"]:
                actions.append(begin)
        found = _OUTSIDE.search(text, max(end, found.end()))
    kept.append(text[end:])
    notes = [
        *_note(text, actions, "action", "it can't be run here"),
        *_note(text, predicates, "predicate", "what it forbids is allowed here"),
    ]
    return Blanked("".join(kept), tuple(notes))


def _code_end(text: str, begin: int) -> int:
    """The offset after the brace that closes the one at `begin`."""
    depth = 0
    for found in _INSIDE.finditer(text, begin):
        if found["brace"]:
            depth += 1 if found["brace"] == "{" else -1
            if depth == 0:
                return found.end()
    raise refusal(
        "an action is opened here and never closed",
        span=span_at(text, begin, begin + 1),
        advice="close the {, or quote it as '{' if it is text",
    )


def _note(text: str, places: list[int], what: str, why: str) -> list[Diagnostic]:
    if not places:
        return []
    more = f", as are {len(places) - 1} more" if len(places) > 1 else ""
    span = span_at(text, places[0], places[0] + 1)
    return [Diagnostic("note", f"{what}-dropped", f"this {what} is passed over{more}: {why}", span=span)]
