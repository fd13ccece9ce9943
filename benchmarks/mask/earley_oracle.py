"""An independent judge of what a compiled grammar accepts: lark's Earley parser over the same text.

The engine's dialect and lark's differ in a few spellings; `converted` rewrites those, and refuses what it does not
know. lark's dynamic lexer takes, for each terminal, the longest match of its regular expression and knows no
longest match across terminals, so that it may accept a little more than the engine.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import regex  # type: ignore[import-untyped]
from lark import Lark
from lark.exceptions import UnexpectedInput

_TOKEN: Final = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*"i?)|(?P<regex>/(?:[^/\\\n]|\\.)+/[a-z]*)|(?P<count>\{\d+(?:,\d*)?\})|(?P<other>\s+|[\w%]+|.)'
)
_UNTIL: Final = re.compile(r"\(/\(\?s:\.\)\*(?P<end>\S+)/ & ~/\(\?s:\.\)\*(?P=end)\(\?s:\.\)\+/\)")
"""Anything up to the first end, as the compiler writes block comments."""
_WORDS_BUT: Final = re.compile(r"\(/(?P<word>(?:[^/\\]|\\.)+)/ & ~/(?P<excluded>(?:[^/\\]|\\.)+)/\)$")
"""A terminal for words that leaves some out."""


@cache
def judge(compiled_text: str) -> Lark:
    """The parser for the text of a CompiledGrammar."""
    return Lark(
        converted(compiled_text), parser="earley", lexer="dynamic", regex=True, g_regex_flags=int(regex.POSIX)
    )


def accepts(compiled_text: str, text: str) -> bool:
    """Whether lark takes the whole text for one of the grammar."""
    try:
        judge(compiled_text).parse(text)
    except UnexpectedInput:
        return False
    return True


def converted(text: str) -> str:
    """The engine's text in lark's own dialect. Raises ValueError for what it does not know how to write."""
    lines = [line for line in text.splitlines() if not line.startswith("%llguidance")]
    nullable: set[str] = set()
    rewritten = [_line(line, nullable) for line in lines]
    return "\n".join(_used(line, nullable) for line in rewritten) + "\n"


def _line(line: str, nullable: set[str]) -> str:
    line = _UNTIL.sub(lambda found: f"/(?s:.)*?{found['end']}/", line)
    line = _WORDS_BUT.sub(lambda found: rf"/(?!(?:{found['excluded']})(?![\w$#])){found['word']}/", line)
    if " & " in line or "~/" in line:
        raise ValueError(f"no way to write this for lark: {line}")
    name, colon, body = line.partition(": ")
    if colon and name.isupper() and body.startswith("/") and body.endswith("*/") and _empty(body[1:-1]):
        nullable.add(name)
        line = f"{name}: {body[:-2]}+/"
    return "".join(_token(found) for found in _TOKEN.finditer(line))


def _empty(pattern: str) -> bool:
    return regex.fullmatch(_escapes(pattern), "") is not None


def _token(found: re.Match[str]) -> str:
    if found["string"]:
        return "" if found["string"] == '""' else _escapes(found[0])
    if found["regex"]:
        quoted = re.sub(r'\\.|"', lambda one: r"\x22" if one[0] in ('"', r"\"") else one[0], found[0])
        return _escapes(quoted)  # lark loses a backslash that stands before a quote
    if found["count"]:
        return _count(found["count"])
    return found[0]


def _count(written: str) -> str:
    least, comma, most = written[1:-1].partition(",")
    if comma and not most:
        raise ValueError(f"no way to write this for lark: {written}")
    return f"~{least}..{most}" if comma else f"~{least}"


def _escapes(text: str) -> str:
    return re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda found: f"\\U{int(found[1], 16):08X}", text)


def _used(line: str, nullable: set[str]) -> str:
    """Nullable terminals, which lark does not have, are optional where they are used."""
    name, colon, body = line.partition(": ")
    if not colon or name.isupper():
        return line
    for one in nullable:
        body = re.sub(rf"\b{one}\b", f"{one}?", body)
    return f"{name}: {body}"
