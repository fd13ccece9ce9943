"""The real daemon with the scripted engine, in this process, behind its real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from daemon.api.paths import RuntimePaths
from daemon.config import Config
from daemon.server import run_daemon
from tests.fakes.engine import FakeEngine


@asynccontextmanager
async def running_daemon(
    paths: RuntimePaths, engine: FakeEngine, *, answer_ms: int = 10_000
) -> AsyncIterator[None]:
    """A daemon that answers with all that its engine says, however long that takes; it has ended at the end."""
    config = Config()
    config = replace(config, display=replace(config.display, first_ghost_ms=answer_ms, answer_ms=answer_ms))
    task = asyncio.create_task(run_daemon(config, paths, lambda: engine))
    try:
        yield
    finally:
        engine.release()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
