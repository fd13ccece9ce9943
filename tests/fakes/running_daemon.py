"""The real daemon in this process, behind its real socket: with the scripted engine, and a client of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonUnavailable
from daemon.api.paths import RuntimePaths
from daemon.serving.server import run_daemon
from daemon.settings.config import Config
from tests.fakes.engine import FakeEngine


@asynccontextmanager
async def running_daemon(
    paths: RuntimePaths, engine: FakeEngine, *, config: Config | None = None, answer_ms: int = 10_000
) -> AsyncIterator[asyncio.Task[None]]:
    """A daemon, as a task; it has ended at the end.

    Without a configuration it answers with all that its engine says, however long that takes.
    """
    if config is None:
        config = Config()
        config = replace(
            config, display=replace(config.display, first_ghost_ms=answer_ms, answer_ms=answer_ms)
        )
    task = asyncio.create_task(run_daemon(config, paths, lambda: engine))
    try:
        yield task
    finally:
        engine.release()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def client_of(paths: RuntimePaths, running: asyncio.Task[None]) -> DaemonClient:
    """A client of the daemon that runs as this task, once it listens; raises what ended it if it does not."""
    while True:
        if running.done():
            running.result()
        try:
            return await DaemonClient.connect(paths, client="test")
        except DaemonUnavailable:
            await asyncio.sleep(0.01)
