"""Edits that go on from one another are one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.api.messages import Edit
from lsp_bridge.edits import joined


def applied(text: str, edits: Sequence[Edit]) -> str:
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@st.composite
def texts_and_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = before = draw(st.text("abc\n", max_size=8))
    edits = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        edits.append(Edit(start, end, draw(st.text("xyz", max_size=4))))
        text = applied(text, edits[-1:])
    return before, edits


@given(texts_and_edits())
def test_joined_edits_say_the_same(case: tuple[str, list[Edit]]) -> None:
    """And the last of them ends at the same place, so the daemon knows where the user is."""
    text, edits = case
    fewer = joined(edits)
    assert applied(text, fewer) == applied(text, edits)
    assert len(fewer) <= len(edits)
    if edits:
        assert fewer[-1].start + len(fewer[-1].text) == edits[-1].start + len(edits[-1].text)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(0, 0, "d"), Edit(1, 1, "e")], [Edit(0, 0, "de")]),
        ([Edit(4, 7, ""), Edit(4, 4, "ghost")], [Edit(4, 7, "ghost")]),
        (
            [Edit(7, 7, "st(x):…"), Edit(7, 14, ""), Edit(4, 7, ""), Edit(4, 4, "ghost(x):\n")],
            [Edit(4, 7, "ghost(x):\n")],
        ),
        ([Edit(9, 9, "b"), Edit(0, 0, "a")], [Edit(9, 9, "b"), Edit(0, 0, "a")]),
        ([Edit(0, 0, "()"), Edit(1, 1, "x")], [Edit(0, 0, "()"), Edit(1, 1, "x")]),
    ],
    ids=["keys", "a word replaced in two steps", "eglot takes a candidate", "two places", "within brackets"],
)
def test_what_clients_send(edits: list[Edit], expected: list[Edit]) -> None:
    """As they were seen."""
    assert joined(edits) == expected
