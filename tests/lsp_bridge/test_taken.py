"""Which items a client took without a word: seen by the text that comes, each once (ux-10)."""

from __future__ import annotations

import pytest

from daemon.api.messages import Edit, Suggestion
from lsp_bridge.documents import Document
from lsp_bridge.recall import Offer
from lsp_bridge.taken import A_KEY, REMEMBERED, Taken

URI = "file:///a"
BEFORE = "def ad"


def given(*texts: str, typed: int = 0) -> Taken:
    """Items behind BEFORE, with ids from 1; `typed` code points of them are typed already."""
    taken = Taken()
    cursor = document(BEFORE).cursor_at(len(BEFORE))
    suggestions = [
        Suggestion(1 + at, text, verified=0, complete=True, source="draft") for at, text in enumerate(texts)
    ]
    taken.give(cursor, [Offer(one, typed) for one in suggestions])
    return taken


def document(text: str, uri: str = URI) -> Document:
    return Document(uri, "python", 1, text, "utf-16")


def seen(taken: Taken, *edits: Edit, text: str, uri: str = URI) -> tuple[int, int] | None:
    """The id and the length of what is seen in a document that is `text` after the edits."""
    one = taken.seen(document(text, uri), edits)
    return None if one is None else (one.suggestion, one.length)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(Edit(6, 6, "d(a):\n    "), id="behind the cursor"),
        pytest.param(Edit(4, 6, "add(a):\n    "), id="in place of the word"),
        pytest.param(Edit(0, 6, "def add(a):\n    "), id="the whole text"),
    ],
)
def test_an_item_that_comes_at_once_is_taken(edit: Edit) -> None:
    """However the client puts it in; and once, so an undone one that is done again isn't counted twice."""
    taken = given("d(a):\n    ", "d(b)")
    text = "def add(a):\n    "
    assert seen(taken, edit, text=text) == (1, len("d(a):\n    "))
    assert seen(taken, edit, text=text) is None


def test_any_of_the_items_may_be_taken() -> None:
    assert seen(given("d(a)", "d(b)"), Edit(6, 6, "d(b)"), text="def add(b)") == (2, 4)


def test_what_was_typed_of_it_counts_as_well() -> None:
    """The daemon counts from where the suggestion began."""
    assert seen(given("add(a)", typed=2), Edit(6, 6, "d(a)"), text="def add(a)") == (1, 6)


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        pytest.param([], BEFORE, id="nothing"),
        pytest.param([Edit(9, 9, ")")], "def add(a)", id="its last letter typed"),
        pytest.param([Edit(6, 6, "d(")], "def add(", id="a part"),
        pytest.param([Edit(6, 6, "d(b)")], "def add(b)", id="something else"),
        pytest.param([Edit(6, 6, "d(a) ")], "def add(a) ", id="more"),
        pytest.param([Edit(8, 8, "d(a)")], "def add d(a)", id="elsewhere"),
        pytest.param([Edit(3, 10, "")], "def", id="taken out"),
    ],
)
def test_nothing_else_is_an_item_taken(edits: list[Edit], text: str) -> None:
    assert seen(given("d(a)"), *edits, text=text) is None


def test_one_letter_is_typed_rather_than_taken() -> None:
    """Nobody can tell; the daemon knows that it was typed along."""
    assert A_KEY == 1
    assert seen(given("d"), Edit(6, 6, "d"), text="def add") is None


def test_an_item_of_another_document_is_not() -> None:
    assert seen(given("d(a)"), Edit(6, 6, "d(a)"), text="def add(a)", uri="file:///b") is None


def test_those_of_a_closed_document_are_not() -> None:
    taken = given("d(a)")
    taken.forget(URI)
    taken.forget(URI)
    assert seen(taken, Edit(6, 6, "d(a)"), text="def add(a)") is None


def test_only_the_newest_answer_counts() -> None:
    """Empty ones too."""
    taken = given("d(a)")
    taken.give(document(BEFORE).cursor_at(len(BEFORE)), [])
    assert seen(taken, Edit(6, 6, "d(a)"), text="def add(a)") is None


def test_what_the_client_told_of_is_not_seen_again() -> None:
    """Words of it, in parts, or all before the text comes."""
    taken = given("d(a)")
    assert taken.told(1)
    assert taken.told(1), "every part is told of"
    assert seen(taken, Edit(6, 6, "d(a)"), text="def add(a)") is None


def test_what_was_seen_is_not_told_of_again() -> None:
    taken = given("d(a)")
    assert seen(taken, Edit(6, 6, "d(a)"), text="def add(a)") == (1, 4)
    assert not taken.told(1)
    for other in range(2, REMEMBERED + 2):
        assert taken.told(other)
    assert not taken.told(1), "others do not push it out"
