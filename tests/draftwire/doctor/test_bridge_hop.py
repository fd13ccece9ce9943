"""The handshake with the real bridge, and with programs that get it wrong in each way."""

from __future__ import annotations

import sys

import pytest

from draftwire.doctor import bridge_hop
from draftwire.doctor.bridge_hop import check_bridge

SERVER = """
import json, sys
def read():
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit()
def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
def serve(capabilities, status=0):
    while (message := read())["method"] != "exit":
        write({"method": "window/logMessage", "params": {}})
        write({"id": message["id"], "result": {"capabilities": capabilities}})
    sys.exit(status)
"""


def program(body: str) -> tuple[str, ...]:
    return (sys.executable, "-c", SERVER + body)


@pytest.mark.asyncio
async def test_the_real_bridge() -> None:
    found = await check_bridge()
    assert (found.level, found.text) == ("ok", "inline completion offered, positions in utf-8")


@pytest.mark.parametrize(
    ("body", "level", "text"),
    [
        ("serve({'inlineCompletionProvider': True})", "ok", "positions in utf-16"),
        ("serve({'inlineCompletionProvider': {}}, 3)", "warning", "ended with status 3"),
        ("serve({})", "failed", "does not offer inline completion"),
        ("print('hello')", "failed", "something that is no LSP message is on its stdout: b'hello\\n'"),
        ("print('a: b')", "failed", "something that is no LSP message"),
        ("sys.exit('no such module')", "failed", "it ended without an answer (no such module)"),
        ("sys.stdout.write('Content-Length: 9\\r\\n\\r\\n{}')", "failed", "a message broke off"),
        ("sys.stdout.write('Content-Length: 2\\r\\n\\r\\n{x')", "failed", "a message broke off"),
        ("sys.stdout.write('Content-Length: x\\r\\n\\r\\n')", "failed", "a message of -1 bytes came"),
        ("read(); write({'id': 1, 'error': {'message': 'too early'}})", "failed", "was refused: too early"),
    ],
)
@pytest.mark.asyncio
async def test_what_it_says_to_a_program(body: str, level: str, text: str) -> None:
    found = await check_bridge(program(body))
    assert (found.level, text in found.text) == (level, True), found
    assert bool(found.fix) == (level != "ok")


@pytest.mark.asyncio
async def test_a_silent_program_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge_hop, "TIMEOUT_S", 0.3)
    found = await check_bridge(program("import time; time.sleep(60)"))
    assert (found.level, "no answer within 0.3 s" in found.text) == ("failed", True)


@pytest.mark.asyncio
async def test_a_program_that_is_not_there() -> None:
    found = await check_bridge(("/nowhere/draftwire",))
    assert (found.level, "can't be run" in found.text) == ("failed", True)
