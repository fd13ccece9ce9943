"""Which terminals may come at a place, by the author's names."""

from __future__ import annotations

import pytest

from grammars.expectation import LONGEST_PREFIX, Expectations
from tests.fakes.grammar_engine import MACHINE, QUERIES, compiled, token_table

TABLE = token_table()
ITEM = ("name", "NUMBER", "STRING", '"("')


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", ('"SELECT"',)),
        ("SELECT ", ITEM),
        ("SELECT (", ITEM),
        ("SELECT (1", ('")"',)),
        ("SELECT a FROM b;", ('"SELECT"',)),
        ("SELECT a FROM b WHE", ('";"', '"WHERE"')),
        ("SELECT 'it", ()),
        ("SELECT -- a comment", ()),
        ("SELECT = ", ()),
        (" " * (LONGEST_PREFIX + 1), ()),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_may_come_is_named(prefix: str, expected: tuple[str, ...]) -> None:
    known = Expectations(compiled(QUERIES, names={"NAME": "name"}), TABLE)
    assert known.after(prefix.encode()) == expected
    assert known.after(prefix.encode()) == expected


def test_a_keyword_is_kept_apart_from_what_follows() -> None:
    """Right after it a blank is expected, and none of the words that could stand in its place."""
    rules = 'start: (SET NAME ";")*\nSET: /set[ ]/\nNAME: /[a-z]+/\n%ignore / +/\n'
    known = Expectations(compiled(rules, names={"SET": '"set"'}), TABLE)
    assert known.after(b"set") == ("a blank",)
    assert known.after(b"set ") == ("NAME",)
    assert known.after(b"se") == ('"set"',)


def test_names_may_be_of_any_script() -> None:
    known = Expectations(compiled(MACHINE, names={"NAME": "名称"}), TABLE)
    assert known.after("状态机 ".encode()) == ("名称",)
    assert known.after("状态机 a {".encode()) == ('"记录"', '"}"', '"状态"', '"转移"')


def test_ranges_patterns_rules_over_lines_and_the_empty_literal_are_told_apart() -> None:
    rules = """start: first NEVER_?
first: "a".."c"
    | /[x\\/]+/ "y"i
    | "" "q" | OTHER
OTHER: "r" | "s"
NEVER_: /[^\\x{0}-\\x{10FFFF}]/
%ignore / +/
"""
    assert Expectations(compiled(rules), TABLE).after(b"") == ("/[x\\/]+/", '"q"', "OTHER")


def test_a_grammar_that_can_not_be_marked_expects_nothing() -> None:
    rules = 'start: %json { "const": 1 }\n'
    assert Expectations(compiled(rules), TABLE).after(b"") == ()
