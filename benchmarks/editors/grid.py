"""The screen of a Neovim with an attached UI, kept up to date by its `redraw` events (`:help ui-linegrid`). Pure.

Ghost text is told from the buffer's by its colour alone, as on a user's screen: nothing else must have `GHOST_COLOUR`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

GHOST_COLOUR: Final = 0x123457
"""Foreground that the plugin's highlight groups are given, as 24 bits of RGB."""
BLANK: Final = (" ", 0)


class Grid:
    """One grid of cells: each has its text and the number of its highlight."""

    def __init__(self) -> None:
        self._cells: list[list[tuple[str, int]]] = []
        self._cursor = (0, 0)
        self._ghosts: set[int] = set()
        """Highlights in the colour of ghost text."""

    def redraw(self, events: Sequence[Any]) -> bool:
        """Take in the parameters of one `redraw`; whether the screen is one to be looked at now (`flush`)."""
        flushed = False
        for name, *calls in events:
            flushed = flushed or name == "flush"
            for arguments in calls:
                self._take(name, arguments)
        return flushed

    @property
    def line(self) -> str:
        """What stands before the cursor on its row."""
        row, column = self._cursor
        return "".join(text for text, _ in self._cells[row][:column])

    @property
    def ghost(self) -> str:
        """The ghost text from the cursor on: on its row, and on rows below that are of ghost text alone."""
        row, column = self._cursor
        lines = [self._ghost_in(self._cells[row][column:])]
        for cells in self._cells[row + 1 :]:
            if cells[0][1] not in self._ghosts:
                break
            lines.append(self._ghost_in(cells))
        return "\n".join(lines)

    def _ghost_in(self, cells: Sequence[tuple[str, int]]) -> str:
        return "".join(text for text, highlight in cells if highlight in self._ghosts)

    def _take(self, name: str, arguments: Any) -> None:
        match name:
            case "grid_resize":
                _, width, height = arguments
                self._cells = [[BLANK] * width for _ in range(height)]
            case "grid_clear":
                self._cells = [[BLANK] * len(row) for row in self._cells]
            case "grid_cursor_goto":
                self._cursor = (arguments[1], arguments[2])
            case "grid_line":
                self._write(*arguments[1:4])
            case "grid_scroll":
                self._scroll(*arguments[1:6])
            case "hl_attr_define":
                self._define(arguments[0], arguments[1])

    def _define(self, highlight: int, rgb: dict[str, Any]) -> None:
        if rgb.get("foreground") == GHOST_COLOUR:
            self._ghosts.add(highlight)
        else:
            self._ghosts.discard(highlight)

    def _write(self, row: int, column: int, cells: Sequence[Sequence[Any]]) -> None:
        """Each cell is its text, its highlight if that is another than of the one before, and how often it comes."""
        highlight = 0
        for text, *more in cells:
            highlight = more[0] if more else highlight
            for _ in range(more[1] if len(more) > 1 else 1):
                self._cells[row][column] = (text, highlight)
                column += 1

    def _scroll(self, top: int, bottom: int, left: int, right: int, rows: int) -> None:
        """Move a region up by `rows`, or down if they are negative."""
        targets = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in targets:
            self._cells[row][left:right] = self._cells[row + rows][left:right]
