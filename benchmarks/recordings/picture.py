"""One screen of a terminal as a picture, with a line below it that says what is seen. Pure, but for the font's file."""

from __future__ import annotations

import io
from importlib.resources import files

from PIL import Image, ImageDraw, ImageFont

from benchmarks.recordings.screen import Colour, Snapshot

_FONT = files("fontpkg_jetbrains_mono") / "files" / "JetBrainsMono[wght].ttf"
"""JetBrains Mono, under the SIL Open Font License 1.1."""
_LINE_HEIGHT = 1.3
"""Of a row / the font's size."""
_BASELINE = 0.77
"""From the top of a row / the row's height."""
_MARGIN = 0.6
"""Around the screen / the font's size."""
_CAPTION_PAPER, _CAPTION_INK = (0xE0, 0xE2, 0xEA), (0x14, 0x16, 0x1B)


class Painter:
    """Paints screens with letters of one size, in pixels: those of one size to pictures of one size."""

    def __init__(self, size: int) -> None:
        self._regular, self._bold = _font(size, "Regular"), _font(size, "Bold")
        self._width = self._regular.getlength("m")
        self._height = round(size * _LINE_HEIGHT)
        self._margin = round(size * _MARGIN)

    def paint(self, screen: Snapshot, caption: str = "") -> Image.Image:
        """RGB. The last cell is taken to have the editor's plain colours."""
        plain = screen.rows[-1][-1].style
        columns, rows = len(screen.rows[0]), len(screen.rows)
        right, bottom = self._corner(rows, columns)
        size = (right + self._margin, bottom + self._margin + 2 * self._height)
        image = Image.new("RGB", size, _rgb(plain.background))
        draw = ImageDraw.Draw(image)
        for row, cells in enumerate(screen.rows):
            for column, cell in enumerate(cells):
                draw.rectangle(self._box(row, column), _rgb(cell.style.background))
        self._paint_cursor(draw, screen, _rgb(plain.foreground))
        for row, cells in enumerate(screen.rows):
            for column, cell in enumerate(cells):
                is_covered = (row, column) == screen.cursor and not screen.is_inserting
                ink = cell.style.background if is_covered else cell.style.foreground
                font = self._bold if cell.style.is_bold else self._regular
                self._write(draw, self._corner(row, column), cell.text, _rgb(ink), font)
        top = bottom + self._margin
        draw.rectangle((0, top, *size), _CAPTION_PAPER)
        place = (self._margin, top + self._height // 2)
        self._write(draw, place, caption, _CAPTION_INK, self._regular)
        return image

    def _write(
        self,
        draw: ImageDraw.ImageDraw,
        corner: tuple[int, int],
        text: str,
        ink: tuple[int, int, int],
        font: ImageFont.FreeTypeFont,
    ) -> None:
        left, top = corner
        if text.strip():
            draw.text((left, top + round(self._height * _BASELINE)), text, ink, font, anchor="ls")

    def _paint_cursor(self, draw: ImageDraw.ImageDraw, screen: Snapshot, ink: tuple[int, int, int]) -> None:
        left, top, right, bottom = self._box(*screen.cursor)
        if screen.is_inserting:
            right = left + max(self._margin // 6, 1)
        draw.rectangle((left, top, right, bottom), ink)

    def _corner(self, row: int, column: int) -> tuple[int, int]:
        """Where a cell begins: left and top."""
        return self._margin + round(column * self._width), self._margin + row * self._height

    def _box(self, row: int, column: int) -> tuple[int, int, int, int]:
        right, bottom = self._corner(row + 1, column + 1)
        return (*self._corner(row, column), right - 1, bottom - 1)


def _font(size: int, weight: str) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(io.BytesIO(_FONT.read_bytes()), size)
    font.set_variation_by_name(weight)
    return font


def _rgb(colour: Colour) -> tuple[int, int, int]:
    return colour >> 16, colour >> 8 & 0xFF, colour & 0xFF
