"""The scripted daemon as a process: what it answers, that it can be killed, and that the bridge starts it again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.lsp_editor import URI, ProcessEditor
from tests.fakes.processes import processes_of
from tests.fakes.scripted_daemon import scripted_daemon

RULES = [{"before": "def add", "suggestions": [{"text": "(a, b):"}]}]


@pytest.mark.asyncio
async def test_a_killed_one_is_started_again_by_the_bridge(tmp_path: Path) -> None:
    """The editor asks before and after, gets the same, and nothing is left running."""
    with scripted_daemon(tmp_path, RULES) as daemon:
        (first,) = daemon.pids()
        bridge = [str(daemon.command), "lsp"]
        async with ProcessEditor(bridge, {**os.environ, **daemon.environment}) as editor:
            await editor.initialize()
            await editor.connected()
            editor.open("def add")
            assert [item["insertText"] for item in await editor.inline(0, 7)] == ["(a, b):"]
            assert daemon.wait_for("complete")[0]["offset"] == 7
            editor.notifications.clear()
            daemon.kill()
            await editor.connected()
            assert daemon.pids() != [first]
            editor.type(0, 0, "\n")
            assert [item["insertText"] for item in await editor.inline(1, 7, uri=URI)] == ["(a, b):"]
    assert processes_of(tmp_path) == []
