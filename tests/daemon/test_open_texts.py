"""Which texts are around a place, in which order, and how much of them."""

from __future__ import annotations

from daemon.api.messages import Edit
from daemon.documents import Document, Place
from daemon.open_texts import (
    AFTER,
    BEFORE,
    LONGEST_REMOVED,
    MOST_OTHERS,
    MOST_REMOVED,
    OF_OTHERS,
    SHORTEST_REMOVED,
    OpenTexts,
)


def place(name: str, text: str, offset: int) -> Place:
    return Place(Document(name, "python", 1, text), offset)


def test_before_after_and_the_others_last_visited_first() -> None:
    texts = OpenTexts()
    for name in "abcdefg":
        texts.visited(place(name, f"text of {name}", 0))
    texts.visited(place("b", "text of b, edited", 3))
    here = place("g", "before|after", 7)
    others = ["text of b, edited", "text of f", "text of e", "text of d"]
    assert texts.around(here) == ["before|", "after", *others]
    assert len(others) == MOST_OTHERS


def test_a_document_that_is_closed_is_gone() -> None:
    texts = OpenTexts()
    texts.visited(place("a", "text of a", 0))
    texts.closed("a")
    texts.closed("never opened")
    assert texts.around(place("b", "x", 1)) == ["x", ""]


def test_what_was_cut_is_around_the_last_first() -> None:
    texts = OpenTexts()
    document = Document("a", "python", 1, "x" * SHORTEST_REMOVED + "y" * LONGEST_REMOVED * 2)
    texts.edited(document, [Edit(0, SHORTEST_REMOVED, "")])
    texts.edited(document, [Edit(SHORTEST_REMOVED, len(document.text), "")])
    around = texts.around(place("a", "", 0))
    assert around == ["", "y" * LONGEST_REMOVED, "x" * SHORTEST_REMOVED, ""]
    for _ in range(MOST_REMOVED + 3):
        texts.edited(document, [Edit(0, SHORTEST_REMOVED, "")])
    assert len(texts.around(place("a", "", 0))) == 2 + MOST_REMOVED


def test_backspaces_and_replacements_take_nothing_away_that_is_worth_it() -> None:
    texts = OpenTexts()
    document = Document("a", "python", 1, "some text that is long enough")
    texts.edited(document, [Edit(0, SHORTEST_REMOVED - 1, "")])
    texts.edited(document, [Edit(0, 20, "some text that is l")])
    texts.edited(document, [Edit(0, 20, ""), Edit(0, 9, "")])
    texts.edited(document, [])
    assert texts.around(place("a", "", 0)) == ["", ""]


def test_of_large_documents_what_is_near() -> None:
    texts = OpenTexts()
    large = "".join(chr(0x4E00 + n % 5000) for n in range(4 * BEFORE))
    texts.visited(place("b", large, 2 * BEFORE))
    before, after, other = texts.around(place("a", large, 2 * BEFORE))
    assert before == large[BEFORE : 2 * BEFORE]
    assert after == large[2 * BEFORE : 2 * BEFORE + AFTER]
    assert other == large[2 * BEFORE - OF_OTHERS // 2 : 2 * BEFORE + OF_OTHERS // 2]


def test_what_is_known_of_matches_is_kept_by_language() -> None:
    texts = OpenTexts()
    assert texts.trust("go") is texts.trust("go")
    assert texts.trust("go") is not texts.trust("python")
