"""Blocks by indentation: tables of accepted and rejected texts, and what can't be followed is refused."""

from __future__ import annotations

import pytest

from grammars.compiler import compile_text
from grammars.diagnostics import GrammarError
from grammars.form import (
    EMPTY,
    Annotations,
    CharacterSet,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes.blanks import Spacing
from grammars.passes.check import check_rules
from grammars.passes.indentation import GIVEN, unrolled_indentation
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.small_grammars import grammar_of

SOURCE = """(* @indent *)
(* @comment # eol *)
file = { statement } ;
statement = simple, NEWLINE | "if", name, ":", suite, [ "else", ":", suite ] ;
suite = simple, NEWLINE | NEWLINE, INDENT, statement, { statement }, DEDENT ;
simple = name, "=", expression | "pass" ;
expression = name | number | "(", [ expression, { ",", expression } ], ")" | "{", expression, "}" ;
number = ? [0-9]+ ? ;
name = ? [a-z]+ ? ;
"""

NESTED = """if a:
    b = 1
    if c:
        d = 2  # why

        # a comment
        if x:
            y = (3,
  4)
        else:
            z = {4}
    e = 3
f = 4
"""


@pytest.fixture(scope="module")
def engine() -> ByteEngine:
    return ByteEngine(compile_text(SOURCE, dialect="ebnf").text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1\n",
        "\n\n# only this\n\na = 1\n\n\n",
        "if a: pass\n",
        "if a: pass\nelse:\n  pass\n",
        NESTED,
        NESTED.replace("    ", "  "),
        NESTED.replace("    ", "\t"),
        "if a:\n  pass\nif b:\n    pass\n",
        "".join(f"{'    ' * depth}if a:\n" for depth in range(12)) + "    " * 12 + "pass\n",
    ],
)
def test_accepted(engine: ByteEngine, text: str) -> None:
    """Each block keeps to one unit; comments, empty lines and brackets do not count; any depth is followed."""
    assert engine.accepts(text)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("if a:\nb = 1\n", 6),
        ("if a:\n    b = 1\n        c = 2\n", 24),
        ("if a:\n    b = 1\n  c = 2\n", 18),
        ("if a:\n   b = 1\n", 9),
        ("a = 1\n  b = 2\n", 8),
        ("a =\n1\n", 3),
    ],
)
def test_rejected(engine: ByteEngine, text: str, allowed: int) -> None:
    """A wrong depth is refused at its first wrong byte."""
    assert engine.allowed(text) == allowed


@pytest.mark.parametrize(
    ("unit", "blanks"), [("2", "  "), ("3", "   "), ("4", "    "), ("8", "        "), ("tab", "\t")]
)
def test_one_unit_that_the_author_names(unit: str, blanks: str) -> None:
    """No other is taken."""
    source = SOURCE.replace("@indent", f"@indent {unit}")
    only = ByteEngine(compile_text(source, dialect="ebnf").text)
    assert only.accepts(NESTED.replace("    ", blanks))
    others = [one for one in ("  ", "   ", "    ", "        ", "\t") if one != blanks]
    assert [one for one in others if only.accepts(f"if a:\n{one}pass\n")] == []


def test_a_rule_that_begins_a_line_or_not() -> None:
    """Where a rule is entered at both places, its indentation is optional: more is allowed, nothing is lost."""
    source = """(* @indent *)
    file = { block } ; block = "do", ":", NEWLINE, INDENT, { line }, DEDENT ;
    line = { word }, mark, tail, [ NEWLINE ] | NEWLINE | { [ ":" ], NEWLINE } ; mark = "!" | "(", word, ")" ;
    tail = [ word, { ",", word } ] ; word = ? [a-z]+ ? ;
    """
    engine = ByteEngine(compile_text(source, dialect="ebnf").text)
    for text in ("do:\n    a b! c\n    !\n", "do:\n  !!\n\n", "do:\n  ! a,b\n  :\n"):
        assert engine.accepts(text)


def test_names_lead_to_the_rules() -> None:
    """The copies of a rule go by its name."""
    compiled = compile_text(SOURCE, dialect="ebnf")
    assert set(compiled.names.values()) >= {"statement", "suite", "simple", "name"}
    assert compiled.names["statement_at_4x2_begin"] == "statement"


def test_wide_blanks() -> None:
    """In a grammar with Chinese words the full-width blank stands between words, too."""
    source = '(* @indent *) text = { "如果", NEWLINE, INDENT, { "动作", ":", NEWLINE }, DEDENT } ;'
    engine = ByteEngine(compile_text(source, dialect="ebnf").text)
    assert engine.accepts("如果\n    动作\u3000:\n    动作 :\n")


def test_not_indented_stays() -> None:
    """Without the annotation nothing happens."""
    grammar = grammar_of({"A": Literal("a")}, lexical={"A": False})
    spacing = Spacing(None, written_out=True)
    unrolled = unrolled_indentation(grammar, spacing)
    assert (unrolled.grammar, unrolled.spacing) == (grammar, spacing)


INDENT, DEDENT, NEWLINE = Reference("INDENT"), Reference("DEDENT"), Reference("NEWLINE")


@pytest.mark.parametrize(
    "expression",
    [
        sequence([NEWLINE, INDENT, Literal("a")]),
        sequence([NEWLINE, DEDENT, INDENT]),
        choice([Literal("a"), INDENT]),
        Repeat(sequence([INDENT, INDENT, DEDENT]), 0, None),
        optional(DEDENT),
    ],
)
def test_unbalanced(expression: Expression) -> None:
    """An INDENT and its DEDENT stand in one sequence."""
    grammar = grammar_of({"A": expression}, lexical={"A": False}, annotations=Annotations(indent=True))
    with pytest.raises(GrammarError) as caught:
        unrolled_indentation(grammar, Spacing(None, written_out=False))
    assert caught.value.diagnostics[0].code == "indent-unbalanced"


def test_sets_are_in_terminals() -> None:
    """A pass forgot something: that is a bug here."""
    expression = sequence([CharacterSet(((97, 97),)), NEWLINE])
    grammar = grammar_of({"A": expression}, lexical={"A": False}, annotations=Annotations(indent=True))
    with pytest.raises(AssertionError, match="not in a terminal"):
        unrolled_indentation(grammar, Spacing(None, written_out=False))


def test_a_block_that_ends_with_what_may_be_missing() -> None:
    """No line need follow."""
    source = '(* @indent *) text = "do", NEWLINE, INDENT, "a", NEWLINE, [ "b" ], DEDENT, [ "c" ] ;'
    engine = ByteEngine(compile_text(source, dialect="ebnf").text)
    for text in ("do\n  a\n", "do\n  a\n  b", "do\n  a\nc"):
        assert engine.accepts(text)


def test_a_line_that_may_be_empty() -> None:
    """Parts that may be missing right before the end of the line: nothing says that the line is there at all."""
    source = '(* @indent *) text = "do", NEWLINE, INDENT, { [ "a" ], [ "b" ], NEWLINE }, DEDENT ;'
    engine = ByteEngine(compile_text(source, dialect="ebnf").text)
    assert engine.accepts("do\n  a b\n\n  b\n")


def test_nested_in_one_sequence() -> None:
    """Each DEDENT belongs to the last INDENT before it."""
    line = sequence([Literal("a"), NEWLINE])
    expression = sequence([line, INDENT, line, INDENT, line, DEDENT, line, DEDENT, Repeat(line, 1, 1), EMPTY])
    grammar = grammar_of({"A": expression}, annotations=Annotations(indent=True))
    check_rules(grammar, GIVEN)
    marked = grammar_of({"A": expression}, lexical={"A": False}, annotations=Annotations(indent=True))
    from grammars.emit import emit

    unrolled = unrolled_indentation(marked, Spacing(None, written_out=False))
    engine = ByteEngine(emit(unrolled.grammar).text)
    assert engine.accepts("a\n  a\n    a\n  a\na\n")
    assert engine.rejected("a\n  a\n    a\na\na\n")
