"""A verifier and a daemon with real models on loopback, and a client of the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from daemon.api.client import DaemonClient
from daemon.api.paths import RuntimePaths
from daemon.draft.engine import DraftEngine
from daemon.serving.server import run_daemon
from daemon.settings.config import Config
from tests.fakes.running_daemon import client_of
from verifier.engine import TargetEngine
from verifier.service import VerifierSettings, serve_engine


@asynccontextmanager
async def both_ends(
    paths: RuntimePaths,
    target: TargetEngine,
    served: VerifierSettings,
    config: Config,
    load_draft: Callable[[], DraftEngine],
) -> AsyncIterator[DaemonClient]:
    """A client of a daemon of this configuration, connected to a verifier that serves the target as `served` says."""
    bound: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve_engine(target, served, ready=lambda host, port: bound.set_result(port))
    )
    done, _ = await asyncio.wait([serving, bound], return_when=asyncio.FIRST_COMPLETED)
    if serving in done:
        serving.result()
    port = await bound
    config = replace(
        config, verifier=replace(config.verifier, url=f"ws://127.0.0.1:{port}", deadline_ms=60_000)
    )
    running = asyncio.create_task(run_daemon(config, paths, load_draft))
    try:
        async with asyncio.timeout(120):
            client = await client_of(paths, running)
            while (await client.status()).link != "online":
                await asyncio.sleep(0.02)
        yield client
        await client.close()
    finally:
        for task in (running, serving):
            task.cancel()
        await asyncio.gather(running, serving, return_exceptions=True)
