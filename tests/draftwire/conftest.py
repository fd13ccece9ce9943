"""Every test of the command has a runtime directory and a configuration of its own, and a daemon if it asks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.api.paths import RUNTIME_DIR_VARIABLE, TRANSPORT_VARIABLE, runtime_paths
from daemon.settings.config import CONFIG_VARIABLE, TOKEN_VARIABLE
from tests.fakes.daemon import ScriptedDaemon

RunDaemon = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("", encoding="utf-8")
    monkeypatch.setenv(RUNTIME_DIR_VARIABLE, str(tmp_path / "runtime"))
    monkeypatch.setenv(CONFIG_VARIABLE, str(config))
    monkeypatch.delenv(TRANSPORT_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def run_daemon() -> RunDaemon:
    """`with run_daemon(answer, status=...) as daemon`: a scripted daemon on a thread of its own."""
    return _run_daemon


@contextmanager
def _run_daemon(*arguments: Any, **options: Any) -> Iterator[ScriptedDaemon]:
    daemon = ScriptedDaemon(runtime_paths(), *arguments, **options)
    up, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with daemon:
            up.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), name="scripted daemon")
    thread.start()
    assert up.wait(10)
    try:
        yield daemon
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()
