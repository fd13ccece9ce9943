"""Does the bridge start, speak LSP on its stdout and nothing else, and offer inline completion.

Starts `draftwire lsp` as an editor does (but that it starts no daemon), shakes hands, and ends it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from draftwire.doctor.findings import Finding

TIMEOUT_S = 20.0
MAX_BODY_BYTES = 1 << 20
COMMAND = (sys.executable, "-m", "draftwire", "lsp", "--without-daemon")


class NotLsp(Exception):
    """What came from the bridge's stdout is no LSP message."""


async def check_bridge(command: tuple[str, ...] = COMMAND) -> Finding:
    """One handshake with a bridge of its own, which is ended whatever happens."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        text = f"{command[0]} can't be run: {error.strerror}"
        return Finding("bridge", "handshake", "failed", text, "reinstall draftwire")
    stderr = asyncio.create_task(_everything(process.stderr))
    try:
        async with asyncio.timeout(TIMEOUT_S):
            capabilities = await _converse(process)
            await process.wait()
    except (TimeoutError, NotLsp, ConnectionError) as error:
        if process.returncode is None:
            process.kill()
        await process.wait()
        return _failure(error, await stderr)
    await stderr
    return _outcome(capabilities, process.returncode)


def _outcome(capabilities: dict[str, Any], status: int | None) -> Finding:
    if "inlineCompletionProvider" not in capabilities:
        fix = "reinstall draftwire: its pygls is of another version"
        return Finding("bridge", "handshake", "failed", "it does not offer inline completion", fix)
    if status:
        text = f"it answered, but ended with status {status}"
        return Finding("bridge", "handshake", "warning", text, "run: draftwire lsp < /dev/null")
    encoding = capabilities.get("positionEncoding", "utf-16")
    return Finding("bridge", "handshake", "ok", f"inline completion offered, positions in {encoding}")


async def _converse(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """initialize, shutdown, exit; the server's capabilities."""
    assert process.stdin is not None
    assert process.stdout is not None
    document: dict[str, Any] = {"inlineCompletion": {}, "synchronization": {}}
    parameters = {
        "processId": os.getpid(),
        "clientInfo": {"name": "draftwire doctor"},
        "rootUri": None,
        "capabilities": {"textDocument": document, "general": {"positionEncodings": ["utf-8", "utf-16"]}},
    }
    process.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}))
    answer = await _answer(process.stdout, 1)
    if "error" in answer:
        raise NotLsp(f"initialize was refused: {answer['error'].get('message', '')}")
    process.stdin.write(frame({"jsonrpc": "2.0", "id": 2, "method": "shutdown", "params": None}))
    await _answer(process.stdout, 2)
    process.stdin.write(frame({"jsonrpc": "2.0", "method": "exit", "params": None}))
    await process.stdin.drain()
    capabilities: dict[str, Any] = answer["result"]["capabilities"]
    return capabilities


def frame(message: dict[str, Any]) -> bytes:
    """An LSP message with its header."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


async def _answer(stream: asyncio.StreamReader, request: int) -> dict[str, Any]:
    """The answer to a request; notifications before it are passed over. Raises NotLsp."""
    while True:
        message = await _message(stream)
        if message.get("id") == request and "method" not in message:
            return message


async def _message(stream: asyncio.StreamReader) -> dict[str, Any]:
    length = -1
    while (line := await stream.readline()) != b"\r\n":
        name, colon, value = line.partition(b":")
        if not line:
            raise NotLsp("it ended without an answer")
        if not colon or not line.endswith(b"\r\n"):
            raise NotLsp(f"something that is no LSP message is on its stdout: {line[:80]!r}")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    if not 0 <= length <= MAX_BODY_BYTES:
        raise NotLsp(f"a message of {length} bytes came")
    try:
        message: dict[str, Any] = json.loads(await stream.readexactly(length))
    except (asyncio.IncompleteReadError, ValueError) as error:
        raise NotLsp("a message broke off") from error
    return message


async def _everything(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    return (await stream.read()).decode("utf-8", "replace")


def _failure(error: Exception, stderr: str) -> Finding:
    reason = f"no answer within {TIMEOUT_S:g} s" if isinstance(error, TimeoutError) else str(error)
    last = stderr.strip().rpartition("\n")[2][:300]
    text = f"{reason} ({last})" if last else reason
    return Finding(
        "bridge", "handshake", "failed", text, "run it by hand and read its stderr: draftwire --debug lsp"
    )
