"""What Neovim draws, with its colours, as values. Pure; knows cells, not fonts or pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.editors.grid import Grid

Colour = int
"""0xRRGGBB."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell looks."""

    foreground: Colour = 0xFFFFFF
    background: Colour = 0x000000
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; the second of a double-width character has no text."""

    text: str = " "
    style: Style = Style()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A screen at one moment. `rows`: shape [rows][columns]."""

    rows: tuple[tuple[Cell, ...], ...]
    cursor: tuple[int, int]
    """Row and column, from 0."""
    is_inserting: bool
    """The cursor is a bar between characters, not a block on one."""


class Screen(Grid):
    """A grid that knows its colours, and the mode that shapes the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self._default = Style()
        self._highlights: dict[int, Mapping[str, Any]] = {}
        self._mode = "normal"

    def snapshot(self) -> Snapshot:
        """The screen now."""
        styles = {number: self._style(number) for row in self._cells for _, number in row}
        rows = tuple(tuple(Cell(text, styles[number]) for text, number in row) for row in self._cells)
        return Snapshot(rows, self._cursor, self._mode.startswith("insert"))

    @property
    def text(self) -> str:
        """Its rows, a line each."""
        return "\n".join("".join(text for text, _ in row) for row in self._cells)

    def _style(self, number: int) -> Style:
        known = self._highlights.get(number, {})
        style = replace(
            self._default,
            foreground=known.get("foreground", self._default.foreground),
            background=known.get("background", self._default.background),
            is_bold=known.get("bold", False),
        )
        if known.get("reverse", False):
            return replace(style, foreground=style.background, background=style.foreground)
        return style

    def _take(self, name: str, arguments: Any) -> None:
        super()._take(name, arguments)
        match name:
            case "default_colors_set":
                self._default = Style(arguments[0], arguments[1])
            case "hl_attr_define":
                self._highlights[arguments[0]] = arguments[1]
            case "mode_change":
                self._mode = arguments[0]
