"""Terminals split where the lexer would not find back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grammars.compiler import compile_text
from grammars.emit import emit
from grammars.form import (
    EMPTY,
    CharacterSet,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes import tails
from grammars.passes.blanks import Spacing
from grammars.passes.tails import non_empty, split_tails
from grammars.regex_reader import read_regex
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.sentences import sentences
from tests.fakes.small_grammars import grammar_of

BLANKS = Spacing(CharacterSet(((9, 10), (32, 32))), written_out=False)
WRITTEN = Spacing(None, written_out=True)


def marked(start: Expression, **terminals: str) -> Grammar:
    """A grammar of one rule, and terminals by regular expressions."""
    expressions = {"start": start, **{name: read_regex(one) for name, one in terminals.items()}}
    return grammar_of(expressions, lexical={"start": False, **dict.fromkeys(terminals, True)})


def row(*items: Expression | str) -> Expression:
    """Names in capitals are terminals, other texts literals."""
    return sequence(
        [
            Reference(one)
            if isinstance(one, str) and one.isupper()
            else Literal(one)
            if isinstance(one, str)
            else one
            for one in items
        ]
    )


CASES = [
    (
        "decimal point",
        row("N", "..", "N"),
        {"N": r"[0-9]+(\.[0-9]+)?"},
        ["0..15", "1.5..2", "1 .. 2"],
        ["1.", "1.5"],
    ),
    ("exponent", row("N", "else", "N"), {"N": r"[0-9]+(e[0-9]+)?"}, ["1else 2", "1e5else 2"], ["1e", "1el2"]),
    (
        "two tails",
        row(Repeat(row("N", choice([Literal(".x"), Literal("ex")])), 0, None)),
        {"N": r"[0-9]+(\.[0-9]+)?(e[0-9]+)?"},
        ["1.x", "1.5ex", "1ex", "1.5e5.x", "1e5ex"],
        ["1.5", "1..x"],
    ),
    (
        "a sign that may be the last",
        row("N", choice([row(".."), row(".x")]), "N"),
        {"N": r"[0-9]+(\.[0-9]*)?"},
        ["1..2", "1. .. 2.", "1.5..2", "1.x2", "1.5.x2"],
        ["1.", "1.5"],
    ),
    (
        "line ends",
        Repeat(row("W", "L"), 0, None),
        {"W": r"[a-z]+| +[a-z]+", "L": r"\n([ ]*\n)*"},
        ["a\n b\n", "a\n  \n   b\n\n"],
        ["a", "a\n  "],
    ),
    (
        "another terminal",
        row(choice([row("I", "..", "I"), row("F")])),
        {"I": "[0-9]+", "F": r"[0-9]+\.[0-9]+"},
        ["1..2", "1.5"],
        ["1.", "1.2.3"],
    ),
    (
        "operators",
        row("I", choice([row("-"), row("-->")]), Repeat(row("-"), 0, None), "I"),
        {"I": "[a-z]"},
        ["a-b", "a--b", "a-->b", "a-->--b"],
        ["a->b"],
    ),
    ("choice in a terminal", row("T", ".."), {"T": r"1|2(\.5|x)"}, ["1..", "2.5..", "2x.."], ["2.."]),
    ("choice with tails", row("T", ".."), {"T": r"(a|b(\.c)?)!?"}, ["a..", "b..", "b.c!..", "b!.."], ["b."]),
    ("tail in a loop", row("T", ".", "D"), {"T": r"a(\.b)*", "D": "d"}, ["a.d", "a.b.b.d"], ["a.b", "a..d"]),
    ("counted tail", row("T", ".", "D"), {"T": r"a(\.b){0,2}", "D": "d"}, ["a.d", "a.b.d"], ["a."]),
    (
        "tail that is all of a literal",
        row("T", ".", "D"),
        {"T": r"a(?:\.b\.c)?", "D": "b|d"},
        ["a.d", "a.b.c.d", "a.b"],
        ["a.c"],
    ),
    (
        "word",
        row(choice([row("I", "N"), row("integer", "N"), row("int", "N")])),
        {"I": "[A-Z]+", "N": "[e-z]+"},
        ["integer x", "int eger"],
        ["inte"],
    ),
    (
        "words in a terminal",
        row(choice([row("T", ":", "N"), row("N", "=", "N"), row("N", ".", "N")])),
        {"T": r"let|lets|[0-9]+(\.let)?", "N": "[a-z]+|[0-9]+"},
        ["let=a", "lets = 1", "1.let:a", "1.a", "lets:a"],
        ["let", "1.let=a"],
    ),
    (
        "optional whole",
        row(Reference("O"), "-", "N"),
        {"O": "(a(-b)?)?", "N": "[a-c]"},
        ["-c", "a-b-c", "a-c"],
        ["a-b-"],
    ),
]


@pytest.mark.parametrize(
    ("start", "terminals", "accepted", "rejected"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_cases(
    start: Expression, terminals: dict[str, str], accepted: list[str], rejected: list[str]
) -> None:
    """What the rules say is accepted, byte by byte."""
    split = split_tails(marked(start, **terminals), BLANKS if "L" not in terminals else WRITTEN)
    engine = ByteEngine(emit(split.grammar, BLANKS.ignored if "L" not in terminals else None).text)
    assert split.diagnostics == ()
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


def test_nothing_in_the_way_stays() -> None:
    """A tail that nothing else begins like is no trouble."""
    for start, terminals in (
        (row("N", "+", "N"), {"N": r"[0-9]+(\.[0-9]+)?"}),
        (row("N", "else", "N"), {"N": r"[0-9]+e?"}),
        (row("A", "B"), {"A": '"[^"]*"', "B": "[a-z]+"}),
    ):
        grammar = marked(start, **terminals)
        assert split_tails(grammar, BLANKS).grammar == grammar


def test_a_terminal_that_is_a_part_of_others_stays_whole_in_them() -> None:
    """Only rules see the pieces."""
    grammar = marked(row(choice([row("N", "..", "N"), row("V")])), N=r"[0-9]+(\.[0-9]+)?")
    rules = {**grammar.rules, "V": marked(EMPTY, V="v").rules["V"]}
    rules["V"] = type(rules["V"])("V", sequence([Literal("v"), Reference("N")]), lexical=True)
    split = split_tails(grammar.with_rules(rules), BLANKS)
    engine = ByteEngine(emit(split.grammar, BLANKS.ignored).text)
    assert engine.accepts("1.5..2")
    assert engine.accepts("v1.5")
    assert engine.rejected("v 1.5")


def test_the_tail_of_a_part_is_split_in_the_whole() -> None:
    """Through the names of parts."""
    grammar = marked(row("T", ".", "W"), F=r"[0-9]+|x(\.[0-9]+)?", W="[a-z]+")
    rules = {**grammar.rules, "T": marked(EMPTY, T="t").rules["T"]}
    rules["T"] = replace(rules["T"], expression=sequence([Reference("F"), optional(Literal("!"))]))
    split = split_tails(grammar.with_rules(rules), BLANKS)
    engine = ByteEngine(emit(split.grammar, BLANKS.ignored).text)
    assert split.diagnostics == ()
    for text in ("x.a", "x.1.a", "x.1!.a", "x!.a", "12.a", "12!.a"):
        assert engine.accepts(text), text


def test_what_would_fall_into_characters_is_left_with_a_warning() -> None:
    """Where the tail begins like what is repeated before it, nothing can be split."""
    grammar = marked(choice([row("T"), row("I", "-", "I")]), T="[a-c-]*!x", I="[a-c]+")
    split = split_tails(grammar, BLANKS)
    assert [one.code for one in split.diagnostics] == ["lexer-backtrack"]
    assert split.grammar == grammar


@pytest.mark.parametrize(
    ("start", "terminals", "spacing", "severity", "message"),
    [
        (
            row(Repeat(row("N", "-"), 0, None)),
            {"N": "[a-z-]+"},
            BLANKS,
            "warning",
            'N may be read too far: it can go on by what "-" begins with, which may follow it',
        ),
        (
            row("T", "end"),
            {"T": "[a-z ]+"},
            BLANKS,
            "warning",
            'T may be read too far: it can go on by what "end" begins with, which may follow it',
        ),
        (
            row("W", "s"),
            {"W": "[a-z]+"},
            WRITTEN,
            "warning",
            'W may be read too far: it can go on by what "s" begins with, which may follow it',
        ),
        (
            choice([row("I", "A"), row("T", "+")]),
            {"I": "[a-c]+", "A": "-[a-z]", "T": "[a-c-]*!x"},
            BLANKS,
            "warning",
            "T may be read too far: it can go on by what A begins with, which may follow I",
        ),
        (
            Repeat(choice([row("S"), row("B")]), 0, None),
            {"S": "'[^']*'", "B": r"\'\'\'[^']*\'\'\'"},
            BLANKS,
            "note",
            "B may be read too far: it can go on by what S begins with, which may follow S",
        ),
        (
            choice([row("I"), row("T", "+")]),
            {"I": "[a-c]+", "T": "[a-c]+( [a-c])*!"},
            BLANKS,
            "note",
            "T may be read too far: it can go on by what a blank or a comment begins with, which may follow I",
        ),
    ],
)
def test_what_may_be_read_too_far_is_told(
    start: Expression, terminals: dict[str, str], spacing: Spacing, severity: str, message: str
) -> None:
    """By the names of both; a note for strings."""
    found = split_tails(marked(start, **terminals), spacing).diagnostics
    assert [(one.severity, one.message) for one in found] == [(severity, message)]


def test_a_longer_word_is_not_made_of_the_tail() -> None:
    """`e5` is a name too, and longer than the piece `e` would be: the exponent stays whole, and nothing is said."""
    field = row("W", "=", "N")
    split = split_tails(
        marked(
            Repeat(choice([field, row("N", "W", ";")]), 0, None),
            N=r"-?[0-9]+(\.[0-9]+)?(e[-]?[0-9]+)?",
            W="[a-z][a-z0-9]*",
        ),
        BLANKS,
    )
    engine = ByteEngine(emit(split.grammar, BLANKS.ignored).text)
    assert split.diagnostics == ()
    for text in ("a=1e5", "a=1e5b=2", "a=-1.5e-3 b=1", "1else;", "1 e5;", "a=1ex=2", "1e5x;"):
        assert engine.accepts(text), text


def test_blanks_one_by_one_where_one_of_them_is_wanted_after() -> None:
    """`ws "\\n"`: the blanks before the line end must not take it."""
    ws = Repeat(CharacterSet(((9, 10), (32, 32))), 0, None)
    start = Repeat(sequence([Literal("x"), Reference("ws"), Literal("\n")]), 1, None)
    grammar = grammar_of({"start": start, "ws": ws}, lexical={"start": False, "ws": True})
    split = split_tails(grammar, WRITTEN)
    engine = ByteEngine(emit(split.grammar).text)
    assert engine.accepts("x \n\nx\n")
    kept = grammar_of(
        {"start": sequence([Literal("x"), Reference("ws"), Literal("y")]), "ws": ws},
        lexical={"start": False, "ws": True},
    )
    assert split_tails(kept, WRITTEN).grammar == kept


@pytest.mark.parametrize(
    "expression",
    [
        optional(Literal("a")),
        Repeat(Literal("a"), 0, 2),
        Repeat(optional(Literal("a")), 2, None),
        choice([Literal("a"), EMPTY, optional(Literal("b"))]),
        sequence([optional(Literal("a")), EMPTY, Repeat(Literal("b"), 0, None)]),
        Reference("B"),
        sequence([Reference("B"), optional(CharacterSet(((97, 99),)))]),
    ],
)
def test_non_empty(expression: Expression) -> None:
    """All but the empty text."""
    rules = grammar_of({"B": optional(Literal("+"))}).rules
    made = grammar_of(
        {"A": non_empty(expression, rules, {"B"}), "W": expression, "B": rules["B"].expression}
    ).rules
    assert sentences(made, "A", 3) == sentences(made, "W", 3) - {""}


def test_one_more_edge_by_the_same_character() -> None:
    """Where the tail is split off, so is all that begins like it."""
    grammar = marked(row("N", choice([Literal(","), Literal("!")]), "N"), N=r"[0-9]([.,][0-9]|\.)?")
    split = split_tails(grammar, BLANKS)
    engine = ByteEngine(emit(split.grammar, BLANKS.ignored).text)
    for text in ("1!1", "1.,2", "1.5,2", "1,5!2.", "1.!1"):
        assert engine.accepts(text)


def test_pieces_that_are_alike_are_one() -> None:
    """Also where a piece is another terminal."""
    tail = optional(sequence([Literal("."), Reference("D")]))
    rules = {
        "start": sequence([Reference("M"), Literal(".."), Reference("N"), Literal("..")]),
        "M": sequence([Reference("D"), tail]),
        "N": sequence([Literal("x"), tail]),
        "D": CharacterSet(((48, 57),)),
    }
    grammar = grammar_of(rules, lexical={name: name != "start" for name in rules})
    split = split_tails(grammar, BLANKS)
    assert len(split.pieces) == 1
    assert ByteEngine(emit(split.grammar).text).accepts("1.2..x..")


def test_so_many_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left then is left."""
    monkeypatch.setattr(tails, "_ROUNDS", 1)
    grammar = marked(row("N", "..", "N"), N=r"[0-9]+(\.[0-9]+)?")
    assert split_tails(grammar, BLANKS).grammar != grammar


def test_only_empty() -> None:
    """Nothing is left of it."""
    for expression in (EMPTY, sequence([optional(EMPTY), EMPTY]), Literal("")):
        assert non_empty(expression, {}, set()) == EMPTY


def test_a_piece_that_is_another_terminal_as_well() -> None:
    """`1234` is a number and the beginning of a date, so that `-` after it may be a sign or a part of the date."""
    source = """a = "x", e, ";" ; e = t, { "-", t } ; t = date | num ; num = digit, { digit } ; digit = "0".."9" ;
    date = digit, digit, digit, digit, "-", digit, digit ;"""
    engine = ByteEngine(compile_text(source, dialect="ebnf").text)
    for text in ("x 1234-5;", "x 1234-55;", "x 1-2;", "x 1234-55-1;", "x 1234-55-6666-77;"):
        assert engine.accepts(text)
    assert engine.rejected("x 1234-;")
