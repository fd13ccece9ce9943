"""One connection to a daemon without its socket: messages in, pushed messages out, on a scripted engine and target."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from daemon.api.messages import (
    DaemonMessage,
    OpenDocument,
    ServedMessage,
)
from daemon.serving.client import Client
from daemon.serving.service import Service
from daemon.settings.config import Config
from daemon.target.link_address import LinkSettings
from tests.fakes.engine import FakeEngine, following
from tests.fakes.link import FakeLink

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
START = "def add(a, b):\n    ret"
NAME, OTHER = "file:///a.py", "file:///b.py"
OPEN = OpenDocument(NAME, "python", 1, START)

M = TypeVar("M")


class StatedLink(FakeLink):
    """With what a status says of a link."""

    state, reason, retry_at, round_trip_s = "online", "", 0.0, 0.0
    settings = LinkSettings("ws://verifier:1")


@dataclass
class Desk:
    """A client, and what it was sent."""

    client: Client
    service: Service
    engine: FakeEngine
    link: FakeLink
    pushed: list[DaemonMessage] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def push(self, message: DaemonMessage) -> None:
        self.pushed.append(message)
        self.arrived.set()

    def take(self, *messages: ServedMessage) -> None:
        for message in messages:
            self.client.take(message)

    async def take_and_hold(self, *messages: ServedMessage) -> None:
        """Until the model is held in what they have it evaluate."""
        self.engine.hold()
        self.take(*messages)
        await asyncio.to_thread(self.engine.wait_until_held)

    def got(self, kind: type[M]) -> list[M]:
        return [message for message in self.pushed if isinstance(message, kind)]

    async def looked_at(self, *names: str) -> None:
        """Until it is known of the documents whether git ignores them, and what follows from that has happened."""
        async with asyncio.timeout(10):
            for name in names:
                await self.client._ignored.known(name)

    async def first(self, kind: type[M], count: int = 1) -> list[M]:
        """The messages of a kind, once there are so many."""
        async with asyncio.timeout(10):
            while len(found := self.got(kind)) < count:
                self.arrived.clear()
                await self.arrived.wait()
        return found

    async def settled(self) -> None:
        """Until no request and no closing of a document is under way."""
        async with asyncio.timeout(10):
            while self.client._requests or self.client._closing:
                await asyncio.sleep(0.001)


@asynccontextmanager
async def desk(
    engine: FakeEngine | None = None, config: Config | None = None, *, answer_ms: int = 10_000
) -> AsyncIterator[Desk]:
    engine = engine or FakeEngine(following(SOURCE))
    config = config or Config()
    config = replace(config, display=replace(config.display, first_ghost_ms=0, answer_ms=answer_ms))
    service = Service(config, lambda: engine, None, time.monotonic)
    link = StatedLink(lambda ids: ids[-1])
    service.link = link  # type: ignore[assignment]
    await service.worker.start()
    one = Desk.__new__(Desk)
    client = Client(service, "test", lambda message: one.push(message), {})
    one.__init__(client, service, engine, link)  # type: ignore[misc]
    try:
        yield one
    finally:
        engine.release()
        await client.close()
        await service.worker.close()


@asynccontextmanager
async def lets_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """With a grammar of the user's for `*.lets`, and a model that would write `=` twice."""
    folder = tmp_path / "grammars"
    folder.mkdir()
    (folder / "lets.bnf").write_text(
        "; @files *.lets\n<start> ::= <let> | <let> <start>\n"
        '<let> ::= "let" <name> "=" <name> ";"\n<name> ::= <letter> | <letter> <name>\n'
        f"<letter> ::= {' | '.join(map(repr, 'abcdefghij')).replace(chr(39), chr(34))}\n",
        encoding="utf-8",
    )
    engine = FakeEngine(
        lambda prefix: b"let a == b;\n"[len(prefix) :], alternatives=lambda prefix: [b"b", b";"]
    )
    async with desk(engine, Config(file=tmp_path / "config.toml")) as d:
        d.service.grammar_worker.patience_s = d.service.grammar_worker.dear_s = 60.0
        d.service.grammars.vocabulary_known(engine.vocabulary)
        yield d
