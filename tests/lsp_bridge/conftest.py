"""Every test of the bridge has a runtime directory of its own, and an editor that is connected if it asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.settings.config import Config
from tests.fakes.engine import FakeEngine
from tests.fakes.lsp_editor import InProcessEditor
from tests.fakes.running_daemon import client_of, running_daemon


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
    paths: RuntimePaths, engine: FakeEngine, *, config: Config | None = None
) -> AsyncIterator[DaemonClient]:
    """A daemon without a verifier that answers with the first text of this model; a client sees its statistics."""
    config = config or Config()
    config = replace(config, display=replace(config.display, first_ghost_ms=0, answer_ms=10_000))
    async with running_daemon(paths, engine, config=config) as running:
        async with asyncio.timeout(20):
            client = await client_of(paths, running)
        yield client
        await client.close()
