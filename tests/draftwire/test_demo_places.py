"""Where the demonstration types in a file of the user's."""

from __future__ import annotations

import pytest

from draftwire.demo.places import TYPED, passages_of
from draftwire.demo.script import Passage

LINES = "".join(f"order {number} of 苹果;\n    and more {number};\n" for number in range(20))


def chosen(
    text: str, *, count: int = 4, seed: int = 1, keeps: bool = True, boundaries: tuple[str, ...] = (";", "\n")
) -> list[Passage]:
    return passages_of(text, boundaries, ("--",), count=count, seed=seed, keeps=lambda _: keeps)


def test_a_passage_is_a_statement_of_the_second_half_taken_out_and_begun() -> None:
    found = chosen(LINES)
    assert len(found) == 4
    for passage in found:
        assert len(passage.before) >= len(LINES) // 2
        assert LINES.startswith(passage.before + passage.typed)
        assert LINES.endswith(passage.after)
        assert passage.after.startswith("\n")
        assert 0 < len(passage.typed) <= TYPED
        assert passage.before.rstrip(" ").endswith("\n")
    assert [len(one.before) for one in found] == sorted(len(one.before) for one in found)


def test_the_same_seed_gives_the_same_places() -> None:
    assert chosen(LINES) == chosen(LINES)
    assert any(chosen(LINES) != chosen(LINES, seed=seed) for seed in range(2, 6))


def test_lines_after_a_visible_boundary_go_before_others() -> None:
    text = "head\n" * 10 + "first,\nsecond part\nthird one;\nfourth one\n" * 5
    [passage] = chosen(text, count=1)
    assert passage.before.endswith(";\n")


@pytest.mark.parametrize("text", ["", "\n\n", "-- only a comment here\n" * 5, "ab\n" * 5, "(((((((\n" * 5])
def test_a_text_without_statements_has_no_places(text: str) -> None:
    assert chosen(text) == []


def test_a_short_file_is_typed_in_its_first_half_too() -> None:
    text = "one line;\nanother line;\nlast one of all lines here;\n"
    assert [one.before for one in chosen(text)] == ["one line;\n", "one line;\nanother line;\n"]


def test_places_without_which_the_file_is_no_good_are_left_out() -> None:
    assert chosen(LINES, keeps=False) == []
