"""The bridge's connection to the daemon: started if none runs, found again when lost, documents opened anew.

    starting -> connected -> (lost) -> starting -> connected ...
                    |-> (stopped by somebody) -> stopped -> (the user goes on typing) -> starting
                    '-> (no word any more) -> silent -> (it answers again) -> connected

A daemon that was stopped is not started again before the user does something that wants one: who stops it does not
mean the next moment, and an editor that is closing wants none. One that somebody else starts is found.

Knows the daemon's client and when to try again, not what an editor is. While there is no daemon, questions
have no answer and messages are dropped: all that matters is sent again on connecting.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from daemon.api.client import OnPush, Pushed
from daemon.api.errors import (
    ApiError,
    DaemonLost,
    DaemonMisconfigured,
    DaemonRefused,
    DaemonSilent,
    DaemonStopped,
    DaemonUnavailable,
    FrameError,
)
from daemon.api.messages import (
    ChangeDocument,
    ClientMessage,
    Completions,
    Configure,
    Failed,
    GrammarFindings,
    OpenDocument,
    Status,
    Trigger,
)

FIRST_RETRY_S = 0.25
LAST_RETRY_S = 30.0
STEADY_S = 10.0
"""After a connection that lasted this long, the waits between tries begin anew."""
ANSWER_TIMEOUT_S = 10.0
"""A daemon that takes longer for an answer hangs; the editor gets an empty one."""

ASK_EVERY_S = 2.0
"""So often the daemon is asked for a sign of life; one that hangs is known after this and the client's own patience."""
LOOK_EVERY_S = 2.0
"""So often it is looked whether somebody else has started a daemon that was stopped."""
STOPPED = "the daemon was stopped; it is started again when you type on"

CHECK_TIMEOUT_S = 60.0
"""A check takes seconds, and the daemon may have others to make first."""

log = logging.getLogger(__name__)

Phase = Literal["starting", "connected", "silent", "stopped", "unavailable", "refused"]


@dataclass(frozen=True, slots=True)
class SessionState:
    """Where the connection stands, in one word and one line for people."""

    phase: Phase
    message: str
    bad_settings: str = ""
    """What is wrong with those of this client's settings that are left out; the others are in force."""


class Client(Protocol):
    """What is needed of `daemon.api.client.DaemonClient`."""

    def send(self, message: ClientMessage) -> None: ...
    async def complete(
        self, document: str, version: int, offset: int, *, trigger: Trigger = "automatic"
    ) -> Completions: ...
    async def check_grammar(self, document: str, text: str) -> GrammarFindings: ...
    async def status(self) -> Status: ...
    async def stats(self) -> dict[str, Any]: ...
    async def wait_lost(self) -> DaemonLost: ...
    async def close(self) -> None: ...


class Connect(Protocol):
    """How to get a greeted client.

    With `start` a daemon is started where none runs (`daemon.api.start.ensure_daemon`).
    """

    async def __call__(self, settings: dict[str, Any], on_push: OnPush, *, start: bool) -> Client: ...


class DaemonSession:
    """Run `run` as a task; the rest may be called at any time."""

    def __init__(
        self,
        connect: Connect,
        *,
        documents: Callable[[], Iterable[OpenDocument]],
        on_push: OnPush,
        on_state: Callable[[SessionState], None],
        on_problem: Callable[[str], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`on_problem` is told, each time it is met, what only the user can mend."""
        self._connect = connect
        self._documents = documents
        self._on_push = on_push
        self._on_state = on_state
        self._on_problem = on_problem
        self._sleep = sleep
        self._client: Client | None = None
        self._settings: dict[str, Any] = {}
        """This client's, less those that the daemon refused."""
        self._bad_settings = ""
        self._logged = ""
        self._wanted = asyncio.Event()
        """A daemon may be started: the editor has begun, or the user has gone on, since one was stopped."""
        self._wanted.set()
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
            except ApiError as error:
                if self._leaves_out(error):
                    continue
                self._enter_without(error)
            if self._wanted.is_set():
                await self._sleep(retry_s)
                retry_s = min(2 * retry_s, LAST_RETRY_S)
            else:
                await self._until_wanted()
                retry_s = FIRST_RETRY_S

    async def _converse(self) -> None:
        """One connection, from its start to its loss."""
        settings = self._settings
        client = await self._connect(settings, self._take_push, start=self._wanted.is_set())
        try:
            if settings is not self._settings:
                client.send(Configure(self._settings))
            for document in self._documents():
                client.send(document)
            self._client, self._logged = client, ""
            self._wanted.set()
            self._enter("connected", "")
            lost = await self._until_lost(client)
        except DaemonLost as error:
            log.info("lost the daemon while opening documents: %s", error)
            lost = error
        finally:
            self._client = None
            await client.close()
        was_silent = self.state.phase == "silent"  # nothing ends one that hangs but somebody's hand
        if was_silent or isinstance(lost, DaemonStopped):
            self._wanted.clear()
            self._enter("stopped", STOPPED)
        else:
            self._enter("starting", "the daemon has ended; starting it again")

    async def _until_lost(self, client: Client) -> DaemonLost:
        """Why the connection is over, once it is; up to then, look whether the daemon still answers."""
        while True:
            silent = self.state.phase == "silent"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0 if silent else ASK_EVERY_S):
                    return await client.wait_lost()
            status: Status | None = None
            try:
                status = await client.status()
            except DaemonSilent as error:
                self._enter_silent(error)
                continue
            except DaemonLost:
                return await client.wait_lost()
            except ApiError as error:  # an answer, though a bad one
                log.info("the daemon does not say how it is: %s", error)
            if silent:
                log.warning("the daemon answers again")
                if status is not None:
                    self._on_push(status)  # first: the editor is to see this change and no step of it
                self._enter("connected", "")

    def _enter_silent(self, error: DaemonSilent) -> None:
        if self.state.phase != "silent":
            log.warning("%s", error)
            self._enter("silent", str(error))
            self._on_problem(f"Draftwire: {error}")

    async def _until_wanted(self) -> None:
        """Until a daemon may be started, or it is time to look whether somebody else has started one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_EVERY_S):
                await self._wanted.wait()

    def _want(self) -> None:
        """The user does something that a daemon has its part in."""
        if not self._wanted.is_set():
            self._wanted.set()
            self._enter("starting", "starting the daemon")

    def send(self, message: ClientMessage) -> None:
        """Tell the daemon, if there is one. What the user opens or changes starts one that was stopped."""
        if isinstance(message, OpenDocument | ChangeDocument):
            self._want()
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
        if self._bad_settings:
            self._bad_settings = ""
            self._enter(self.state.phase, self.state.message)

    def _leaves_out(self, error: ApiError) -> bool:
        """Whether another try, without some settings, is worth while at once."""
        if not isinstance(error, DaemonRefused) or error.code != "bad_setting" or not self._settings:
            return False
        known = [name for name in error.settings if name in self._settings]
        self._leave_out(known or self._settings, str(error))
        return True

    def _take_push(self, message: Pushed) -> None:
        if isinstance(message, Failed) and message.code == "bad_setting":
            if refused := [name for name in message.settings if name in self._settings]:
                self._leave_out(refused, message.message)
                self.send(Configure(self._settings))
                self._enter(self.state.phase, self.state.message)
        else:
            self._on_push(message)

    def _leave_out(self, names: Collection[str], why: str) -> None:
        """Go on without these settings."""
        log.warning("settings left out: %s", why)
        self._settings = {name: value for name, value in self._settings.items() if name not in names}
        self._bad_settings = why
        self._on_problem(f"Draftwire leaves out settings it can't use: {why}")

    def _enter_without(self, error: ApiError) -> None:
        """There is no daemon; the log has the reason once, however often it is tried."""
        if isinstance(error, DaemonUnavailable) and not self._wanted.is_set():
            return  # nobody else has started one
        if str(error) != self._logged:
            self._logged = str(error)
            log.warning("no daemon: %s", error)
        self._enter(_phase_without(error), str(error))
        if isinstance(error, DaemonMisconfigured):
            self._on_problem(f"Draftwire can't start: {error}")
        elif isinstance(error, DaemonSilent):
            self._on_problem(f"Draftwire: {error}")

    async def complete(
        self, document: str, version: int, offset: int, trigger: Trigger
    ) -> Completions | None:
        """The daemon's answer, or None if there is none to be had. Cancelling it cancels it at the daemon."""
        if trigger == "invoked":
            self._want()
        if self._client is None or self.state.phase == "silent":
            return None
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await self._client.complete(document, version, offset, trigger=trigger)
        except (ApiError, TimeoutError) as error:
            log.warning("the daemon gave no answer: %s", error or "it took too long")
            return None

    async def check_grammar(self, document: str, text: str) -> GrammarFindings | None:
        """What the daemon finds wrong with a grammar file, or None if there is no answer to be had.

        One at a time. Cancelling it cancels it at the daemon.
        """
        if self._client is None:
            return None
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                return await self._client.check_grammar(document, text)
        except (ApiError, TimeoutError) as error:
            log.warning("the daemon has not checked a grammar: %s", error or "it took too long")
            return None

    async def status(self) -> Status | None:
        """The daemon's own status, asked for now; None without a daemon."""
        return await self._client.status() if self._client else None

    async def stats(self) -> dict[str, Any] | None:
        """The daemon's statistics; None without a daemon."""
        return await self._client.stats() if self._client else None

    def _enter(self, phase: Phase, message: str) -> None:
        self.state = SessionState(phase, message, self._bad_settings)
        self._on_state(self.state)


def _phase_without(error: ApiError) -> Phase:
    if isinstance(error, DaemonSilent):
        return "silent"
    return "refused" if isinstance(error, DaemonRefused) else "unavailable"
