"""Grammar files compiled whole and run in the engine: accepted and rejected texts for each way they can go wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from grammars.compiler import compile_grammar, compile_text
from grammars.diagnostics import Diagnostic, Span
from grammars.form import (
    Annotations,
    CharacterSet,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    sequence,
)
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.sentences import sentences
from tests.fakes.small_grammars import grammar_of, small_grammars

LEXER = """
number = digit, { digit }, [ ".", digit, { digit } ], [ ( "e" | "E" ), [ "+" | "-" ], digit, { digit } ] ;
digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" ;
name = letter, { letter | digit } ;
letter = ? [A-Za-z_] ? ;
"""

DIGIT = CharacterSet(((48, 57),))

TABLES = [
    (
        "the lexer finds back after an optional tail",
        f"""text = {{ statement }} ;
        statement = "[", number, "..", number, "]" | number, ".", name, ";" | "if", number, "else", name, ";" ;
        {LEXER}""",
        ["[0..15]", "[0.5..1.5]", "1.abs;", "1.5e-5.abs;", "if 1else x;", "if 1e5else x;", "if 1 else x;"],
        ["[0.15]", "1.;", "if 1e5 x;"],
    ),
    (
        "a literal that begins with another",
        f"""text = {{ name, ( "-" | "-->" ), {{ "-" }}, name, ";" | name, "<", name, ";" | "<!--", name, "-->" }} ;
        {LEXER}""",
        ["a-b;", "a--b;", "a-->b;", "a-->-b;", "a<b;", "<!--a-->"],
        ["a->b;", "a<!b;", "a;"],
    ),
    (
        "lists by right and by left recursion, through other rules",
        f"""text = items ; items = item, rest ; rest = ",", item, rest | ; item = "(", lefts, ")" | name ;
        lefts = lefts, ";", item | item ; {LEXER}""",
        ["a", "a,b", "a , (b;c;(d)),e"],
        ["", "a,", ",a", "(a;)", "a b"],
    ),
    (
        "ambiguous operators",
        f"""e = e, "+", e | e, "*", e | "-", e | e, "[", e, "]" | e, "?", e, ":", e | "(", e, ")" | number | name ;
        {LEXER}""",
        ["a", "a+b*c", "-a[1]+-b", "a?b:c?d:e", "(a+b)[c][d]", "--a", "1+" * 100 + "1"],
        ["", "+", "a+", "a b", "a?b", "[a]", "()"],
    ),
    (
        "comments and white space",
        f"""(* @comment -- eol *)
        (* @comment /* */ *)
        text = {{ name, "=", number, ";" }} ; {LEXER}""",
        [
            "a=1;",
            " a = 1 ; -- x; y\nb=2;",
            "/* a */a=1;/* b **/ b /**/ =2;",
            "a=1; -- end",
            "/* a\n*/a=1;",
            "\ta=1;\n\n",
        ],
        ["/* a=1;", "a=1; - x", "/* */ */a=1;"],
    ),
    (
        "blanks that the rules write out",
        """root = "a", ws, "b", ws, nl, { word, ws, nl } ; ws = { " " | tab } ; tab = ? \\t ? ; nl = ? \\n ? ;
        word = ? [a-z]+ ? ;""",
        ["ab\n", "a b\t\n", "a  b\nxyz \n"],
        [" ab\n", "ab", "a\nb\n", "ab\n x\n"],
    ),
    (
        "line ends that count",
        f"""text = {{ line }} ; line = name, "=", number, nl | nl ; nl = ? \\n ? ; {LEXER}""",
        ["a=1\n", "a = 1 \n\n b=2\n", "\n"],
        ["a=1", "a=\n1\n", "a=1 b=2\n"],
    ),
    (
        "words and identifiers",
        f"""text = {{ ( "let" | "in" ), name, ";" }} ; {LEXER}""",
        ["let x;", "let let;", "in inner;", "let\n  x;"],
        ["x;", "le x;", "letx;"],
    ),
    (
        "reserved words",
        f"""(* @reserved *) text = {{ ( "let" | "in" ), name, ";" }} ; {LEXER}""",
        ["let x;", "in inner;", "let lets;"],
        ["let let;", "in in;"],
    ),
    (
        "any case",
        f"""(* @ignorecase *) text = {{ "SELECT", name, "From", hex, ";" }} ; hex = ? [a-f]+ ? ; {LEXER}""",
        ["select x from abc;", "Select X FROM ABC;"],
        ["selec x from abc;", "select x from xyz;"],
    ),
    (
        "exclusions in terminals",
        """text = { "<", { character - ">" }, ">" | "'", { character - ( "'" | "x" ) }, "'" | id } ;
        character = ? [\\s\\S] ? ; id = word - ( "if" | "do" ) ; word = ? [a-z]+ ? ;""",
        ["<>", "<a b>", "'ab c'", "abc", "ifs", "iff do1"[:3]],
        ["<a", "'x'", "if", "do"],
    ),
    (
        "Chinese names, keywords, punctuation and blanks",
        """状态机 = { 状态 } ; 状态 = "状态", 名字, "：", { 转移 }, "。" ; 转移 = "到", 名字, "；" ;
        名字 = 汉字, { 汉字 } ; 汉字 = ? [\\p{Han}A-Za-z] ? ;""",
        ["状态 甲：到 乙；到 Ab；。", "状态\u3000甲 ： 。", "状态甲：。", "状态 々豈々：到　甲；。"],
        ["状态 甲:。", "状态 1：。", "到 乙；"],
    ),
    (
        "text with blanks inside is one terminal",
        """text = { assignment } ; assignment = name, "=", string ; string = quote, chars, quote ; quote = "'" ;
        chars = { char } ; char = ? [^'\\n] ? | "''" ; name = ? [a-z]+ ? ;
        (* @comment -- eol *)""",
        ["a = ' -- b '", "a='it''s' b = ''", "a = 'x' -- 'y"],
        ["a = 'b", "a = 'b\n'"],
    ),
]


@pytest.mark.parametrize(
    ("accepted", "rejected"), [table[2:] for table in TABLES], ids=[table[0] for table in TABLES]
)
def test_tables(accepted: list[str], rejected: list[str], request: pytest.FixtureRequest) -> None:
    """Texts that a grammar accepts and that it rejects."""
    source = next(table[1] for table in TABLES if table[0] in request.node.name)
    compiled = compile_text(source, dialect="ebnf")
    engine = ByteEngine(compiled.text)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


def _ending(rule: Rule) -> Rule:
    """The rule with an alternative, so that it can end."""
    return replace(rule, expression=choice([rule.expression, Literal("!")]))


@settings(max_examples=80)
@given(small_grammars())
def test_no_sentence_is_rejected(grammar: Grammar) -> None:
    """Random grammars: the engine accepts every short sentence, and with blanks written out nothing else."""
    rules = {
        "S": Rule("S", choice([Literal("!"), Reference("A")])),
        **{name: _ending(rule) for name, rule in grammar.rules.items()},
    }
    texts = sentences(rules, "S", 4)
    compiled = compile_grammar(Grammar("test", rules, "S", Annotations(blanks="none")), name="small")
    engine = ByteEngine(compiled.text)
    assert [text for text in texts if not engine.accepts(text)] == []


def test_diagnostics_are_handed_on() -> None:
    """What the reader said, and what the passes did."""
    before = Diagnostic("note", "x", "said before")
    rules = {
        "A": Rule("A", Repeat(Repeat(Literal("a"), 0, None), 0, None), Span(1, 1, 1, 2)),
        "B": Rule("B", Literal("b"), Span(2, 1, 2, 2)),
    }
    compiled = compile_grammar(Grammar("test", rules, "A"), name="n", diagnostics=[before])
    assert [one.code for one in compiled.diagnostics] == ["x", "unreachable-rule", "empty-loop"]
    assert (compiled.name, compiled.dialect, compiled.rules) == ("n", "test", 2)


def test_names_and_terminals() -> None:
    """Emitted names lead back to the author's; literals are terminals without a name; inferred ones say so."""
    source = (
        "; @name 规则\n; @language sql\n; @files *.sql\n"
        '<甲 乙> ::= <id> "," <id>\n<id> ::= <c> | <c> <id>\n<c> ::= /[a-z]/\n'
    )
    compiled = compile_text(source, file_name="some/where.bnf", dialect="bnf")
    assert (compiled.name, compiled.languages, compiled.globs) == ("规则", ("sql",), ("*.sql",))
    assert set(compiled.names.values()) == {"甲 乙", "id"}
    assert {(one.name, one.inferred, bool(one.emitted)) for one in compiled.terminals} == {
        ("id", True, True),
        ('","', False, False),
    }


@pytest.mark.parametrize(("file_name", "name"), [("a/b.c.abnf", "b.c"), ("", "abnf")])
def test_name_without_annotation(file_name: str, name: str) -> None:
    """The file's stem, else the dialect."""
    assert compile_text('a = "x"\n', file_name=file_name, dialect="abnf").name == name


def test_compiled_twice_is_the_same() -> None:
    """Caches compare digests."""
    grammar = grammar_of(
        {"A": sequence([Reference("N"), Literal(".."), Reference("N")]), "N": CharacterSet(((48, 57),))}
    )
    assert compile_grammar(grammar, name="n") == compile_grammar(grammar, name="n")


def test_pieces_are_called_as_the_author_calls_their_terminal() -> None:
    """Split by lead bytes: one name, and it is an inferred terminal still."""
    compiled = compile_text('<a> ::= <n> "："\n<n> ::= /\\p{Han}+/\n', file_name="a.bnf", dialect="bnf")
    pieces = [one for one in compiled.terminals if one.emitted]
    assert len(pieces) == 2
    assert {(one.name, one.inferred) for one in pieces} == {("n", True)}
    assert set(compiled.names.values()) == {"a", "n"}


def test_of_an_indented_grammar_only_the_authors_names_are_told() -> None:
    compiled = compile_text(
        '; @indent\n<f> ::= <t> | <f> <t>\n<t> ::= "t" <n> ":" <NEWLINE> <INDENT> <t> <DEDENT> | "r" <n> <NEWLINE>\n'
        '<n> ::= <l> | <n> <l>\n<l> ::= "a".."z"\n',
        file_name="a.bnf",
        dialect="bnf",
    )
    assert {one.name for one in compiled.terminals if one.emitted} == {"n"}
    assert set(compiled.names.values()) <= {"f", "t", "n", "l", "blanks", "line end", "indentation"}
    start = compiled.text.split("start: ")[1].split()[0]
    assert compiled.names[start] == "f"
