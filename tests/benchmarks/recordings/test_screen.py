"""Cells with their colours, from the events that Neovim sends."""

from __future__ import annotations

from benchmarks.recordings.screen import Cell, Screen, Style

RESIZE = ["grid_resize", [1, 4, 2]]
COLOURS = ["default_colors_set", [0xEEEEEE, 0x111111, 0, 0, 0]]


def drawn(*events: list[object]) -> Screen:
    screen = Screen()
    screen.redraw([RESIZE, COLOURS, *events, ["flush", []]])
    return screen


def test_a_cell_has_the_colours_of_its_highlight_and_else_the_editors() -> None:
    screen = drawn(
        ["hl_attr_define", [7, {"foreground": 0x00FF00, "bold": True}, {}, []]],
        ["grid_line", [1, 0, 0, [["a", 7], ["b", 0, 2]], False]],
    )
    plain = Style(0xEEEEEE, 0x111111)
    green = Style(0x00FF00, 0x111111, is_bold=True)
    assert screen.snapshot().rows[0] == (Cell("a", green), *[Cell("b", plain)] * 2, Cell(" ", plain))
    assert screen.text == "abb \n    "


def test_reverse_exchanges_ink_and_paper() -> None:
    screen = drawn(
        ["hl_attr_define", [3, {"background": 0x0000FF, "reverse": True}, {}, []]],
        ["grid_line", [1, 1, 0, [["x", 3]], False]],
    )
    assert screen.snapshot().rows[1][0].style == Style(0x0000FF, 0xEEEEEE)


def test_the_cursor_is_a_bar_while_text_is_inserted() -> None:
    screen = drawn(["grid_cursor_goto", [1, 1, 2]], ["mode_change", ["insert", 1]])
    assert (screen.snapshot().cursor, screen.snapshot().is_inserting) == ((1, 2), True)
    screen.redraw([["mode_change", ["normal", 0]]])
    assert not screen.snapshot().is_inserting


def test_a_snapshot_stays_as_it_was() -> None:
    screen = drawn()
    before = screen.snapshot()
    screen.redraw([["grid_line", [1, 0, 0, [["z", 0]], False]]])
    assert before.rows[0][0].text == " "
    assert screen.snapshot() != before
