"""ux-52: how much of accepted text is still there later: every edit, both orders of telling, against a naive model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.api.messages import Edit
from daemon.serving.retention import HORIZONS_S, REMEMBERED_OFFERS, Kept, Retention

BEFORE = "x = 1\ny = "
TAKEN = "foo(bar)"
DOCUMENT = BEFORE + TAKEN + "\nz = 3\n"
START, END = len(BEFORE), len(BEFORE) + len(TAKEN)


class Told:
    """A document in which TAKEN was accepted at time 0, and what was told of it."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, int]] = []
        self.retention = Retention(lambda *values: self.told.append(values))
        self.text = DOCUMENT
        self.retention.offered(1, START, TAKEN)
        self.retention.accepted(1, len(TAKEN), DOCUMENT, 0.0)

    def edit(self, start: int, end: int, text: str, now: float = 1.0) -> None:
        self.retention.edited(self.text, [Edit(start, end, text)], now)
        self.text = self.text[:start] + text + self.text[end:]

    def kept_at(self, now: float) -> list[tuple[int, int, int]]:
        self.retention.look(now)
        return self.told


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        ((0, 0, "# a line above\n"), 8),
        ((END, END, " + 1"), 8),
        ((START, START, "await "), 8),
        ((START + 4, START + 7, "baz"), 7),
        ((START + 3, END, ""), 3),
        ((START + 3, START + 3, "_x"), 8),
        ((START, END, ""), 0),
        ((0, len(DOCUMENT), ""), 0),
        ((0, len(DOCUMENT), DOCUMENT.replace("x = 1", "x  =  1")), 8),
        ((0, len(DOCUMENT), DOCUMENT.replace("foo(bar)", "foo( bar )")), 5),
        ((START - 2, START + 2, ""), 6),
    ],
    ids=[
        "above", "right behind", "right before", "a word changed", "its end gone", "something put in", "gone",
        "everything gone", "replaced whole, the same there", "reformatted", "across its beginning",
    ],
)  # fmt: skip
def test_ux_52_what_an_edit_leaves(edit: tuple[int, int, str], kept: int) -> None:
    """Of what is replaced, all between the first and the last difference is gone."""
    one = Told()
    one.edit(*edit)
    assert one.kept_at(31.0) == [(30, 8, kept)]


def test_ux_52_each_horizon_is_told_once_and_as_it_was_then() -> None:
    """An edit after a horizon changes nothing of what is told for it, though nobody has looked in between."""
    one = Told()
    one.edit(START, START + 3, "", now=29.9)
    one.edit(START, START + 2, "", now=60.0)
    assert one.kept_at(89.0) == [(30, 8, 5)]
    assert one.kept_at(10_000.0) == [(30, 8, 5), (90, 8, 3), (180, 8, 3)]
    assert one.kept_at(20_000.0) == one.told[:3]


def test_text_that_comes_after_the_news_of_it_is_followed_as_well() -> None:
    told: list[tuple[int, int, int]] = []
    retention = Retention(lambda *values: told.append(values))
    retention.offered(1, START, TAKEN)
    retention.accepted(1, len(TAKEN), BEFORE, 0.0)
    retention.edited(BEFORE, [Edit(START, START, TAKEN)], 0.1)
    retention.look(31.0)
    assert told == [(30, 8, 8)]


def test_what_never_comes_is_not_counted() -> None:
    told: list[tuple[int, int, int]] = []
    retention = Retention(lambda *values: told.append(values))
    retention.offered(1, START, TAKEN)
    retention.accepted(1, len(TAKEN), BEFORE, 0.0)
    retention.edited(BEFORE, [Edit(START, START, "something else")], 0.1)
    retention.edited(BEFORE, [Edit(START, START, TAKEN)], 0.2)
    retention.look(1000.0)
    assert told == []


def test_words_taken_one_after_the_other_are_one_suggestion() -> None:
    """Its time runs from the first of them; what was typed along in between counts as taken."""
    told: list[tuple[int, int, int]] = []
    retention = Retention(lambda *values: told.append(values))
    retention.offered(1, 0, "foo(")
    retention.edited("", [Edit(0, 0, "foo")], 0.0)
    retention.accepted(1, 3, "foo", 0.0)
    retention.offered(1, 3, "(bar)")
    retention.edited("foo", [Edit(3, 3, "(bar)")], 5.0)
    retention.accepted(1, 8, "foo(bar)", 5.0)
    retention.accepted(1, 3, "foo(bar)", 6.0)
    retention.look(30.0)
    assert told == [(30, 8, 8)]


def test_a_suggestion_moves_with_the_text_before_it() -> None:
    told: list[tuple[int, int, int]] = []
    retention = Retention(lambda *values: told.append(values))
    retention.offered(1, 6, "bar")
    retention.edited("x = 1\n", [Edit(0, 6, "")], 0.0)
    retention.edited("", [Edit(0, 0, "bar")], 0.0)
    retention.accepted(1, 3, "bar", 0.0)
    retention.look(31.0)
    assert told == [(30, 3, 3)]


def test_only_the_last_suggestions_are_remembered() -> None:
    told: list[tuple[int, int, int]] = []
    retention = Retention(lambda *values: told.append(values))
    for number in range(REMEMBERED_OFFERS + 1):
        retention.offered(number, 0, "foo")
    retention.accepted(0, 3, "foo", 0.0)
    retention.accepted(1, 3, "foo", 0.0)
    retention.accepted(2, 0, "foo", 0.0)
    retention.look(1000.0)
    assert len(told) == len(HORIZONS_S)


def test_what_was_accepted_elsewhere_is_not_kept() -> None:
    """Every document is told of every suggestion: one that nobody edits must not gather those of the others."""
    retention = Retention(lambda *values: None)
    retention.offered(1, 0, "foo")
    for number in range(1000):
        retention.accepted(number, 3, "", 0.0)
        retention.accepted(1, 3, "", 0.0)
    assert set(retention._early) == {(1, 3)}
    assert len(retention._early) <= REMEMBERED_OFFERS


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.text("ab\n", max_size=5)), max_size=12))
def test_kept_characters_are_those_that_no_edit_took(edits: list[tuple[int, int, str]]) -> None:
    """A naive model: every accepted character is marked; marks go with what the differences take away."""
    one = Told()
    marked = [START <= index < END for index in range(len(DOCUMENT))]
    for start, length, text in edits:
        start = min(start, len(one.text))
        end = min(start + length, len(one.text))
        old = one.text[start:end]
        same = 0
        while same < min(len(old), len(text)) and old[same] == text[same]:
            same += 1
        back = 0
        while back < min(len(old), len(text)) - same and old[-1 - back] == text[-1 - back]:
            back += 1
        marked[start + same : end - back] = [False] * (len(text) - same - back)
        one.edit(start, end, text)
    assert one.kept_at(31.0) == [(30, 8, sum(marked))]


def test_the_summary() -> None:
    assert Kept().summary() == {"suggestions": 0, "whole_share": None, "characters_share": None}
    kept = Kept()
    kept.add(8, 8)
    kept.add(12, 6)
    assert kept.summary() == {"suggestions": 2, "whole_share": 0.5, "characters_share": 0.7}


def test_ux_14_what_may_go_on_has_no_end_to_type_to() -> None:
    """It is typed to its end only once nothing will be added to it."""
    one = Retention(lambda *_: None)
    one.offered(1, 4, "foo", whole=False)
    assert one.typed("x = foo", 7, 0.0) is None
    one.offered(1, 7, "(1)")
    assert one.typed("x = foo(1)", 10, 0.0) == (1, 6)


def test_ux_14_what_was_typed_to_its_end_is_taken_once() -> None:
    """Not what stands elsewhere, was accepted already or is something else; the newest of two that say the same."""
    one = Retention(lambda *values: None)
    one.offered(1, 4, "foo(1)")
    one.offered(2, 4, "foo(1)")
    one.offered(3, 10, "")
    one.offered(4, 4, "foo(1)")
    one.accepted(4, 1, "x = ", 0.0)
    assert one.typed("x = foo(1", 9, 0.0) is None
    assert one.typed("x = foo(2)", 10, 0.0) is None
    assert one.typed("x = foo(1)", 10, 0.0) == (2, 6)
    assert one.typed("x = foo(1)", 10, 0.0) == (1, 6)
    assert one.typed("x = foo(1)", 10, 0.0) is None
