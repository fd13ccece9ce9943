"""A client's connection to the daemon: requests with their answers, and what the daemon pushes.

Knows the local socket and the messages' order, not what a document or an editor is. One connection; whoever
wants another after a loss makes another (`lsp_bridge/session.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from daemon.api.errors import (
    BadMessage,
    DaemonLost,
    DaemonStopped,
    FrameTooLarge,
    RequestFailed,
)
from daemon.api.framing import MAX_FRAME_BYTES, encode
from daemon.api.handshake import HANDSHAKE_TIMEOUT_S, READ_BYTES, Greeted, shake_hands, silent
from daemon.api.messages import (
    Cancel,
    CheckGrammar,
    ClientMessage,
    Complete,
    Completions,
    DaemonMessage,
    Ending,
    Failed,
    GetStats,
    GetStatus,
    Goodbye,
    GrammarFindings,
    GrammarState,
    Stats,
    Status,
    SuggestionUpdate,
    Trigger,
    Wait,
)
from daemon.api.paths import RuntimePaths

MAX_UNSENT_BYTES = 2 * MAX_FRAME_BYTES
"""A daemon that leaves this much unread is taken for lost."""

Pushed = SuggestionUpdate | GrammarState | Status | Failed
"""What comes without having been asked for: Failed here answers a message that has no request number."""
OnPush = Callable[[Pushed], None]

AnyAnswer = Completions | GrammarFindings | Status | Stats
Answer = TypeVar("Answer", Completions, GrammarFindings, Status, Stats)

log = logging.getLogger(__name__)


class DaemonClient:
    """An open, greeted connection. Made by `connect`; not for use from several threads."""

    def __init__(self, greeted: Greeted, on_push: OnPush | None) -> None:
        self.welcome = greeted.welcome
        self._reader = greeted.reader
        self._writer = greeted.writer
        self._frames = greeted.frames
        self._on_push = on_push
        self._next_request = 1
        self._waiting: dict[int, asyncio.Future[AnyAnswer]] = {}
        self._lost: DaemonLost | None = None
        self._is_ending = False
        """The daemon said so."""
        self._reading = asyncio.create_task(self._read(), name="daemon client")

    @classmethod
    async def connect(
        cls,
        paths: RuntimePaths,
        *,
        client: str,
        settings: Mapping[str, Any] | None = None,
        on_push: OnPush | None = None,
        timeout_s: float = HANDSHAKE_TIMEOUT_S,
    ) -> DaemonClient:
        """Connect and shake hands.

        `client` names this program for people; `settings` are this client's own, by dotted name; `on_push` is
        called on the event loop for whatever comes unasked, in order. Raises DaemonUnavailable (nobody there),
        DaemonSilent (no word for `timeout_s`), DaemonRefused, RuntimePathError.
        """
        greeted = await shake_hands(paths, client, settings or {}, timeout_s)
        return cls(greeted, on_push)

    def send(self, message: ClientMessage) -> None:
        """Send one message that is not answered. Raises DaemonLost, BadMessage, FrameTooLarge."""
        frame = encode(message)
        if self._lost is not None:
            raise self._lost
        if self._writer.transport.get_write_buffer_size() + len(frame) > MAX_UNSENT_BYTES:
            self._end(DaemonLost("the daemon no longer reads; run: draftwire daemon stop"))
            raise DaemonLost("the daemon no longer reads; run: draftwire daemon stop")
        self._writer.write(frame)

    async def complete(
        self,
        document: str,
        version: int,
        offset: int,
        *,
        trigger: Trigger = "automatic",
        wait: Wait = "first",
    ) -> Completions:
        """What to show at `offset` (code points) of `document` at `version`.

        Cancelling the call cancels the request at the daemon. Raises RequestFailed, DaemonLost.
        """
        request = self._number()
        message = Complete(request, document, version, offset, trigger, wait)
        return _expect(await self._ask_until_cancelled(request, message), Completions)

    async def check_grammar(self, document: str, text: str) -> GrammarFindings:
        """What is wrong with a grammar file (URI, path or name) whose text is this.

        One at a time: another call has the daemon end the one before. Cancelling the call cancels the request at
        the daemon. Raises RequestFailed, DaemonLost, BadMessage.
        """
        request = self._number()
        message = CheckGrammar(request, document, text)
        return _expect(await self._ask_until_cancelled(request, message), GrammarFindings)

    async def status(self) -> Status:
        """The state of draft and link. Raises RequestFailed, DaemonLost, DaemonSilent (the connection stays)."""
        request = self._number()
        return _expect(await self._ask_at_once(request, GetStatus(request)), Status)

    async def stats(self) -> dict[str, Any]:
        """Counters and summaries since the daemon started. Raises as `status` does."""
        request = self._number()
        return _expect(await self._ask_at_once(request, GetStats(request)), Stats).values

    @property
    def lost(self) -> DaemonLost | None:
        """Why the connection is over; None while it is open."""
        return self._lost

    async def wait_lost(self) -> DaemonLost:
        """Return when the connection is over, whoever ended it: why. At once if it is over already."""
        if not self._reading.done():
            await asyncio.wait({self._reading})
        assert self._lost is not None, "who reads to the end says why"
        return self._lost

    async def close(self) -> None:
        """Take leave and end the connection; requests under way raise DaemonLost."""
        with contextlib.suppress(DaemonLost):
            self.send(Goodbye())
        self._end(DaemonLost("the connection was closed by this client"))
        self._reading.cancel()
        await asyncio.wait({self._reading})
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    def _number(self) -> int:
        self._next_request += 1
        return self._next_request - 1

    async def _ask_until_cancelled(self, request: int, message: ClientMessage) -> AnyAnswer:
        try:
            return await self._ask(request, message)
        except asyncio.CancelledError:
            with contextlib.suppress(DaemonLost):
                self.send(Cancel(request))
            raise

    async def _ask_at_once(self, request: int, message: ClientMessage) -> AnyAnswer:
        """For what a daemon answers without any work."""
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                return await self._ask(request, message)
        except TimeoutError as error:
            raise silent(self.welcome.pid, HANDSHAKE_TIMEOUT_S) from error

    async def _ask(self, request: int, message: ClientMessage) -> AnyAnswer:
        self.send(message)
        waiting: asyncio.Future[AnyAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[request] = waiting
        try:
            return await waiting
        finally:
            self._waiting.pop(request, None)

    async def _read(self) -> None:
        """Read until the end of the stream, then tell everyone who waits."""
        why = "the daemon closed the connection; it is started again on demand"
        try:
            self._take_all()  # what came behind Welcome in the same read
            while data := await self._reader.read(READ_BYTES):
                self._frames.feed(data)
                self._take_all()
        except (OSError, FrameTooLarge) as error:
            why = f"the connection to the daemon broke: {error}"
        finally:
            stopped = DaemonStopped("the daemon was stopped; to start it, run: draftwire daemon start")
            self._end(stopped if self._is_ending else DaemonLost(why))

    def _take_all(self) -> None:
        while True:
            try:
                message = self._frames.next_message()
            except BadMessage as error:
                log.warning("ignored a message of the daemon: %s", error)
                continue
            if message is None:
                return
            self._take(message)

    def _take(self, message: DaemonMessage) -> None:
        request = getattr(message, "request", None)
        if request is not None:
            self._answer(request, message)
        elif isinstance(message, SuggestionUpdate | GrammarState | Status | Failed):
            self._push(message)
        elif isinstance(message, Ending):
            self._is_ending = True
        else:
            log.warning("ignored a %s of the daemon that answers nothing", type(message).__name__)

    def _answer(self, request: int, message: DaemonMessage) -> None:
        waiting = self._waiting.pop(request, None)
        if waiting is None or waiting.done():
            return  # the answer to a cancelled request
        if isinstance(message, Failed):
            waiting.set_exception(RequestFailed(message.code, message.message))
        elif isinstance(message, Completions | GrammarFindings | Status | Stats):
            waiting.set_result(message)

    def _push(self, message: Pushed) -> None:
        if self._on_push is None:
            return
        try:
            self._on_push(message)
        except Exception:
            log.exception("a %s of the daemon could not be handled", type(message).__name__)

    def _end(self, error: DaemonLost) -> None:
        if self._lost is not None:
            return
        self._lost = error
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)
        self._waiting.clear()
        self._writer.close()


def _expect(answer: object, kind: type[Answer]) -> Answer:
    if not isinstance(answer, kind):
        raise RequestFailed(
            "internal", f"the daemon answered with {type(answer).__name__}, not {kind.__name__}"
        )
    return answer
