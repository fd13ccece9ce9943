"""ANTLR4: exact forms, code passed over, and what only modes, programs or other files could give refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.dialects.antlr4 import read
from grammars.dialects.antlr4_actions import without_code
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    Sequence,
)
from tests.fakes.dialect_reading import assert_means, assert_says, faultless, refusal

SAMPLES = Path(__file__).parent / "samples" / "antlr4"
A, B, C = Literal("a"), Literal("b"), Reference("c")
X = Reference("X")
grammar_of = partial(faultless, read)


def one_of(*codes: int) -> CharacterSet:
    return CharacterSet(tuple((code, code) for code in codes))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", EMPTY),
        ("'a' 'b'", Sequence((A, B))),
        ("'a' | 'b' |", Choice((A, B, EMPTY))),
        (
            "('a' | c)* 'b'+ c?",
            Sequence((Repeat(Choice((A, C)), 0, None), Repeat(B, 1, None), Repeat(C, 0, 1))),
        ),
        ("'a'*? 'b'+? c??", Sequence((Repeat(A, 0, None), Repeat(B, 1, None), Repeat(C, 0, 1)))),
        ("x='a' y+='b' op=('a' | 'b')", Sequence((A, B, Choice((A, B))))),
        ("'a' # One | 'b' # Two", Choice((A, B))),
        (
            "<assoc=right> c '^' c | 'a' <fail='x'> c",
            Choice((Sequence((C, Literal("^"), C)), Sequence((A, C)))),
        ),
        ("c[1, \"x\"] 'a'", Sequence((C, A))),
        ("'a' EOF", A),
        ("( options { greedy=false; } : 'a' )*", Repeat(A, 0, None)),
        ("(: 'a')", A),
        ("X PLUS", Sequence((X, Literal("+")))),
        ("~X", Choice((Literal("+"), Literal("a")))),
        ("~(X | '+')", Literal("a")),
        ("~PLUS .", Sequence((Choice((X, Literal("a"))), Choice((X, Literal("+"), Literal("a")))))),
        (r"'\u0041\u{1F600}\n\t\\\'\"'", Literal("A😀\n\t\\'\"")),
        ("''", EMPTY),
        ("/* one */ c // two", C),
    ],
)
def test_each_construct_of_a_rule_has_one_form(body: str, expected: Expression) -> None:
    text = f"grammar G;\nr : {body}\n;\nc : 'a' ;\nX : [x]+ ;\nPLUS : '+' ;\nS : ' '+ -> skip ;\nfragment F : 'f' ;"
    assert grammar_of(text).rules["r"].expression == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[a-c]", CharacterSet(((0x61, 0x63),))),
        (r"[\p{L}\u{1F600}\]\-\\]", CharacterSet(((0x2D, 0x2D), (0x5C, 0x5D), (0x1F600, 0x1F600)), ("L",))),
        ("[^a]", one_of(0x5E, 0x61)),
        ("~[a-c]", CharacterSet(((0x61, 0x63),), negated=True)),
        ("~'a'", CharacterSet(((0x61, 0x61),), negated=True)),
        (r"~('a' | [\p{Lu}] | '\n')", CharacterSet(((10, 10), (0x61, 0x61)), ("Lu",), negated=True)),
        ("~F", Exclusion(ANY_CHARACTER, Reference("F"))),
        ("~('a' | F)", Exclusion(ANY_CHARACTER, Choice((A, Reference("F"))))),
        ("'a'..'z'", CharacterSet(((0x61, 0x7A),))),
        (". .*? 'b'", Sequence((ANY_CHARACTER, Repeat(ANY_CHARACTER, 0, None, lazy=True), B))),
        ("'a'+? 'b'??", Sequence((Repeat(A, 1, None, lazy=True), Repeat(B, 0, 1, lazy=True)))),
        ("'a' (X | F)* 'b'", Sequence((A, Repeat(Choice((X, Reference("F"))), 0, None), B))),
        (r"'a' ('\n' | EOF)", Sequence((A, Choice((Literal("\n"), EMPTY))))),
    ],
)
def test_each_construct_of_a_terminal_has_one_form(body: str, expected: Expression) -> None:
    assert grammar_of(f"grammar G; r : X ; X : {body} ; fragment F : 'f' ;").rules["X"].expression == expected


def test_terminals_fragments_and_rules_are_told_apart() -> None:
    grammar = grammar_of(
        "grammar G; public r : X y ; X : F+ ; fragment F : [f] ; private y : X ; protected z : X ;"
    )
    assert {name: (rule.lexical, rule.fragment) for name, rule in grammar.rules.items()} == {
        "r": (False, False),
        "X": (True, False),
        "F": (True, True),
        "y": (False, False),
        "z": (False, False),
    }
    assert (grammar.dialect, grammar.explicit_lexer, grammar.rules["r"].span) == (
        "antlr4",
        True,
        Span(1, 19, 1, 20),
    )


@pytest.mark.parametrize(
    ("rules", "start"),
    [
        ("a : b ; b : 'x' ;", "a"),
        ("X : 'x'+ ; a : b ; b : X ;", "a"),
        ("a : 'x' ; b : a EOF ;", "b"),
        ("a : 'x' EOF ; b : a EOF ;", "a"),
    ],
)
def test_it_starts_at_the_one_rule_with_eof_or_at_the_first(rules: str, start: str) -> None:
    assert grammar_of(f"grammar G; {rules}").start == start
    assert read(f"grammar G; {rules}", Annotations(start="b")).grammar.start == "b"


def test_skipped_and_hidden_terminals_stand_anywhere() -> None:
    text = "grammar G; r : X ; X : 'x'+ ; A : ' '+ -> skip ; B : '#'+ -> channel(HIDDEN) ; "
    text += "C : '.'+ | '!' -> channel(2) ;"
    assert grammar_of(text).skip == ("A", "B", "C")


def test_types_make_one_terminal_of_another() -> None:
    text = (
        "grammar G; tokens { W } r : W V ; X : 'x'+ -> type(W) ; Y : 'y'+ -> type(V) ; V : 'v'+ -> type(V) ;"
    )
    rules = grammar_of(text).rules
    assert rules["W"].expression == Reference("X")
    assert rules["V"].expression == Choice((Repeat(Literal("v"), 1, None), Reference("Y")))
    assert rules["W"].lexical


def test_a_terminal_that_is_a_text_is_that_text_in_rules() -> None:
    text = "grammar G; r : PLUS PART ; PLUS : '+' ; MINUS : '-' ; PART : MINUS 'x' ;"
    assert {name: rule.expression for name, rule in grammar_of(text).rules.items()} == {
        "r": Sequence((Literal("+"), Reference("PART"))),
        "MINUS": Literal("-"),
        "PART": Sequence((Reference("MINUS"), Literal("x"))),
    }
    assert "PLUS" in read(text, Annotations(terminals=("PLUS",))).grammar.rules


def test_case_is_ignored_where_options_say_so() -> None:
    text = "grammar G; options { caseInsensitive = true; } r : 'a' X Y Z ; "
    text += "X : [a-b]+ ~'c' . ; Y : '1'+ ; Z options { caseInsensitive=false; } : 'z'+ ;"
    grammar = grammar_of(text)
    assert grammar.annotations.ignore_case
    assert {name: rule.expression for name, rule in grammar.rules.items()} == {
        "r": Sequence((Literal("a", ignore_case=True), X, Reference("Y"), Reference("Z"))),
        "X": Sequence(
            (
                Repeat(CharacterSet(((0x41, 0x42), (0x61, 0x62))), 1, None),
                CharacterSet(((0x43, 0x43), (0x63, 0x63)), negated=True),
                ANY_CHARACTER,
            )
        ),
        "Y": Repeat(Literal("1"), 1, None),
        "Z": Repeat(Literal("z"), 1, None),
    }
    one = grammar_of("grammar G; r : X 'a' ; X options { caseInsensitive=true; language=Java; } : 'x'+ ;")
    assert one.rules["X"].expression == Repeat(Literal("x", ignore_case=True), 1, None)
    assert one.rules["r"].expression == Sequence((X, A))
    assert not one.annotations.ignore_case


def test_indentation_that_a_program_makes_is_the_forms() -> None:
    text = (
        "grammar G; tokens { INDENT, DEDENT } r : 'x' NEWLINE (INDENT r+ DEDENT)? . ; NEWLINE : '\\n' ' '* ;"
    )
    grammar = grammar_of(text)
    assert grammar.annotations.indent
    given = (Reference("NEWLINE"), Reference("INDENT"), Reference("DEDENT"))
    expression = grammar.rules["r"].expression
    assert list(grammar.rules) == ["r"]
    assert isinstance(expression, Sequence)
    assert expression.items[-1] == Choice((*given, Literal("x")))


def test_what_serves_code_alone_is_dropped() -> None:
    text = """grammar G;
options { language = Java; tokenVocab = Other; }
channels { ONE, TWO }
@header { import x; }
@lexer::members { int n = 0; }
r [int a] returns [String b] locals [int c] throws E, F
  options { k = 2; }
  @init { start(); }
  @after { end(); }
  : 'a' ;
  catch [E e] { oops(); }
  finally { done(); }
tree grammar T;
"""
    reading = read(text, Annotations())
    assert reading.grammar.rules["r"].expression == A
    assert [one.span for one in reading.diagnostics] == [Span(11, 15, 11, 16)]


def test_actions_and_predicates_are_noted_once_each() -> None:
    text = "grammar G;\nr : { a(\"}\"); } 'a' {p}? { /* } */ } | {q}?\n 'b' ;\nX : 'x' { {} } ;\n"
    reading = read(text, Annotations())
    assert reading.grammar.rules["r"].expression == Choice((A, B))
    assert reading.diagnostics == (
        Diagnostic(
            "note",
            "action-dropped",
            "this action is passed over, as are 2 more: it can't be run here",
            span=Span(2, 5, 2, 6),
        ),
        Diagnostic(
            "note",
            "predicate-dropped",
            "this predicate is passed over, as are 1 more: what it forbids is allowed here",
            span=Span(2, 21, 2, 22),
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {x} b", "a { } b"),
        ("a {x{y}z}? b", "a {     }? b"),
        ("'{' {'}'} [{] {\"}\"}", "'{' {   } [{] {   }"),
        ("// {\n/* { */ {// }\n}", "// {\n/* { */ {    \n}"),
        ("options {a=b;} tokens { C } {c}", "options {a=b;} tokens { C } { }"),
        ("{don't}", "{     }"),
        ("@x::y { {} }", "@x::y {    }"),
        ("", ""),
    ],
)
def test_code_is_blanked_out_in_its_place(text: str, expected: str) -> None:
    assert without_code(text).text == expected


@pytest.mark.parametrize(
    ("text", "code", "message", "advice", "span"),
    [
        (
            'grammar G; r : "a" ;',
            "syntax",
            "found '\"'",
            "write literals in single quotes",
            Span(1, 16, 1, 17),
        ),
        ("grammar G; r ::= 'a' ;", "syntax", "found ':'", "write ':' between", Span(1, 15, 1, 16)),
        ("grammar G; r = 'a' ;", "syntax", "expected ':'", "write ':' between", Span(1, 14, 1, 15)),
        (
            "grammar G; r : 'a' s : 'b' ;",
            "syntax",
            "found ':'",
            "end what stands before with ';'",
            Span(1, 22, 1, 23),
        ),
        (
            "grammar G r : 'a' ;",
            "syntax",
            "expected ';', found 'r'",
            "end what stands before",
            Span(1, 11, 1, 12),
        ),
        ("grammar G; r : ('a' ;", "syntax", "found ';'", "", Span(1, 21, 1, 22)),
        ("grammar G; r : 'a') ;", "syntax", "found ')'", "", Span(1, 19, 1, 20)),
        ("grammar G; r : * ;", "syntax", "found '*'", "stands after what it repeats", Span(1, 16, 1, 17)),
        (
            "grammar G; r : 'a' -> b -> c ;",
            "syntax",
            "found '->'",
            "at the end of an alternative",
            Span(1, 25, 1, 27),
        ),
        ("grammar G; r : 'a", "syntax", "a literal is opened here and never closed", "", Span(1, 16, 1, 17)),
        ("grammar G; r : [a", "syntax", "is opened here and never closed", "", Span(1, 16, 1, 17)),
        ("grammar G; /* r", "syntax", "a comment is opened here and never closed", "", Span(1, 12, 1, 14)),
        (
            "grammar G; r : { a '}'",
            "syntax",
            "an action is opened here",
            "quote it as '{'",
            Span(1, 16, 1, 17),
        ),
        ("grammar G; X : 'z'..'a' ;", "syntax", "from 'z' down to 'a'", "lower", Span(1, 16, 1, 24)),
        (
            "grammar G; X : 'a'..'bc' ;",
            "syntax",
            "from one character to another",
            "'a'..'z'",
            Span(1, 16, 1, 25),
        ),
        (r"grammar G; X : 'a\q' ;", "syntax", r"there is no escape \q", r"\uXXXX", Span(1, 18, 1, 20)),
        (r"grammar G; X : '\uD800' ;", "syntax", "no character with the number D800", "", Span(1, 17, 1, 23)),
        (r"grammar G; X : [\p{Foo}] ;", "regex", "no Unicode property 'Foo'", "scripts", Span(1, 17, 1, 24)),
        (
            "grammar G; import A, B;",
            "unsupported",
            "import of the grammar A",
            "copy the rules",
            Span(1, 19, 1, 20),
        ),
        (
            "grammar G; X : 'x' ; mode M; Y : 'y' ;",
            "unsupported",
            "the lexer mode M",
            "popMode",
            Span(1, 22, 1, 26),
        ),
        (
            "grammar G; X : 'x' -> pushMode(M) ;",
            "unsupported",
            "command pushMode of X",
            "rules",
            Span(1, 23, 1, 31),
        ),
        (
            "grammar G; X : 'x' -> skip, more ;",
            "unsupported",
            "command more of X",
            "rules",
            Span(1, 29, 1, 33),
        ),
        (
            "grammar G; X : 'x' -> jump ;",
            "syntax",
            "no lexer command jump",
            "skip, channel",
            Span(1, 23, 1, 27),
        ),
        (
            "grammar G; tokens { Q } r : Q ;",
            "unsupported",
            "the token Q is made by a program",
            "define Q",
            Span(1, 12, 1, 24),
        ),
        (
            "lexer grammar L; X : 'x' ;",
            "half-grammar",
            "L is a lexer grammar",
            "into the same file",
            Span(1, 15, 1, 16),
        ),
        (
            "parser grammar P; r : X ;",
            "half-grammar",
            "its terminals, such as X,",
            "same file",
            Span(1, 23, 1, 24),
        ),
        ("grammar G; r : . ;", "no-terminals", "takes any terminal", "define terminals", None),
        ("grammar G; r : 'a' ~'a' ;", "no-terminals", "takes any terminal", "define terminals", None),
        ("grammar G; r : " + "(" * 3000, "too-deep", "nested more than 100 deep", "", None),
        ("grammar G;", "no-rules", "there is no rule in this ANTLR4 file", "", None),
    ],
)
def test_mistakes_are_named_at_their_place(
    text: str, code: str, message: str, advice: str, span: Span | None
) -> None:
    found = refusal(read, text)
    assert found.code == code
    assert_says(found, message, advice, span)


def test_a_parser_grammar_without_terminals_of_others_is_whole() -> None:
    assert grammar_of("parser grammar P; r : 'a' EOF ;").start == "r"


def test_big_files_are_read() -> None:
    text = "grammar G; r : 'a' ;\n" + "".join(
        f"rule{index} : r* {{ }} | 'x' ; // y\n" for index in range(5_000)
    )
    assert len(read(text, Annotations()).grammar.rules) == 5_001
    with pytest.raises(GrammarError, match="an action is opened here"):
        read("grammar G; r : " + "{" * 500_000, Annotations())


@pytest.mark.parametrize(
    ("name", "start", "right", "wrong"),
    [
        ("JSON", "json", ['{"a": [1, -2.5e3], "b": {}}', ' "\\u00e9" '], ["{a: 1}", "[1,]", "01", '"\x01"']),
        ("LabeledExpr", "prog", ["x = 1 + 2*(3^y)\n", "\n1\n"], ["1", "x = \n", "1 2\n"]),
        ("CSV", "csvFile", ['a,b\n1,"x""y\n"\n', "a,b\n,\n"], ["a\n", 'a\n"b\n', 'a"b\nc\n']),
        (
            "DOT",
            "graph",
            [
                'digraph G { a -> b [label="x\\"y"]; /* a */ rank=same }\n',
                "STRICT Graph { Node [a=-.5]; é -- <b<i>c> // x\n}",
            ],
            ["digraph { a -> }", "graph G { a [b=] }", "graph G {"],
        ),
        (
            "Channels",
            "program",
            ["let x := 1_000; // a\nlet `y z` := '\\n é'; /* b */", "x := 1; let y := z;"],
            ["let x := 1", "let x := 1_;", "let x = 1;"],
        ),
    ],
)
def test_grammars_of_others_mean_what_they_mean(
    name: str, start: str, right: list[str], wrong: list[str]
) -> None:
    text = (SAMPLES / f"{name}.g4").read_text(encoding="utf-8")
    assert read(text, Annotations()).grammar.start == start
    assert_means(SAMPLES / f"{name}.g4", right, wrong)
