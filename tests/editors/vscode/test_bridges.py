"""Bridges that VS Code can do nothing with: too old, or speaking something else than LSP. The daemon is scripted."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from benchmarks.editors.workbench import Window, Workbench
from tests.editors.vscode.conftest import executable
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]

OLD_BRIDGE = """\
import json, sys

while line := sys.stdin.buffer.readline():
    length = int(line.split(b":")[1])
    sys.stdin.buffer.readline()
    asked = json.loads(sys.stdin.buffer.read(length))
    if asked["method"] == "exit":
        break
    if "id" in asked:
        known = {"capabilities": {}, "serverInfo": {"name": "draftwire", "version": "0.0.9"}}
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": known}
        text = json.dumps(answer).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(text), text))
        sys.stdout.buffer.flush()
"""
NO_LSP = "This is no LSP.\r\n\r\n"


@pytest.fixture(scope="module")
def rules() -> Rules:
    return [{"before": "hello ", "suggestions": [{"text": "ghost"}]}]


def test_a_bridge_that_is_too_old(window: Window, own_settings: Workbench, tmp_path: Path) -> None:
    """ux-45: one message with the command that mends it, which the status item goes on saying; it is stopped."""
    (tmp_path / "old.py").write_text(OLD_BRIDGE, encoding="utf-8")
    log = tmp_path / "ends"
    run = f"{shlex.quote(sys.executable)} {tmp_path / 'old.py'}; echo ended > {log}"
    own_settings.set(draftwire__path=str(executable(tmp_path / "draftwire", run)))
    screen = window.wait("the message", lambda s: s["notifications"] != [])
    (message,) = screen["notifications"]
    assert "Draftwire 0.0.9 is too old" in message
    assert message.endswith("Run: pipx upgrade draftwire")
    screen = window.wait_status("error")
    assert "pipx upgrade draftwire" in screen["statusLabel"]
    window.wait("its end", lambda _: log.exists())
    window.command("Notifications: Clear All Notifications")


def test_a_bridge_that_says_something_else_once(
    window: Window, own_settings: Workbench, daemon: ScriptedDaemonProcess, tmp_path: Path
) -> None:
    """ux-34: it is started again, with no word to the user."""
    noise, starts = tmp_path / "noise", tmp_path / "starts"
    os.mkfifo(noise)
    program = executable(
        tmp_path / "draftwire",
        f"if [ ! -e {starts} ]; then cat {noise} & fi",
        f"echo start >> {starts}",
        f'exec {daemon.command} "$@"',
    )
    greeted = len(daemon.received("hello"))
    own_settings.set(draftwire__path=str(program))
    daemon.wait_for("hello", greeted + 1)
    window.wait_status("sparkle")
    file = window.new_file("noise.txt")
    window.type("hello ")
    window.wait_ghost("ghost")
    noise.write_text(NO_LSP, encoding="utf-8")
    window.wait_no_ghost()
    daemon.wait_for("hello", greeted + 2)
    window.wait_ghost("ghost")  # asked for again
    window.type("\nhello ")
    screen = window.wait_ghost("ghost")
    assert screen["notifications"] == []
    window.press("Tab")
    window.text_on_disk(file, "hello \nhello ghost")


def test_a_bridge_that_always_says_something_else(
    window: Window, own_settings: Workbench, daemon: ScriptedDaemonProcess, tmp_path: Path
) -> None:
    """ux-45: started again with growing waits, then one message and no more; the editor works on."""
    starts = tmp_path / "starts"
    noise = f"printf {shlex.quote(NO_LSP.encode('unicode_escape').decode())}"
    program = executable(
        tmp_path / "draftwire", f"echo start >> {starts}", noise, f'exec {daemon.command} "$@"'
    )
    own_settings.set(draftwire__path=str(program))
    file = window.new_file("no_lsp.txt")
    window.type("hello ")
    screen = window.wait("the message", lambda s: s["notifications"] != [])
    (message,) = screen["notifications"]
    assert "keeps ending" in message
    window.wait_status("error")
    assert starts.read_text("utf-8").count("start") == 4
    window.text_on_disk(file, "hello ")
    window.command("Notifications: Clear All Notifications")
