"""A screen as a picture: where which colours are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image

from benchmarks.recordings.picture import Painter
from benchmarks.recordings.screen import Cell, Snapshot, Style

PLAIN = Style(0xFFFFFF, 0x000000)
PAPER, INK, RED = (0, 0, 0), (255, 255, 255), (255, 0, 0)


def snapshot(*rows: Sequence[Cell], cursor: tuple[int, int] = (0, 0), is_inserting: bool = False) -> Snapshot:
    return Snapshot(tuple(map(tuple, rows)), cursor, is_inserting)


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter(20)


def colours(picture: Image.Image, row: int, column: int, columns: int) -> set[object]:
    """Those of a cell: of letters 12 px wide and 26 px high, 12 px from the edges."""
    left, top = 12 + column * 12, 12 + row * 26
    assert picture.width == 24 + columns * 12
    found = picture.crop((left, top, left + 12, top + 26)).getcolors(1000)
    assert found is not None
    return {colour for _, colour in found}


def test_a_cell_has_its_background_and_its_letter_in_its_colour(painter: Painter) -> None:
    row = [Cell(" ", PLAIN), Cell("#", Style(0xFF0000, 0x00FF00)), Cell(" ", Style(0xFFFFFF, 0x0000FF))]
    picture = painter.paint(snapshot(row, [Cell(" ", PLAIN)] * 3))
    assert {RED, (0, 255, 0)} <= colours(picture, 0, 1, 3)
    assert colours(picture, 0, 2, 3) == {(0, 0, 255)}
    assert colours(picture, 1, 1, 3) == {PAPER}
    assert picture.getpixel((0, 0)) == PAPER


def test_the_cursor_covers_a_cell_or_stands_before_it(painter: Painter) -> None:
    row = [Cell(" ", PLAIN), Cell(" ", PLAIN)]
    block = painter.paint(snapshot(row, cursor=(0, 1)))
    assert colours(block, 0, 0, 2) == {PAPER}
    assert colours(block, 0, 1, 2) == {INK}
    bar = painter.paint(snapshot(row, cursor=(0, 1), is_inserting=True))
    assert colours(bar, 0, 1, 2) == {PAPER, INK}


def test_a_letter_under_the_block_is_seen(painter: Painter) -> None:
    picture = painter.paint(snapshot([Cell("#", PLAIN)]))
    assert {PAPER, INK} <= colours(picture, 0, 0, 1)


def test_the_caption_is_below_and_changes_no_size(painter: Painter) -> None:
    screen = snapshot([Cell(" ", PLAIN)] * 20)
    with_words, without = painter.paint(screen, "what is seen"), painter.paint(screen)
    assert with_words.size == without.size
    height = 12 + 26 + 12
    assert with_words.crop((0, 0, 264, height)) == without.crop((0, 0, 264, height))
    assert with_words != without
