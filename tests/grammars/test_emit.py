"""Grammars written down for the engine: every escape and every shape is read back by the engine itself."""

from __future__ import annotations

import pytest

from grammars.emit import emit, literals, regex
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.small_grammars import grammar_of

SPECIAL = "\\/.^$|()[]{}*+?-&&~~--#\"'<>=!:,;@%_` \t\n\r\x01\x7f\u00a0\u3000中\U0001f600e\u0301"
a, b = Literal("a"), Literal("b")
LETTERS, DIGITS = CharacterSet(((97, 122),)), CharacterSet(((48, 57),))


def engine_of(expression: Expression, *, lexical: bool, **more: Expression) -> ByteEngine:
    rules = {"start": Reference("A"), "A": expression, **more}
    marks = {"start": False, "A": lexical, **dict.fromkeys(more, True)}
    return ByteEngine(emit(grammar_of(rules, lexical=marks)).text)


@pytest.mark.parametrize("lexical", [False, True])
@pytest.mark.parametrize("ignore_case", [False, True])
def test_literals(lexical: bool, ignore_case: bool) -> None:
    """Every character that means something somewhere, in rules and in terminals, in any case."""
    engine = engine_of(Literal(SPECIAL, ignore_case), lexical=lexical)
    assert engine.accepts(SPECIAL)
    assert engine.accepts(SPECIAL.upper()) == ignore_case
    assert engine.rejected(SPECIAL[:-1])


@pytest.mark.parametrize("text", list("ab^-]" + SPECIAL))
def test_sets(text: str) -> None:
    """One character in a class, and all but that one."""
    code = ord(text)
    for negated in (False, True):
        engine = engine_of(CharacterSet(((code, code),), negated=negated), lexical=True)
        assert engine.accepts(text) != negated
        assert engine.accepts("Q") == negated


@pytest.mark.parametrize(
    ("expression", "accepted", "rejected"),
    [
        (ANY_CHARACTER, ["\n", "a", "中"], ["", "aa"]),
        (CharacterSet(properties=("Han", "^L")), ["中", "1"], ["a"]),
        (CharacterSet(((97, 97),), ("Nd",), negated=True), ["b"], ["a", "1"]),
        (choice([CharacterSet(), a]), ["a"], ["b"]),
        (Repeat(sequence([a, b]), 2, 3), ["abab", "ababab"], ["ab", "abababab", "abb"]),
        (Repeat(LETTERS, 2, 2), ["ab"], ["a", "abc"]),
        (Repeat(choice([a, Literal("bc")]), 2, None), ["abc", "bcbcbc"], ["a"]),
        (sequence([choice([a, b]), optional(DIGITS)]), ["a", "b1"], ["ab"]),
        (sequence([Reference("D"), Reference("C")]), ["1a", "1bc"], ["1b"]),
        (Exclusion(LETTERS, a), ["b"], ["a"]),
        (Exclusion(ANY_CHARACTER, choice([a, LETTERS])), ["1", "\n"], ["a"]),
        (Exclusion(CharacterSet(((97, 97),), negated=True), Literal("1")), ["b"], ["a", "1"]),
        (Exclusion(LETTERS, Literal("A", ignore_case=True)), ["b"], ["a"]),
        (Exclusion(LETTERS, choice([CharacterSet(((97, 97),), negated=True), b])), ["a"], ["b", "c"]),
        (Exclusion(LETTERS, CharacterSet()), ["a"], ["1"]),
        (
            sequence(
                [a, Exclusion(Repeat(LETTERS, 1, None), choice([Literal("if"), b])), optional(Literal("!"))]
            ),
            ["aifs", "ax!"],
            ["aif", "ab", "ab!"],
        ),
        (Repeat(Exclusion(Repeat(LETTERS, 2, 2), Literal("xx")), 0, None), ["", "abcd"], ["xx", "abxx"]),
        (choice([Exclusion(Repeat(LETTERS, 1, None), b), Literal("1")]), ["a", "1"], ["b"]),
        (Exclusion(Reference("C"), Exclusion(Reference("C"), a)), ["a"], ["bc"]),
        (sequence([Exclusion(Repeat(LETTERS, 1, None), b), EMPTY]), ["a"], ["b"]),
    ],
)
def test_terminals(expression: Expression, accepted: list[str], rejected: list[str]) -> None:
    """Terminals as regular expressions, and as several of them put together."""
    engine = engine_of(expression, lexical=True, C=choice([a, Literal("bc")]), D=DIGITS)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


def test_rules() -> None:
    """Every shape that a rule can have, long alternatives on lines of their own."""
    expression = choice(
        [
            EMPTY,
            sequence([a, optional(sequence([b, Reference("D")])), choice([a, b])]),
            Repeat(Reference("D"), 2, None),
            Repeat(choice([Literal("x"), sequence([Literal("y"), b])]), 1, 2),
            *(Literal(f"a long alternative {number}") for number in range(9)),
        ]
    )
    engine = engine_of(expression, lexical=False, D=DIGITS)
    for text in ("", "aa", "ab1b", "12", "123", "x", "ybx", "a long alternative 7"):
        assert engine.accepts(text)
    for text in ("a", "1", "xxx"):
        assert engine.rejected(text)


def test_skipping() -> None:
    """Skipped terminals and blanks, also after the last terminal; full-width blanks one by one."""
    rules = {"start": sequence([a, b]), "C": sequence([Literal("#"), Repeat(LETTERS, 0, None)])}
    grammar = grammar_of(rules, lexical={"start": False, "C": True}, skip=("C",))
    engine = ByteEngine(emit(grammar, CharacterSet(((32, 32), (0x3000, 0x3000)))).text)
    for text in ("ab", " a #x b ", "a\u3000 b#y", "a b\u3000\u3000"):
        assert engine.accepts(text)
    assert engine.rejected("a\nb")


def test_names() -> None:
    """ASCII, unique, small for rules and capital for terminals; never one that means something."""
    rules = {
        "start": choice(
            [
                Reference("状态"),
                Reference("状态 2"),
                Reference("a-b"),
                Reference("a b"),
                Reference("2x"),
                Reference("甲乙"),
            ]
        ),
        **dict.fromkeys(("状态", "状态 2", "a-b", "a b", "2x"), a),
        "甲乙": LETTERS,
    }
    lexical = {**dict.fromkeys(rules, False), "甲乙": True}
    emitted = emit(grammar_of(rules, lexical=lexical))
    assert dict(emitted.names) == {
        "start_2": "start",
        "r1": "状态",
        "r2_2": "状态 2",
        "a_b": "a-b",
        "a_b_2": "a b",
        "r5_2x": "2x",
        "T6": "甲乙",
    }
    ByteEngine(emitted.text)


def test_regex_and_literals() -> None:
    """What other passes ask for."""
    grammar = grammar_of({"A": choice([a, b]), "T": a}, lexical={"A": False, "T": True})
    assert regex(sequence([Reference("T"), DIGITS]), grammar.rules) == "a[0-9]"
    assert literals(grammar) == [a, b]


def test_what_should_have_been_rewritten_before() -> None:
    """A pass forgot something: that is a bug here, not a mistake in the grammar."""
    rules = grammar_of({"A": a}).rules
    with pytest.raises(AssertionError, match="read into the form"):
        regex(Pattern("a"), rules)
    with pytest.raises(AssertionError, match="not in a terminal"):
        emit(grammar_of({"A": DIGITS}, lexical={"A": False}))
