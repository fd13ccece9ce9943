"""Typing in a real Neovim, timed by its screen: from a key on its way to the `flush` that ends a frame with the text.

The screen is this process, attached as a terminal's UI is: what a terminal would have to draw has come then.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.editors.frames import Frame, Key
from benchmarks.editors.grid import GHOST_COLOUR, Grid
from benchmarks.editors.neovim import PLUGIN, Neovim, neovim
from benchmarks.editors.visits import Recording, Stretch, Visit, check

SCREEN: Final = (50, 200)
MODEL_S: Final = 240.0
"""The first start on a machine measures how many threads are best."""
STRETCHES: Final = Path(__file__).with_name("stretches.lua")
SETUP: Final = f"""
assert(loadfile({str(STRETCHES)!r}))({str(PLUGIN)!r})
vim.o.hidden = true
vim.api.nvim_set_hl(0, "DraftwireGhost", {{ fg = {GHOST_COLOUR} }})
vim.api.nvim_set_hl(0, "DraftwireVerified", {{ fg = {GHOST_COLOUR} }})
"""
PLAIN: Final = "setlocal noautoindent nocindent nosmartindent indentexpr= formatoptions= textwidth=0 nowrap"
"""The file is to be what is typed and no more, and a line is one row."""


class NeovimScreen:
    """One editor with a screen, and a daemon that is ready."""

    def __init__(self, editor: Neovim, projects: Path, pause_s: float) -> None:
        """`pause_s`: before the first key in a file and behind the last."""
        self.projects = projects
        self.stretches: list[Stretch] = []
        """Each call of the plugin's code while keys were typed."""
        self._editor = editor
        self._pause_s = pause_s
        self._grid = Grid()
        self._frames: list[Frame] = []
        editor.attach_screen(SCREEN, self._redraw)

    def type(self, visit: Visit) -> Recording:
        editor = self._editor
        line, column = visit.place
        editor.command(f"edit {visit.path}")
        editor.command(PLAIN)
        editor.lua("vim.api.nvim_win_set_cursor(0, { ... })", line + 1, max(column - 1, 0))
        editor.type("a" if column else "i")
        editor.wait_ready(MODEL_S)
        editor.listen(time.monotonic() + self._pause_s)
        editor.lua("Stretches.begin()")
        self._frames = []
        keys = self._play(visit)
        recording = Recording(keys, self._frames)
        check(visit, recording.frames)
        self.stretches += [Stretch(*found) for found in editor.lua("return Stretches.found")]
        self._frames = []
        editor.type("<Esc>")
        return recording

    def _play(self, visit: Visit) -> Sequence[Key]:
        keys, due = [], time.monotonic()
        for stroke in visit.strokes:
            due = max(due + stroke.wait_s, time.monotonic())
            self._editor.listen(due)
            at_ms = 1000 * time.monotonic()
            self._editor.press(stroke.text.replace("<", "<lt>").replace("\n", "<CR>"))
            keys.append(Key(at_ms if stroke.is_one_event else None, stroke.text, stroke.line))
        self._editor.listen(time.monotonic() + self._pause_s)
        return keys

    def _redraw(self, events: Sequence[Any]) -> None:
        if self._grid.redraw(events):
            frame = Frame(1000 * time.monotonic(), self._grid.line, self._grid.ghost)
            last = self._frames[-1] if self._frames else None
            if last is None or (frame.line, frame.ghost) != (last.line, last.ghost):
                self._frames.append(frame)


@contextlib.contextmanager
def neovim_screen(
    folder: Path, program: Path, environment: Mapping[str, str], pause_s: float
) -> Iterator[NeovimScreen]:
    """A Neovim with our plugin, which uses `program`; it is gone when the block ends."""
    projects = folder / "projects"
    projects.mkdir(parents=True)
    with neovim(folder / "nvim", environment, command=str(program), setup=SETUP) as editor:
        yield NeovimScreen(editor, projects, pause_s)
