"""A real bridge process and the lean LSP client at its other end: JSON-RPC over the bridge's standard streams.

Leaner than a client library, since it shares the machine with what it measures: what comes in is stamped as it is
read, then decoded and handed on in order. Knows framing and ids, not what the messages say.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from lsp_bridge.stdio import READ_BYTES, MessageSplitter

EXIT_S: Final = 10.0
REQUEST_CANCELLED: Final = -32800
"""LSP 3.17, "ErrorCodes"."""

OnNotification = Callable[[str, Any, float], None]
"""(method, params, when it came, in seconds of the event loop's clock)"""
OnResult = Callable[[Any, float], None]
"""(result, when it came); the result is None where the bridge answered with an error."""


class BridgeLost(Exception):
    """The bridge's process has ended by itself."""


class Bridge:
    """One conversation with a bridge. Use `running_bridge`."""

    def __init__(self, process: asyncio.subprocess.Process, on_notification: OnNotification) -> None:
        self.process = process
        self.errors = 0
        """Requests that were answered with an error other than that they were cancelled."""
        self._on_notification = on_notification
        self._ids = itertools.count(1)
        self._waiting: dict[int, OnResult] = {}
        self._answered = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    def check(self) -> None:
        """Raise BridgeLost, or what went wrong in reading from it, if it no longer answers."""
        if self._reading.done():
            self._reading.result()
            raise BridgeLost(f"the bridge (draftwire lsp) has ended, status {self.process.returncode}")

    def notify(self, method: str, params: Any) -> float:
        """Send a notification; when it was written, in seconds of the event loop's clock."""
        return self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any, on_result: OnResult) -> int:
        """Send a request; its id, to cancel it by."""
        identifier = next(self._ids)
        self._waiting[identifier] = on_result
        self._send({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
        return identifier

    def cancel(self, identifier: int) -> None:
        """Say that a request is of no use any more, unless it has been answered."""
        if identifier in self._waiting:
            self.notify("$/cancelRequest", {"id": identifier})

    async def ask(self, method: str, params: Any, timeout_s: float) -> Any:
        """Send a request and wait for its result; TimeoutError, BridgeLost."""
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def take(result: Any, _: float) -> None:
            if not answered.done():
                answered.set_result(result)

        self.request(method, params, take)
        await asyncio.wait({answered, self._reading}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if answered.done():
            return answered.result()
        self.check()
        raise TimeoutError(f"no answer to {method} within {timeout_s:g} s")

    async def until_answered(self, timeout_s: float) -> None:
        """Wait until no request is without its answer; TimeoutError, BridgeLost."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._waiting:
                    self._answered.clear()
                    await self._answered.wait()
        except TimeoutError:
            self.check()
            raise TimeoutError(
                f"{len(self._waiting)} requests without an answer for {timeout_s:g} s"
            ) from None

    async def close(self) -> None:
        """Leave in order; kill a bridge that does not."""
        with contextlib.suppress(TimeoutError, BridgeLost, ConnectionError):
            await self.ask("shutdown", None, EXIT_S)
            self.notify("exit", None)
        try:
            async with asyncio.timeout(EXIT_S):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    def _send(self, message: Mapping[str, Any]) -> float:
        body = msgspec.json.encode(message)
        assert self.process.stdin is not None
        written = asyncio.get_running_loop().time()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return written

    async def _read(self) -> None:
        assert self.process.stdout is not None
        splitter, clock = MessageSplitter(), asyncio.get_running_loop().time
        while data := await self.process.stdout.read(READ_BYTES):
            now = clock()
            for body in splitter.feed(data):
                if body is not None:
                    self._take(msgspec.json.decode(body), now)

    def _take(self, message: dict[str, Any], now: float) -> None:
        if "method" in message:
            self._on_notification(message["method"], message.get("params"), now)
            return
        on_result = self._waiting.pop(message["id"], None)
        self._answered.set()
        if "error" in message and message["error"]["code"] != REQUEST_CANCELLED:
            self.errors += 1
        if on_result is not None:
            on_result(message.get("result"), now)


@contextlib.asynccontextmanager
async def running_bridge(
    environment: Mapping[str, str],
    on_notification: OnNotification,
    command: Sequence[str] = ("-m", "draftwire", "lsp"),
) -> AsyncIterator[Bridge]:
    """`draftwire lsp` with a client that has greeted it; it and the client are gone at the end.

    command: what this interpreter is to run, if another bridge.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(environment),
        start_new_session=True,  # so that Ctrl-C reaches us alone, and we end it in order
    )
    bridge = Bridge(process, on_notification)
    try:
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"inlineCompletion": {}},
        }
        client = {"name": "draftwire-keystrokes", "version": "1"}
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "clientInfo": client,
            "capabilities": capabilities,
        }
        await bridge.ask("initialize", params, EXIT_S)
        bridge.notify("initialized", {})
        yield bridge
    finally:
        await bridge.close()
