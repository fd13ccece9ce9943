"""What looks around in a pattern: where it goes without harm, where it becomes an exclusion, where it is refused."""

from __future__ import annotations

import re

import pytest

from grammars.characters import WORD, WORD_PROPERTIES
from grammars.diagnostics import GrammarError, Span
from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Repeat,
    Sequence,
)
from grammars.regex_reader import read_regex
from tests.fakes.form_matcher import matches

A, B = Literal("a"), Literal("b")
ANYTHING = Repeat(ANY_CHARACTER, 0, None)
NO_B = Exclusion(CharacterSet(WORD, WORD_PROPERTIES), CharacterSet(((0x62, 0x62),)))
NO_LINE_END = CharacterSet(((10, 10),), negated=True)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"if\b", Literal("if")),
        (r"\bif\b", Literal("if")),
        (r"(if\b|else\b)", Choice((Literal("if"), Literal("else")))),
        (r"(\bif|\belse)?", Repeat(Choice((Literal("if"), Literal("else"))), 0, 1)),
        (r"^a$|\Ab\Z", Choice((A, B))),
        (r"\b", Sequence(())),
        (r"#.*$", Sequence((Literal("#"), Repeat(NO_LINE_END, 0, None)))),
        (r"(?<!\w)a(?!\w)", A),
        (r"(?<=x)a(?=[,)]|$)", A),
        (r"a(?!b)\b", A),
        (r"(?!if\b)a", Exclusion(A, Literal("if"))),
        (r"(?!b$)a", Exclusion(A, B)),
        (r"(?!b)a", Exclusion(A, Sequence((B, ANYTHING)))),
        (r"b(?!b)a", Sequence((B, Exclusion(A, Sequence((B, ANYTHING)))))),
        (r"a(?<!b)", Exclusion(A, Sequence((ANYTHING, B)))),
        (r"a(?<!b)b", Sequence((Exclusion(A, Sequence((ANYTHING, B))), B))),
        (r"(?:(?!b).)*", Exclusion(Repeat(NO_LINE_END, 0, None), Sequence((ANYTHING, B, ANYTHING)))),
        (r"(?:(?!b)a)+b", Sequence((Exclusion(Repeat(A, 1, None), Sequence((ANYTHING, B, ANYTHING))), B))),
        (
            r"(?:(?!b)(?:[x]|[^\Wb]|a))*",
            Exclusion(
                Repeat(Choice((CharacterSet(((0x78, 0x78),)), NO_B, A)), 0, None),
                Sequence((ANYTHING, B, ANYTHING)),
            ),
        ),
    ],
)
def test_what_looks_around_goes_or_becomes_an_exclusion(source: str, expected: Expression) -> None:
    assert read_regex(source) == expected


@pytest.mark.parametrize(
    ("source", "written", "span"),
    [
        ("a(?=b)c", "(?=b)", Span(1, 2, 1, 7)),
        (r"(?=b)a", "(?=b)", Span(1, 1, 1, 6)),
        (r"a(?<=b)", "(?<=b)", Span(1, 2, 1, 8)),
        (r"a\bc", r"\b", Span(1, 2, 1, 4)),
        (r"a^b", "^", Span(1, 2, 1, 3)),
        (r"(a\b)*c", r"\b", Span(1, 3, 1, 5)),
        (r"(?:(?!b)aa)*", "(?!b)", Span(1, 4, 1, 9)),
        (r"(?:(?!b)(?:a|b*))*", "(?!b)", Span(1, 4, 1, 9)),
        (r"(?!a(?=b)c)d", "(?=b)", Span(1, 5, 1, 10)),
    ],
)
def test_what_would_forbid_texts_in_another_way_is_refused(source: str, written: str, span: Span) -> None:
    with pytest.raises(GrammarError) as caught:
        read_regex(source, Span(1, 1, 1, 1))
    (one,) = caught.value.diagnostics
    assert (one.code, one.message) == ("look-around", f"{written} looks around in the middle of a pattern")
    assert one.span == span
    assert "non-greedy" in one.advice


def test_there_are_only_so_many_in_a_pattern() -> None:
    with pytest.raises(GrammarError, match="looks around more than 50 times"):
        read_regex(r"(?!a)" * 51 + "b")
    read_regex(r"(?!a)" * 50 + "b")


@pytest.mark.parametrize(
    "source",
    [
        r"(?!(if|else)\b)[a-z]+",
        r"(?!if$)[a-z]+",
        r'"(?!"").*?(?<!\\)(\\\\)*?"',
        r'"""(?:.*?(?<!\\)(?:\\\\)*?)"""',
        r"/\*(?:(?!\*/).)*\*/",
        r"<(?!b)[a-z]>",
        r"[a-z]+(?<!x)",
        r"(?i:sel(?!x)[a-z]+)",
    ],
)
def test_what_is_left_matches_what_python_says(source: str) -> None:
    compiled, form = re.compile(source), read_regex(source)
    texts = [
        "if",
        "else",
        "ifs",
        "i",
        "x",
        "ax",
        "xa",
        '""',
        '"a"',
        '"a\\"b"',
        '"a\\\\"',
        '"\\"',
        '"""',
        '""""""',
    ]
    texts += ['"""a"b"""', '"""a\\"""', "/**/", "/* * */", "/* */ */", "<a>", "<b>", "SELa", "selx"]
    for text in texts:
        assert matches(form, text) == (compiled.fullmatch(text) is not None), text
