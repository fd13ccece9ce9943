"""Neovim with the plugin, filmed: suggestions drafted, verified and accepted, and the verifier lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.editors.neovim import Neovim, neovim
from benchmarks.recordings.picture import Painter
from benchmarks.recordings.play import NAME, READY_WITHIN_S, TEXT, Play, play, up_to
from benchmarks.recordings.reel import Reel, write_gif
from benchmarks.recordings.screen import Screen

SIZE = (17, 64)
"""Rows and columns."""
LETTERS_PX = 24
FORWARD_MS = 60.0
"""The target's pace: of a large model."""
KEY_S = 0.09
"""Between two keys."""
SETUP = """
vim.o.statusline = " %t %m%= %{v:lua.require'draftwire'.statusline()} "
vim.o.laststatus, vim.o.showmode, vim.o.ruler = 2, false, false
vim.opt.shortmess:append("FI")
vim.cmd("filetype indent off") -- each new line is indented as the one above
vim.api.nvim_set_hl(0, "DraftwireGhost", { fg = "#8a8d94" })
vim.api.nvim_set_hl(0, "DraftwireVerified", { fg = "#84b584" })
vim.keymap.set("i", "<Tab>", "<Plug>(draftwire-accept)")
vim.keymap.set("i", "<M-Right>", "<Plug>(draftwire-accept-word)")
vim.keymap.set("i", "<M-Down>", "<Plug>(draftwire-accept-line)")
"""


class _Camera:
    """An editor on the stage, and the reel that takes up what it draws."""

    def __init__(self, editor: Neovim, caption: str) -> None:
        self.editor = editor
        self.reel = Reel()
        self.reel.caption = caption
        self._screen = Screen()
        editor.attach_screen(SIZE, self._draw)

    def _draw(self, batch: Sequence[Sequence[Any]]) -> None:
        if self._screen.redraw(batch):
            self.reel.take(self._screen.snapshot())

    def say(self, caption: str) -> None:
        """Below what is seen from now on."""
        self.reel.caption = caption
        self.reel.take(self._screen.snapshot())

    def type(self, *keys: str) -> None:
        """As a typist would."""
        for key in keys:
            self.editor.type(key)
            self.editor.listen(time.monotonic() + KEY_S)

    def hold(self, shown_ms: int) -> None:
        """What is seen now is to be looked at."""
        self._now()
        self.reel.hold(shown_ms)

    def _now(self) -> Screen:
        """The screen with what has been drawn until now."""
        self.editor.lua("return 0")  # its answer comes behind that
        return self._screen

    def drawn(self, words: str) -> None:
        """Wait until they are on the screen."""
        self.editor.wait(lambda: words in self._now().text, f"{words!r} on the screen")

    def verified(self, words: str) -> None:
        """Wait until these words of the target's are shown, all verified."""
        shown = "local s = require('draftwire.ghost').shown() return s and s.text:sub(1, s.verified) or ''"
        self.editor.wait(lambda: words in self.editor.lua(shown), f"{words!r} verified")

    def accepted(self, words: str) -> None:
        """Wait until the buffer has these words, all of it the target's."""
        self.editor.wait(lambda: words in "\n".join(self.editor.lines()), f"{words!r} in the buffer")
        text = "\n".join(self.editor.lines())
        assert TEXT.startswith(text), f"the recording left its text: {text!r}"

    def finish(self, words: str) -> None:
        """Type what the buffer lacks of the text up to these words."""
        self.type(*up_to(words).removeprefix("\n".join(self.editor.lines())))


def record(folder: Path) -> list[Path]:
    """Write the film into this folder. Raises AssertionError if the editor does not come to what the play wants."""
    film = folder / "neovim.gif"
    asyncio.run(play(lambda stage: _record(stage, film), forward_ms=FORWARD_MS))
    return [film]


def _record(stage: Play, path: Path) -> None:
    work = stage.folder / "work"
    work.mkdir()
    file = work / NAME
    file.write_text(up_to("    if n < 2:\n        return False\n"), encoding="utf-8")
    command = str(stage.program)
    with neovim(
        stage.folder / "nvim", stage.environment, command=command, setup=SETUP, files=(file,)
    ) as editor:
        editor.wait_ready(READY_WITHIN_S)
        is_linked = "return require('draftwire.status').last.link == 'online'"
        editor.wait(lambda: editor.lua(is_linked), "the verifier")
        camera = _Camera(editor, "A small model on this machine drafts as you type ...")
        _act(camera, stage)
    write_gif(path, camera.reel.frames, Painter(LETTERS_PX))


def _act(camera: _Camera, stage: Play) -> None:
    camera.hold(1200)
    camera.type("Go", "<C-u>", *"    for i")
    camera.verified("return False")
    camera.say("... and a large one elsewhere verifies (green). Tab accepts.")
    camera.hold(2500)
    camera.type("<Tab>")
    camera.accepted("if n % i == 0")
    camera.hold(1200)
    camera.say("Type along what is shown, or go another way.")
    camera.type("<CR>", "<C-u>", *"    return True", "<CR>", "<C-u>", "<CR>", "<CR>")
    camera.type(*"def primes_below(limit):", "<CR>", *"    return ")
    camera.verified("if is_prime")
    camera.hold(1200)
    camera.say("Accept a word, or a line.")
    for key in ("<M-Right>", "<M-Right>", "<M-Right>", "<M-Down>"):
        camera.type(key)
        camera.hold(600)
    camera.accepted("if is_prime")
    camera.finish("if is_prime(n)]")
    camera.say("The verifier is lost, which the status line says ...")
    camera.type("<Esc>")
    stage.lose_verifier()
    camera.drawn("Draftwire !")
    camera.hold(2500)
    camera.say("... and the small model goes on alone (grey).")
    camera.type("G", "o", "<C-u>", "<CR>", "<CR>", *"if __name__ ==")
    camera.drawn("__main__")
    camera.hold(3000)
