"""A file of ISO 14977 that lacks ';' at the ends of rules is told so, and is none of ABNF."""

from __future__ import annotations

import pytest

from grammars.annotations import read_annotations
from grammars.diagnostics import GrammarError, Span
from grammars.dialects import detect
from grammars.dialects.iso14977_ends import Unended, unended

ADVICE = "end every rule with ';'; if the file is no EBNF of ISO 14977, name its dialect: @dialect NAME"


def found_in(text: str) -> Unended | None:
    return unended(text, read_annotations(text))


@pytest.mark.parametrize(
    ("text", "count", "span"),
    [
        ("a = b , c\nb = 'x' ;\nc = 'y' ;\n", 1, Span(1, 9, 1, 10)),
        ("a = { b }\nb = 'x'\n", 2, Span(1, 9, 1, 10)),
        ("a = b ;\nb = 'x'\n  | 'y'\n\n", 1, Span(3, 7, 3, 8)),
        ("a = b.\n(* of b: *) b = 'x' (* = 'y' *)", 1, Span(2, 19, 2, 20)),
        ("\ta b ::= ? /[a-z]+/ ?\n", 1, Span(1, 21, 1, 22)),
        ("first-one := '=' = \n", 0, None),
    ],
)
def test_where_the_first_rule_ends_without_it_and_how_many_do(
    text: str, count: int, span: Span | None
) -> None:
    found = found_in(text)
    if span is None:
        assert found is None
        return
    assert found is not None
    (one,) = found.error.diagnostics
    others = f" (one of {count})" if count > 1 else ""
    assert (one.message, one.advice) == (f"EBNF: a rule ends here without ';'{others}", ADVICE)
    assert (one.code, one.severity, one.span) == ("syntax", "error", span)
    assert len(found.reading.grammar.rules) == text.replace("(* = 'y' *)", "").replace("'='", "").count("=")


@pytest.mark.parametrize(
    "text",
    [
        "a = 'x' ;\nb = 'y' ;\n",
        "",
        "(* never closed\na = b\n",
        "a = 'x' / 2*4b\nb = %x41\n",
        '; a comment\na = b\nb = "x"\n',
        "a = ( b\nb = 'x'\n",
    ],
    ids=["all are there", "empty", "a comment", "ABNF", "ABNF's comment", "another slip"],
)
def test_where_that_is_not_all_that_is_missing_nothing_is_said(text: str) -> None:
    assert found_in(text) is None


SEQUENCES = 'a = b c\nb = "x"\nc = "y"\n'
"""What both dialects can read, if the ends of rules are left out."""


@pytest.mark.parametrize(
    ("text", "file_name"),
    [
        (SEQUENCES, "a.ebnf"),
        (SEQUENCES + "d = b ;\n", "a.bnf"),
        ('a = b ;\nb = "x" c\nc = [ b ]\n', "a.grammar"),
        ("a = ? /x/ ?\nb = ? /y/ ?\n", "a.txt"),
        ("a = b\nb = 'x'\n", "a.bnf"),
        ('a = b , c\nb = "x"\n', "a.bnf"),
    ],
    ids=["its name", "an end", "one end", "read by none", "single quotes", "a rule is missing too"],
)
def test_such_a_file_is_not_taken_for_another_dialect(text: str, file_name: str) -> None:
    with pytest.raises(GrammarError, match="EBNF: a rule ends here without ';'"):
        detect(text, file_name)


@pytest.mark.parametrize(
    ("text", "file_name"),
    [
        (SEQUENCES, "a.bnf"),
        (SEQUENCES, "a.abnf"),
        (SEQUENCES + "d = b ; or so\n", "a.ebnf"),
        ("; @dialect abnf\n" + SEQUENCES, "a.ebnf"),
        (SEQUENCES + "d = ALPHA\n", "a.ebnf"),
    ],
    ids=["not called so", "called ABNF", "ABNF's comment", "its author's word", "ABNF's own rules"],
)
def test_a_file_that_may_well_be_abnf_is(text: str, file_name: str) -> None:
    assert detect(text, file_name) == "abnf"
