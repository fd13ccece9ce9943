"""How a client's connection to the daemon begins: the local socket is opened, Hello is said, Welcome is waited for.

Raises what tells people apart: nobody there, nobody who answers, another program, a daemon that will not have us.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from daemon.api.errors import (
    BadMessage,
    DaemonRefused,
    DaemonSilent,
    DaemonUnavailable,
    FrameTooLarge,
    other_protocol,
)
from daemon.api.framing import FrameReader, encode, for_client
from daemon.api.messages import API_VERSION, DaemonMessage, Failed, Hello, Welcome
from daemon.api.paths import RuntimePaths, read_endpoint

HANDSHAKE_TIMEOUT_S: Final = 5.0
"""Also for what a daemon says of itself, which costs it no work: one that takes longer hangs."""
READ_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Greeted:
    """A connection whose daemon has said Welcome."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    frames: FrameReader[DaemonMessage]
    """What came behind Welcome in the same read may be in it."""
    welcome: Welcome


async def shake_hands(
    paths: RuntimePaths, client: str, settings: Mapping[str, Any], timeout_s: float
) -> Greeted:
    """Connect as `client`, with its settings by dotted name.

    Raises DaemonUnavailable (nobody there), DaemonSilent (no word for `timeout_s`), DaemonRefused,
    RuntimePathError.
    """
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer, token = await _open(paths)
            writer.write(encode(_hello(client, token, settings)))
            frames = for_client()
            return Greeted(reader, writer, frames, await _welcomed(reader, frames))
    except BaseException as error:
        if writer is not None:
            writer.close()
        if isinstance(error, TimeoutError):
            raise silent(paths.process(), timeout_s) from error
        if isinstance(error, OSError):
            raise DaemonUnavailable(_no_daemon(error)) from error
        raise


def _no_daemon(error: OSError) -> str:
    """Why there is nobody: nothing at the address is the usual case and needs no reason."""
    usual = isinstance(error, FileNotFoundError | ConnectionRefusedError)
    reason = "" if usual else f" ({error.strerror or error})"
    return f"no daemon is running{reason}; run: draftwire daemon start"


def silent(process: int | None, waited_s: float) -> DaemonSilent:
    """Nothing was heard for so long of the daemon whose process this is, as far as that is known."""
    name = "the daemon" if process is None else f"the daemon (process {process})"
    return DaemonSilent(f"{name} does not answer within {waited_s:g} s; run: draftwire daemon stop")


def _hello(client: str, token: str, settings: Mapping[str, Any]) -> Hello:
    return Hello(API_VERSION, client[:200], os.getpid(), token, dict(settings))


async def _open(paths: RuntimePaths) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
    if paths.transport == "unix":
        reader, writer = await asyncio.open_unix_connection(str(paths.socket))
        return reader, writer, ""
    endpoint = read_endpoint(paths)
    reader, writer = await asyncio.open_connection("127.0.0.1", endpoint.port)
    return reader, writer, endpoint.token


async def _welcomed(reader: asyncio.StreamReader, frames: FrameReader[DaemonMessage]) -> Welcome:
    """The daemon's first message, which must be a Welcome of our version."""
    while (message := _next(frames)) is None:
        data = await reader.read(READ_BYTES)
        if not data:
            raise DaemonUnavailable(
                "the daemon closed the connection before it answered; run: draftwire doctor"
            )
        frames.feed(data)
    if isinstance(message, Failed):
        for_the_user = message.code == "bad_setting"
        text = message.message if for_the_user else f"the daemon refused this client: {message.message}"
        raise DaemonRefused(message.code, text, message.settings)
    if not isinstance(message, Welcome):
        raise DaemonUnavailable(
            "what answers at the daemon's socket is not a Draftwire daemon; run: draftwire doctor"
        )
    if message.api != API_VERSION:
        raise DaemonRefused("bad_hello", other_protocol(message.api, API_VERSION))
    return message


def _next(frames: FrameReader[DaemonMessage]) -> DaemonMessage | None:
    try:
        return frames.next_message()
    except (BadMessage, FrameTooLarge) as error:
        raise DaemonUnavailable(
            f"what answers at the daemon's socket is not a Draftwire daemon ({error}); run: draftwire doctor"
        ) from error
