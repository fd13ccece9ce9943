"""Every test of the bridge has a runtime directory of its own, and an editor that is connected if it asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonUnavailable
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.config import Config
from daemon.server import run_daemon
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import InProcessEditor


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return runtime_paths(tmp_path / "run")


@asynccontextmanager
async def connected(paths: RuntimePaths) -> AsyncIterator[InProcessEditor]:
    """A UTF-16 editor that is connected; in the end it has got nothing that it could not match."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize()
        await editor.connected()
        yield editor
        assert editor.unmatched == []


@asynccontextmanager
async def drafting_daemon(
    paths: RuntimePaths, source: str, *, config: Config | None = None
) -> AsyncIterator[DaemonClient]:
    """A daemon without a verifier, whose model knows `source` by heart, and a client that looks at its statistics."""
    config = config or Config()
    config = replace(config, display=replace(config.display, first_ghost_ms=0, answer_ms=10_000))
    running = asyncio.create_task(run_daemon(config, paths, lambda: FakeEngine(following(source))))
    try:
        async with asyncio.timeout(20):
            while True:
                with suppress(DaemonUnavailable):
                    client = await DaemonClient.connect(paths, client="test")
                    break
                await asyncio.sleep(0.01)
        yield client
        await client.close()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
