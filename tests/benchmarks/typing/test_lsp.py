"""The client's half of the conversation, with a process that answers as it is told to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from benchmarks.typing.lsp import Bridge, BridgeLost

ECHO = """
import json, sys

def read():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None

def write(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()

while (message := read()) is not None:
    method = message["method"]
    if method == "exit":
        break
    if method == "fail":
        write({"id": message["id"], "error": {"code": -32603, "message": "no"}})
    elif method == "die":
        sys.exit(3)
    elif method == "$/cancelRequest":
        write({"id": message["params"]["id"], "error": {"code": -32800, "message": "cancelled"}})
    elif method not in ("silent", "exit"):
        write({"method": "said", "params": message})
        if "id" in message:
            write({"id": message["id"], "result": message["params"]})
"""


@asynccontextmanager
async def conversation() -> AsyncIterator[tuple[Bridge, list[tuple[str, Any]]]]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", ECHO, stdin=pipe, stdout=pipe)
    said: list[tuple[str, Any]] = []
    bridge = Bridge(process, lambda method, params, now: said.append((method, params)))
    try:
        yield bridge, said
    finally:
        await bridge.close()
        assert process.returncode is not None


@pytest.mark.asyncio
async def test_answers_and_notifications_come_in_order_with_their_times() -> None:
    loop = asyncio.get_running_loop()
    async with conversation() as (bridge, said):
        written = bridge.notify("hello", {"text": "é 你 🤗"})
        assert written <= loop.time()
        assert await bridge.ask("question", [1], 20) == [1]
        assert [params["method"] for _, params in said] == ["hello", "question"]
        assert said[0][1]["params"] == {"text": "é 你 🤗"}
        bridge.check()
    assert bridge.errors == 0


@pytest.mark.asyncio
async def test_an_error_is_no_result_and_is_counted_unless_the_request_was_cancelled() -> None:
    async with conversation() as (bridge, _):
        assert await bridge.ask("fail", None, 20) is None
        assert bridge.errors == 1
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        identifier = bridge.request("silent", None, lambda result, now: answered.set_result(result))
        bridge.cancel(identifier)
        assert await answered is None
        bridge.cancel(identifier)  # it has been answered: nothing is sent
        assert await bridge.ask("question", 2, 20) == 2
    assert bridge.errors == 1


@pytest.mark.asyncio
async def test_a_request_that_is_not_answered_in_time() -> None:
    async with conversation() as (bridge, _):
        with pytest.raises(TimeoutError, match="silent"):
            await bridge.ask("silent", None, 0.05)


@pytest.mark.asyncio
async def test_waiting_for_all_answers() -> None:
    """Cancelled ones are answered too."""
    async with conversation() as (bridge, _):
        results: list[Any] = []
        bridge.request("question", 1, lambda result, now: results.append(result))
        bridge.cancel(bridge.request("silent", None, lambda result, now: results.append(result)))
        await bridge.until_answered(20)
        assert results == [1, None]
        bridge.request("silent", None, lambda result, now: None)
        with pytest.raises(TimeoutError, match="1 requests without an answer"):
            await bridge.until_answered(0.05)


@pytest.mark.asyncio
async def test_a_bridge_that_ends_by_itself() -> None:
    async with conversation() as (bridge, _):
        with pytest.raises(BridgeLost, match="has ended"):
            await bridge.ask("die", None, 20)
        with pytest.raises(BridgeLost):
            bridge.check()
