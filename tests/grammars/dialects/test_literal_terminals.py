"""Terminals that only name a text: which they are, and that the text stands for them."""

from __future__ import annotations

from grammars.diagnostics import Span
from grammars.dialects.literal_terminals import literal_terminals, spelt_out, without_spelt_out
from grammars.dialects.reading import Definition
from grammars.form import Expression, Literal, Reference, Repeat

HERE, THERE = Span(1, 1, 1, 2), Span(2, 1, 2, 2)
PLUS = Literal("+", span=HERE)


def defined(name: str, expression: Expression, *, lexical: bool = True, fragment: bool = False) -> Definition:
    return Definition(name, expression, HERE, lexical=lexical, fragment=fragment)


def test_only_whole_terminals_that_are_one_literal_in_one_place_count() -> None:
    definitions = [
        defined("PLUS", PLUS),
        defined("KEPT", Literal("k")),
        defined("PART", Literal("p"), fragment=True),
        defined("TWICE", Literal("1")),
        defined("TWICE", Literal("2")),
        defined("MANY", Repeat(PLUS, 1, None)),
        defined("rule", PLUS, lexical=False),
    ]
    assert literal_terminals(iter(definitions), {"KEPT"}) == {"PLUS": PLUS}


def test_the_text_stands_where_the_name_stood() -> None:
    found = spelt_out(Reference("PLUS", THERE), {"PLUS": PLUS})
    assert found == PLUS
    assert isinstance(found, Literal)
    assert found.span == THERE
    assert spelt_out(Reference("OTHER"), {"PLUS": PLUS}) == Reference("OTHER")
    assert spelt_out(PLUS, {"PLUS": PLUS}) == PLUS


def test_what_other_terminals_are_made_of_stays() -> None:
    one, two = defined("ONE", Literal("1")), defined("TWO", Literal("2"))
    more = defined("MORE", Repeat(Reference("ONE"), 1, None))
    rule = defined("rule", Reference("TWO"), lexical=False)
    literals = {"ONE": Literal("1"), "TWO": Literal("2")}
    assert without_spelt_out(iter([one, two, more, rule]), literals) == [one, more, rule]
