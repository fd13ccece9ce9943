"""ABNF: what it is read into, what is warned of, what is refused and where."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Span
from grammars.dialects.abnf import CORE, read
from grammars.form import Annotations, references
from tests.fakes.dialect_reading import (
    assert_read_whole,
    assert_says_at,
    refusal,
    rules_as_text,
)
from tests.fakes.form_text import shown

SAMPLES = Path(__file__).parent / "samples" / "abnf"
rules, refused = partial(rules_as_text, read), partial(refusal, read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b", "b"),
        ("B-c b_2 / <D>", "{(b-c b_2) | d}"),
        ("b | c", "{b | c}"),
        ('"Get" "(" ""', "('Get'i '(')"),
        ('%s"Get" %S"x" %i"Get" %I"x"', "('Get' 'x' 'Get'i 'x'i)"),
        ('"\\" "（" "如果"', r"('\\' '（' '如果')"),
        ("%x41 %X41-5a %x0d.0A", r"('A' [A-Z] '\r\n')"),
        ("%d65 %D48-57 %d13.10", r"('A' [0-9] '\r\n')"),
        ("%b1000001 %B110000-111001", "('A' [0-9])"),
        ("%x4E00-9FFF", "[一-鿿]"),
        ("*b 1*b *2b 1*2b 3b 0<b>", "(b~0.. b~1.. b~0..2 b~1..2 b~3..3 b~0..0)"),
        ('*( "x" / b ) 2( b c )', "({'x'i | b}~0.. (b c)~2..2)"),
        ("[ b ] [ c / d ]", "(b~0..1 {c | d}~0..1)"),
        ("1#b", "(b ([\t ]~0.. ',' [\t ]~0.. b)~0..)"),
        ("#b", "(b ([\t ]~0.. ',' [\t ]~0.. b)~0..)~0..1"),
        ("2#4b", "(b ([\t ]~0.. ',' [\t ]~0.. b)~1..3)"),
        ("#1b", "(b ([\t ]~0.. ',' [\t ]~0.. b)~0..0)~0..1"),
        ('b ; "comment\n / c\n\n ; another\n d', "{b | (c d)}"),
        ("<b, see RFC 1, section 2>", None),
    ],
)
def test_what_an_expression_is_read_into(text: str, expected: str | None):
    assert rules(f'a = {text}\nb = "y"')["a"] == (expected or "b")


def test_names_are_the_same_in_any_case():
    grammar = read("Ab = cD\nCD = %x41", Annotations(start="AB", skip=("<Cd>",))).grammar
    assert {name: shown(rule.expression) for name, rule in grammar.rules.items()} == {"ab": "cd", "cd": "'A'"}
    assert (grammar.start, grammar.skip) == ("ab", ("cd",))


def test_a_rule_may_be_extended_without_a_warning():
    reading = read('a = "1"\nb = a\nA =/ "2" / "3"\na =/ b', Annotations())
    assert shown(reading.grammar.rules["a"].expression) == "{'1' | '2' | '3' | b}"
    assert reading.diagnostics == ()
    assert read('a = "1"\na = "2"', Annotations()).diagnostics[0].code == "duplicate-rule"


def test_rules_may_all_be_indented_and_names_keep_their_places():
    reading = read("   a =  b\n       /\n       c\n   b = %x41\n   <c> = b\n", Annotations())
    rule = reading.grammar.rules["a"]
    assert rule.span == Span(1, 4, 1, 5)
    assert [one.span for one in references(rule.expression)] == [Span(1, 9, 1, 10), Span(3, 8, 3, 9)]
    assert reading.grammar.rules["c"].span == Span(5, 4, 5, 7)


def test_core_rules_are_there_where_they_are_used_and_not_defined():
    grammar = read("a = 1*digit CRLF lwsp\nALPHA = %x61\nb = alpha", Annotations()).grammar
    assert list(grammar.rules) == ["a", "alpha", "b", "digit", "crlf", "lwsp"]
    assert shown(grammar.rules["alpha"].expression) == "'a'"
    assert shown(grammar.rules["crlf"].expression) == r"{'\r\n' | '\n'}"
    assert (grammar.rules["digit"].fragment, grammar.rules["crlf"].fragment) == (True, False)
    assert all(rule.lexical and rule.name == name for name, rule in CORE.items())
    assert len(CORE) == 16


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        (
            "a ::= b",
            (1, 1),
            "expected a rule ('name =') or the end of the file, found 'a'",
            "write '=' between",
        ),
        ("a: b", (1, 1), "found 'a'", "write '=' between"),
        ("a = b : c", (1, 7), "found ':'", "write '=' between"),
        ("a b", (1, 1), "found 'a'", "a file begins with a rule"),
        ("a =\n", (1, 4), "found the end of the file", ""),
        ("a = b / / c", (1, 9), "found '/'", ""),
        ("a = 'x'", (1, 5), 'found "\'"', "literals are written"),
        ("a = %y41", (1, 5), "found '%'", "a character is written %x41"),
        ("a = b, c", (1, 6), "found ','", "parts follow one another without a comma"),
        ("a = {b}", (1, 5), "found '{'", "what is repeated is written *a"),
        ("a = b+", (1, 6), "found '+'", "what is repeated is written *a"),
        ("a = b - c", (1, 7), "found '-'", "names may have hyphens inside only"),
        ("a = *", (1, 6), "found the end of the file", ""),
        ("a = ( b\nc = d", (2, 1), "expected ')', found 'c ='", "the ( at line 1, column 5 is still open"),
        ("a = [ b )", (1, 9), "expected ']', found ')'", "the [ at line 1, column 5 is still open"),
        ("a = b ]", (1, 7), "found ']'", "nothing is open here"),
        ("a = b；c", (1, 6), "found '；'", "type the ASCII ';' in place of '；'"),
        ('a = "x', (1, 5), "a literal is opened here and never closed", "close it before the line ends"),
        ('a = %s"x', (1, 5), "a literal is opened here and never closed", "close it before the line ends"),
        ("a = <b", (1, 5), "prose is opened here and never closed", "close it, or quote the <"),
        ("a = b\nc d", (2, 1), "there is no '=' after c", "indent it more than the rules are"),
        ("  a = b\n c", (2, 2), "there is no '=' after c", "indent it more than the rules are"),
        ('a = <any CHAR but ">', (1, 5), "says in words", "write it as a rule"),
        ("a = <>", (1, 5), "says in words", "write it as a rule"),
        ("a = %x110000", (1, 5), "there is no character with the number 110000", "characters go from"),
        ("a = %x5A-41", (1, 5), "a range from 'Z' down to 'A'", "write the lower character first"),
        ("a = 3*2b", (1, 5), "at least 3 and at most 2 times is never", "swap the bounds"),
        ("; nothing", None, "there is no rule in this ABNF file", "write at least one"),
    ],
)
def test_what_cannot_be_read_is_refused_with_place_and_advice(
    text: str, place: tuple[int, int] | None, message: str, advice: str
):
    assert_says_at(refused(text), place, message, advice)


@pytest.mark.parametrize(
    "text",
    [
        "a = %x" + "41." * 50_000 + "41",
        "".join(f'a =/ "{number}"\n' for number in range(5_000)),
        "a=b\nb=c\n" * 5_000,
    ],
)
def test_hostile_files_take_no_time(text: str):
    assert "a" in read(text, Annotations()).grammar.rules


@pytest.mark.parametrize(
    ("sample", "count", "expected"),
    [
        (
            "uri.abnf",
            39,
            {
                "uri": "(scheme ':' hier-part ('?' query)~0..1 ('#' fragment)~0..1)",
                "path-empty": "pchar~0..0",
                "dec-octet": "{digit | ([1-9] digit) | ('1' digit~2..2) | ('2' [0-4] digit) | ('25' [0-5])}",
                "ipvfuture": "('v'i hexdig~1.. '.' {unreserved | sub-delims | ':'}~1..)",
                "hexdig": "[0-9A-Fa-f]",
            },
        ),
        (
            "json.abnf",
            32,
            {
                "true": "'true'",
                "object": "(begin-object (member (value-separator member)~0..)~0..1 end-object)",
                "unescaped": "{[ -!] | [#-[] | []-\U0010ffff]}",
                "ws": r"{' ' | '\t' | '\n' | '\r'}~0..",
            },
        ),
        (
            "http-message.abnf",
            40,
            {
                "http-name": "'HTTP'",
                "http-message": "(start-line (header-field crlf)~0.. crlf message-body~0..1)",
                "transfer-encoding": "(transfer-coding ([\t ]~0.. ',' [\t ]~0.. transfer-coding)~0..)",
                "uri-host": "host",
                "crlf": r"{'\r\n' | '\n'}",
            },
        ),
    ],
)
def test_grammars_of_real_specifications_are_read(sample: str, count: int, expected: dict[str, str]):
    assert_read_whole(read, SAMPLES / sample, count, expected)
