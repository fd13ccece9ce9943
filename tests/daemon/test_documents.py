"""Documents: edits applied in order, refused where they do not fit; what a place knows of its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.api.messages import MAX_TEXT, Edit
from daemon.documents import LINE_REACH, BadEdit, Document, Place, cursor_after, line_end, line_start

DOCUMENT = Document("file:///f.py", "python", 1, "one\n你好🤗\nthree")


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        ([], "one\n你好🤗\nthree"),
        ([Edit(0, 0, "x")], "xone\n你好🤗\nthree"),
        ([Edit(6, 7, "")], "one\n你好\nthree"),
        ([Edit(13, 13, "!")], "one\n你好🤗\nthree!"),
        ([Edit(0, 4, ""), Edit(0, 2, "a"), Edit(1, 2, "b")], "ab\nthree"),
        ([Edit(0, 13, "")], ""),
    ],
)
def test_edits_apply_in_order(edits: list[Edit], text: str) -> None:
    """Each edit is of the text after the one before; the old document stays as it was."""
    assert DOCUMENT.edited(edits, 2) == Document("file:///f.py", "python", 2, text)
    assert DOCUMENT.version == 1


@pytest.mark.parametrize("edit", [Edit(0, 14, ""), Edit(14, 14, "x"), Edit(3, 2, ""), Edit(-1, 0, "")])
def test_an_edit_outside_the_document_is_refused(edit: Edit) -> None:
    """The client is told what to do: its text and ours are not the same any more."""
    with pytest.raises(BadEdit, match="open the document again"):
        DOCUMENT.edited([edit], 2)


def test_a_document_has_a_largest_size() -> None:
    """An edit that would go over it is refused."""
    with pytest.raises(BadEdit, match="more than"):
        DOCUMENT.edited([Edit(0, 0, "x" * MAX_TEXT)], 2)


@pytest.mark.parametrize(
    ("offset", "before", "after"),
    [(0, "", "one"), (2, "on", "e"), (3, "one", ""), (4, "", "你好🤗"), (6, "你好", "🤗"), (13, "three", "")],
)
def test_the_line_around_a_place(offset: int, before: str, after: str) -> None:
    """Line ends belong to neither side."""
    place = Place(DOCUMENT, offset)
    assert (place.line_before, place.line_after, place.characters_after) == (before, after, 13 - offset)


@pytest.mark.parametrize(
    ("edits", "cursor"),
    [([], None), ([Edit(3, 3, "ab")], 5), ([Edit(9, 10, ""), Edit(2, 4, "x")], 3), ([Edit(4, 9, "")], 4)],
)
def test_the_cursor_stands_after_the_last_edit(edits: list[Edit], cursor: int | None) -> None:
    """No edit, no guess."""
    assert cursor_after(edits) == cursor


@given(st.data())
def test_edits_that_fit_are_never_refused_and_leave_a_cursor_within(data: st.DataObject) -> None:
    """Against a list of characters."""
    document, expected, edits = DOCUMENT, list(DOCUMENT.text), []
    for text in data.draw(st.lists(st.text(max_size=4), min_size=1, max_size=4)):
        start = data.draw(st.integers(0, len(expected)))
        end = data.draw(st.integers(start, len(expected)))
        expected[start:end] = text
        edits.append(Edit(start, end, text))
    document = document.edited(edits, 2)
    cursor = cursor_after(edits)
    assert document.text == "".join(expected)
    assert document.n_bytes == len(document.text.encode("utf-8", "surrogatepass"))
    assert cursor is not None
    assert cursor <= len(document.text)
    assert Place(document, cursor).line_before.endswith(edits[-1].text.rpartition("\n")[2])


def test_of_an_endless_line_what_is_near_the_cursor_is_looked_at() -> None:
    """On either side of it."""
    text = "a" + "b" * 10_000 + "c" * 10_000 + "d\nefg"
    place = Place(Document("f", "x", 1, text), 10_001)
    assert place.line_before == "b" * LINE_REACH
    assert place.line_after == "c" * LINE_REACH


@given(
    st.integers(0, 2),
    st.integers(LINE_REACH - 1, LINE_REACH + 1),
    st.integers(LINE_REACH - 1, LINE_REACH + 1),
)
def test_a_line_begins_and_ends_where_its_newlines_are_unless_they_are_far(
    newlines: int, before: int, after: int
) -> None:
    """With a newline on both sides, on one, or on none: the document's edges are a line's too."""
    text = "\n" * (newlines > 0) + "b" * before + "c" * after + "\n" * (newlines > 1)
    at = (newlines > 0) + before
    assert line_start(text, at) == (at - before if before <= LINE_REACH else at)
    assert line_end(text, at) == (at + after if after <= LINE_REACH else at)
