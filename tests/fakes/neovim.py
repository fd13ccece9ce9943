"""A real Neovim with our plugin as a child process: keys go in, the screen is read.

The screen is the editor's own grid (`screenstring`), redrawn before it is read, so what is drawn by extmarks is in it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pynvim

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "editors" / "neovim"
NVIM_VARIABLE = "DRAFTWIRE_TEST_NVIM"
"""Another binary than that of the Python package, to test by hand."""
WITHIN_S = 60.0
"""How long a condition may take on a machine that is busy; nothing waits longer than it must."""

SCREEN = """
vim.cmd("redraw!")
local rows = {}
for row = 1, vim.o.lines do
  local cells, column = {}, 1
  while column <= vim.o.columns do
    local cell = vim.fn.screenstring(row, column)
    table.insert(cells, cell)
    column = column + math.max(vim.fn.strdisplaywidth(cell), 1)
  end
  rows[row] = (table.concat(cells):gsub("%s+$", ""))
end
return rows
"""


class Neovim:
    """One editor. `lua` evaluates in it; `type` gives keys as the user would."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self.nvim = nvim

    def type(self, keys: str) -> None:
        """Keys in Neovim's notation; they are worked off when this returns."""
        self.nvim.input(keys.replace("\n", "<CR>"))
        self.nvim.request("nvim_get_mode")

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def command(self, command: str) -> None:
        self.nvim.command(command)

    def screen(self) -> list[str]:
        """The rows of the screen, without blanks at their ends."""
        rows: list[str] = self.lua(SCREEN)
        return rows

    def lines(self) -> list[str]:
        """The current buffer's."""
        lines: list[str] = self.nvim.current.buffer[:]
        return lines

    def ghost(self) -> str | None:
        """What the plugin shows, of which the screen must have the first line; None if it shows nothing."""
        shown = self.lua("local s = require('draftwire.ghost').shown() return s and s.text")
        return None if shown is None else str(shown)

    def reasons(self) -> list[str]:
        """Why nothing was shown, oldest first."""
        return [one["text"] for one in self.lua("return require('draftwire.trace').reasons")]

    def messages(self) -> str:
        """What stood in the message line so far."""
        return str(self.nvim.command_output("messages"))

    def wait(self, condition: Callable[[], Any], what: str = "") -> Any:
        """The first true value of `condition`; AssertionError, with the screen, if it takes too long."""
        end = time.monotonic() + WITHIN_S
        while not (value := condition()):
            if time.monotonic() > end:
                state = {"screen": self.screen(), "reasons": self.reasons(), "messages": self.messages()}
                raise AssertionError(f"waited in vain for {what or condition}: {state}")
            time.sleep(0.01)
        return value

    def wait_ready(self) -> None:
        """Until the bridge has the current buffer and a daemon whose model is loaded."""
        self.wait(
            lambda: self.lua(
                "return require('draftwire.status').is_ready() and "
                "require('draftwire.lsp').client_of(vim.api.nvim_get_current_buf()) ~= nil"
            ),
            "the bridge",
        )

    def wait_ghost(self, text: str | None) -> None:
        """Until exactly this is shown, on the screen too; None: until nothing is."""
        self.wait(lambda: self.ghost() == text, f"the ghost {text!r}")
        first = (text or "").partition("\n")[0].strip()
        assert any(first in row for row in self.screen()), self.screen()

    def wait_line(self, line: str) -> None:
        """Until the cursor's line is this."""
        self.wait(lambda: self.nvim.current.line == line, f"the line {line!r}")


@contextlib.contextmanager
def neovim(
    folder: Path,
    environment: Mapping[str, str],
    *,
    command: str | None = None,
    setup: str = "",
    files: tuple[str | Path, ...] = (),
    size: tuple[int, int] = (20, 70),
) -> Iterator[Neovim]:
    """An editor with the plugin and no other configuration, killed at the end if it still runs.

    `command`: what stands for `draftwire`; `setup`: Lua run after the plugin's files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    init = folder / "init.lua"
    options = "" if command is None else f"require('draftwire').setup({{ command = {command!r} }})\n"
    start = (
        f"vim.opt.runtimepath:prepend({str(PLUGIN)!r})\nvim.o.swapfile = false\nvim.o.shadafile = 'NONE'\n"
    )
    init.write_text(f"{start}vim.o.more = false\n{options}{setup}\n", encoding="utf-8")
    kinds = ("CONFIG", "DATA", "STATE", "CACHE")
    own = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in kinds}
    before = dict(os.environ)
    os.environ.update({**environment, **own})
    try:
        nvim = pynvim.attach(
            "child", argv=[_binary(), "--headless", "--embed", "--clean", "-u", str(init), *map(str, files)]
        )
    finally:
        os.environ.clear()
        os.environ.update(before)
    try:
        nvim.command(f"set lines={size[0]} columns={size[1]}")
        yield Neovim(nvim)
    finally:
        with contextlib.suppress(OSError, EOFError):
            nvim.command("qa!", async_=True)
        nvim.close()


def _binary() -> str:
    named = os.environ.get(NVIM_VARIABLE) or shutil.which("nvim", path=str(Path(sys.executable).parent))
    assert named, "there is no nvim beside this Python; run: make install"
    return named
