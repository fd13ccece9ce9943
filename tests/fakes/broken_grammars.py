"""Grammar files as they come from people in a hurry, from other tools and from those who mean harm."""

# ruff: noqa: E501  (tables of fragments and of rules)

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import grammars

SAMPLES: Final = Path(__file__).parent.parent / "grammars" / "dialects" / "samples"
LIBRARY: Final = Path(grammars.__file__).parent / "library"
DIALECTS: Final = ("bnf", "ebnf", "w3c", "abnf", "gbnf", "lark", "antlr4")
_NAMES: Final = ("x.bnf", "x.ebnf", "x.abnf", "x.gbnf", "x.lark", "x.g4", "x.txt", "x.grammar", "")

_FRAGMENTS: Final = (
    '"', "'", "/", "\\", "|", "::=", "=", ":", ";", "(", ")", "[", "]", "{", "}", "*", "+", "?", "<", ">", "<x>", "..",
    "-", "~", "!", "%", "%x41", "%x110000", "#x", "#xFFFFFFFF", "{0,99999}", "{3,1}", "{,}", "\\u", "\\x{110000}",
    "\\p{Nope}", "\\P{L}", "(?=a)", "(?<n>a)", "[z-a]", "[^]", "[]", "/(((a*)*)*)*/", "/.*/", "//", "/*", "*/", "(*", "*)",
    "@start x", "// @start nothing", "; @token zz", "# @indent", "(* @blanks none *)", "// @reserved", "// @ignorecase",
    "// @skip x", "; @comment -- eol", "%ignore x", "%import common.INT", "%declare _X", "-> skip", "-> mode(X)",
    "fragment A : A ;", "options { x = y; }", "?x?", "\0", "\ufeff", "\u2028", "\r", "\t", "\n", "\n\n\n", "中文", "🙂",
    "\ud800", "e\u0301", "A" * 2_000, "(" * 150, "(" * 5_000, "[" * 400, "x " * 3_000, '"a" | ' * 500, "999999999999",
    "1*999999x", "a = a\n", "x ::= x x | \n", "root ::= root\n", "s: s s | s s s | \"a\"\n", 'a: (a*)*\n', "X: X\n", "EOF",
    "{a=1}?", "<assoc=right>", "$", "&", "&&", "^", "\\b", "\\1", "`", "«", "“”", "，。", "==>", "<-", "::", "...",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is perhaps no grammar."""

    text: str
    file_name: str
    dialect: str
    """Asked for by name; empty: to be found out."""


def broken(number: int) -> Broken:
    """The same file for the same number."""
    source = Random(f"broken {number}")
    whole = _grammars()
    text, name = source.choice(whole)
    for _ in range(source.choice((1, 1, 2, 3, 8))):
        text = source.choice(_SLIPS)(text, source)
    if source.random() < 0.1:
        text, name = _hostile(source), source.choice(_NAMES)
    if source.random() < 0.15:
        name = source.choice(_NAMES)
    dialect = source.choice(DIALECTS) if source.random() < 0.1 else ""
    return Broken(text[:60_000], name, dialect)


@cache
def _grammars() -> list[tuple[str, str]]:
    """Whole grammars, with names that do not give away more than a user's would."""
    files = [
        *sorted(one for one in SAMPLES.rglob("*") if one.is_file()),
        *sorted(LIBRARY.glob("*/grammar.*")),
    ]
    return [(one.read_text(), one.name) for one in files]


def _at(text: str, source: Random) -> int:
    return source.randrange(len(text) + 1)


def _shortened(text: str, source: Random) -> str:
    at = _at(text, source)
    return text[:at] + text[at + source.choice((1, 1, 3, 20, 300)) :]


def _cut_off(text: str, source: Random) -> str:
    return text[: _at(text, source)]


def _doubled(text: str, source: Random) -> str:
    at = _at(text, source)
    return text[:at] + text[at : at + source.choice((1, 10, 200))] * source.choice((2, 2, 50)) + text[at:]


def _inserted(text: str, source: Random) -> str:
    at = _at(text, source)
    return text[:at] + source.choice(_FRAGMENTS) + text[at:]


def _random_characters(text: str, source: Random) -> str:
    at = _at(text, source)
    noise = "".join(
        chr(source.choice((source.randrange(32, 127), source.randrange(0x500)))) for _ in range(9)
    )
    return text[:at] + noise + text[at:]


def _swapped_words(text: str, source: Random) -> str:
    words = re.findall(r"\w+|[^\w\s]", text) or ["x"]
    return text.replace(source.choice(words), source.choice(words), source.choice((1, 1, -1)))


def _swapped_lines(text: str, source: Random) -> str:
    lines = text.split("\n")
    one, other = source.randrange(len(lines)), source.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _another_dialect_inside(text: str, source: Random) -> str:
    other, _ = source.choice(_grammars())
    at, begin = _at(text, source), _at(other, source)
    return text[:at] + other[begin : begin + source.choice((20, 200, 2_000))] + text[at:]


def _names_exchanged(text: str, source: Random) -> str:
    return _exchanged(text, r"[A-Za-z][\w-]{2,}", source)


def _texts_exchanged(text: str, source: Random) -> str:
    return _exchanged(text, r"'[^'\n]*'|\"[^\"\n]*\"|/[^/\n]+/|\[[^\[\]\n]+\]", source)


def _signs_exchanged(text: str, source: Random) -> str:
    return _exchanged(text, r"(?<=[\w)\]\"'>])[*+?]", source)


def _exchanged(text: str, pattern: str, source: Random) -> str:
    """Another text of the same kind in some place: often still a grammar."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    one, other = source.choice(found), source.choice(found)
    return text[: one.start()] + other[0] + text[one.end() :]


_SLIPS: Final[tuple[Callable[[str, Random], str], ...]] = (
    _shortened,
    _cut_off,
    _doubled,
    _inserted,
    _inserted,
    _random_characters,
    _swapped_words,
    _swapped_words,
    _swapped_lines,
    _names_exchanged,
    _names_exchanged,
    _names_exchanged,
    _texts_exchanged,
    _texts_exchanged,
    _texts_exchanged,
    _signs_exchanged,
    _signs_exchanged,
    _another_dialect_inside,
)


def _hostile(source: Random) -> str:
    """Rules that are meant to cost much: deep, wide, ambiguous, exponential."""
    count = source.choice((10, 100, 1_000, 3_000))
    deep = min(count, 400)
    return source.choice(
        (
            "".join(f"<r{one}> ::= <r{one + 1}> <r{one + 1}>\n" for one in range(count)) + f'<r{count}> ::= "a" | ""\n',
            "".join(f'<r{one}> ::= "{one}" <r{one + 1}> | ""\n' for one in range(count)) + f'<r{count}> ::= "a"\n',
            "".join(f"<r{one}> ::= <r{one + 1}>\n" for one in range(count)) + f"<r{count}> ::= /[a-z]+/\n",
            "<s> ::= <s> <s> | <s> <s> <s> | /[a-z]/ | ''\n",
            f"root ::= {'(' * deep}[a-z]{')*' * deep}\n",
            f"root ::= {'(' * deep}'a' | {')? '.join('b' * deep)}\n",
            "root ::= " + "(" * 12 + '"a"' + "{0,9})" * 12 + "{2,9}\n",
            "start: " + " | ".join(f"A{one}" for one in range(count)) + "\n" + "".join(f"A{one}: /[a-z]{{1,{one + 1}}}x/\n" for one in range(count)),
            "root ::= " + " ".join(f"[a-z]{{0,{one}}}" for one in range(1, deep)) + "\n",
            "start: /(a?){" + str(deep) + "}a{" + str(deep) + "}/\n",
            "start: A\nA: /(.*a.{" + str(min(deep, 30)) + "})+/\n",
            "start: (A B?)* \nA: /[^ab]*(a|b)/ \nB: /(a|b)*[ab]{20}/\n",
            f"grammar G; s : {'s ' * deep}| 'a' ;\n",
            "grammar G; e : e '+' e | e e | '-' e | e '!' | ID ; ID : [a-z]+ ; WS : [ \\n]+ -> skip ;\n",
            "a = " + "*" * deep + "b\nb = \"x\"\n",
            "s = " + "{" * deep + "'a'" + "}" * deep + ";\n",
            "\n".join(source.choice(_FRAGMENTS) for _ in range(count)),
            "".join(chr(source.randrange(0x3000)) for _ in range(count)),
            "x" * 50_000,
            "",
            " \n",
        )
    )  # fmt: skip
