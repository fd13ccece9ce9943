"""What the protocol keeps of a message once it has been dealt with: nothing (ux-32)."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from typing import Any

import pytest

from daemon.api.client import OnPush
from lsp_bridge.server import BridgeServer
from lsp_bridge.session import Client
from tests.fakes.lsp_editor import URI, replace

KEYS = 500
FEW_BYTES = 300
"""Of a key; a future that was kept took 1,800."""


class Deaf:
    """An editor that reads nothing."""

    def write(self, data: bytes) -> None:
        pass

    def close(self) -> None:
        pass


async def _no_daemon(settings: dict[str, Any], on_push: OnPush, *, start: bool) -> Client:
    raise AssertionError("the session is not started")


def keys(bridge: BridgeServer, since: int) -> None:
    """A key and its request, which is cancelled at once every other time."""

    def send(method: str, params: Any, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        bridge.protocol.receive(json.dumps(message).encode())

    for version in range(since, since + KEYS):
        change = replace((0, 0), (0, version % 2), "a" * (1 - version % 2))
        document = {"uri": URI, "version": version}
        send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        at = {
            "textDocument": document,
            "position": {"line": 0, "character": 0},
            "context": {"triggerKind": 2},
        }
        send("textDocument/inlineCompletion", at, id=version)
        if version % 2:
            send("$/cancelRequest", {"id": version})


async def settled(bridge: BridgeServer) -> None:
    """Until nothing of what was sent is under way."""
    for _ in range(1000):
        if not bridge.protocol._request_futures:
            return
        await asyncio.sleep(0)
    raise AssertionError(f"{len(bridge.protocol._request_futures)} messages are still kept")


@pytest.mark.asyncio
async def test_ux_32_nothing_is_kept_of_a_key() -> None:
    """Keys, requests and cancellations, as a day of typing has tens of thousands of."""
    bridge = BridgeServer("test", _no_daemon)
    bridge.documents.open(URI, "python", 1, "a = 1\n" * 50)
    bridge.protocol._initialized = True
    bridge.protocol.set_writer(Deaf())
    keys(bridge, 2)
    await settled(bridge)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        keys(bridge, 2 + KEYS)
        await settled(bridge)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / KEYS < FEW_BYTES
