"""The link to the verifier: one websocket, kept up by itself, with many sessions on it.

    connecting -> online -> (lost, refused) -> wait (back-off) -> connecting ...

A shell: connecting, the handshake, reading and writing frames, liveness pings. What the frames mean to a session
is `link_session.py`; when a round may be sent is the `Circuit`. Losing the link never raises to anybody:
`state` and `reason` say so, sessions are told by `lost`, and the draft goes on alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import ssl
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from daemon.api.messages import LinkState
from daemon.target.acceptances import Acceptances
from daemon.target.circuit import Backoff, Circuit
from daemon.target.link import LinkUser
from daemon.target.link_address import LinkDead, LinkSettings, Refused, explain, refusal, tls_context
from speculation.codec import MAX_FRAME_BYTES, FrameError, decode, encode
from speculation.messages import AnyMessage, Credit, Error, Hello, Message, Ping, Pong, Verdict, Welcome

log = logging.getLogger(__name__)

QUEUE_FRAMES = 1024
_BETWEEN_THE_ENDS = ("context_mismatch", "unknown_session")
"""Errors that the two ends mend between themselves; the others are told to the user."""
TUNNEL_S = 0.005
"""A round trip to an address of this machine that takes longer goes through a tunnel to another."""
LONG_ENOUGH_S = 10.0
"""A connection that lived this long was a good one: the back-off starts anew."""


@dataclass(frozen=True, slots=True)
class LinkTimes:
    """Seconds. A dead link is noticed within `ping_deadline`, so that the status says so inside two seconds."""

    handshake: float = 5.0
    ping_every: float = 0.4
    ping_deadline: float = 1.2
    refused_retry: float = 15.0
    soonest_retry: float = 1.0
    """A wait for the next try is cut down to this when somebody wants the link."""


class VerifierLink:
    """Keeps the link up. `changed` is called whenever `state`, `reason` or `welcome` changes."""

    def __init__(
        self,
        settings: LinkSettings,
        hello: Callable[[], Hello],
        changed: Callable[[], None],
        clock: Callable[[], float],
        jitter: Callable[[], float] = random.random,
        times: LinkTimes | None = None,
    ) -> None:
        self.settings = settings
        self.state: LinkState = "connecting"
        self.reason = ""
        self._welcome: Welcome | None = None
        self.round_trip_s = 0.0
        self._least_round_trip_s = math.inf
        self.acceptances = Acceptances()
        self._judge = ""
        """The target that accepted."""
        self.retry_at = 0.0
        self._hello = hello
        self._changed = changed
        self._clock = clock
        self._jitter = jitter
        self._times = times or LinkTimes()
        self._circuit = Circuit()
        self._users: OrderedDict[int, LinkUser] = OrderedDict()
        """Session number -> user, least recently used first."""
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue(QUEUE_FRAMES)
        self._connected = False
        self._wanted = asyncio.Event()
        self._ping_sent: dict[int, float] = {}
        self._failure: Exception | None = None
        """Why this side gave the connection up."""

    # --- used by sessions

    def attach(self, session: int, user: LinkUser) -> None:
        """Deliver the session's messages to `user`; the one unused longest makes room if there are too many."""
        self._users[session] = user
        self._users.move_to_end(session)
        most = self._welcome.max_sessions if self._welcome is not None else len(self._users)
        while len(self._users) > max(1, most):
            _, unused = self._users.popitem(last=False)
            unused.displaced()

    def detach(self, session: int) -> None:
        self._users.pop(session, None)

    @property
    def welcome(self) -> Welcome | None:
        return self._welcome

    @property
    def usable(self) -> bool:
        """Whether a round may be sent now."""
        return self._connected and self._circuit.allows(self._clock())

    @property
    def shares_machine(self) -> bool:
        """Whether the verifier runs on this machine: its address is, and a ping came back as if it were.

        The address alone may be a tunnel's; of the pings the fastest counts, since a busy machine delays them.
        """
        return self.settings.is_loopback and self._least_round_trip_s < TUNNEL_S

    @property
    def connected(self) -> bool:
        return self._connected

    def send(self, message: Message) -> None:
        """Queue a message; silently nothing when the link is down (`lost` has been, or will be, called)."""
        if not self._connected:
            return
        try:
            self._outgoing.put_nowait(encode(message))
        except asyncio.QueueFull:
            self._failure = LinkDead(f"the verifier at {self.settings.host} stopped reading")

    def want(self) -> None:
        """A run could have used the link, which is down: try again soon."""
        self._wanted.set()

    def hit(self) -> None:
        """A verdict came in time."""
        self._circuit = self._circuit.hit()
        if self._connected and (self.state, self.reason) != ("online", ""):
            self._set("online", "")

    def miss(self, deadline_s: float) -> None:
        """A verdict missed its deadline of `deadline_s` seconds: the first is told, and some in a row open the circuit.

        Of a verifier that hangs and yet answers pings nothing else is to be seen.
        """
        if not self._connected:
            return
        self._circuit = self._circuit.miss(self._clock())
        misses = self._circuit.misses
        if self._circuit.open_until is not None:
            self.retry_at = self._circuit.open_until
        late = "a verdict" if misses == 1 else f"{misses} verdicts in a row"
        self._set("slow", f"{late} took over {deadline_s * 1000:.0f} ms")

    # --- the connection

    async def run(self) -> None:
        """Connect, serve, and connect again, until cancelled."""
        backoff = Backoff()
        while True:
            self._set("connecting" if backoff.failures == 0 else self.state, self.reason)
            started = self._clock()
            failure: Exception
            try:
                await self._one_connection()
                failure = self._failure or ConnectionError(f"{self.settings.host} closed the connection")
            except Refused as refusal:
                self._lose("refused", str(refusal))
                await self._wait(self._times.refused_retry * (0.5 + self._jitter() / 2))
                continue
            except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, ssl.SSLError) as error:
                failure = self._failure or error
            except InvalidURI:
                self._lose(
                    "refused", "verifier.url is not a websocket address; it looks like wss://HOST:PORT"
                )
                return
            except Exception as defect:  # the last resort: it costs one connection, not the link for ever
                log.exception("the link to the verifier failed")
                failure = defect
            backoff = Backoff() if self._clock() - started > LONG_ENOUGH_S else backoff
            backoff = backoff.failed()
            self._lose("offline", explain(failure, self.settings))
            await self._wait(backoff.delay_s(self._jitter()))

    async def _one_connection(self) -> None:
        async with asyncio.timeout(self._times.handshake):
            socket = await self._connect()
        async with socket:
            async with asyncio.timeout(self._times.handshake):
                welcome = await self._shake_hands(socket)
            self._begin(welcome)
            helpers = [
                asyncio.create_task(self._write(socket)),
                asyncio.create_task(self._keep_alive(socket)),
            ]
            try:
                await self._read(socket)
            finally:
                for task in helpers:
                    task.cancel()
                await asyncio.gather(*helpers, return_exceptions=True)

    async def _connect(self) -> ClientConnection:
        settings = self.settings
        headers = {"Authorization": f"Bearer {settings.token}"} if settings.token else {}
        try:
            return await connect(
                settings.url,
                ssl=tls_context(settings),
                additional_headers=headers,
                compression=None,
                max_size=MAX_FRAME_BYTES,
                ping_interval=None,
                close_timeout=1.0,
                proxy=None if self.settings.is_loopback else True,
            )
        except InvalidStatus as answer:
            raise refusal(answer.response.status_code) from answer

    async def _shake_hands(self, socket: ClientConnection) -> Welcome:
        hello = self._hello()
        await socket.send(encode(hello))
        answer = _decoded(await socket.recv())
        if isinstance(answer, Welcome):
            if answer.n_vocab != hello.n_vocab:
                raise Refused(
                    f"the verifier's target has {answer.n_vocab} tokens, the draft model {hello.n_vocab}: "
                    "use a draft model of the target's family"
                )
            return answer
        if isinstance(answer, Error):
            raise Refused(answer.message)
        raise Refused(f"the verifier answered HELLO with {type(answer).__name__}; is it of another version?")

    def _begin(self, welcome: Welcome) -> None:
        self._welcome = welcome
        judge = f"{welcome.target_id} {welcome.target_revision}"
        if judge != self._judge:
            self._judge, self.acceptances = judge, Acceptances()
        self._connected = True
        self._failure = None
        self._circuit = Circuit()
        self._ping_sent.clear()
        self._least_round_trip_s = math.inf
        while not self._outgoing.empty():
            self._outgoing.get_nowait()
        self._set("online", "")

    async def _read(self, socket: ClientConnection) -> None:
        async for data in socket:
            self._take(_decoded(data))

    def _take(self, message: AnyMessage) -> None:
        if isinstance(message, Verdict):
            user = self._users.get(message.session)
            if user is not None:
                user.verdict(message)
        elif isinstance(message, Credit):
            user = self._users.get(message.session)
            if user is not None:
                user.credit(message.tokens)
        elif isinstance(message, Pong):
            sent = self._ping_sent.pop(message.nonce, None)
            if sent is not None:
                self.round_trip_s = self._clock() - sent
                self._least_round_trip_s = min(self._least_round_trip_s, self.round_trip_s)
        elif isinstance(message, Error):
            self._take_error(message)
        elif isinstance(message, Ping):
            self.send(Pong(message.nonce))
        else:
            log.debug("%s from the verifier is not used", type(message).__name__)

    def _take_error(self, error: Error) -> None:
        log.debug("verifier: %s", error.code)
        user = None if error.session is None else self._users.get(error.session)
        if user is not None:
            if error.code not in _BETWEEN_THE_ENDS:
                self._set(self.state, error.message)  # until a verdict comes in time
            user.error(error)
        elif error.session is None and error.code in (
            "unauthorized",
            "vocabulary_mismatch",
            "protocol_mismatch",
        ):
            raise Refused(error.message)

    async def _write(self, socket: ClientConnection) -> None:
        while True:
            await socket.send(await self._outgoing.get())

    async def _keep_alive(self, socket: ClientConnection) -> None:
        """Ping; when a ping stays unanswered, or a write found the link dead, cut the connection."""
        nonce = 0
        while self._failure is None:
            nonce += 1
            self._ping_sent[nonce] = self._clock()
            self.send(Ping(nonce))
            await asyncio.sleep(self._times.ping_every)
            oldest = min(self._ping_sent.values(), default=None)
            if oldest is not None and self._clock() - oldest >= self._times.ping_deadline:
                self._failure = LinkDead(f"the verifier at {self.settings.host} stopped answering")
        self._lose("offline", str(self._failure))
        socket.transport.abort()

    def _lose(self, state: LinkState, reason: str) -> None:
        was_connected, self._connected = self._connected, False
        self._welcome = None
        self._set(state, reason)
        if was_connected or state == "refused":
            for user in list(self._users.values()):
                user.lost()

    async def _wait(self, seconds: float) -> None:
        """Until the next try: `seconds`, or less if somebody wants the link."""
        self.retry_at = self._clock() + seconds
        self._changed()
        soonest = min(seconds, self._times.soonest_retry)
        await asyncio.sleep(soonest)
        self._wanted.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds - soonest):
                await self._wanted.wait()

    def _set(self, state: LinkState, reason: str) -> None:
        if (state, reason) != (self.state, self.reason):
            self.state, self.reason = state, reason
            log.info("verifier %s: %s%s", self.settings.host, state, f" ({reason})" if reason else "")
        self._changed()


def _decoded(data: str | bytes) -> AnyMessage:
    if isinstance(data, str):
        raise Refused("the verifier sent a text frame; is it of another version?")
    try:
        return decode(data)
    except FrameError as error:
        raise Refused(
            f"a frame from the verifier can't be read ({error}); is it of another version?"
        ) from error
