"""An editor that speaks raw LSP to the bridge, in this process or over a child's pipes, right or wrong.

Every response is matched to its request and counted, so that a test sees a missing or a second one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from daemon.api.client import DaemonClient, OnPush
from daemon.api.paths import RuntimePaths
from daemon.version import VERSION
from lsp_bridge.server import BridgeServer
from lsp_bridge.stdio import MessageSplitter

URI = "file:///work/a.py"
Json = dict[str, Any]


class ResponseError(Exception):
    """The error a request was answered with."""

    def __init__(self, error: Json) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Editor:
    """One conversation. `send_bytes` takes what goes to the server; `take` gets what comes from it."""

    def __init__(self, send_bytes: Callable[[bytes], None]) -> None:
        self._send_bytes = send_bytes
        self._splitter = MessageSplitter()
        self._ids = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[Any]] = {}
        self._arrived = asyncio.Condition()
        self._wakers: set[asyncio.Task[None]] = set()
        self.notifications: list[Json] = []
        self.unmatched: list[Json] = []
        """Responses that answer no request under way: with id null, or a second one."""
        self.capabilities: Json = {}
        self._version = 1

    # Raw ------------------------------------------------------------------------------------------------

    def send_body(self, body: bytes) -> None:
        self._send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message: Any) -> None:
        self.send_body(json.dumps(message).encode())

    def take(self, data: bytes) -> None:
        for body in self._splitter.feed(data):
            assert body is not None
            self._take(json.loads(body))
        waker = asyncio.ensure_future(self._wake())
        self._wakers.add(waker)
        waker.add_done_callback(self._wakers.discard)

    async def _wake(self) -> None:
        async with self._arrived:
            self._arrived.notify_all()

    def _take(self, message: Json) -> None:
        if "method" in message:
            assert "id" not in message, "the bridge asks the editor nothing"
            self.notifications.append(message)
            return
        waiting = self._waiting.pop(message["id"], None)
        if waiting is None:
            self.unmatched.append(message)
        elif waiting.done():
            return  # the test gave up on it
        elif "error" in message:
            waiting.set_exception(ResponseError(message["error"]))
        else:
            waiting.set_result(message["result"])

    # Requests and notifications ----------------------------------------------------------------------------

    def start(self, method: str, params: Any = None, *, identifier: Any = None) -> asyncio.Future[Any]:
        """Send a request; its result, or ResponseError, later."""
        identifier = next(self._ids) if identifier is None else identifier
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[identifier] = waiting
        waiting.identifier = identifier  # type: ignore[attr-defined]
        self.send({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
        return waiting

    async def request(self, method: str, params: Any = None) -> Any:
        return await self.start(method, params)

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, request: asyncio.Future[Any]) -> None:
        self.notify("$/cancelRequest", {"id": request.identifier})  # type: ignore[attr-defined]

    def received(self, method: str) -> list[Any]:
        """The parameters of the notifications of this method, in order."""
        return [message["params"] for message in self.notifications if message["method"] == method]

    async def wait_for(self, method: str, matches: Callable[[Any], bool] = lambda _: True) -> Any:
        """The first notification of this method that matches, waiting for it."""

        def found() -> list[Any]:
            return [params for params in self.received(method) if matches(params)]

        async with self._arrived:
            await self._arrived.wait_for(lambda: bool(found()))
        return found()[0]

    async def wait_unmatched(self, count: int) -> list[Json]:
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.unmatched) >= count)
        return self.unmatched

    # What editors do ---------------------------------------------------------------------------------------

    async def initialize(self, encoding: str | None = "utf-16", **more: Any) -> Json:
        general = {"positionEncodings": [encoding]} if encoding else {}
        params = {"processId": None, "rootUri": None, "capabilities": {"general": general}, **more}
        result = await self.request("initialize", params)
        self.capabilities = result["capabilities"]
        self.notify("initialized", {})
        return result  # type: ignore[no-any-return]

    async def connected(self) -> None:
        """Wait until the bridge says it has a daemon that is ready."""
        await self.wait_for(
            "draftwire/status", lambda s: s["daemon"] == "connected" and s["draft"] == "ready"
        )

    def open(self, text: str, uri: str = URI, version: int | None = 1) -> None:
        self._version = version or 0
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, *changes: Json, uri: str = URI) -> None:
        self._version += 1
        document = {"uri": uri, "version": self._version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def type(self, line: int, character: int, text: str, uri: str = URI) -> None:
        """Insert at a position."""
        self.change(replace((line, character), (line, character), text), uri=uri)

    def start_inline(self, line: int, character: int, uri: str = URI, kind: Any = 2, **context: Any) -> Any:
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": kind, **context},
        }
        return self.start("textDocument/inlineCompletion", params)

    async def inline(self, line: int, character: int, uri: str = URI, **context: Any) -> list[Json]:
        """The items of an inline completion."""
        result = await self.start_inline(line, character, uri, **context)
        return result["items"]  # type: ignore[no-any-return]


def replace(start: tuple[int, int], end: tuple[int, int], text: str) -> Json:
    """One content change."""
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}


class InProcessEditor(Editor):
    """An editor whose bridge runs on the same event loop; its waits between tries are short."""

    def __init__(self, paths: RuntimePaths) -> None:
        super().__init__(self._to_bridge)
        self._bodies: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._requests = MessageSplitter()

        async def connect(settings: Json, on_push: OnPush, *, start: bool) -> DaemonClient:
            return await DaemonClient.connect(
                paths, client=self.bridge.client_name, settings=settings, on_push=on_push
            )

        async def sleep(seconds: float) -> None:
            await asyncio.sleep(seconds / 100)

        self.bridge = BridgeServer(VERSION, connect, sleep=sleep)
        self.bridge.protocol.set_writer(self)
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> InProcessEditor:
        self.bridge.exit_code = asyncio.get_running_loop().create_future()
        self._pump = asyncio.create_task(self._receive())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._pump is not None
        self._pump.cancel()
        pumped = (await asyncio.gather(self._pump, return_exceptions=True))[0]
        await self.bridge.close()
        for waiting in self._waiting.values():
            waiting.cancel()
        if not isinstance(pumped, asyncio.CancelledError):
            raise AssertionError("the bridge died") from pumped

    def write(self, data: bytes) -> None:
        self.take(data)

    def close(self) -> None:
        """Part of pygls' writer."""

    def _to_bridge(self, data: bytes) -> None:
        for body in self._requests.feed(data):
            self._bodies.put_nowait(body)

    async def _receive(self) -> None:
        while True:
            self.bridge.protocol.receive(await self._bodies.get())
            await asyncio.sleep(0)


class ProcessEditor(Editor):
    """An editor with the bridge as its child process."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        super().__init__(self._to_bridge)
        self._command = command
        self._environment = environment
        self.process: asyncio.subprocess.Process
        self.log = b""

    async def __aenter__(self) -> ProcessEditor:
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=self._environment
        )
        self._readers = asyncio.gather(self._read_output(), self._read_log())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await self._readers

    async def exit_code(self) -> int:
        """Wait for the end of the process."""
        await self._readers
        return await self.process.wait()

    def _to_bridge(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    async def _read_output(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(1 << 16):
            self.take(data)

    async def _read_log(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(1 << 16):
            self.log += data


BRIDGE_COMMAND = (
    sys.executable,
    "-c",
    "import sys; from daemon.api.paths import runtime_paths; from lsp_bridge.main import run; "
    "sys.exit(run(runtime_paths(), version='test'))",
)
