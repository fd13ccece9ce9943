"""How a BNF file is written: BNF has no standard, and the same sign is text in one file and notation in the next.

What is decided here holds for the file as a whole, before it is parsed (`grammars/dialects/bnf.py`):

- **quotes**: whether literals are quoted at all. In a file that quotes nothing, whatever is not a name is text.
- **brackets**: `( )`, `[ ]` and `{ }` are notation in a file that quotes. In one that doesn't they are text, as
  Backus had it, unless the file shows otherwise: a `|` inside them, a repetition sign after them, or a rule that
  consists of such a bracket (`<left paren> ::= (`).
- **grouping braces**: SQL's standard repeats by `...` and groups by braces; elsewhere braces repeat.
- **heads**: rules named with or without angle brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from grammars.diagnostics import Diagnostic
from grammars.dialects.reading import span_at

NAME: Final = r"<\w[^<>\n]*>"
BARE_NAME: Final = r"[^\W\d]\w*(?:[.-]\w+)*"
HEAD: Final = rf"(?:{NAME}|{BARE_NAME})\s*::="
STRING: Final = r"\"\\\"(?=[\s|)\]}]|\Z)|\"(?:\\.|[^\"\\\n])*\"|'\\'(?=[\s|)\]}]|\Z)|'(?:\\.|[^'\\\n])*'"
LINE_COMMENT: Final = r"(?:;|#|//|--)[^\n]*"
BLOCK_COMMENT: Final = r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|\(\*[^*]*\*+(?:[^)*][^*]*\*+)*\)"
SIGN: Final = (
    rf"(?:[\"']|[<>()\[\]{{}}|*+?/;#=.-]+)(?=[ \t]*(?:\n(?:\s|{LINE_COMMENT}(?:\n|\Z))*{HEAD}|\s*\Z))"
)
"""The whole body of a rule that is nothing but punctuation."""
ELLIPSIS: Final = r"\.\.\.|…"

_TOKEN: Final = re.compile(
    rf"(?P<skipped>/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\(\*(?:[^*]|\*(?!\)))*(?:\*\)|\Z)|(?:^|\n)[ \t]*{LINE_COMMENT})"
    rf"|(?P<head>(?<![\w.-]){HEAD})(?:[ \t]*(?P<sign>{SIGN}))?"
    rf"|(?P<name>{NAME})|(?P<string>{STRING})"
    rf"|(?P<open>[(\[{{])|(?P<close>[)\]}}])(?P<repeated>[*+?]|\s*(?:{ELLIPSIS}))?|(?P<bar>\|)"
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_OPENING: Final = {closing: opening for opening, closing in _CLOSING.items()}


@dataclass(frozen=True, slots=True)
class Style:
    """How one file is written."""

    quotes: bool = True
    brackets: frozenset[str] = frozenset("([{")
    """The opening brackets that are notation."""
    grouping_braces: bool = False
    heads: Literal["angle", "bare", "mixed"] = "angle"


def style_of(text: str) -> tuple[Style, tuple[Diagnostic, ...]]:
    """How the file is written, and a warning for every bracket that is taken for text without being quoted."""
    open_at: list[str] = []
    first: dict[str, int] = {}
    heads: Counter[str] = Counter()
    signs: set[str] = set()
    quotes = grouping = False
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "head" | "sign":
                open_at.clear()
                heads["angle" if token["head"].startswith("<") else "bare"] += 1
                signs.update((token["sign"] or "")[:1])
            case "string":
                quotes |= len(token["string"]) > 2
            case "open":
                open_at.append(token["open"])
                first.setdefault(token["open"], token.start())
            case "bar":
                signs.update(open_at)
            case "close" | "repeated":
                opening = _OPENING[token["close"]]
                while open_at and open_at.pop() != opening:
                    pass
                if token["repeated"]:
                    signs.add(opening)
                    grouping |= opening == "{" and token["repeated"][-1] in ".…"
            case _:
                pass
    brackets = frozenset(_CLOSING if quotes else signs & _CLOSING.keys())
    found: Literal["angle", "bare", "mixed"] = (
        "mixed" if len(heads) > 1 else "bare" if heads["bare"] else "angle"
    )
    return Style(quotes, brackets, grouping, found), tuple(
        _read_as_text(text, opening, at) for opening, at in first.items() if opening not in brackets
    )


def _read_as_text(text: str, opening: str, at: int) -> Diagnostic:
    return Diagnostic(
        "warning",
        "brackets-are-text",
        f"this file quotes no literal, so {opening} {_CLOSING[opening]} are read as text of the language",
        'quote them to say so; if they are notation, quote the literals ("like this")',
        span_at(text, at, at + 1),
    )
