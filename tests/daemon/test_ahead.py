"""Places behind suggestions: where they are, and which places lead there."""

from __future__ import annotations

import pytest

from daemon.ahead import leads_to, place_behind
from daemon.documents import Document, Place


def at(marked: str) -> Place:
    """The place of the | in a text."""
    return Place(Document("file:///f", "python", 1, marked.replace("|", "")), marked.index("|"))


@pytest.mark.parametrize(
    ("before", "text", "behind"),
    [
        ("a = |", "1", "a = 1|"),
        ("f(|)\nrest", "x, y", "f(x, y|)\nrest"),
        ("def f():|", "\n    你好🤗\n", "def f():\n    你好🤗\n|"),
        ("|b", "a ", "a |b"),
        ("a |b", "c", None),
        ("a|", "", None),
    ],
)
def test_the_place_behind_a_text(before: str, text: str, behind: str | None) -> None:
    """None where nothing could be shown: in the middle of a word, or behind nothing."""
    found = place_behind(at(before), text)
    if behind is None:
        assert found is None
    else:
        assert found is not None
        assert (found.document.text, found.offset) == (at(behind).document.text, at(behind).offset)
        assert found.document.n_bytes == at(behind).document.n_bytes


@pytest.mark.parametrize(
    ("place", "leads", "text"),
    [
        ("a = |\nrest", True, "b + c"),
        ("a = b|\nrest", True, " + c"),
        ("a = b + c|\nrest", True, ""),
        ("a = b + c |\nrest", False, None),
        ("a = x|\nrest", False, None),
        ("a = |\nother", False, None),
        ("a =| b\nrest", False, None),
    ],
)
def test_which_places_lead_behind_a_text(place: str, leads: bool, text: str | None) -> None:
    """Those that typing the rest of it takes there."""
    behind = place_behind(at("a = |\nrest"), "b + c")
    assert behind is not None
    assert leads_to(at(place), behind) == leads
    if text is not None:
        assert leads_to(at(place), behind, text)
        assert not leads_to(at(place), behind, text + "!")
