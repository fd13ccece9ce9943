"""What is typed is the manuscript's part as it stands, and each stroke knows the line that it leaves."""

from __future__ import annotations

import pytest

from benchmarks.editors.strokes import Stroke, line_and_column, line_before, strokes_of
from benchmarks.typing.manuscript import Hole, Manuscript
from benchmarks.typing.rhythm import Pauses

TEXT = "def one():\n    two = 2\n    return two\nend\n"
START = TEXT.index("two = 2")
END = TEXT.index("\nend")


def typed(count: int, seed: str = "1") -> list[Stroke]:
    return strokes_of(Manuscript(TEXT, [Hole(START, END)]), count, Pauses(1.0), seed)


def test_all_of_the_part_is_typed_in_order() -> None:
    strokes = typed(1000)
    assert "".join(stroke.text for stroke in strokes) == TEXT[START:END]
    assert [stroke.line for stroke in strokes[:3]] == ["    t", "    tw", "    two"]
    assert strokes[-1].line == "    return two"


def test_a_new_line_comes_with_its_indentation_and_has_no_one_moment() -> None:
    new_line = next(stroke for stroke in typed(1000) if stroke.text.startswith("\n"))
    assert (new_line.text, new_line.line, new_line.is_one_event) == ("\n    ", "    ", False)


@pytest.mark.parametrize(
    ("text", "is_one"), [("a", True), ("\n", True), (" ", True), ("é", False), ("\n ", False)]
)
def test_what_one_press_brings_is_one_event(text: str, is_one: bool) -> None:
    assert Stroke(0.1, text, text).is_one_event == is_one


def test_no_more_keys_than_wanted_and_the_same_for_the_same_seed() -> None:
    assert len(typed(5)) == 5
    assert typed(9) == typed(9)
    assert [stroke.wait_s for stroke in typed(9)] != [stroke.wait_s for stroke in typed(9, "2")]


def test_where_an_offset_is() -> None:
    assert line_before(TEXT, START) == "    "
    assert line_and_column(TEXT, START) == (1, 4)
    assert line_and_column(TEXT, 0) == (0, 0)
