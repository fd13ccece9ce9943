"""Classic BNF and what people write in it: what it is read into, what is warned of, what is refused and where."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Span
from grammars.dialects.bnf import read
from grammars.form import EMPTY, Annotations, Reference
from tests.fakes.dialect_reading import (
    assert_read_whole,
    assert_says_at,
    assert_warned,
    refusal,
    rules_as_text,
)
from tests.fakes.form_text import shown

SAMPLES = Path(__file__).parent / "samples" / "bnf"
rules, refused = partial(rules_as_text, read), partial(refusal, read)


def body(text: str) -> str:
    """What `<a>` is in a file that defines it so."""
    return rules(f"<a> ::= {text}")["a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>", "b"),
        ("<b> <c d>", "(b c_d)"),
        ("<b> | <c>", "{b | c}"),
        ("\n  <b>\n  | <c>\n", "{b | c}"),
        ("| <b>", "{() | b}"),
        ("<b> |", "{b | ()}"),
        ("", "()"),
        ("ε | x", "{() | 'x'}"),
        ('"" | "x"', "{() | 'x'}"),
        ("SELECT <b> ;", "('SELECT' b ';')"),
        ("end.", "('end' '.')"),
        ("C++ == 2.5 date-time", "('C' '++' '==' '2.5' 'date-time')"),
        ("<b>:=<c>", "(b ':=' c)"),
        ("< | <= | <> | << <b>", "{'<' | '<=' | '<>' | ('<<' b)}"),
        ("如果 <条件> 那么", "('如果' 条件 '那么')"),
        ('"（" "：" “', None),
    ],
)
def test_a_file_that_quotes_nothing_is_names_bars_and_text(text: str, expected: str | None):
    if expected is None:
        assert refused(f"<a> ::= {text}").advice.startswith("type the ASCII '\"' in place of '“'")
    else:
        assert body(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\"x\" 'y'", "('x' 'y')"),
        (r"""'\n\t\r\\' "\"" '\\\'' "\d" "\x41\u4e2d" """, r"""('\n\t\r\\' '"' "\\'" '\\d' 'A中')"""),
        (r'"\" | "b"', r"{'\\' | 'b'}"),
        (r"""'\' "b" """, r"('\\' 'b')"),
        ('"（" "：|"', "('（' '：|')"),
        ("\"a\"..\"z\" '0' .. '9'", "([a-z] [0-9])"),
        ('[ "x" ] { "y" } ( "z" | <b> )', "('x'~0..1 'y'~0.. {'z' | b})"),
        ('"x"* "y"+ <b>? ("z")*', "('x'~0.. 'y'~1.. b~0..1 'z'~0..)"),
        ('{ "x" }+ { "y" }* { "z" }?', "('x'~1.. 'y'~0.. 'z'~0..1)"),
        ('{ "x" }... <b>... | "y" …', "{('x'~1.. b~1..) | 'y'~1..}"),
        (r'/[a-z"\/]+/ /x/i "y"', r"""(/[a-z"/]+/ /(?i:x)/ 'y')"""),
        ('"x" ; comment \'y\'\n # another\n // a third -- \n -- and\n /* * */ (* ** *) "z"', "('x' 'z')"),
        ('"x" ;\n', "'x'"),
        ('"x" : then', "('x' ':' 'then')"),
        ('"a" | ... | "f" | <b>', "{'a' | [a-f] | 'f' | b}"),
    ],
)
def test_a_file_that_quotes_has_the_usual_extensions(text: str, expected: str):
    assert body(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b> + <c> | <b>*<c>", "{(b '+' c) | (b '*' c)}"),
        ("<b>+ | <c>* ; | (<b>)? x", "{b~1.. | (c~0.. ';') | (b~0..1 'x')}"),
        ("( <b> )", "('(' b ')')"),
        ("( <b> | c )", "{b | 'c'}"),
        ("foo( <b> , [x] )", "('foo' '(' b ',' '[' 'x' ']' ')')"),
        ("{ , <b> }...", "(',' b)~1.."),
        ("a..f | 0 | 1 | ... | 9 | x", "{[a-f] | '0' | '1' | [1-9] | '9' | 'x'}"),
        ("<b> .. <c>", "(b '..' c)"),
        ("a\n; a comment\n-- <b>\n| b", "{'a' | 'b'}"),
        ("<b> / <c> // <d>", "(b '/' c '//' d)"),
        ("x # y", "('x' '#' 'y')"),
    ],
)
def test_in_a_file_that_quotes_nothing_signs_are_text_unless_they_show_that_they_are_not(
    text: str, expected: str
):
    assert body(text) == expected


def test_a_rule_of_nothing_but_punctuation_is_that_text():
    text = "<left> ::= (\n<bar> ::= |\n<quote> ::= '\n\n<double> ::= \"\n; note ; this\n<le> ::= <=\n<hash> ::= #"
    assert rules(text) == {
        "left": "'('",
        "bar": "'|'",
        "quote": '"\'"',
        "double": "'\"'",
        "le": "'<='",
        "hash": "'#'",
    }


def test_braces_group_where_the_file_repeats_them_by_dots():
    assert rules('<a> ::= { "x" | "y" } { <b> }...\n<b> ::= { "z" }+') == {
        "a": "({'x' | 'y'} b~1..)",
        "b": "'z'~1..",
    }


def test_names_have_their_blanks_counted_as_one_and_keep_their_places():
    reading = read("<a  b> ::= <c\td>\n   <c d>\n::= x", Annotations(start="<a  b>"))
    assert list(reading.grammar.rules) == ["a b", "c d"]
    assert reading.grammar.start == "a b"
    rule = reading.grammar.rules["a b"]
    assert rule.span == Span(1, 1, 1, 7)
    assert isinstance(rule.expression, Reference)
    assert rule.expression.span == Span(1, 12, 1, 17)
    assert reading.grammar.rules["c d"].span == Span(2, 4, 2, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('e ::= t ("+" t)*\nt ::= x | "y" e', {"e": "(t ('+' t)~0..)", "t": "{x | ('y' e)}"}),
        ("e ::= t + e | ε\nt ::= x | <u>", {"e": "{(t '+' e) | ()}", "t": "{'x' | u}"}),
        ("<e> ::= t '+' u\nt ::= <e>", {"e": "(t '+' 'u')", "t": "e"}),
        ("e ::= a | ... | f", {"e": "{'a' | [a-f] | 'f'}"}),
        ("句 ::= 词 句", {"句": "('词' 句)"}),
    ],
)
def test_names_without_angle_brackets_are_read_where_the_rules_are_named_so(
    text: str, expected: dict[str, str]
):
    reading = read(text, Annotations())
    assert {name: shown(rule.expression) for name, rule in reading.grammar.rules.items()} == expected
    (note,) = reading.diagnostics
    assert (note.severity, note.code) == ("note", "bare-names")


def test_names_that_everybody_knows_need_no_definition():
    reading = read('<a> ::= "x" <EOL> | <empty>', Annotations())
    assert {name: shown(rule.expression) for name, rule in reading.grammar.rules.items()} == {
        "a": "{('x' EOL) | empty}",
        "empty": "()",
        "EOL": "'\\n'",
    }
    assert reading.grammar.rules["empty"].expression == EMPTY


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('<a> ::= <b> "x" b\n<b> ::= "y"', "text-like-rule", (1, 17)),
        ('<a> ::= "x" | " <b> "\n<b> ::= "y"', "text-like-rule", (1, 15)),
        ('<a> ::= "x"\n<a> ::= "y"', "duplicate-rule", (2, 1)),
        ("<a> ::= b ( c )\n", "brackets-are-text", (1, 11)),
    ],
)
def test_what_is_perhaps_not_meant_so_is_warned_of(text: str, code: str, place: tuple[int, int]):
    assert_warned(read, text, code, place)


@pytest.mark.parametrize(
    "text", ["<if> ::= if <b>", '<a> ::= "b" | <b>\n<b> ::= "<c>"', '<a> ::= "x" | "" | <b>\n<b> ::= y']
)
def test_what_is_clear_is_not_warned_of(text: str):
    assert read(text, Annotations()).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        ('<a> = "x"', (1, 1), "found '<a>'", "write '::=' between a rule's name"),
        ('<a> ::= "x" = "y"', (1, 13), "found '='", "write '::=' between a rule's name"),
        ("a: b | c;", (1, 1), "found 'a'", "a file begins with a rule"),
        ('<a> ::= "x" / "y"', (1, 13), "found '/'", "alternatives are separated by '|'"),
        ('<a> ::= * "x"', (1, 9), "found '*'", "a repetition sign stands after what it repeats"),
        ('<a> ::= ("x"\n<b> ::= "y"', (2, 1), "found '<b> ::='", "the ( at line 1, column 9 is still open"),
        ('<a> ::= "x" ]', (1, 13), "found ']'", "nothing is open here"),
        ('<a> ::= "x" ｜ "y"', (1, 13), "found '｜'", "type the ASCII '|' in place of '｜'"),
        ("<a> ：：= b", (1, 1), "found '<a>'", "type the ASCII ':' in place of '：'"),
        ('<a> ::= "x', (1, 9), "a literal is opened here and never closed", "close it before the line ends"),
        (
            "<a> ::= don't",
            (1, 12),
            "a literal is opened here and never closed",
            "close it before the line ends",
        ),
        ("<a> ::= <b\n", (1, 9), "a rule's name is opened here and never closed", "close it, or quote the <"),
        (
            '<a> ::= "x" /* y\n',
            (1, 13),
            "a comment is opened here and never closed",
            "close it, or quote the /*",
        ),
        (
            "<a> ::= x (* y\n",
            (1, 11),
            "a comment is opened here and never closed",
            "close it, or quote the (*",
        ),
        (
            "<a> ::= <b> | ... | z",
            (1, 15),
            "'...' as an alternative must stand between",
            "write out the alternatives",
        ),
        (
            "<a> ::= ... | b",
            (1, 9),
            "'...' as an alternative must stand between",
            "write out the alternatives",
        ),
        ('<a> ::= "b"* | ... | "z"', (1, 16), "'...' as an alternative must stand between", "write out"),
        ('<a> ::= "ab".."c"', (1, 9), '"ab" is not one character', 'write it like "a".."z"'),
        ('<a> ::= "a".."bc"', (1, 14), '"bc" is not one character', 'write it like "a".."z"'),
        ("<a> ::= z..a", (1, 9), "a range from 'z' down to 'a'", "write the lower character first"),
        (r'<a> ::= "\uD800"', (1, 9), "there is no character with the number D800", "characters go from"),
        ("<a> ::= 'x' /y/g", (1, 13), "no flag among 'g'", "leave the flag out"),
        (
            "<a> ::= 'x' | <any character except a quote>",
            (1, 15),
            "says in words",
            "write a /regular expression/",
        ),
        ("<a> ::= !! See the Syntax Rules", (1, 9), "says in words", "write a /regular expression/"),
        ('<a> ::= "x"{2,3} <b>', (1, 12), "BNF has no counts, and {2,3} would be text", "write it out"),
        ('<a> ::= "x" | <b>{ 2 }', (1, 18), "BNF has no counts, and { 2 } would be text", "write it out"),
        ('<a> ::= ("x"){2,}', (1, 14), "BNF has no counts", "write it out"),
        ('<a> ::= { "x" }{,2}', (1, 16), "BNF has no counts", "write it out"),
        ('<a> ::= "a".."z"{2}', (1, 17), "BNF has no counts", "write it out"),
        ('a ::= "x" b{2}', (1, 12), "BNF has no counts", "write it out"),
        ("<a> ::= (x | <b>){2} { <b> | y }", (1, 18), "BNF has no counts", "write it out"),
        ("", None, "there is no rule in this BNF file", "write at least one"),
    ],
)
def test_what_cannot_be_read_is_refused_with_place_and_advice(
    text: str, place: tuple[int, int] | None, message: str, advice: str
):
    assert_says_at(refused(text), place, message, advice)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"x"{"2"}', "('x' '2'~0..)"),
        ('"x" {2}', "('x' '2'~0..)"),
        ('{2} "x"', "('2'~0.. 'x')"),
        ('"x"|{2}', "{'x' | '2'~0..}"),
        ('"x"{<b>}', "('x' b~0..)"),
        ("x{2,3}", "('x' '{' '2' ',' '3' '}')"),
    ],
)
def test_braces_that_are_no_counts_of_what_they_follow_stay_what_they_are(text: str, expected: str):
    assert body(text) == expected


def test_prose_that_is_a_rules_name_is_a_reference():
    assert rules("<a> ::= <any one of these>\n<any one of these> ::= b | c")["a"] == "any_one_of_these"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("<a> ::= x " + "/*" * 100_000 + "<b", "a rule's name is opened here and never closed"),
        ("<a> ::= x " + "(*" * 100_000, "a comment is opened here and never closed"),
        ("<a> ::= ;\n" + "; " * 5_000 + "\nx", None),
        ("<a> ::= x " + "y" * 500_000, None),
        ("<a> ::= " + "(" * 20_000 + ")" * 20_000, None),
        ("<a> ::= '" + "\\\\" * 200_000, "a literal is opened here and never closed"),
    ],
)
def test_hostile_files_take_no_time(text: str, outcome: str | None):
    if outcome is None:
        read(text, Annotations())
    else:
        assert refused(text).message == outcome


@pytest.mark.parametrize(
    ("sample", "count", "expected"),
    [
        (
            "algol60.bnf",
            31,
            {
                "block": "('begin' declarations ';' compound_tail)",
                "variable": "{identifier | (identifier '[' subscript_list ']')}",
                "relational operator": "{'<' | '≤' | '=' | '≥' | '>' | '≠'}",
                "left part": "(variable ':=')",
                "empty": "()",
            },
        ),
        (
            "postal-address.bnf",
            22,
            {
                "opt-apt-num": "{('Apt' number) | ()}",
                "capital": "[A-Z]",
                "EOL": "'\\n'",
                "word": "{capital | (word small)}",
            },
        ),
        (
            "json.bnf",
            15,
            {
                "object": "{('{' ws '}') | ('{' member (',' member)~0.. '}')}",
                "array": "{('[' ws ']') | ('[' element (',' element)~0.. ']')}",
                "character": r"""{/[^"\\\x00-\x1f]/ | ('\\' escape)}""",
                "ws": r"{' ' | '\t' | '\n' | '\r'}~0..",
            },
        ),
        (
            "sql92.bnf",
            40,
            {
                "select list": "{asterisk | (select_sublist (comma select_sublist)~1..~0..1)}",
                "select sublist": "(value_expression ('AS'~0..1 identifier)~0..1)",
                "simple Latin letter": "{'A' | 'B' | 'C' | [C-Z] | 'Z' | 'a' | [a-z] | 'z'}",
                "left bracket": "'['",
                "less than operator": "'<'",
                "double quote": "'\"'",
            },
        ),
    ],
)
def test_grammars_of_real_specifications_are_read(sample: str, count: int, expected: dict[str, str]):
    assert_read_whole(read, SAMPLES / sample, count, expected, {"brackets-are-text"})
