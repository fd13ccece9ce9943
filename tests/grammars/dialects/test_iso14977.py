"""ISO 14977 EBNF, with and without commas: what it is read into, what is warned of, what is refused and where."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Span
from grammars.dialects.iso14977 import read
from grammars.form import Annotations, Exclusion, Repeat, references
from tests.fakes.dialect_reading import (
    assert_read_whole,
    assert_says_at,
    assert_warned,
    refusal,
    rules_as_text,
)

SAMPLES = Path(__file__).parent / "samples" / "ebnf"
rules, refused = partial(rules_as_text, read), partial(refusal, read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b", "b"),
        ("b, c", "(b c)"),
        ("b c, d", "(b_c d)"),
        ("b | c / d ! e", "{b | c | d | e}"),
        ("", "()"),
        ("b | ", "{b | ()}"),
        ("( | b)", "{() | b}"),
        ("'x', \"y'\"", "('x' \"y'\")"),
        ('"（", "，"', "('（' '，')"),
        ('""', "()"),
        ("[b], {c}, (d | e)", "(b~0..1 c~0.. {d | e})"),
        ("(/ b /), (: c :), (/b/)", "(b~0..1 c~0.. b~0..1)"),
        ("(b / c)", "{b | c}"),
        ("{b}-", "b~1.."),
        ("{b}-, c", "(b~1.. c)"),
        ("[b]-", "b"),
        ("b -", "(b - ())"),
        ("b - 'x'", "(b - 'x')"),
        ("b - (c | d), e", "((b - {c | d}) e)"),
        ("3 * b, 2*'x'", "(b~3..3 'x'~2..2)"),
        ("3 * [b]", "b~0..1~3..3"),
        ("b*, (c | d)+, 'x'?, [e]*", "(b~0.. {c | d}~1.. 'x'~0..1 e~0..1~0..)"),
        ("'a' .. 'z', \"0\"…\"9\", 'a'...'b'", "([a-z] [0-9] [a-b])"),
        ("? any character ? - '\"'", "([^] - '\"')"),
        ("? [a-z]+ ?, ? /x?/ ?", "(/[a-z]+/ /x?/)"),
        ("b-c, b - c, b -c", "(b-c (b - c) (b - c))"),
        ("条 件, 如果", "(条_件 如果)"),
        ("b (* , (* nested ' *) ? *), '(*'", "(b '(*')"),
    ],
)
def test_what_an_expression_is_read_into(text: str, expected: str):
    assert rules(f"a = {text};")["a"] == expected


def test_rules_end_with_a_semicolon_or_a_dot_and_begin_with_any_sign_of_definition():
    assert rules("a = b . b := c; c ::= 'x'.\n\nd e = a;") == {"a": "b", "b": "c", "c": "'x'", "d e": "a"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b c;", "(b c)"),
        ("a = b 'x' [c d] {e};", "(b 'x' (c d)~0..1 e~0..)"),
        ("a = b c d; b c = 'x';", "(b_c d)"),
        ("a = b c d; c d = 'x';", "(b c_d)"),
        ("a = b c, d; b = 'x'; c = 'y';", "(b c d)"),
        ("a = b c, d; b = 'x';", "(b_c d)"),
        ('a = b c "," d;', "(b c ',' d)"),
    ],
)
def test_names_with_blanks_between_them_are_rules_or_made_of_rules(text: str, expected: str):
    assert rules(text)["a"] == expected


def test_a_file_without_commas_is_told_so_and_keeps_the_places_of_its_names():
    reading = read("a = bb c;", Annotations())
    (note,) = reading.diagnostics
    assert (note.severity, note.code) == ("note", "no-commas")
    assert [one.span for one in references(reading.grammar.rules["a"].expression)] == [
        Span(1, 5, 1, 7),
        Span(1, 8, 1, 9),
    ]
    assert read("a = bb, c;", Annotations()).diagnostics == ()


def test_places_are_those_of_the_file_comments_or_not():
    reading = read("(* one\n two *) a (* x *) =\n  3 * b - 'x';\n", Annotations(start="a"))
    rule = reading.grammar.rules["a"]
    assert rule.span == Span(2, 9, 2, 10)
    assert isinstance(rule.expression, Exclusion)
    assert rule.expression.span == Span(3, 9, 3, 10)
    assert isinstance(rule.expression.item, Repeat)
    assert [one.span for one in references(rule.expression)] == [Span(3, 7, 3, 8)]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [(r"a = b, '\n';", "no-escapes", (1, 8)), ("a = 'x'; a = 'y';", "duplicate-rule", (1, 10))],
)
def test_what_is_perhaps_not_meant_so_is_warned_of(text: str, code: str, place: tuple[int, int]):
    assert_warned(read, text, code, place)


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        ("a = b\nc = d;", (2, 3), "found '='", "the rule before this must end with ';'"),
        ("a = b", (1, 6), "found the end of the file", "the rule before this must end with ';'"),
        ("a : b;", (1, 3), "expected '=', ':=' or '::=', found ':'", "write '=' between a rule's name"),
        ("a = b, ;", (1, 8), "found ';'", ""),
        ("a = [ b ;", (1, 9), "expected ']', found ';'", "the [ at line 1, column 5 is still open"),
        ("a = (/ b ;", (1, 10), "expected ']', found ';'", "the (/ at line 1, column 5 is still open"),
        ("a = b );", (1, 7), "found ')'", "nothing is open here that this could close"),
        (
            "<a> = b;",
            (1, 1),
            "expected a name or the end of the file, found '<'",
            "names are written without angle",
        ),
        ("a = b;\n# c", (2, 1), "found '#'", "comments are written (* like this *)"),
        ("a = b;\n// c", (2, 1), "found '/'", "comments are written (* like this *)"),
        ("a = \\w+;", (1, 5), "found '\\\\'", "a regular expression is written ? /like this/ ?"),
        ("a = +b;", (1, 5), "found '+'", "what is repeated is written { in braces }"),
        ("a = 'x'； b = c;", (1, 8), "found '；'", "type the ASCII ';' in place of '；'"),
        ("a = “x”;", (1, 5), "found '“'", "type the ASCII '\"' in place of '“'"),
        ("a = 'x;", (1, 5), "a literal is opened here and never closed", "close it before the line ends"),
        ("a = ? x", (1, 5), "a special sequence is opened here and never closed", "close it, or quote the ?"),
        ("a = b; (* (* *)", (1, 8), "a comment is opened here and never closed", "close it by *)"),
        ("a = ? all that is left ?;", (1, 5), "says in words", "write a regular expression"),
        ("a = 9999999 * b;", (1, 5), "9999999 repetitions are too many", "use smaller counts"),
        ("a = 'ab'..'c';", (1, 5), "'ab' is not one character", 'write it like "a" .. "z"'),
        ("a = 'a'..'bc';", (1, 10), "'bc' is not one character", 'write it like "a" .. "z"'),
        ("a = 'c'..'a';", (1, 5), "a range from 'c' down to 'a'", "write the lower character first"),
        ("(* nothing *)", None, "there is no rule in this EBNF file", "write at least one"),
    ],
)
def test_what_cannot_be_read_is_refused_with_place_and_advice(
    text: str, place: tuple[int, int] | None, message: str, advice: str
):
    assert_says_at(refused(text), place, message, advice)


@pytest.mark.parametrize(
    "text",
    [
        "(*" * 100_000 + "*)" * 100_000 + "a = b;",
        "a = " + "b " * 100_000 + "; c = d, e;",
        "a = (" + "b | " * 9_000 + "b);",
    ],
)
def test_hostile_files_take_no_time(text: str):
    assert "a" in read(text, Annotations()).grammar.rules


@pytest.mark.parametrize(
    ("sample", "count", "expected"),
    [
        (
            "iso14977.ebnf",
            41,
            {
                "end option symbol": "{']' | '/)'}",
                "start comment symbol": "'(*'",
                "term": "(factor ('-' exception)~0..1)",
                "first terminal character": "(terminal_character - first_quote_symbol)",
                "single definition": "(term (',' term)~0..)",
                "empty sequence": "()",
            },
        ),
        (
            "pascal.ebnf",
            33,
            {
                "constant part": "('const' (constant_definition ';')~1..)",
                "subrange type": "(constant '..' constant)",
                "string character": "{\"''\" | ([!-~] - \"'\") | ' '}",
                "letter": "/[A-Za-z]/",
                "digit": "[0-9]",
            },
        ),
        (
            "modula2.ebnf",
            27,
            {
                "import": "(('FROM' ident)~0..1 'IMPORT' IdentList ';')",
                "type": "{qualident | ('ARRAY' type (',' type)~0.. 'OF' type) | ('POINTER' 'TO' type)}",
                "ident": "(letter {letter | digit}~0..)",
                "letter": "{[A-Z] | [a-z]}",
                "character": r"/[^'\"\r\n]/".replace('\\"', '"'),
            },
        ),
    ],
)
def test_grammars_of_real_specifications_are_read(sample: str, count: int, expected: dict[str, str]):
    assert_read_whole(read, SAMPLES / sample, count, expected, {"no-commas"})
