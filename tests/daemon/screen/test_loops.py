"""Lines that go round in circles: cut after some rounds, and never later than that was shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.screen.loops import before_loop

loops = st.lists(
    st.sampled_from(["a.", ".a", "1, ", "a", ".", "ab. ", "a.a. ", "\u200d", "\n", "\\n"]), max_size=40
).map("".join)


@given(loops, loops, st.booleans())
def test_loops_do_not_make_it_shrink(text: str, more: str, ended: bool) -> None:
    """As a text grows, what is left of it only grows (ux-22)."""
    early = before_loop(text, ended=False)
    late = before_loop(text + more, ended=ended)
    assert late.startswith(early)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Item[Item.Item.Item.Item.Item.Item", "Item[Item.Item.Item."),
        ("intanto i intanto i intanto i intanto i int", "intanto i intanto i intanto i "),
        ('"\\n\\n\\n\\n\\n")', '"\\n\\n\\n'),
        ("1.1.1.1.1.1.1.1.1", "1.1.1.1.1.1."),
        ("0, 0, 0, 0, 0]", "0, 0, 0, 0, 0]"),
        ("é" + "\u200d" * 8, "é" + "\u200d" * 3),
        ("f(a.b, a.b, a.b)", "f(a.b, a.b, a.b)"),
        ("# ------------------", "# ------------------"),
        ("0x00000000000000", "0x00000000000000"),
        ("haha hahahahahaha", "haha hahahahahaha"),
        ("x = 1\n\t\t\t\t\t\ty = 2", "x = 1\n\t\t\t\t\t\ty = 2"),
        ("的，的，的，的，的，", "的，的，的，"),
    ],
)
def test_within_a_line_nothing_goes_round_in_circles(text: str, shown: str) -> None:
    """ux-18."""
    assert before_loop(text, ended=True) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.b.a.b.a.b.", "a.b.a.b.a.b."),
        ("a.b.a.b.a.b.a.", "a.b.a.b.a.b."),
        ("a.b.a.b.a.b.c", "a.b.a.b.a.b.c"),
        ("a.b.a.b.a.b.a.b.c", "a.b.a.b.a.b."),
        ("1, 1, 1, 1, 1, 1, 1", "1, 1, 1, 1, 1, 1, "),
        ("1, 1, 1, 1, 1", "1, 1, 1, 1, 1"),
    ],
)
def test_what_may_become_a_circle_is_held_back(text: str, shown: str) -> None:
    assert before_loop(text, ended=False) == shown
