"""What may stand between question marks in ISO 14977: the standard leaves it to whoever writes the grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from grammars.diagnostics import Span
from grammars.dialects.reading import character_range, code_point, refusal
from grammars.form import ANY_CHARACTER, EMPTY, CharacterSet, Expression, Literal, Pattern

_VISIBLE: Final = CharacterSet(((33, 126),))
_BLANKS: Final = CharacterSet(((9, 13), (32, 32)))
PHRASES: Final[Mapping[str, Expression]] = {
    **dict.fromkeys(("any character", "any char", "character", "all characters"), ANY_CHARACTER),
    **dict.fromkeys(("white space", "whitespace", "any white space", "white space characters"), _BLANKS),
    **dict.fromkeys(("all visible characters", "any visible character", "visible character"), _VISIBLE),
    **dict.fromkeys(("letter", "any letter", "unicode letter"), CharacterSet(properties=("L",))),
    **dict.fromkeys(("digit", "any digit", "decimal digit"), CharacterSet(((48, 57),))),
    **dict.fromkeys(("unicode digit",), CharacterSet(properties=("Nd",))),
    **dict.fromkeys(("space", "iso 6429 character space"), Literal(" ")),
    **dict.fromkeys(("tab", "horizontal tab", "iso 6429 character horizontal tabulation"), Literal("\t")),
    **dict.fromkeys(
        ("new line", "newline", "line feed", "end of line", "iso 6429 character line feed"), Literal("\n")
    ),
    **dict.fromkeys(("carriage return", "iso 6429 character carriage return"), Literal("\r")),
    **dict.fromkeys(("vertical tab", "iso 6429 character vertical tabulation"), Literal("\v")),
    **dict.fromkeys(("form feed", "iso 6429 character form feed"), Literal("\f")),
    **dict.fromkeys(("empty", "nothing", "end of file", "end of input"), EMPTY),
}
"""What may stand between question marks, in lower case."""

_NUMBER: Final = r"(?:u\+|0x|#x|\\u)([0-9a-f]+)"
_CHARACTERS: Final = re.compile(rf"{_NUMBER}(?:\s*(?:-|\.\.\.?|to|…)\s*{_NUMBER})?", re.IGNORECASE)
_DECIMAL: Final = re.compile(r"(?:us-)?ascii (?:character|code) (\d+)", re.IGNORECASE)
_ALL_BUT: Final = re.compile(
    r"(?:any|all|every)?\s*char(?:acter)?s?\s+(?:except|but(?:\s+not)?|other\s+than)\s+(?:for\s+)?(.+)",
    re.IGNORECASE | re.DOTALL,
)
_ONE_OF_LIST: Final = re.compile(
    r"""\s*(?:(["'])(.)\1|([^\W\d_]{2,}(?: [^\W\d_]+)?)|(\S))\s*(?:,|\bor\b|\band\b|$)""", re.DOTALL
)
_NAMED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("quote", "double quote", "quotation mark"), '"'),
    **dict.fromkeys(("single quote", "apostrophe"), "'"),
    "backslash": "\\",
    **dict.fromkeys(("newline", "new line", "line feed", "line end"), "\n"),
    **dict.fromkeys(("space", "blank"), " "),
    "tab": "\t",
}
"""Characters that are named rather than written, in lists of what is excepted."""
_PROSE: Final = re.compile(r"[\w\s,.'’:;/-]*|.*\b[^\W\d_]{2,}\s+[^\W\d_]{2,}\b.*", re.DOTALL)
"""Nothing but words; or two words beside each other, which no regular expression for a DSL says without brackets."""


def special_sequence(text: str, span: Span) -> Expression:
    """What a special sequence means. Raises GrammarError for words that are none of the known."""
    phrase = PHRASES.get(" ".join(text.lower().split()))
    if isinstance(phrase, Literal | CharacterSet):
        return replace(phrase, span=span)
    if phrase is not None:
        return phrase
    if found := _CHARACTERS.fullmatch(text):
        first = code_point(found[1], 16, span)
        return character_range(first, code_point(found[2], 16, span) if found[2] else first, span)
    if found := _DECIMAL.fullmatch(text):
        return Literal(chr(code_point(found[1], 10, span)), span=span)
    if (found := _ALL_BUT.fullmatch(text)) and (excepted := _listed(found[1])):
        return CharacterSet(tuple((ord(one), ord(one)) for one in excepted), negated=True, span=span)
    if len(text) > 2 and text[0] == text[-1] == "/":
        return Pattern(text[1:-1].replace(r"\/", "/"), span)
    if _PROSE.fullmatch(text):
        raise refusal(
            f"? {text} ? says in words what may stand here, and words can't be compiled",
            span=span,
            code="prose",
            advice="write a regular expression, as in ? /[^a-z]+/ ?, or a known phrase, as in ? any character ?",
        )
    return Pattern(text, span)


def _listed(text: str) -> str:
    """The characters of a list such as `" or \\`, `'"', newline`; empty if it is of anything else."""
    listed, start = "", 0
    while start < len(text):
        found = _ONE_OF_LIST.match(text, start)
        one = "" if found is None else found[2] or _NAMED.get((found[3] or "").lower(), "") or found[4] or ""
        if found is None or not one:
            return ""
        listed, start = listed + one, found.end()
    return listed
