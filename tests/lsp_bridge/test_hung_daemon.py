"""A daemon that hangs under an editor, and one that is stopped: real processes, the bridge between."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from daemon.api import client as client_module
from daemon.api.messages import Shutdown
from daemon.api.paths import RuntimePaths, runtime_paths
from lsp_bridge import session as session_module
from tests.fakes.hung_daemon import daemon_process, hang
from tests.lsp_bridge.conftest import connected

pytestmark = pytest.mark.asyncio


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    made = runtime_paths(tmp_path / "run", transport="unix")
    made.prepare()
    return made


@pytest.fixture
def running(paths: RuntimePaths, tmp_path: Path) -> Iterator[Popen[bytes]]:
    with daemon_process(paths, tmp_path) as process:
        yield process


async def test_a_daemon_that_hangs_is_told_of_and_goes_on_with_what_was_typed_meanwhile(
    paths: RuntimePaths, running: Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to run; nobody has to, if it gets going again."""
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.05)
    monkeypatch.setattr(client_module, "HANDSHAKE_TIMEOUT_S", 1.0)
    async with asyncio.timeout(60), connected(paths) as editor:
        editor.open("x =")
        await editor.wait_for("draftwire/status", lambda one: one["draft"] == "ready")
        hang(running)
        told = await editor.wait_for("draftwire/status", lambda one: one["daemon"] == "silent")
        assert (told["kind"], told["reason"]) == ("Error", "daemon_silent")
        assert told["message"].startswith(f"the daemon (process {running.pid}) does not answer")
        assert told["message"].endswith("run: draftwire daemon stop")
        editor.type(0, 3, " 1")
        assert await editor.inline(0, 5) == []
        before = len(editor.received("draftwire/status"))
        running.send_signal(signal.SIGCONT)
        while len(told := editor.received("draftwire/status")) == before:
            await asyncio.sleep(0.01)
        assert (told[-1]["kind"], told[-1]["pid"]) == ("Normal", running.pid)
        while not (items := await editor.inline(0, 5)):
            await asyncio.sleep(0.05)
        assert items[0]["insertText"].startswith(" +")


async def test_a_daemon_that_hangs_and_is_killed_is_known_to_be_gone(
    paths: RuntimePaths, running: Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known while the bridge waits for a sign of life, and waits for none any more."""
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.05)
    monkeypatch.setattr(client_module, "HANDSHAKE_TIMEOUT_S", 0.2)
    async with asyncio.timeout(60), connected(paths) as editor:
        hang(running)
        await editor.wait_for("draftwire/status", lambda one: one["daemon"] == "silent")
        running.kill()
        await editor.wait_for("draftwire/status", lambda one: one["daemon"] == "stopped")


async def test_a_daemon_that_is_stopped_stays_so_until_the_user_types(
    paths: RuntimePaths, tmp_path: Path
) -> None:
    """The editor is told by the daemon itself: a crash looks otherwise, and one is started at once."""
    async with asyncio.timeout(120):
        with daemon_process(paths, tmp_path) as first:
            async with connected(paths) as editor:
                editor.open("x =")
                client = await client_module.DaemonClient.connect(paths, client="draftwire daemon")
                client.send(Shutdown())
                await client.wait_lost()
                await client.close()
                told = await editor.wait_for("draftwire/status", lambda one: one["daemon"] == "stopped")
                assert (told["kind"], told["reason"]) == ("Warning", "daemon_stopped")
                assert await asyncio.to_thread(first.wait) == 0
                assert editor.bridge.session.state.phase == "stopped"
                editor.type(0, 3, " ")
                await editor.wait_for("draftwire/status", lambda one: one["daemon"] == "unavailable")
                with daemon_process(paths, tmp_path) as second:
                    await editor.wait_for("draftwire/status", lambda one: one["pid"] == second.pid)
