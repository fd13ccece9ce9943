"""Which terminals may be taken for a literal, on a few places written down by hand."""

from __future__ import annotations

import pytest

from grammars.form import Literal
from grammars.passes.following import Terminal
from grammars.passes.rivals import Alike, without_rivals

DO, DONE, DONUT, END = Literal("DO"), Literal("done"), Literal("Donut"), Literal("end")
DO_TOO = Literal("do", ignore_case=True)
KINDS: dict[Terminal, Terminal] = {
    "1": DO,
    "2": DONE,
    "3": DO,
    "4": DO_TOO,
    DONUT: DONUT,
    END: END,
    "NAME": "NAME",
    "NUMBER": "NUMBER",
}
AT = {key: 1 << number for number, key in enumerate(KINDS)}


def bits(*keys: Terminal) -> int:
    return sum(AT[key] for key in keys)


def alike() -> Alike:
    """A name matches all literals but one."""
    return Alike(KINDS, AT, lambda one, other: one == "NAME" and isinstance(other, Literal) and other != END)


@pytest.mark.parametrize(
    ("key", "others"),
    [
        ("1", ("1", "3", "4", "NAME")),
        ("4", ("1", "3", "4", "NAME")),
        (DO_TOO, ("1", "3", "4", "NAME")),
        ("2", ("2", "NAME")),
        (END, (END,)),
        ("NAME", ("1", "2", "3", "4", DONUT, "NAME")),
        ("NUMBER", ("NUMBER",)),
    ],
)
def test_all_places_of_terminals_that_match_one_text_are_alike(
    key: Terminal, others: tuple[Terminal, ...]
) -> None:
    assert alike().of(key) == bits(*others)


def test_only_terminals_that_begin_with_the_text_are_asked_whether_they_go_on() -> None:
    asked: list[Terminal] = []

    def goes_on(terminal: Terminal, literal: Literal) -> bool:
        asked.append(terminal)
        return terminal in (DONE, "NAME")

    assert alike().going_on(DO, goes_on) == bits("2", "NAME")
    assert set(asked) == {"NAME", "NUMBER", DO, DO_TOO, DONE, DONUT}
    asked.clear()
    assert alike().going_on(END, goes_on) == bits("NAME")
    assert set(asked) == {"NAME", "NUMBER", END}


def test_a_place_that_drops_out_is_a_rival_of_those_that_stay() -> None:
    places = {"1": DO, "2": DO, "3": DONE}
    rivals = {DO: AT["NAME"], DONE: 0}
    beside = {"1": AT["NAME"], "2": AT["1"], "3": AT["1"]}
    assert without_rivals({"1", "2", "3"}, places, rivals, beside, AT) == {"3"}
