"""Type-through from memory: what is offered is what was suggested, minus what was typed (ux-3, ux-9,
ux-25)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.api.messages import Suggestion, SuggestionUpdate
from lsp_bridge.documents import Change, Document
from lsp_bridge.recall import REMEMBERED_ANSWERS, Offer, Recall

U = "file:///a"


def document(text: str) -> Document:
    return Document(U, "x", 1, text, "utf-32")


def suggestion(text: str, identifier: int = 1, verified: int = 0) -> Suggestion:
    return Suggestion(identifier, text, verified, complete=False, source="draft")


def type_at(doc: Document, offset: int, text: str, erased: int = 0) -> None:
    start, end = doc.cursor_at(offset - erased), doc.cursor_at(offset)
    change = Change(text, (start.line, start.character), (end.line, end.character))
    doc.change(doc.version + 1, [change])


@given(
    before=st.text("ab\n", max_size=80),
    after=st.text("ab\n", max_size=80),
    ghost=st.text("ab\n", min_size=1, max_size=12),
    typed=st.text("ab\n", max_size=12),
)
def test_what_is_offered_completes_the_suggestion(before: str, after: str, ghost: str, typed: str) -> None:
    """Typed + offered is the suggestion, and anything else typed offers nothing (ux-9)."""
    doc, recall = document(before + after), Recall()
    recall.remember(doc.cursor_at(len(before)), [suggestion(ghost)])
    for at, character in enumerate(typed):
        type_at(doc, len(before) + at, character)
    offers = recall.offers(doc, doc.cursor_at(len(before) + len(typed)))
    if ghost.startswith(typed) and ghost != typed:
        (offer,) = offers
        assert typed + offer.text == ghost
        assert offer.typed == len(typed)
    else:
        assert offers == []


def test_backspace_brings_it_back() -> None:
    """Nothing was tracked, so nothing was forgotten."""
    doc, recall = document("x = "), Recall()
    recall.remember(doc.cursor_at(4), [suggestion("foo()")])
    type_at(doc, 4, "fx")
    assert recall.offers(doc, doc.cursor_at(6)) == []
    type_at(doc, 6, "", erased=1)
    assert [offer.text for offer in recall.offers(doc, doc.cursor_at(5))] == ["oo()"]


def test_text_around_must_be_the_same() -> None:
    """Before, after, and the place itself."""
    doc, recall = document("ab|cd"), Recall()
    recall.remember(doc.cursor_at(3), [suggestion("foo")])
    type_at(doc, 1, "!")
    assert recall.offers(doc, doc.cursor_at(4)) == []
    type_at(doc, 2, "", erased=1)
    type_at(doc, 5, "!")
    assert recall.offers(doc, doc.cursor_at(3)) == []
    assert recall.offers(doc, doc.cursor_at(1)) == []


def test_the_newest_that_fits_and_its_alternatives() -> None:
    """Best first; those typed against drop out; empty answers and old ones are not kept."""
    doc, recall = document(""), Recall()
    cursor = doc.cursor_at(0)
    recall.remember(cursor, [suggestion("old", 1)])
    recall.remember(cursor, [suggestion("ab", 2), suggestion("ac", 3), suggestion("b", 4)])
    recall.remember(cursor, [])
    type_at(doc, 0, "a")
    assert [offer.suggestion.id for offer in recall.offers(doc, doc.cursor_at(1))] == [2, 3]
    type_at(doc, 1, "o", erased=1)
    assert [offer.suggestion.id for offer in recall.offers(doc, doc.cursor_at(1))] == [1]
    for number in range(REMEMBERED_ANSWERS):
        recall.remember(cursor, [suggestion("z", number)])
    assert recall.offers(doc, doc.cursor_at(1)) == []


ALIKE = (suggestion("foo(1)", 1), suggestion("four(2)", 2), suggestion("bar", 3))
"""An answer to "x = ", of which the second is shown in the tests below; the user has typed "f"."""


@pytest.mark.parametrize(
    ("newer", "expected"),
    [
        ([], [(2, "our(2)"), (1, "oo(1)")]),
        ([suggestion("oo(1)", 4), suggestion("our(2)", 5)], [(5, "our(2)"), (4, "oo(1)")]),
        ([suggestion("oo(1)", 4), suggestion("our(2)\n", 5)], [(5, "our(2)\n"), (4, "oo(1)")]),
        ([suggestion("our", 4), suggestion("i", 5)], [(2, "our(2)"), (5, "i")]),
        ([suggestion("our( 2 )", 4), suggestion("i", 5)], [(2, "our(2)"), (5, "i")]),
        ([suggestion("oo(1)", 4)], [(2, "our(2)"), (4, "oo(1)")]),
    ],
    ids=["of the same answer", "said again", "more of it", "less of it", "in other blanks", "not said again"],
)
def test_ux_21_what_is_shown_comes_first(newer: list[Suggestion], expected: list[tuple[int, str]]) -> None:
    """Whatever was answered since, where the user has typed along it."""
    doc, recall = document("x = "), Recall()
    recall.remember(doc.cursor_at(4), ALIKE)
    recall.show(2)
    type_at(doc, 4, "f")
    recall.remember(doc.cursor_at(5), newer)
    offers = recall.offers(doc, doc.cursor_at(5))
    assert [(one.suggestion.id, one.text) for one in offers] == expected


def test_what_is_shown_no_longer_leads_where_it_does_not_fit() -> None:
    """Typed against, withdrawn, or unknown."""
    doc, recall = document("x = "), Recall()

    def first(offset: int) -> int:
        return recall.offers(doc, doc.cursor_at(offset))[0].suggestion.id

    recall.remember(doc.cursor_at(4), ALIKE)
    recall.show(99)
    assert first(4) == 1
    recall.show(2)
    type_at(doc, 4, "foo")
    assert first(7) == 1
    type_at(doc, 7, "", erased=1)
    assert first(6) == 2
    assert recall.update(SuggestionUpdate(U, 3, 6, "withdrawn", suggestion("", 2)))
    assert first(6) == 1


def test_verified_part_of_what_is_left() -> None:
    """Never negative, never more than the text."""
    assert Offer(suggestion("abcd", verified=3), typed=1).verified == 2
    assert Offer(suggestion("abcd", verified=1), typed=2).verified == 0
    assert Offer(suggestion("abcd", verified=9)).verified == 4


def test_updates() -> None:
    """Relative to where the user is by now; unknown ones and impossible places say so."""
    doc, recall = document("x"), Recall()
    recall.remember(doc.cursor_at(1), [suggestion("abc", 1), suggestion("abz", 2)])
    type_at(doc, 1, "ab")

    def update(kind: str, offset: int, text: str, identifier: int = 1, verified: int = 0) -> bool:
        new = suggestion(text, identifier, verified)
        return recall.update(SuggestionUpdate(U, 2, offset, kind, new))  # type: ignore[arg-type]

    assert update("extended", 3, "cde", verified=1)
    first, second = recall.offers(doc, doc.cursor_at(3))
    assert (first.text, first.verified, second.text) == ("cde", 1, "z")
    assert update("withdrawn", 3, "", 2)
    assert [offer.suggestion.id for offer in recall.offers(doc, doc.cursor_at(3))] == [1]
    assert not update("extended", 9, "far away")
    assert not update("extended", 0, "before it")
    assert not update("extended", 3, "unknown", 99)


@pytest.mark.parametrize(
    ("before", "beyond", "taken_back"),
    [(0, 0, 0), (0, 2, 0), (1, 0, 1), (1, 2, 1), (2, 2, 4)],
    ids=["draft", "draft, then verified", "begun", "begun, then verified", "verified"],
)
def test_ux_17_what_is_typed_of_a_draft_is_not_verified(before: int, beyond: int, taken_back: int) -> None:
    """News of the rest says nothing of it: when it is taken back, it is the target's only as far as it was before."""
    doc, recall = document("x"), Recall()
    recall.remember(doc.cursor_at(1), [suggestion("abc", 1, before)])
    type_at(doc, 1, "ab")
    for more in ("cd", "cde"):
        recall.update(SuggestionUpdate(U, 2, 3, "extended", suggestion(more, 1, beyond)))
    assert recall.offers(doc, doc.cursor_at(3))[0].verified == beyond
    type_at(doc, 3, "", erased=2)
    (offer,) = recall.offers(doc, doc.cursor_at(1))
    assert (offer.text, offer.verified) == ("abcde", taken_back)


def test_an_answer_from_memory_takes_no_time() -> None:
    """Under 2 ms in a large file (the best of many: machines are noisy)."""
    doc, recall = document("x = 1\n" * 50_000), Recall()
    offset = 6 * 25_000
    recall.remember(doc.cursor_at(offset), [suggestion("y = 2\nz = 3")])
    type_at(doc, offset, "y")
    costs = []
    for _ in range(20):
        start = time.perf_counter()
        assert recall.offers(doc, doc.cursor_at(offset + 1))
        costs.append(time.perf_counter() - start)
    assert min(costs) < 0.002
