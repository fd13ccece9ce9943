"""`draftwire lsp`: the bridge as a process on standard input and output.

Standard output belongs to the protocol alone; all logging goes to standard error, and no code text into it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from daemon.api.client import DaemonClient, OnPush
from daemon.api.paths import RuntimePaths
from daemon.api.start import ensure_daemon
from lsp_bridge.server import BridgeServer
from lsp_bridge.stdio import StdioWriter, read_in_thread

PARENT_CHECK_S = 2.0

log = logging.getLogger(__name__)


def run(
    paths: RuntimePaths,
    *,
    version: str,
    log_level: str = "WARNING",
    daemon_command: Sequence[str] | None = None,
) -> int:
    """Serve one editor until it says `exit`, closes our input, or dies; the process's exit code (LSP,
    "exit").

    `daemon_command` is what starts a daemon where none runs (default: that of this interpreter).
    """
    configure_logging(log_level)
    with _protocol_output() as output:
        return asyncio.run(_serve(paths, version, daemon_command, output))


def configure_logging(level: str) -> None:
    """Ours to standard error; pygls' not at all, since it logs what it sends and gets, which is code
    (ux-40)."""
    logging.basicConfig(stream=sys.stderr, level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)


@contextlib.contextmanager
def _protocol_output() -> Iterator[BinaryIO]:
    """Standard output for the protocol; whatever else would write there (a stray print) goes to standard
    error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        yield output


async def _serve(
    paths: RuntimePaths, version: str, daemon_command: Sequence[str] | None, output: BinaryIO
) -> int:
    loop = asyncio.get_running_loop()

    async def connect(settings: dict[str, Any], on_push: OnPush, *, start: bool) -> DaemonClient:
        if not start:
            name = server.client_name
            return await DaemonClient.connect(paths, client=name, settings=settings, on_push=on_push)
        return await ensure_daemon(
            paths, client=server.client_name, settings=settings, on_push=on_push, command=daemon_command
        )

    server = BridgeServer(version, connect)
    server.exit_code = loop.create_future()
    writer = StdioWriter(output)
    server.protocol.set_writer(writer)
    gc.freeze()  # what is loaded by now stays: a full collection would walk through it while a key waits
    tasks: list[asyncio.Task[Any]] = [
        asyncio.create_task(_receive(server, read_in_thread(0, loop))),
        asyncio.create_task(_watch_parent(server)),
        asyncio.create_task(writer.broken.wait()),
    ]
    try:
        ends: list[asyncio.Future[Any]] = [*tasks, server.exit_code]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                raise error
        return server.exit_code.result() if server.exit_code.done() else 1
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.close()


async def _receive(server: BridgeServer, bodies: asyncio.Queue[bytes | EOFError | None]) -> None:
    """Hand over each message, in order, until the editor's end of the pipe closes."""
    while not isinstance(body := await bodies.get(), EOFError):
        server.protocol.receive(body)
        await asyncio.sleep(0)  # lets a request take its cursor before the next message changes the document


async def _watch_parent(server: BridgeServer) -> None:
    """Return when the editor's process is gone, in case something else holds our input open."""
    while True:
        await asyncio.sleep(PARENT_CHECK_S)
        if server.process_id is not None and sys.platform != "win32":
            try:
                os.kill(server.process_id, 0)
            except ProcessLookupError:
                log.warning("the editor (process %d) is gone", server.process_id)
                return
            except PermissionError:
                continue  # alive, and another user's
