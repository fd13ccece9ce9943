"""What white space means in a grammar."""

from __future__ import annotations

import pytest

from grammars.form import (
    EMPTY,
    Annotations,
    CharacterSet,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Pattern,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes.blanks import blank_rules, line_end_rules, spacing, without_returns
from tests.fakes.small_grammars import grammar_of

a, space, feed, cr = Literal("a"), Literal(" "), Literal("\n"), Literal("\r")
ALL = CharacterSet(((9, 10), (13, 13), (32, 32)))
IN_LINE = CharacterSet(((9, 9), (32, 32)))
DEFINED: dict[str, Expression] = {
    "ws": Repeat(choice([space, Literal("\t"), feed]), 0, None),
    "nl": Repeat(choice([feed, Literal("\r\n")]), 1, None),
    "unicode": CharacterSet(properties=("White_Space",)),
    "empty": EMPTY,
    "both": sequence([Reference("ws"), Reference("nl"), Reference("empty")]),
    "not": Exclusion(CharacterSet(((32, 32),)), a),
    "other": Pattern(" "),
    "letter": CharacterSet(((97, 122),)),
}


def test_kinds_of_rules() -> None:
    """Pure blanks, pure line ends, neither."""
    grammar = grammar_of(DEFINED)
    assert blank_rules(grammar) == {"ws", "unicode", "both", "not"}
    assert line_end_rules(grammar) == {"nl"}


def body(*items: Expression) -> Grammar:
    return grammar_of({"start": sequence(list(items)), **DEFINED})


@pytest.mark.parametrize(
    ("grammar", "ignored", "written_out"),
    [
        (body(a, a), ALL, False),
        (body(a, Reference("ws"), a), None, True),
        (body(a, space, a), None, True),
        (body(a, CharacterSet(((32, 32),))), None, True),
        (body(a, Reference("nl")), IN_LINE, False),
        (body(a, feed), IN_LINE, False),
        (body(a, CharacterSet(((10, 10),))), IN_LINE, False),
        (body(Literal("状态"), a), CharacterSet((*ALL.ranges, (0x3000, 0x3000))), False),
        (body(Literal("é"), a), ALL, False),
        (grammar_of({"start": a}, explicit_lexer=True), None, True),
        (grammar_of({"start": a, "w": choice([a, space])}, skip=("w",)), None, False),
        (grammar_of({"start": a, "w": Reference("v"), "v": IN_LINE}, skip=("w", "gone")), None, False),
        (grammar_of({"start": a, "c": Literal("#")}, skip=("c",)), ALL, False),
        (grammar_of({"start": a}, annotations=Annotations(blanks="all")), ALL, False),
        (grammar_of({"start": a}, annotations=Annotations(blanks="line")), IN_LINE, False),
        (grammar_of({"start": a}, annotations=Annotations(blanks="none")), None, True),
        (grammar_of({"start": a}, annotations=Annotations(indent=True)), IN_LINE, False),
    ],
)
def test_spacing(grammar: Grammar, ignored: CharacterSet | None, written_out: bool) -> None:
    """By annotation, by skip rules, by what the rules do."""
    found = spacing(grammar, {name for name in DEFINED if name in grammar.rules})
    assert (found.ignored, found.written_out, found.diagnostics) == (ignored, written_out, ())


def test_mixed() -> None:
    """Blanks in one of many rules are probably forgotten in the others."""
    rules: dict[str, Expression] = {f"r{number}": sequence([a, a]) for number in range(9)}
    rules["r9"] = sequence([a, Reference("ws")])
    found = spacing(grammar_of({**rules, "ws": DEFINED["ws"]}), {"ws"})
    assert [one.code for one in found.diagnostics] == ["mixed-blanks"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Literal("a\r\nb"), Literal("a\nb")),
        (sequence([cr, feed]), feed),
        (sequence([optional(cr), feed, a]), sequence([feed, a])),
        (sequence([Reference("cr"), Reference("lf")]), Reference("lf")),
        (sequence([CharacterSet(((13, 13),)), CharacterSet(((10, 10),))]), CharacterSet(((10, 10),))),
        (sequence([cr, a]), sequence([cr, a])),
        (sequence([cr, optional(feed)]), sequence([cr, optional(feed)])),
        (choice([cr, feed]), choice([cr, feed])),
        (EMPTY, EMPTY),
    ],
)
def test_returns(before: Expression, after: Expression) -> None:
    """CR LF is LF; a CR elsewhere stays."""
    grammar = grammar_of({"A": before, "cr": cr, "lf": sequence([feed, a])})
    assert without_returns(grammar).rules["A"].expression == after
