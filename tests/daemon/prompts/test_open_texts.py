"""Which texts are around a place, in which order, and how much of them."""

from __future__ import annotations

import pytest

from daemon.api.messages import Edit
from daemon.documents import Document, Place
from daemon.prompts.open_texts import (
    AFTER,
    BEFORE,
    LONGEST_REMOVED,
    MOST_OTHERS,
    MOST_REMOVED,
    MOST_SPOTS,
    OF_OTHERS,
    SHORTEST_REMOVED,
    SPOT_REACH,
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
    others = ["", "t of b, edited", "", "text of f", "", "text of e", "", "text of d"]
    assert texts.around(here) == ["before|", "after", *others]
    assert len(others) == 2 * MOST_OTHERS


@pytest.mark.parametrize(
    ("before", "finished"),
    [
        ("    return se", "    return "),
        ("    return self\n", "    return self\n"),
        ("half", ""),
        ("", ""),
        ("x = 値", "x = 値"),
    ],
    ids=["a word begun", "a line", "the first word", "nothing", "CJK"],
)
def test_what_is_being_typed_elsewhere_is_not_around(before: str, finished: str) -> None:
    """A draft along it would end in the same half of a word, and go on with what only happens to stand behind."""
    texts = OpenTexts()
    texts.visited(place("b", f"{before}\ndef other(): ...\n", len(before)))
    assert texts.around(place("a", "x", 1)) == ["x", "", finished, "\ndef other(): ...\n"]


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
    before, after, *other = texts.around(place("a", large, 2 * BEFORE))
    assert before == large[BEFORE : 2 * BEFORE]
    assert after == large[2 * BEFORE : 2 * BEFORE + AFTER]
    assert other == [
        large[2 * BEFORE - OF_OTHERS // 2 : 2 * BEFORE],
        large[2 * BEFORE : 2 * BEFORE + OF_OTHERS // 2],
    ]


def test_what_is_known_of_matches_is_kept_by_language() -> None:
    texts = OpenTexts()
    assert texts.trust("go") is texts.trust("go")
    assert texts.trust("go") is not texts.trust("python")


def test_beside_a_document_is_what_is_around_the_places_in_the_others() -> None:
    texts = OpenTexts()
    texts.visited(place("a", "text of a", 2))
    texts.visited(place("b", "text of b", 3))
    [found] = texts.beside("b")
    assert (found.document.name, found.start, found.text, found.spots) == ("a", 0, "text of a", (2,))
    assert [one.document.name for one in texts.beside("c")] == ["b", "a"]
    texts.closed("a")
    assert texts.beside("b") == []


def test_beside_a_document_are_few_others_and_of_large_ones_whole_lines_that_are_near() -> None:
    texts = OpenTexts()
    large = "0123456789\n" * OF_OTHERS
    texts.visited(place("a", large, len(large) // 2))
    for name in "bcdef":
        texts.visited(place(name, "", 0))
    assert len(texts.beside("f")) == MOST_OTHERS
    texts.visited(place("a", large, len(large) // 2))
    [found, *_] = texts.beside("f")
    assert found.text.startswith("0123456789\n")
    assert len(found.text) == OF_OTHERS
    assert [found.start + spot for spot in found.spots] == [len(large) // 2]


def test_places_that_are_near_are_one_and_the_last_few_are_remembered() -> None:
    texts = OpenTexts()
    text = "x" * 20 * SPOT_REACH
    for offset in (0, SPOT_REACH, *(SPOT_REACH * 3 * step for step in range(1, MOST_SPOTS + 1))):
        texts.visited(place("a", text, offset))
    assert texts._spots["a"] == [SPOT_REACH * 3 * step for step in range(1, MOST_SPOTS + 1)]


def test_going_elsewhere_is_counted_and_typing_on_is_not() -> None:
    texts = OpenTexts()
    text = "x" * 9 * SPOT_REACH
    for name, offset, moves in [
        ("a", 0, 1),
        ("a", 1, 1),
        ("a", 2 + SPOT_REACH, 2),
        ("b", 0, 3),
        ("a", 2 + SPOT_REACH, 4),
        ("b", 0, 5),
    ]:
        texts.visited(place(name, text, offset))
        assert texts.moves == moves


def test_places_move_with_the_text_before_them() -> None:
    texts = OpenTexts()
    document = Document("a", "python", 1, "0123456789")
    texts.visited(place("a", document.text, 5))
    for edits, spot in [
        ([Edit(0, 0, "abc")], 8),
        ([Edit(8, 8, "xy")], 10),
        ([Edit(11, 12, "")], 10),
        ([Edit(0, 1, ""), Edit(0, 2, "z")], 8),
        ([Edit(6, 9, "")], 6),
    ]:
        texts.edited(document, edits)
        assert texts._spots["a"] == [spot]
