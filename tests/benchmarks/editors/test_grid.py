"""A screen that is kept by Neovim's redraw events."""

from __future__ import annotations

from typing import Any

from benchmarks.editors.grid import GHOST_COLOUR, Grid

GHOST, OTHER = 7, 8
RESIZE = ["grid_resize", [1, 10, 4]]
DEFINE = [
    "hl_attr_define",
    [GHOST, {"foreground": GHOST_COLOUR}, {}, []],
    [OTHER, {"foreground": 0xFFFFFF}, {}, []],
]


def line(row: int, *cells: Any, column: int = 0) -> list[Any]:
    return ["grid_line", [1, row, column, list(cells), False]]


def cursor(row: int, column: int) -> list[Any]:
    return ["grid_cursor_goto", [1, row, column]]


def grid(*events: Any) -> Grid:
    made = Grid()
    made.redraw([RESIZE, DEFINE, *events])
    return made


def test_only_a_flush_ends_a_frame() -> None:
    screen = Grid()
    assert not screen.redraw([RESIZE])
    assert screen.redraw([line(0, ["a"]), ["flush", []]])


def test_the_line_is_what_stands_before_the_cursor_and_the_ghost_text_behind_it() -> None:
    screen = grid(
        line(0, ["x", OTHER], [" "], ["=", 0], [" ", 0], ["1", GHOST], ["2"], [" ", 0, 4]), cursor(0, 4)
    )
    assert screen.line == "x = "
    assert screen.ghost == "12"


def test_ghost_text_goes_on_below_until_a_row_of_the_buffer() -> None:
    events = [
        line(0, ["f", 0]),
        line(1, [" ", GHOST, 2], ["y"]),
        line(2, [" ", GHOST]),
        line(3, ["b", 0]),
        cursor(0, 1),
    ]
    assert grid(*events).ghost == "\n  y\n "


def test_without_ghost_text_there_is_none() -> None:
    assert grid(line(0, ["a", OTHER], ["b"]), cursor(0, 1)).ghost == ""


def test_rows_scroll_up_and_down() -> None:
    rows = [line(row, [letter, 0]) for row, letter in enumerate("abcd")]
    up = grid(*rows, ["grid_scroll", [1, 0, 4, 0, 10, 1, 0]], cursor(0, 1))
    assert up.line == "b"
    down = grid(*rows, ["grid_scroll", [1, 0, 4, 0, 10, -1, 0]], cursor(3, 1))
    assert down.line == "c"


def test_a_cleared_screen_is_blank_and_a_highlight_may_be_defined_anew() -> None:
    screen = grid(line(0, ["a", GHOST]), ["hl_attr_define", [GHOST, {}, {}, []]], cursor(0, 0))
    assert screen.ghost == ""
    screen.redraw([["grid_clear", [1]], cursor(0, 3)])
    assert screen.line == "   "
