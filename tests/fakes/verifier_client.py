"""A client of the verifier for tests: a running server over any engine, and a socket that speaks frames."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect

from speculation.codec import decode, encode
from speculation.messages import AnyMessage, Context, Error, Hello, Message, Open, Verdict, Welcome
from speculation.paths import EMPTY_PATH
from verifier.connection import ConnectionLimits
from verifier.engine import TargetEngine
from verifier.scheduler import Scheduler
from verifier.server import listening


def hello_for(engine: TargetEngine) -> Hello:
    """The HELLO of a draft model with the engine's vocabulary."""
    identity = engine.vocabulary.identity
    return Hello(1, identity.fingerprint, identity.n_vocab, dict(identity.special_ids), "draft")


@dataclass(frozen=True, slots=True)
class Served:
    """A verifier that listens."""

    scheduler: Scheduler
    port: int
    released: asyncio.Queue[int]
    """Keys of sessions, as their places become free."""

    @asynccontextmanager
    async def client(
        self, token: str = "", *, hello: bool = True, receive_buffer: int = 0
    ) -> AsyncIterator[Client]:
        """A connected client; a small `receive_buffer` (bytes) makes it a slow reader when it stops reading."""
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self.port))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with connect(
            f"ws://127.0.0.1:{self.port}",
            additional_headers=headers,
            compression=None,
            proxy=None,
            max_size=None,
            sock=raw,
        ) as connected:
            client = Client(connected)
            if hello:
                await client.send(hello_for(self.scheduler.engine))
                assert isinstance(await client.receive(), Welcome)
            yield client


@asynccontextmanager
async def served(
    engine: TargetEngine, *, token: str = "", limits: ConnectionLimits | None = None, credit: int = 32
) -> AsyncIterator[Served]:
    """Scheduler and server over `engine`, on a free port of the loopback."""
    released: asyncio.Queue[int] = asyncio.Queue()
    scheduler = Scheduler(engine, credit=credit, on_release=released.put_nowait)
    steps = asyncio.create_task(scheduler.run())
    try:
        async with listening(
            scheduler, host="127.0.0.1", port=0, token=token, verify_estimate_us=1234, limits=limits
        ) as (_, port):
            yield Served(scheduler, port, released)
    finally:
        steps.cancel()
        await asyncio.gather(steps, return_exceptions=True)


class Client:
    """Frames out, frames in; every wait has an end."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, message: Message) -> None:
        await self.socket.send(encode(message))

    async def receive(self) -> AnyMessage:
        async with asyncio.timeout(20):
            frame = await self.socket.recv()
        assert isinstance(frame, bytes)
        return decode(frame)

    async def error(self) -> Error:
        message = await self.receive()
        assert isinstance(message, Error), message
        return message

    async def verdict(self) -> Verdict:
        message = await self.receive()
        assert isinstance(message, Verdict), message
        return message

    async def generate(
        self, context: Sequence[int], *, session: int = 1, max_tokens: int = 5, epoch: int = 1 << 20
    ) -> list[int]:
        """Open a session, send a context, and collect what the target says by itself."""
        await self.send(Open(session, max_tokens=max_tokens))
        await self.send(Context(session, epoch, 0, EMPTY_PATH, list(context)))
        said: list[int] = []
        while True:
            verdict = await self.verdict()
            said.append(verdict.next_id)
            if verdict.finish:
                return said
