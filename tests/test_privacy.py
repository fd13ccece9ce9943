"""What stays on the machine and in the processes: no connection that was not asked for, no code in a log."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from daemon.api.paths import runtime_paths
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI
from tests.lsp_bridge.conftest import connected, drafting_daemon

SECRET = "correct_horse_battery"
SOURCE = f"def {SECRET}(staple):\n    return staple\n"


class Connections:
    """Every address that this process connects to while it is watched; an audit hook can't be taken out again."""

    def __init__(self) -> None:
        self.addresses: list[Any] = []
        self.is_watching = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_watching and event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
            self.addresses.append(arguments[1] if event != "socket.getaddrinfo" else arguments[0])


@pytest.fixture(scope="module")
def connections() -> Connections:
    return Connections()


async def type_and_accept(folder: Path) -> dict[str, Any]:
    """A session with all that an editor does, on the default configuration; the statistics after it."""
    paths = runtime_paths(folder / "run", transport="unix")
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, FakeEngine(following(SOURCE))) as client,
        connected(paths) as editor,
    ):
        editor.open(f"def {SECRET}(staple):\n")
        editor.type(1, 0, "    ret")
        while not (items := await editor.inline(1, 7)):
            await asyncio.sleep(0.01)
        editor.notify("textDocument/didShowCompletion", {"item": items[0]})
        editor.type(1, 7, items[0]["insertText"])
        await editor.request("workspace/executeCommand", items[0]["command"])
        await editor.inline(1, 3, kind=1)
        await editor.inline(0, 0, "file:///unknown")
        editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        return await client.stats()


@pytest.mark.asyncio
async def test_ux_43_nothing_is_told_to_anybody_unasked(tmp_path: Path, connections: Connections) -> None:
    """Telemetry is off: there is none. The statistics stay here, and `draftwire stats` shows them."""
    connections.addresses.clear()
    connections.is_watching = True
    try:
        stats = await type_and_accept(tmp_path)
    finally:
        connections.is_watching = False
    assert {str(address) for address in connections.addresses} == {str(tmp_path / "run" / "daemon.sock")}
    assert {"shown", "accepted", "kept", "first_ghost_ms", "key_to_ghost_ms"} <= set(stats)
    assert list(stats["kept"]) == ["after 30 s", "after 90 s", "after 180 s"]


@pytest.mark.asyncio
async def test_ux_40_no_code_is_in_a_log_of_any_level(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Of bridge and daemon, at the loudest that a setting gives: debug. (That the bridge's process silences its
    libraries is shown in `tests/lsp_bridge/test_main.py`.)"""
    for package in ("daemon", "lsp_bridge", "speculation", "grammars", "asyncio"):
        caplog.set_level(logging.DEBUG, package)
    await type_and_accept(tmp_path)
    assert caplog.records
    assert SECRET not in caplog.text
    assert "staple" not in caplog.text
