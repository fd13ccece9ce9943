"""The whole path once: Neovim, the real command, the real daemon and the bundled model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.editors.neovim import neovim
from daemon.api.paths import runtime_paths
from daemon.settings.config import CONFIG_VARIABLE
from tests.fakes.processes import end_processes_of

COMMAND = Path(sys.executable).with_name("draftwire")
TEXT = (
    "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n\n\ndef multiply(a, b):\n"
)


@pytest.mark.model
@pytest.mark.timeout(600)
def test_a_real_suggestion_is_drawn_typed_along_and_accepted(tmp_path: Path) -> None:
    """What is in the buffer in the end is what was on the screen (ux-9)."""
    config, file = tmp_path / "config.toml", tmp_path / "a.py"
    config.write_text("", encoding="utf-8")
    file.write_text(TEXT, encoding="utf-8")
    environment = {**runtime_paths(tmp_path / "run").environment(), CONFIG_VARIABLE: str(config)}
    try:
        with neovim(tmp_path / "nvim", environment, command=str(COMMAND), files=(file,)) as editor:
            editor.wait_ready(within_s=300)
            editor.type("Go    ret")
            editor.wait(editor.ghost, "a suggestion")
            shown = editor.ghost()
            assert shown is not None
            editor.type(shown[0].replace("<", "<lt>"))
            editor.wait(lambda: (editor.ghost() or "").startswith(shown[1:]), "the rest of it")
            before, rest = "\n".join(editor.lines()), editor.ghost() or ""
            assert any(rest.partition("\n")[0].rstrip() in row for row in editor.screen())
            editor.type("<Plug>(draftwire-accept)")
            editor.wait(lambda: "\n".join(editor.lines()) == before + rest, "the accepted text")
    finally:
        end_processes_of(tmp_path)
