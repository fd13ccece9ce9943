"""The notation of one style of BNF file; what it reads into what is tested in test_bnf."""

from __future__ import annotations

import pytest

from grammars.dialects.bnf_style import Style
from grammars.dialects.bnf_syntax import dialect_of, name_of
from grammars.dialects.reading import read_definitions
from tests.fakes.form_text import shown


def test_a_style_has_one_dialect():
    assert dialect_of(Style()) is dialect_of(Style())
    assert dialect_of(Style()) is not dialect_of(Style(quotes=False))


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("", "('(' x ')' '[' y ']' '{' z '}')"),
        ("(", "(x '[' y ']' '{' z '}')"),
        ("([", "(x y~0..1 '{' z '}')"),
        ("([{", "(x y~0..1 z~0..)"),
    ],
)
def test_brackets_are_notation_or_text_as_the_style_has_it(brackets: str, expected: str):
    dialect = dialect_of(Style(quotes=False, brackets=frozenset(brackets)))
    (one,) = read_definitions(dialect, "<a> ::= (<x>) [<y>] {<z>}")
    assert shown(one.expression) == expected


def test_messages_name_only_brackets_that_are_notation():
    assert "_OPEN" not in dialect_of(Style(quotes=False, brackets=frozenset())).words
    assert dialect_of(Style()).words["_OPEN"] == "'('"


@pytest.mark.parametrize(
    ("written", "name"), [("<a>", "a"), ("< a  b\t>", "a b"), ("plain", "plain"), ("<语句>", "语句")]
)
def test_a_name_is_what_stands_between_the_angle_brackets(written: str, name: str):
    assert name_of(written) == name
