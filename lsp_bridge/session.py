"""The bridge's connection to the daemon: started if none runs, found again when lost, documents opened anew.

Knows the daemon's client and when to try again, not what an editor is. While there is no daemon, questions
have no answer and messages are dropped: all that matters is sent again on connecting.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from daemon.api.client import OnPush
from daemon.api.errors import ApiError, DaemonLost, DaemonRefused, FrameError
from daemon.api.messages import ClientMessage, Completions, Configure, OpenDocument, Status, Trigger

FIRST_RETRY_S = 0.25
LAST_RETRY_S = 30.0
STEADY_S = 10.0
"""After a connection that lasted this long, the waits between tries begin anew."""
ANSWER_TIMEOUT_S = 10.0
"""A daemon that takes longer for an answer hangs; the editor gets an empty one."""

log = logging.getLogger(__name__)

Phase = Literal["starting", "connected", "unavailable", "refused"]


@dataclass(frozen=True, slots=True)
class SessionState:
    """Where the connection stands, in one word and one line for people."""

    phase: Phase
    message: str


class Client(Protocol):
    """What is needed of `daemon.api.client.DaemonClient`."""

    def send(self, message: ClientMessage) -> None: ...
    async def complete(
        self, document: str, version: int, offset: int, *, trigger: Trigger = "automatic"
    ) -> Completions: ...
    async def status(self) -> Status: ...
    async def stats(self) -> dict[str, Any]: ...
    async def wait_lost(self) -> None: ...
    async def close(self) -> None: ...


Connect = Callable[[dict[str, Any], OnPush], Awaitable[Client]]
"""(this client's settings, on_push) -> a greeted client; `daemon.api.start.ensure_daemon` in real life."""


class DaemonSession:
    """Run `run` as a task; the rest may be called at any time."""

    def __init__(
        self,
        connect: Connect,
        *,
        documents: Callable[[], Iterable[OpenDocument]],
        on_push: OnPush,
        on_state: Callable[[SessionState], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._connect = connect
        self._documents = documents
        self._on_push = on_push
        self._on_state = on_state
        self._sleep = sleep
        self._client: Client | None = None
        self._settings: dict[str, Any] = {}
        self.state = SessionState("starting", "starting the daemon")

    async def run(self) -> None:
        """Keep a connection, until cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            connected_at = time.monotonic()
            try:
                await self._converse()
                if time.monotonic() - connected_at > STEADY_S:
                    retry_s = FIRST_RETRY_S
                self._enter("starting", "the daemon has ended; starting it again")
            except ApiError as error:
                phase: Phase = "refused" if isinstance(error, DaemonRefused) else "unavailable"
                log.warning("no daemon: %s", error)
                self._enter(phase, str(error))
            await self._sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    async def _converse(self) -> None:
        """One connection, from its start to its loss."""
        settings = self._settings
        client = await self._connect(settings, self._on_push)
        try:
            if settings is not self._settings:
                client.send(Configure(self._settings))
            for document in self._documents():
                client.send(document)
            self._client = client
            self._enter("connected", "")
            await client.wait_lost()
        except DaemonLost as error:
            log.info("lost the daemon while opening documents: %s", error)
        finally:
            self._client = None
            await client.close()

    def send(self, message: ClientMessage) -> None:
        """Tell the daemon, if there is one."""
        if self._client is None:
            return
        try:
            self._client.send(message)
        except DaemonLost:
            pass  # `run` notices too, and all documents are sent again on reconnecting
        except FrameError as error:
            log.warning("could not tell the daemon: %s", error)

    def configure(self, settings: dict[str, Any]) -> None:
        """This client's settings, from now on and for connections to come."""
        self._settings = settings
        self.send(Configure(settings))

    async def complete(
        self, document: str, version: int, offset: int, trigger: Trigger
    ) -> Completions | None:
        """The daemon's answer, or None if there is none to be had. Cancelling it cancels it at the daemon."""
        if self._client is None:
            return None
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await self._client.complete(document, version, offset, trigger=trigger)
        except (ApiError, TimeoutError) as error:
            log.warning("the daemon gave no answer: %s", error or "it took too long")
            return None

    async def status(self) -> Status | None:
        """The daemon's own status, asked for now; None without a daemon."""
        return await self._client.status() if self._client else None

    async def stats(self) -> dict[str, Any] | None:
        """The daemon's statistics; None without a daemon."""
        return await self._client.stats() if self._client else None

    def _enter(self, phase: Phase, message: str) -> None:
        self.state = SessionState(phase, message)
        self._on_state(self.state)
