"""Holes of whole lines, keys that bring a line's indentation, and how much stands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.typing.manuscript import Hole, Manuscript, holes_of, keys_for, next_key

FILE = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(20))


@pytest.mark.parametrize(
    ("rest", "key"),
    [("abc", "a"), ("\n    x", "\n    "), ("\n\n    x", "\n"), ("\n", "\n"), ("\n   ", "\n"), (" x", " ")],
)
def test_a_key_is_a_character_or_a_line_with_its_indentation(rest: str, key: str) -> None:
    assert next_key(rest) == key


@pytest.mark.parametrize(("characters", "keys"), [(0, 0), (1, 1), (2, 2), (3, 3), (7, 3), (8, 4), (99, 7)])
def test_keys_of_the_beginning_of_a_text(characters: int, keys: int) -> None:
    """A line's indentation comes with its key, also where the beginning ends before it does."""
    assert keys_for("a:\n    b\n\nc", characters) == keys


@pytest.mark.parametrize("seed", range(20))
def test_holes_are_whole_lines_apart_from_each_other(seed: int) -> None:
    holes = holes_of(FILE, 100, Random(seed))
    assert len(holes) == 2
    assert holes[0].end < holes[1].start
    for hole in holes:
        line = FILE.rfind("\n", 0, hole.start) + 1
        assert FILE[line : hole.start].strip() == ""
        assert not FILE[hole.start].isspace()
        assert FILE[hole.end] == "\n"
    assert holes[0].end - holes[0].start >= 100


@pytest.mark.parametrize(("text", "count"), [("", 0), (" \n\n", 0), ("one line", 1), ("a\nb\nc\n", 1)])
def test_short_files_are_cut_at_their_end_alone(text: str, count: int) -> None:
    holes = holes_of(text, 100, Random(1))
    assert len(holes) == count
    assert all(hole.end == len(text.rstrip()) for hole in holes)


def test_a_manuscript_grows_where_the_typist_is() -> None:
    manuscript = Manuscript("abcdefghij", [Hole(2, 4), Hole(6, 9)])
    assert (manuscript.opened, manuscript.cursor, manuscript.rest) == ("abefj", 2, "cd")
    manuscript.advance(1)
    assert (manuscript.opened, manuscript.cursor, manuscript.rest) == ("abcefj", 3, "d")
    assert manuscript.others() == [1]
    manuscript.current = 1
    assert (manuscript.position, manuscript.cursor, manuscript.rest) == (6, 5, "ghi")
    manuscript.advance(3)
    assert (manuscript.opened, manuscript.rest, manuscript.others()) == ("abcefghij", "", [0])


@given(st.text("ab \n", max_size=80), st.integers(1, 40), st.integers())
def test_typing_all_of_it_gives_the_file(text: str, characters: int, seed: int) -> None:
    manuscript = Manuscript(text, holes_of(text, characters, Random(seed)))
    for current in range(2):
        if manuscript.opened == text:
            break
        manuscript.current = current
        while manuscript.rest:
            manuscript.advance(len(next_key(manuscript.rest)))
    assert manuscript.opened == text
