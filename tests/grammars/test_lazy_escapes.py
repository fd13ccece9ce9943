"""Lazy loops whose earlier alternatives go first: where they end, against what Python's `re` finds."""

from __future__ import annotations

import re

import pytest

from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Choice,
    Expression,
    Literal,
    Repeat,
    Sequence,
)
from grammars.lazy_escapes import in_order
from grammars.regex_reader import read_regex
from tests.fakes.form_matcher import matches

QUOTE, BACKSLASH = Literal('"'), Literal("\\")
PLAIN = CharacterSet(((0x5C, 0x5C),), negated=True)


def string(*alternatives: Expression, lazy: bool = True, end: Expression = QUOTE) -> Expression:
    return Sequence((QUOTE, Repeat(Choice(alternatives), 0, None, lazy=lazy), end))


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        (
            (Literal('\\"'), ANY_CHARACTER),
            (Literal('\\"'), PLAIN, Sequence((Repeat(BACKSLASH, 1, None), PLAIN))),
        ),
        (
            (Sequence((BACKSLASH, ANY_CHARACTER)), ANY_CHARACTER),
            (Sequence((BACKSLASH, ANY_CHARACTER)), PLAIN),
        ),
        (
            (Literal('\\"'), Literal("\\\\"), Literal("x"), CharacterSet(((0x5B, 0x5D),))),
            (
                Literal('\\"'),
                Literal("\\\\"),
                Literal("x"),
                CharacterSet(((0x5B, 0x5B), (0x5D, 0x5D))),
                Sequence((BACKSLASH, CharacterSet(((0x22, 0x22), (0x5B, 0x5D))))),
            ),
        ),
    ],
)
def test_what_begins_an_earlier_alternative_is_no_longer_taken_by_a_later_one(
    alternatives: tuple[Expression, ...], expected: tuple[Expression, ...]
) -> None:
    assert in_order(string(*alternatives)) == string(*expected)


@pytest.mark.parametrize(
    "expression",
    [
        string(Literal('\\"'), ANY_CHARACTER, lazy=False),
        string(ANY_CHARACTER, Literal('\\"')),
        string(Literal('""'), ANY_CHARACTER),
        string(Literal("\\n"), ANY_CHARACTER),
        string(Literal('\\"', ignore_case=True), ANY_CHARACTER),
        string(Literal('\\"'), CharacterSet((), ("L",)), CharacterSet(((0x61, 0x62),))),
        string(Literal('\\"'), ANY_CHARACTER, end=Repeat(QUOTE, 1, None)),
        Repeat(Choice((Literal('\\"'), ANY_CHARACTER)), 0, None, lazy=True),
    ],
)
def test_other_loops_stay_as_they_are(expression: Expression) -> None:
    assert in_order(expression) == expression


@pytest.mark.parametrize(
    "source",
    [
        r'"(?:\\"|.)*?"',
        r'"(?:\\.|.)*?"',
        r'"(?:\\"|\\\\|[^x])*?"',
        r"<(?:\$[>a]|\$b|.)*?>",
        r'"(?:\\"|[^\\])*?"',
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        '"a" b"',
        '"a\\"b" c"',
        '"\\\\" "',
        '"\\\\\\" "',
        '"a\\nb" "',
        '""',
        '"\\"" "',
        "<a$>b> >",
        "<\\>> >",
        "<$$>>",
        "<$\\> >",
    ],
)
def test_they_end_where_python_says(source: str, text: str) -> None:
    found = re.match(source, text)
    form = read_regex(source)
    ends = [end for end in range(len(text) + 1) if matches(form, text[:end])]
    assert ends[:1] == ([found.end()] if found else [])
