"""Whether a place is in a comment or in a string, by how its language writes them. Pure.

No parser: what opens a comment or a string is sought from some way above the place on, which is taken to be code. In a
language that is not known here all is code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from daemon.documents import Place, line_start
from daemon.prompts.opening import line_comment_of

Scope = Literal["code", "comment", "string"]

REACH: Final = 32_768
"""Characters above a place that are looked at."""


@dataclass(frozen=True, slots=True)
class _Writing:
    """How languages write what is no code, but for comments up to the line's end (`line_comment_of`)."""

    blocks: Mapping[str, str]
    """How comments begin, and how those end."""
    literals: str
    """Quotes of strings that end with their line ..."""
    long_literals: tuple[str, ...] = ()
    """... and of those that do not."""
    one_character: bool = False
    """What stands in ' ' is one character: a lone ' is something else."""


_C: Final = {"/*": "*/"}
_WRITINGS: Final = {
    "python": _Writing({}, "\"'", ('"""', "'''")),
    "ruby shellscript perl r yaml toml dockerfile makefile cmake powershell nix": _Writing({}, "\"'"),
    "elixir graphql julia": _Writing({}, '"', ('"""',)),
    "javascript javascriptreact typescript typescriptreact": _Writing(_C, "\"'", ("`",)),
    "php": _Writing(_C, "\"'"),
    "dart": _Writing(_C, "\"'", ('"""', "'''")),
    "c cpp objective-c cuda-cpp jsonc proto3 proto zig": _Writing(_C, '"', one_character=True),
    "csharp java kotlin scala swift fsharp": _Writing(_C, '"', ('"""',), one_character=True),
    "go": _Writing(_C, '"', ("`",), one_character=True),
    "rust": _Writing(_C, "", ('"',), one_character=True),
    "css scss less": _Writing(_C, "\"'"),
    "json": _Writing({}, '"'),
    "sql": _Writing(_C, "\"'"),
    "lua": _Writing({"--[[": "]]", "--[=[": "]=]"}, "\"'", ("[[",)),
    "haskell elm": _Writing({"{-": "-}"}, '"'),
    "clojure lisp scheme racket": _Writing({"#|": "|#"}, "", ('"',)),
    "ada vhdl erlang ini": _Writing({}, '"'),
    "html xml vue svelte": _Writing({"<!--": "-->"}, ""),
    "latex tex matlab prolog": _Writing({}, ""),
}
_OF_LANGUAGE: Final = {
    language: writing for languages, writing in _WRITINGS.items() for language in languages.split()
}
_ENDS: Final = {"[[": "]]"}
"""Of strings that do not end as they begin."""
_CHARACTER: Final = r"'(?:\\[^'\n]{1,10}|[^'\\\n])'"


def scope_at(place: Place) -> Scope:
    """What the place is in. A comment's or a string's own marks are of it once they are written."""
    openings = _openings(place.document.language)
    if openings is None:
        return "code"
    text, end = place.document.text, place.offset
    at = line_start(text, max(0, end - REACH))
    while (found := openings.search(text, at, end)) is not None:
        kind, mark = found.lastgroup, found[0]
        if kind is None:  # a character, or a lone mark that is nothing
            at = found.end()
            continue
        scope: Scope = "comment" if kind in ("line", "block") else "string"
        closing = _closing(place.document.language, kind, mark).match(text, found.end(), end)
        if closing is None:
            return scope
        at = closing.end()
    return "code"


def is_code(place: Place) -> bool:
    """Whether the place is in code, as far as its language is known: if it is not, it may as well be prose."""
    return _openings(place.document.language) is not None and scope_at(place) == "code"


@lru_cache(maxsize=64)
def _openings(language: str) -> re.Pattern[str] | None:
    """What begins something that is no code; None where that is not known. Groups: line, block, long, literal."""
    line, writing = line_comment_of(language), _OF_LANGUAGE.get(language)
    if writing is None and not line:
        return None
    writing = writing or _Writing({}, "")
    groups = {
        "block": writing.blocks,
        "line": [line] if line else [],
        "long": writing.long_literals,
        "literal": list(writing.literals),
    }
    parts = [_CHARACTER, "'"] if writing.one_character else []
    parts += [f"(?P<{name}>{'|'.join(map(re.escape, marks))})" for name, marks in groups.items() if marks]
    return re.compile("|".join(parts))


@lru_cache(maxsize=256)
def _closing(language: str, kind: str, mark: str) -> re.Pattern[str]:
    """That which the mark began, up to its end; what is escaped does not end it."""
    if kind == "line":
        return re.compile(r"[^\n]*\n")
    if kind == "block":
        return re.compile(rf".*?{re.escape(_OF_LANGUAGE[language].blocks[mark])}", re.DOTALL)
    end = re.escape(_ENDS.get(mark, mark))
    within, ends = (r"[^\\\n]", rf"(?:{end}|\n)") if kind == "literal" else (r"[^\\]", end)
    return re.compile(rf"(?:\\.|(?!{end}){within})*+{ends}", re.DOTALL)
