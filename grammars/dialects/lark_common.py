"""The terminals that Lark offers to every grammar by `%import common.NAME`, restated as patterns of ours."""

from __future__ import annotations

from functools import cache
from typing import Final

from grammars.form import Expression
from grammars.regex_reader import read_regex

_DECIMAL: Final = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"
_EXPONENT: Final = r"[Ee][+-]?[0-9]+"
_FLOAT: Final = rf"(?:[0-9]+{_EXPONENT}|{_DECIMAL}(?:{_EXPONENT})?)"

COMMON: Final = {
    "DIGIT": r"[0-9]",
    "HEXDIGIT": r"[0-9A-Fa-f]",
    "INT": r"[0-9]+",
    "SIGNED_INT": r"[+-]?[0-9]+",
    "DECIMAL": _DECIMAL,
    "_EXP": _EXPONENT,
    "FLOAT": _FLOAT,
    "SIGNED_FLOAT": rf"[+-]?{_FLOAT}",
    "NUMBER": rf"(?:{_FLOAT}|[0-9]+)",
    "SIGNED_NUMBER": rf"[+-]?(?:{_FLOAT}|[0-9]+)",
    "_STRING_INNER": r".*?",
    "_STRING_ESC_INNER": r"(?:[^\\\n]|\\.)*?",
    "ESCAPED_STRING": r'"(?:[^"\\\n]|\\.)*"',
    "LCASE_LETTER": r"[a-z]",
    "UCASE_LETTER": r"[A-Z]",
    "LETTER": r"[A-Za-z]",
    "WORD": r"[A-Za-z]+",
    "CNAME": r"[A-Za-z_][A-Za-z_0-9]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(?:\r?\n)+",
    "SH_COMMENT": r"#[^\n]*",
    "CPP_COMMENT": r"//[^\n]*",
    "C_COMMENT": r"(?s)/\*.*?\*/",
    "SQL_COMMENT": r"--[^\n]*",
}
"""Name -> regular expression."""


@cache
def common_terminal(name: str) -> Expression:
    """What the terminal of this name matches. Raises KeyError if there is none."""
    return read_regex(COMMON[name])
