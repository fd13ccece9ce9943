"""One client's connection: handshake, its sessions, a bounded queue of what it is sent.

Every frame a client sends gets at most one answer here or one event at its session. Bad frames are answered, not
fatal; a connection ends when its first frame is no acceptable HELLO, when it keeps sending bad frames, or when it does
not read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from speculation.codec import FrameError, decode, encode
from speculation.messages import (
    PROTOCOL_VERSION,
    AnyMessage,
    Cancel,
    Context,
    Draft,
    Error,
    ErrorCode,
    Hello,
    Message,
    Open,
    Ping,
    Pong,
    Resume,
    Welcome,
)
from speculation.vocabulary import VocabularyIdentity, describe_mismatch
from verifier.rate_limit import TokenBucket
from verifier.scheduler import NoSessionFree, Scheduler

log = logging.getLogger(__name__)

_POLICY_VIOLATION = 1008
_RETRY_SESSION_MS = 1000


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one client may do."""

    sessions: int = 64
    messages_per_s: float = 2000.0
    message_burst: float = 4000.0
    hello_timeout_s: float = 10.0
    send_queue: int = 4096
    """Messages that may wait for a client that reads slowly; beyond that it is disconnected."""
    bad_frames: int = 16
    """Bad frames after which the connection is closed."""


class Refused(Exception):
    """The handshake failed; `error` has been or will be sent to the client."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error


class Connection:
    """One websocket from its acceptance to its end."""

    def __init__(
        self,
        socket: ServerConnection,
        scheduler: Scheduler,
        verify_estimate_us: int,
        limits: ConnectionLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._socket, self._scheduler, self._limits, self._clock = socket, scheduler, limits, clock
        self._verify_estimate_us = verify_estimate_us
        self._keys: dict[int, int] = {}
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue(limits.send_queue)
        self._bucket = TokenBucket(limits.messages_per_s, limits.message_burst, clock())
        self._throttled = self._cut_off = False
        self._n_bad_frames = 0

    async def serve(self) -> None:
        """Handshake, then messages until the client goes; its sessions end with it."""
        writer = asyncio.create_task(self._write())
        try:
            with contextlib.suppress(ConnectionClosed):
                await self._shake_hands()
                await self._read()
        except Refused as refused:
            log.info("client refused: %s", refused)
            await self._close(refused.error)
        finally:
            for key in self._keys.values():
                self._scheduler.close(key)
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)

    # -- handshake

    async def _shake_hands(self) -> None:
        try:
            async with asyncio.timeout(self._limits.hello_timeout_s):
                hello = decode(_as_bytes(await self._socket.recv()))
        except TimeoutError as error:
            raise Refused(
                Error("bad_frame", f"no HELLO within {self._limits.hello_timeout_s:g} s")
            ) from error
        except FrameError as error:
            raise Refused(Error("bad_frame", str(error))) from error
        if not isinstance(hello, Hello):
            raise Refused(Error("bad_frame", f"the first message must be HELLO, not {type(hello).__name__}"))
        self._check_compatible(hello)
        self._post(self._welcome())
        log.info("client accepted: draft model %s", hello.draft_id)

    def _check_compatible(self, hello: Hello) -> None:
        if hello.protocol != PROTOCOL_VERSION:
            raise Refused(
                Error(
                    "protocol_mismatch",
                    f"the verifier speaks protocol {PROTOCOL_VERSION}, the daemon {hello.protocol}: update the older",
                )
            )
        theirs = VocabularyIdentity(hello.vocabulary, hello.n_vocab, hello.special_ids)
        difference = describe_mismatch(theirs, self._scheduler.engine.vocabulary.identity)
        if difference is not None:
            raise Refused(
                Error("vocabulary_mismatch", f"{difference}: use a draft model of the target's family")
            )

    def _welcome(self) -> Welcome:
        engine = self._scheduler.engine
        return Welcome(
            protocol=PROTOCOL_VERSION,
            target_id=engine.target_id[:200],
            target_revision=engine.revision[:200],
            n_vocab=engine.vocabulary.n_vocab,
            max_sessions=min(self._limits.sessions, self._scheduler.max_sessions),
            max_context=engine.max_context,
            max_draft=engine.max_draft,
            credit=self._scheduler.credit,
            verify_estimate_us=self._verify_estimate_us,
            modes=list(engine.modes),
        )

    # -- messages

    async def _read(self) -> None:
        async for frame in self._socket:
            if self._cut_off:  # frames that came before it was
                return
            wait_s = self._bucket.take(self._clock())
            if wait_s == 0:
                self._throttled = False
                self._take(frame)
            elif not self._throttled:
                self._throttled = True
                self._post(Error("rate_limited", "too many messages", retry_after_ms=1 + int(1000 * wait_s)))
            await asyncio.sleep(0)  # frames that are there already would not let others run

    def _take(self, frame: bytes | str) -> None:
        try:
            message = decode(_as_bytes(frame))
        except FrameError as error:
            self._n_bad_frames += 1
            refusal = Error("bad_frame", str(error)[:2000])
            if self._n_bad_frames >= self._limits.bad_frames:
                raise Refused(refusal) from error
            self._post(refusal)
            return
        self._dispatch(message)

    def _dispatch(self, message: AnyMessage) -> None:
        match message:
            case Open():
                self._open(message)
            case Context() | Draft() | Cancel() | Resume():
                self._to_session(message)
            case Ping():
                self._post(Pong(message.nonce, min(self._scheduler.step_us, 2**32 - 1)))
            case Pong():
                pass
            case Error():
                log.info("client reports %s", message.code)
            case _:
                self._answer("bad_frame", f"{type(message).__name__} is not for a verifier to receive here")

    def _open(self, message: Open) -> None:
        engine = self._scheduler.engine
        if message.session in self._keys:
            self._answer("session_exists", "this session is open already: CANCEL it first", message.session)
        elif message.mode not in engine.modes:
            self._answer(
                "unsupported_mode", f"this target verifies by {', '.join(engine.modes)}", message.session
            )
        elif max(message.stop_ids, default=0) >= engine.vocabulary.n_vocab:
            self._answer("token_out_of_range", "a stop id is not in the target's vocabulary", message.session)
        elif len(self._keys) >= self._limits.sessions:
            self._answer(
                "too_many_sessions", "too many sessions on one connection: CANCEL some", message.session
            )
        else:
            try:
                self._keys[message.session] = self._scheduler.open(message, self._post)
            except NoSessionFree as error:
                self._answer("too_many_sessions", str(error), message.session, _RETRY_SESSION_MS)

    def _to_session(self, message: Context | Draft | Cancel | Resume) -> None:
        key = self._keys.get(message.session)
        if key is None:
            self._answer("unknown_session", "this session is not open: OPEN it", message.session)
            return
        if isinstance(message, Cancel) and message.close:
            del self._keys[message.session]
        self._scheduler.handle(key, message)

    # -- what the client is sent

    def _answer(
        self, code: ErrorCode, text: str, session: int | None = None, retry_after_ms: int = 0
    ) -> None:
        self._post(Error(code, text, session, retry_after_ms))

    def _post(self, message: Message) -> None:
        """Queue a message. A client that lets the queue fill up does not read: it is cut off."""
        if self._cut_off:
            return
        try:
            self._outgoing.put_nowait(encode(message))
        except asyncio.QueueFull:
            self._cut_off = True
            log.warning("client cut off: it left %d messages unread", self._outgoing.qsize())
            self._socket.transport.abort()

    async def _write(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._socket.send(await self._outgoing.get())

    async def _close(self, error: Error) -> None:
        """Send what is still queued and the error, then close."""
        with contextlib.suppress(ConnectionClosed):
            while not self._outgoing.empty():
                await self._socket.send(self._outgoing.get_nowait())
            await self._socket.send(encode(error))
            await self._socket.close(_POLICY_VIOLATION, error.code)


def _as_bytes(frame: bytes | str) -> bytes:
    if isinstance(frame, str):
        raise FrameError("a text frame: this protocol is binary")
    return frame
