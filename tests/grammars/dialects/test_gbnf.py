"""GBNF: each construct's exact form, mistakes at their places, and grammars as llama.cpp's users write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammars.diagnostics import Span
from grammars.dialects.gbnf import read
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    CharacterSet,
    Choice,
    Expression,
    Literal,
    Reference,
    Repeat,
    Sequence,
)
from tests.fakes.dialect_reading import assert_means, assert_says, faultless, refusal

SAMPLES = Path(__file__).parent / "samples" / "gbnf"
A, B, C = Literal("a"), Literal("b"), Reference("c")


def expressions(text: str) -> dict[str, Expression]:
    """The rules of a file of which there is nothing to say."""
    return {name: rule.expression for name, rule in faultless(read, text).rules.items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('""', EMPTY),
        ('"a" "b"', Sequence((A, B))),
        ('| "a" | | "b"', Choice((EMPTY, A, B))),
        ('("a" | "b") c', Sequence((Choice((A, B)), C))),
        ('"a"* "b"+ c?', Sequence((Repeat(A, 0, None), Repeat(B, 1, None), Repeat(C, 0, 1)))),
        ('"a"{2} "b"{2,} c{ , 3 }', Sequence((Repeat(A, 2, 2), Repeat(B, 2, None), Repeat(C, 0, 3)))),
        ('"ab"*', Repeat(Literal("ab"), 0, None)),
        (r'"\x41\u00e9\U0001F600\n\r\t\\\"\[\]"', Literal('Aé😀\n\r\t\\"[]')),
        (r"[a-z_\]\\\x00-\x1F]", CharacterSet(((0, 0x1F), (0x5C, 0x5D), (0x5F, 0x5F), (0x61, 0x7A)))),
        (r'[^"\n]', CharacterSet(((10, 10), (0x22, 0x22)), negated=True)),
        (". #]", ANY_CHARACTER),
        ("\n  c", C),
        ('"a" |\n  "b"\n | c', Choice((A, B, C))),
        ('"a" # one\n  # two\n\n  | # three\n c', Choice((A, C))),
        ('(\n  "a"\n  c # x\n  | "b"\n)', Choice((Sequence((A, C)), B))),
        ("query-list 名前_1", Sequence((Reference("query-list"), Reference("名前_1")))),
    ],
)
def test_each_construct_has_one_form(body: str, expected: Expression) -> None:
    assert expressions(f"root ::= {body}\nc ::= [c]\n")["root"] == expected


def test_lines_blank_lines_and_comments_between_rules() -> None:
    text = "\ufeff# first\r\n\r\nroot ::= c # x\r\n  \r\n#y\r\nc ::= [c]"
    assert list(expressions(text)) == ["root", "c"]


def test_it_starts_at_root_and_nothing_is_said_of_terminals() -> None:
    grammar = read('a ::= "x"\nroot ::= a', Annotations()).grammar
    assert (grammar.dialect, grammar.start, grammar.skip, grammar.explicit_lexer) == (
        "gbnf",
        "root",
        (),
        False,
    )
    assert [(rule.lexical, rule.fragment) for rule in grammar.rules.values()] == [(None, False)] * 2
    assert grammar.rules["root"].span == Span(2, 1, 2, 5)


def test_without_root_the_first_rule_is_taken_and_that_is_said() -> None:
    reading = read('a ::= b\nb ::= "x"', Annotations())
    (one,) = reading.diagnostics
    assert reading.grammar.start == "a"
    assert (one.severity, one.code, one.span) == ("warning", "no-root", Span(1, 1, 1, 2))
    annotated = read('a ::= b\nb ::= "x"', Annotations(start="b"))
    assert (annotated.grammar.start, annotated.diagnostics) == ("b", ())


@pytest.mark.parametrize(
    ("text", "message", "advice", "span"),
    [
        ("root ::= 'a'", 'found "\'"', "write literals in double quotes", Span(1, 10, 1, 11)),
        ("root = a", "expected '::=', found '='", "write '::=' between a rule's name and", Span(1, 6, 1, 7)),
        ("root: a", "expected '::=', found ':'", "write '::=' between a rule's name and", Span(1, 5, 1, 6)),
        ("a ::= b c ::= d", "found '::='", "begin each rule on a line of its own", Span(1, 11, 1, 14)),
        ("a ::= b\n  c\n", "expected '::='", "a rule ends with its line", Span(2, 4, 3, 1)),
        ('a ::= "b', "a literal is opened here and never closed", "", Span(1, 7, 1, 8)),
        ("a ::= [b\n", "is opened here and never closed", "", Span(1, 7, 1, 8)),
        ("a ::= (b", "found the end of the file", "( at line 1, column 7 is still open", Span(1, 9, 1, 9)),
        ("a ::= b)", "found ')'", "", Span(1, 8, 1, 9)),
        ("a ::= * b", "found '*'", "a repetition stands after what it repeats", Span(1, 7, 1, 8)),
        ("a ::= b{3,2}", "at least 3 and at most 2 times is never", "swap", Span(1, 8, 1, 13)),
        ("a ::= b{1000000}", "1000000 repetitions are too many", "", Span(1, 8, 1, 17)),
        ("a ::= b ; c", "found ';'", "comments begin with '#'", Span(1, 9, 1, 10)),
        (r'a ::= "b\q"', r"there is no escape \q", r"\xHH", Span(1, 9, 1, 11)),
        (r'a ::= "\x4"', r"there is no escape \x", r"\xHH", Span(1, 8, 1, 10)),
        (r'a ::= "\uD800"', "there is no character with the number D800", "", Span(1, 8, 1, 14)),
        ("a ::= [z-a]", "a range from 'z' down to 'a'", "the lower character first", Span(1, 8, 1, 11)),
        ("a ::= []", "a [ is opened here and never closed", "", Span(1, 7, 1, 8)),
        ("a ::= <[1000]>", "is a token of one model's vocabulary", "as a literal", Span(1, 7, 1, 15)),
        ("a ::= b !<think> c", "!<think> is a token", "as a literal", Span(1, 9, 1, 17)),
        ("a ::= “b”", "found '“'", "type the ASCII '\"'", Span(1, 7, 1, 8)),
        ("a ::= " + "(" * 3000 + "b" + ")" * 3000, "nested more than 100 deep", "a rule of its own", None),
        ("# nothing\n", "there is no rule in this GBNF file", "", None),
    ],
)
def test_mistakes_are_named_at_their_place(text: str, message: str, advice: str, span: Span | None) -> None:
    assert_says(refusal(read, text), message, advice, span)


def test_tokens_are_refused_as_unsupported() -> None:
    assert refusal(read, "root ::= <think>").code == "unsupported"


def test_a_big_file_is_read() -> None:
    text = 'root ::= "a"\n' + "".join(f'rule-{index} ::= "x" | root*\n' for index in range(5_000))
    assert len(read(text, Annotations()).grammar.rules) == 5_001


@pytest.mark.parametrize(
    ("name", "rules", "right", "wrong"),
    [
        (
            "json",
            7,
            ['{"a": [1, -2.5e3, "x\\n\\u00e9"], "b": {}}', '{"a": true}\n  ', "{ }"],
            ["[]", '{"a": 01}', '{"a": "\x01"}', '{"a"  : 1}'],
        ),
        ("arithmetic", 6, ["a=1\n", "x1 + 2 * (y - 3) = 4\n\n", "a=b\nc=d\n"], ["a=1", "A=1\n", "a+=1\n"]),
        ("list", 2, ["- a\n", "- a b\n- 你好\n"], ["- a", "-a\n", "- \n"]),
        (
            "chess",
            5,
            ["1. e4 e5\n2. Nf3 Nc6\n", "1. e4 d5\n2. exd5 O-O-O+\n10. a8=Q# b1\n"],
            ["1. e4 e5\n", "1. e9 e5\n2. a1 a1\n"],
        ),
    ],
)
def test_grammars_of_others_mean_what_they_mean(
    name: str, rules: int, right: list[str], wrong: list[str]
) -> None:
    text = (SAMPLES / f"{name}.gbnf").read_text(encoding="utf-8")
    assert len(expressions(text)) == rules
    assert_means(SAMPLES / f"{name}.gbnf", right, wrong)
