"""Documents of every kind in VS Code: what gets a suggestion, and what gets none. The daemon is scripted."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.editors.workbench import Window, Workbench
from tests.editors.vscode.conftest import real_draftwire
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess
from tests.fakes.tiny_gguf import tiny_llama

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]

NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": ["import os"]}
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture(scope="module")
def rules() -> Rules:
    overtaken = {"kind": "corrected", "text": "other words", "complete": True, "after_ms": 500}
    return [
        {"before": "hello ", "suggestions": [{"text": "ghost"}]},
        {"before": "late ", "suggestions": [{"text": "one", "complete": False}], "updates": [overtaken]},
        {"before": "late q", "suggestions": [{"text": " after it"}], "delay_ms": 1000},
        {"before": "你好，", "suggestions": [{"text": "世界。"}]},
    ]


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    return {"files.readonlyInclude": {"**/*.locked": True}}


def asked(daemon: ScriptedDaemonProcess, name: str) -> list[int]:
    """The offsets at which a suggestion was wanted in the document whose name ends so."""
    return [one["offset"] for one in daemon.received("complete") if one["document"].endswith(name)]


def told(program: Path) -> str:
    """What the daemon of this program has counted."""
    return subprocess.run(
        [program, "stats", "--json"], check=True, capture_output=True, encoding="utf-8"
    ).stdout  # fmt: skip


def shows(window: Window, name: str) -> None:
    """What is typed into a new file of this name gets its suggestion: all that came before has been dealt with."""
    window.new_file(name)
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Escape")
    window.wait_no_ghost()
    window.press("Control+s")


def test_a_cell_of_a_notebook(window: Window) -> None:
    """ux-37: as in a file; what is taken stands in the cell."""
    file = window.folder / "cells.ipynb"
    file.write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    window.open_file(file)
    window.ask("click", selector=".notebookOverlay .view-lines")
    window.press("Control+End")
    window.ask("idle")
    window.type("\nhello ")
    window.wait_ghost("ghost")
    window.screenshot("notebook")
    window.press("Tab")
    window.wait_no_ghost()
    window.press("Control+s")
    window.wait("it is saved", lambda _: "hello ghost" in file.read_text("utf-8"))
    (cell,) = json.loads(file.read_text("utf-8"))["cells"]
    assert "".join(cell["source"]) == "import os\nhello ghost"


def test_a_document_that_was_never_saved(window: Window) -> None:
    """ux-38."""
    window.press("Control+Alt+n")
    window.wait("it is in front", lambda s: "Untitled" in s["tab"] and s["focused"])
    window.ask("idle")
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Tab")
    window.wait("it is taken", lambda s: s["ghost"] == "" and s["lines"] == ["hello ghost"])


def test_a_file_outside_the_workspace(window: Window, tmp_path: Path) -> None:
    """ux-38."""
    file = tmp_path / "outside.txt"
    file.write_text("", encoding="utf-8")
    window.open_file(file)
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "hello ghost")


def test_a_read_only_editor(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-19: nothing is asked, by hand neither."""
    file = window.new_file("kept.locked", "hello ")
    window.type("hello ")
    window.command("Draftwire: Suggest Here")
    assert window.read()["ghost"] == ""
    shows(window, "after_read_only.txt")
    assert asked(daemon, file.name) == []
    assert file.read_text("utf-8") == "hello "


def test_a_binary_file(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """VS Code shows no text of it, so there is nothing to ask for; that is told."""
    file = window.folder / "image.bin"
    file.write_bytes(bytes(range(256)) * 16)
    window.open_file(file)
    window.type("hello ")
    window.command("Draftwire: Why Nothing Shown")
    window.wait("the reason", lambda s: "no document is in front" in "".join(s["lines"]))
    assert [one for one in daemon.received() if file.name in str(one.get("document"))] == []


def test_files_that_the_daemon_does_not_complete(
    window: Window, own_settings: Workbench, tmp_path: Path
) -> None:
    """ux-36, ux-39, ux-44: nothing is shown, and the reasons are told. The daemon is the real one."""
    model = tiny_llama(tmp_path / "tiny.gguf")
    config = f"[draft]\nmodel = '{model}'\nthreads = 1\n[files]\nmax_bytes = 1_000_000\n"
    program = real_draftwire(tmp_path, config)
    own_settings.set(draftwire__path=str(program))
    window.wait("the real daemon", lambda s: "Draft: tiny" in s["statusLabel"])
    for name, text in {".env": "", "big.txt": "hello\n" * 200_000}.items():
        window.new_file(name, text)
        window.type("hello ")
        screen = window.wait("it is asked for", lambda _: f'"{name}"' in told(program))  # noqa: B023
        assert screen["ghost"] == ""
    window.command("Draftwire: Suggest Here")
    said_here = "Draftwire: the file is larger than files.max_bytes"
    screen = window.wait("the reason", lambda s: said_here in s["statusBar"])
    assert screen["notifications"] == []
    window.wait("the reason gone", lambda s: said_here not in s["statusBar"])
    window.command("Draftwire: Why Nothing Shown")
    screen = window.wait("the reasons", lambda s: any("big.txt" in line for line in s["lines"]))
    said = "\n".join(screen["lines"])
    assert re.search(r"^the file's name says that it holds secrets, .* \(\.env, ", said, re.MULTILINE)
    assert re.search(r"^the file is larger than files\.max_bytes \(big\.txt, ", said, re.MULTILINE)
    assert re.search(r"^\d+ of the last \d+ requests got text; these got nothing", said, re.MULTILINE)
    assert said.index("big.txt") < said.index(".env"), "the newest comes first"


def test_a_setting_that_can_not_be_used_is_told(
    window: Window, own_settings: Workbench, tmp_path: Path
) -> None:
    """ux-45: above all one that keeps files private. The daemon is the real one."""
    model = tiny_llama(tmp_path / "tiny.gguf")
    program = real_draftwire(tmp_path, f"[draft]\nmodel = '{model}'\nthreads = 1\n")
    own_settings.set(draftwire__path=str(program), draftwire__exclude="*.secret")
    screen = window.wait("the message", lambda s: len(s["notifications"]) == 1)
    assert "draftwire.exclude" in screen["notifications"][0]
    window.wait_status("warning")
    window.command("Notifications: Clear All Notifications")


def test_one_message_of_a_kind_is_open_at_a_time(
    window: Window, own_settings: Workbench, tmp_path: Path
) -> None:
    """ux-45: the status item says the newest; once the message is closed, another may come."""
    model = tiny_llama(tmp_path / "tiny.gguf")
    program = real_draftwire(tmp_path, f"[draft]\nmodel = '{model}'\nthreads = 1\n")
    own_settings.set(draftwire__path=str(program), draftwire__maxTokens="many")
    window.wait("the message", lambda s: any("draftwire.maxTokens" in text for text in s["notifications"]))
    own_settings.set(draftwire__maxTokens=16, draftwire__maxLines="few")
    window.wait("the next trouble", lambda s: "draftwire.maxLines" in s["statusLabel"])
    assert len(window.read()["notifications"]) == 1
    window.command("Notifications: Clear All Notifications")
    own_settings.set(draftwire__maxLines=3, draftwire__exclude="*.secret")
    window.wait("a message", lambda s: any("draftwire.exclude" in text for text in s["notifications"]))
    window.command("Notifications: Clear All Notifications")


def test_what_comes_for_a_text_that_has_changed(window: Window) -> None:
    """ux-8: a correction of what the user has typed against is not drawn; what was said after it is."""
    window.new_file("late.txt")
    window.ask("watch")
    window.type("late ")
    window.wait_ghost("one")
    window.type("q")
    screen = window.wait_ghost(" after it")
    assert set(screen["frames"]) <= {"", "one", " after it"}
    window.press("Escape")
    window.wait_no_ghost()


def test_an_input_method(window: Window) -> None:
    """ux-48: what was settled on gets its suggestion. Whether to ask before is for VS Code, which tells nobody."""
    file = window.new_file("composed.txt")
    window.ask("watch")
    for text in ("n", "ni", "niha", "nihao"):
        window.ask("compose", text=text)
    window.wait("it is in the editor", lambda s: s["lines"] == ["nihao"])
    window.insert("你好，")
    screen = window.wait_ghost("世界。")
    assert set(screen["frames"]) <= {"", "世界。"}
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "你好，世界。")
