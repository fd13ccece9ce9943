"""Every test of the Neovim plugin drives a real editor on the real bridge, with a scripted daemon."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.editors.neovim import Neovim, neovim
from tests.fakes.scripted_daemon import ScriptedDaemonProcess

OpenEditor = Callable[..., Neovim]


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.editor)


def need(editor: Neovim, version: str) -> None:
    """Skip where the Neovim that is tested is older than this, such as "nvim-0.12"."""
    if editor.lua("return vim.fn.has(...)", version) == 0:
        pytest.skip(f"the Neovim tested is no {version}; DRAFTWIRE_TEST_NVIM may name one")


def executable(path: Path, text: str) -> str:
    """A shell script of these lines; its path."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def open_editor(tmp_path: Path) -> Iterator[OpenEditor]:
    """`open_editor(daemon, "a.py", text="...")`: an editor with that file, connected; it ends with the test."""
    with contextlib.ExitStack() as editors:

        def start(
            daemon: ScriptedDaemonProcess,
            name: str = "a.py",
            *,
            text: str | bytes = "",
            setup: str = "",
            ready: bool = True,
            size: tuple[int, int] = (20, 70),
            command: str | None = None,
        ) -> Neovim:
            file = tmp_path / "work" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
            editor = editors.enter_context(
                neovim(
                    tmp_path / "nvim",
                    daemon.environment,
                    command=command or str(daemon.command),
                    setup=setup,
                    files=(file,),
                    size=size,
                )
            )
            if ready:
                editor.wait_ready()
            return editor

        yield start
