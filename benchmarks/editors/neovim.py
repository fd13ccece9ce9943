"""A real Neovim with our plugin as a child process: keys go in, the screen is read.

The screen is the editor's own grid (`screenstring`), redrawn before it is read, so what is drawn by extmarks is in it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.editors.neovim_rpc import Rpc

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "editors" / "neovim"
NVIM_VARIABLE = "DRAFTWIRE_TEST_NVIM"
"""Another binary than that of the Python package, to test by hand."""
WITHIN_S: Final = 60.0
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

STATE = """
local trace, status = require("draftwire.trace"), require("draftwire.status")
return { reasons = trace.reasons, events = trace.events, status = status.last or status.in_words() }
"""


class Neovim:
    """One editor. `lua` evaluates in it; `type` gives keys as the user would."""

    def __init__(self, rpc: Rpc, process: subprocess.Popen[bytes]) -> None:
        self._rpc = rpc
        self.process = process

    def type(self, keys: str, *, ends: bool = False) -> None:
        """Keys in Neovim's notation; they are worked off when this returns, unless the editor `ends` by them."""
        self._rpc.call("nvim_input", keys.replace("\n", "<CR>"))
        if not ends:
            self._rpc.call("nvim_get_mode")  # answered when the keys are worked off

    def press(self, keys: str) -> None:
        """Give keys and do not wait until they are worked off."""
        self._rpc.send("nvim_input", keys)

    def attach_screen(self, size: tuple[int, int], redraw: Callable[[Sequence[Any]], None]) -> None:
        """Be a screen of so many rows and columns: `redraw` is called with each of the editor's batches of events."""

        def notified(method: str, parameters: Sequence[Any]) -> None:
            if method == "redraw":
                redraw(parameters)

        self._rpc.notified = notified
        self._rpc.call("nvim_ui_attach", size[1], size[0], {"rgb": True, "ext_linegrid": True})

    def listen(self, until: float) -> None:
        """Take in what the editor says by itself until then, in seconds of `time.monotonic`."""
        while (left_s := until - time.monotonic()) > 0:
            self._rpc.read(left_s)

    def lua(self, code: str, *arguments: Any) -> Any:
        return self._rpc.call("nvim_exec_lua", code, arguments)

    def command(self, command: str) -> None:
        self._rpc.call("nvim_command", command)

    def screen(self) -> list[str]:
        """The rows of the screen, without blanks at their ends."""
        rows: list[str] = self.lua(SCREEN)
        return rows

    def lines(self) -> list[str]:
        """The current buffer's."""
        lines: list[str] = self._rpc.call("nvim_buf_get_lines", 0, 0, -1, True)
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
        return str(self._rpc.call("nvim_exec2", "messages", {"output": True})["output"])

    def wait(self, condition: Callable[[], Any], what: str = "", within_s: float = WITHIN_S) -> Any:
        """The first true value of `condition`; AssertionError, with the screen, if it takes too long."""
        end = time.monotonic() + within_s
        while not (value := condition()):
            if time.monotonic() > end:
                state = {"screen": self.screen(), "messages": self.messages(), "plugin": self.lua(STATE)}
                raise AssertionError(f"waited in vain for {what or condition}: {state}")
            time.sleep(0.01)
        return value

    def wait_ready(self, within_s: float = WITHIN_S) -> None:
        """Until the bridge has the current buffer and a daemon whose model is loaded."""
        self.wait(
            lambda: self.lua(
                "return require('draftwire.status').is_ready() and "
                "require('draftwire.lsp').client_of(vim.api.nvim_get_current_buf()) ~= nil"
            ),
            "the bridge",
            within_s,
        )

    def wait_ghost(self, text: str | None) -> None:
        """Until exactly this is shown, on the screen too; None: until nothing is."""
        self.wait(lambda: self.ghost() == text, f"the ghost {text!r}")
        first = (text or "").partition("\n")[0].strip().expandtabs(1).split()
        assert any(all(word in row for word in first) for row in self.screen()), self.screen()

    def wait_line(self, line: str) -> None:
        """Until the cursor's line is this."""
        self.wait(lambda: self._rpc.call("nvim_get_current_line") == line, f"the line {line!r}")


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
    arguments = [_binary(), "--headless", "--embed", "--clean", "-u", str(init), *map(str, files)]
    process = subprocess.Popen(
        arguments,
        env={**os.environ, **environment, **own},
        cwd=folder,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        rpc = Rpc(process)
        rpc.call("nvim_command", f"set lines={size[0]} columns={size[1]}")
        yield Neovim(rpc, process)
    finally:
        process.kill()
        process.communicate()


def _binary() -> str:
    named = os.environ.get(NVIM_VARIABLE) or shutil.which("nvim", path=str(Path(sys.executable).parent))
    assert named, "there is no nvim beside this Python; run: make install"
    return named
