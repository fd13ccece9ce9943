"""W3C EBNF: what it is read into, what is warned of, what is refused and where."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Span
from grammars.dialects.w3c import read
from grammars.form import Annotations, CharacterSet, Exclusion, references, walk
from tests.fakes.dialect_reading import (
    assert_read_whole,
    assert_says_at,
    assert_warned,
    refusal,
    rules_as_text,
)

SAMPLES = Path(__file__).parent / "samples" / "w3c"
rules, refused = partial(rules_as_text, read), partial(refusal, read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", "B"),
        ("B C | D", "{(B C) | D}"),
        ("", "()"),
        ("B | ", "{B | ()}"),
        ("(B | C) ()", "{B | C}"),
        ("B? C* D+ (E F)?", "(B~0..1 C~0.. D~1.. (E F)~0..1)"),
        ("B{2} C{2,} D{ 2, 4 }", "(B~2..2 C~2.. D~2..4)"),
        ("\"x'\" 'y\"' ''", "(\"x'\" 'y\"')"),
        (r'"\" "\\"', r"('\\' '\\\\')"),
        ("'（' '：：='", "('（' '：：=')"),
        ("#x20 | #xA", r"{' ' | '\n'}"),
        ('[a-zA-Z_#xB7] [^<&"]', '([a-zA-Z_·] [^<&"])'),
        ("[#x4E00-#x9FFF] [一-龥]", "([一-鿿] [一-龥])"),
        ("[-a] [a-] [a-z-] [.-0]", "([-a] [a-] [a-z-] [.-0])"),
        (r"[^\]-[#x00-#x20]", "([^\\] - [\x00- ])"),
        ("B - C", "(B - C)"),
        ("B - C - 'x' D", "((B - {C | 'x'}) D)"),
        ("B* - (B* '?>' B*)", "(B~0.. - (B~0.. '?>' B~0..))"),
        ("B-C | B -C", "{B-C | (B - C)}"),
        (". | xs:name", "{[^] | xs:name}"),
        ("B /* C */ // D\n# E\n F #x20 #xyz", "(B F ' ')"),
        ("B [ wfc: C ] [VC: D, E] [ ws: explicit ] [A:B]", "(B [A:B])"),
        ("如果 条件", "(如果 条件)"),
    ],
)
def test_what_an_expression_is_read_into(text: str, expected: str):
    assert rules(f"A ::= {text}")["A"] == expected


def test_rules_may_be_numbered_and_end_where_the_next_begins():
    text = "[1] A ::= B [2a]\tB\t::= [c] C\n\n::= 'x'\n[12.3b]D::=A"
    assert rules(text) == {"A": "B", "B": "[c]", "C": "'x'", "D": "A"}


def test_places_are_those_of_names_sets_and_signs():
    reading = read("[12] A ::=\n B - [c]", Annotations(start="A"))
    rule = reading.grammar.rules["A"]
    assert rule.span == Span(1, 6, 1, 7)
    spans = {
        type(one): one.span for one in walk(rule.expression) if isinstance(one, CharacterSet | Exclusion)
    }
    assert spans == {CharacterSet: Span(2, 6, 2, 9), Exclusion: Span(2, 4, 2, 5)}
    assert [one.span for one in references(rule.expression)] == [Span(2, 2, 2, 3)]


def test_explicit_white_space_makes_terminals_of_what_is_not_recursive():
    text = """A ::= B /* ws: explicit */
    B ::= "x"
    C ::= D | C "y" /* ws:explicit */
    D ::= E /* ws: explicit */ E ::= C
    F ::= A
      A /* ws: explicit */ /* more */
    /* ws: implicit */"""
    found = {name: rule.lexical for name, rule in read(text, Annotations()).grammar.rules.items()}
    assert found == {"A": True, "B": None, "C": None, "D": None, "E": None, "F": True}


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (r'A ::= "x" "\n"', "no-escapes", (1, 11)),
        (r"A ::= [^\n]", "no-escapes", (1, 7)),
        ("A ::= 'x' A ::= 'y'", "duplicate-rule", (1, 11)),
    ],
)
def test_what_is_perhaps_not_meant_so_is_warned_of(text: str, code: str, place: tuple[int, int]):
    assert_warned(read, text, code, place)


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        (
            "A = B",
            (1, 1),
            "expected a rule ('Name ::=') or the end of the file, found 'A'",
            "write '::=' between",
        ),
        ("A ::= B = C", (1, 9), "found '='", "write '::=' between"),
        ("A B", (1, 1), "found 'A'", "a file begins with a rule"),
        ("A ::= <b>", (1, 7), "found '<'", "names are written without angle brackets"),
        ("A ::= B, C", (1, 8), "found ','", "parts and rules follow one another"),
        ("A ::= 'x' ;", (1, 11), "found ';'", "parts and rules follow one another"),
        ("A ::= { B }", (1, 7), "found '{'", "what is repeated is written A*"),
        ("A ::= B** C", (1, 9), "found '*'", "a repetition sign stands once"),
        ("A ::= B / C", (1, 9), "found '/'", "alternatives are separated by '|'"),
        ("A ::= \\n", (1, 7), "found '\\\\'", "there are no escapes here"),
        (
            "A ::= []",
            (1, 7),
            "a set of characters is opened here and never closed",
            "close it, or quote the [",
        ),
        ("A ::= 'x' ]", (1, 11), "found ']'", "a set of characters is written [abc]"),
        ("A ::= [ B C ]", (1, 7), "[ B C ] would be a set of single characters", "write (A B)?"),
        (
            "A ::= (B\nC ::= D",
            (2, 1),
            "expected ')', found 'C ::='",
            "the ( at line 1, column 7 is still open",
        ),
        ("A ::= B )", (1, 9), "found ')'", "nothing is open here"),
        ("A ::= “x”", (1, 7), "found '“'", "type the ASCII '\"' in place of '“'"),
        ("A ：：= B", (1, 1), "found 'A'", "type the ASCII ':' in place of '：'"),
        ("A ::= 'x", (1, 7), "a literal is opened here and never closed", "close it before the line ends"),
        ("A ::= B /* c", (1, 9), "a comment is opened here and never closed", "close it, or quote the /*"),
        ("A ::= [z-a]", (1, 7), "a range from 'z' down to 'a'", "write the lower character first"),
        ("A ::= [#xD800-#xDFFF]", (1, 7), "there is no character with the number D800", "characters go from"),
        ("A ::= #x110000", (1, 7), "there is no character with the number 110000", "characters go from"),
        ("A ::= B{4,2}", (1, 8), "at least 4 and at most 2 times is never", "swap the bounds"),
        ("/* nothing */", None, "there is no rule in this W3C EBNF file", "write at least one"),
    ],
)
def test_what_cannot_be_read_is_refused_with_place_and_advice(
    text: str, place: tuple[int, int] | None, message: str, advice: str
):
    assert_says_at(refused(text), place, message, advice)


@pytest.mark.parametrize(
    "text",
    [
        "A ::= B" + " - C" * 20_000,
        "A ::= " + "b:" * 100_000 + "c",
        "".join(f"A{number} ::= A{number - 1} /* ws: explicit */\n" for number in range(2_000)) + "A ::= B",
    ],
)
def test_hostile_files_take_no_time(text: str):
    assert "A" in read(text, Annotations()).grammar.rules


@pytest.mark.parametrize(
    ("sample", "count", "expected"),
    [
        (
            "xml.ebnf",
            31,
            {
                "S": r"{' ' | '\t' | '\r' | '\n'}~1..",
                "CharData": "([^<&]~0.. - ([^<&]~0.. ']]>' [^<&]~0..))",
                "Comment": "('<!--' {(Char - '-') | ('-' (Char - '-'))}~0.. '-->')",
                "PITarget": "(Name - ({'X' | 'x'} {'M' | 'm'} {'L' | 'l'}))",
                "element": "{EmptyElemTag | (STag content ETag)}",
                "Attribute": "(Name Eq AttValue)",
            },
        ),
        (
            "sparql.ebnf",
            32,
            {
                "SelectClause": "('SELECT' {'DISTINCT' | 'REDUCED'}~0..1 {Var~1.. | '*'})",
                "IRIREF": "('<' ([^<>\"{}|^`\\] - [\x00- ])~0.. '>')",
                "ECHAR": r"""('\\' [tbnrf\"'])""",
                "PN_PREFIX": "(PN_CHARS_BASE ({PN_CHARS_U | '.'}~0.. PN_CHARS_U)~0..1)",
            },
        ),
        (
            "xpath.ebnf",
            28,
            {
                "PathExpr": "{('/' RelativePathExpr~0..1) | ('//' RelativePathExpr) | RelativePathExpr}",
                "Wildcard": "{'*' | (NCName ':' '*') | ('*' ':' NCName)}",
                "CommentContents": "(Char~1.. - (Char~0.. {'(:' | ':)'} Char~0..))",
            },
        ),
    ],
)
def test_grammars_of_real_specifications_are_read(sample: str, count: int, expected: dict[str, str]):
    assert_read_whole(read, SAMPLES / sample, count, expected)


def test_the_white_space_notes_of_xpath_are_heard():
    found = read((SAMPLES / "xpath.ebnf").read_text(encoding="utf-8"), Annotations()).grammar.rules
    assert [name for name, rule in found.items() if rule.lexical] == ["Wildcard", "StringLiteral", "QName"]
