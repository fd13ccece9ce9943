"""Where the demonstration types in a file of the user's."""

from __future__ import annotations

import pytest

from draftwire.demo.places import TYPED, Places, places_in
from draftwire.demo.script import Passage

LINES = "".join(f"order {number} of 苹果;\n    and more {number};\n" for number in range(20))


def chosen(
    text: str, *, count: int = 4, seed: int = 1, keeps: bool = True, boundaries: tuple[str, ...] = (";", "\n")
) -> list[Passage]:
    return list(found_in(text, count=count, seed=seed, keeps=keeps, boundaries=boundaries).passages)


def found_in(
    text: str, *, count: int = 4, seed: int = 1, keeps: bool = True, boundaries: tuple[str, ...] = (";", "\n")
) -> Places:
    return places_in(text, boundaries, ("--",), count=count, seed=seed, keeps=lambda _: keeps)


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


@pytest.mark.parametrize("text", ["", "\n\n", "-- only a comment here\n" * 5, "a\n}\n"])
def test_a_text_without_statements_has_no_places(text: str) -> None:
    assert chosen(text) == []


def test_a_short_file_is_typed_in_its_first_half_too() -> None:
    text = "one line;\nanother line;\nlast one of all lines here;\n"
    assert [one.before for one in chosen(text)] == ["one line;\n", "one line;\nanother line;\n"]


def test_statements_without_which_the_file_is_no_good_are_left_out_if_there_are_others() -> None:
    places = places_in(
        LINES, (";",), ("--",), count=6, seed=1, keeps=lambda text: "order 15" in text and "order 18" in text
    )
    assert places.can_be_left_out
    assert len(places.passages) == 6
    typed = {LINES[len(one.before) : len(LINES) - len(one.after)] for one in places.passages}
    assert not any(statement.startswith(("order 15", "order 18")) for statement in typed)


def test_where_there_are_no_others_they_are_typed() -> None:
    places = found_in(LINES, keeps=False)
    assert (len(places.passages), places.can_be_left_out) == (4, False)
    assert all(len(one.before) >= len(LINES) // 2 for one in places.passages)


@pytest.mark.parametrize(
    ("text", "befores"),
    [
        ("ab\n" * 3, ["", "ab\n", "ab\nab\n"]),
        ("- a: 1\n}\n", [""]),
        ("SELECT one FROM line", [""]),
    ],
)
def test_short_lines_signs_and_a_first_line_are_better_than_none(text: str, befores: list[str]) -> None:
    places = found_in(text)
    assert [one.before for one in places.passages] == befores
    assert all(one.typed for one in places.passages)


def test_a_large_file_is_not_judged_again_and_again() -> None:
    asked: list[int] = []

    def keeps(text: str) -> bool:
        asked.append(len(text))
        return False

    places = places_in("some order;\n" * 100_000, (";",), (), count=3, seed=1, keeps=keeps)
    assert len(places.passages) == 3
    assert sum(asked) < 15_000_000
