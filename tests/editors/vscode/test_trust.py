"""A folder in VS Code that its user does not trust, and then does. The daemon is scripted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.editors.workbench import Workbench, workbench
from tests.editors.vscode.conftest import executable
from tests.fakes.processes import end_processes_of
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def rules() -> Rules:
    return [{"before": "hello ", "suggestions": [{"text": "ghost"}]}]


@pytest.fixture
def bench(daemon: ScriptedDaemonProcess, tmp_path: Path) -> Iterator[Workbench]:
    """The folder brings a program, and the setting that names it; the user's own stands where pipx puts programs."""
    own = tmp_path / "home" / ".local" / "bin"
    own.mkdir(parents=True)
    executable(own / "draftwire", f'exec {daemon.command} "$@"')
    try:
        with workbench(tmp_path, {}, daemon.environment, trusted=False) as running:
            brought = executable(
                running.folder / "brought",
                f"echo start >> {tmp_path / 'starts'}",
                f'exec {daemon.command} "$@"',
            )
            (running.folder / ".vscode").mkdir()
            settings = json.dumps({"draftwire.path": str(brought)})
            (running.folder / ".vscode" / "settings.json").write_text(settings, encoding="utf-8")
            yield running
    finally:
        end_processes_of(tmp_path)


def test_what_a_folder_brings_is_used_once_it_is_trusted(
    bench: Workbench, daemon: ScriptedDaemonProcess, tmp_path: Path
) -> None:
    """Until then the user's own program works, and the daemon is told to use no grammar of the folder."""
    window = bench.open_window()
    window.wait_status("sparkle")
    window.new_file("untrusted.txt")
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Escape")
    window.wait_no_ghost()
    window.press("Control+s")
    assert not (tmp_path / "starts").exists()
    assert daemon.received("hello")[-1]["settings"]["grammars.trust_workspace"] is False
    window.command("Workspaces: Manage Workspace Trust")
    window.ask("click", selector=".workspace-trust-editor .monaco-button:has-text('Trust')")
    window.wait("the program of the folder", lambda _: (tmp_path / "starts").exists())
    assert daemon.wait_for("hello", 2)[-1]["settings"]["grammars.trust_workspace"] is True
    window.wait_status("sparkle")
    window.new_file("trusted.txt")
    window.type("hello ")
    window.wait_ghost("ghost")
