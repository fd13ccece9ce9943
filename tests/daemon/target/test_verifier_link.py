"""The link over real websockets: handshake, refusals, silence, loss and recovery, the circuit."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import pytest
from msgspec import structs
from websockets.asyncio.server import Request, Response, ServerConnection, serve

from daemon.target.link_address import LinkSettings, explain
from daemon.target.verifier_link import TUNNEL_S, LinkTimes, VerifierLink
from speculation.codec import decode, encode
from speculation.messages import Cancel, Credit, Error, Hello, Ping, Pong, Verdict, Welcome

WELCOME = Welcome(1, "target", "r1", 263, 8, 4096, 64, 16, 1000)
QUICK = LinkTimes(handshake=2.0, ping_every=0.02, ping_deadline=0.1, refused_retry=0.05)
Handler = Callable[[ServerConnection], Awaitable[None]]


def hello() -> Hello:
    return Hello(1, "sha256:0", 263, {}, "fake")


@dataclass
class Seen:
    """A link user that remembers what it was told."""

    verdicts: list[Verdict] = field(default_factory=list)
    errors: list[Error] = field(default_factory=list)
    credits: list[int] = field(default_factory=list)
    losses: int = 0
    displacements: int = 0

    def credit(self, tokens: int) -> None:
        self.credits.append(tokens)

    def displaced(self) -> None:
        self.displacements += 1

    def verdict(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)

    def error(self, error: Error) -> None:
        self.errors.append(error)

    def lost(self) -> None:
        self.losses += 1


async def polite(socket: ServerConnection) -> None:
    """A verifier that welcomes and answers pings."""
    assert isinstance(decode(await socket.recv()), Hello)
    await socket.send(encode(WELCOME))
    async for data in socket:
        message = decode(data)
        if isinstance(message, Ping):
            await socket.send(encode(Pong(message.nonce)))


@asynccontextmanager
async def server(handler: Handler, port: int = 0, token: str = "") -> AsyncIterator[int]:
    def check(connection: ServerConnection, request: Request) -> Response | None:
        if token and request.headers.get("Authorization") != f"Bearer {token}":
            return connection.respond(HTTPStatus.UNAUTHORIZED, "no")
        return None

    async with serve(handler, "127.0.0.1", port, process_request=check, compression=None) as listening:
        yield next(iter(listening.sockets)).getsockname()[1]


@asynccontextmanager
async def link_to(
    port: int, *, token: str = "", times: LinkTimes = QUICK
) -> AsyncIterator[tuple[VerifierLink, Seen, Callable[[str], Awaitable[None]]]]:
    """A running link, a user of its session 1, and a wait for a state."""
    changed = asyncio.Event()
    settings = LinkSettings(f"ws://127.0.0.1:{port}", token)
    link = VerifierLink(settings, hello, changed.set, time.monotonic, lambda: 0.0, times)
    user = Seen()
    link.attach(1, user)

    async def until(state: str) -> None:
        async with asyncio.timeout(10):
            while link.state != state:
                changed.clear()
                await changed.wait()

    task = asyncio.create_task(link.run())
    try:
        yield link, user, until
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.asyncio
async def test_it_comes_up_and_measures_the_round_trip() -> None:
    async with server(polite) as port, link_to(port) as (link, _, until):
        await until("online")
        assert link.usable
        assert link.welcome == WELCOME
        async with asyncio.timeout(5):
            while not link.round_trip_s:
                await asyncio.sleep(0.01)
        assert link.shares_machine == (link.round_trip_s < TUNNEL_S)


@pytest.mark.asyncio
async def test_frames_reach_the_session_they_are_for() -> None:
    verdict = Verdict(1, 0, 1, 0, 2, 2, 7, 3, 99)
    got: list[object] = []

    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))
        await socket.send(encode(verdict))
        await socket.send(encode(Verdict(2, 0, 1, 0, 2, 2, 7, 3, 99)))
        await socket.send(encode(Error("context_mismatch", "send it whole", 1)))
        await socket.send(encode(Credit(1, 3)))
        await socket.send(encode(Ping(5)))
        async for data in socket:
            got.append(decode(data))

    times = LinkTimes(ping_every=5)
    async with server(handler) as port, link_to(port, times=times) as (link, user, until):
        await until("online")
        link.send(Cancel(1, 0))
        async with asyncio.timeout(5):
            while not (user.errors and Pong(5) in got and Cancel(1, 0) in got):
                await asyncio.sleep(0.01)
        assert user.verdicts == [verdict]
        assert user.credits == [3]


@pytest.mark.asyncio
async def test_a_refused_session_is_told_until_a_verdict_comes() -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))
        await socket.send(encode(Error("context_mismatch", "between us", 1)))
        await socket.send(encode(Error("too_many_sessions", "all 8 are in use", 1)))
        await socket.wait_closed()

    async with server(handler) as port, link_to(port, times=LinkTimes(ping_every=5)) as (link, user, until):
        await until("online")
        async with asyncio.timeout(5):
            while len(user.errors) < 2:
                await asyncio.sleep(0.01)
        assert (link.state, link.reason) == ("online", "all 8 are in use")
        link.hit()
        assert (link.state, link.reason) == ("online", "")


@pytest.mark.asyncio
async def test_the_session_unused_longest_makes_room() -> None:
    async with server(polite) as port, link_to(port) as (link, first, until):
        await until("online")
        others = [Seen() for _ in range(WELCOME.max_sessions)]
        for number, user in enumerate(others[:-1], 2):
            link.attach(number, user)
        link.attach(1, first)
        link.attach(99, others[-1])
        assert first.displacements == 0
        assert [user.displacements for user in others] == [1] + [0] * (len(others) - 1)


@pytest.mark.asyncio
async def test_nobody_there_is_offline_with_the_reason_and_heals_by_itself() -> None:
    """ux-34."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    async with link_to(port) as (link, _, until):
        await until("offline")
        assert "nothing listens" in link.reason
        assert not link.usable
        async with server(polite, port):
            await until("online")


@pytest.mark.asyncio
async def test_a_run_that_wants_the_link_cuts_the_wait_short() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    times = replace(QUICK, soonest_retry=0.02)
    changed = asyncio.Event()
    settings = LinkSettings(f"ws://127.0.0.1:{port}")
    # Jitter and clock such that the second wait would be an hour.
    link = VerifierLink(settings, hello, changed.set, time.monotonic, lambda: 50_000.0, times)
    task = asyncio.create_task(link.run())
    async with asyncio.timeout(10):
        while link.retry_at < time.monotonic() + 3600:
            changed.clear()
            await changed.wait()
        async with server(polite, port):
            while link.state != "online":
                link.want()
                await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.asyncio
async def test_a_wrong_token_is_refused_and_the_right_one_taken() -> None:
    async with server(polite, token="right") as port:
        async with link_to(port, token="wrong") as (link, _, until):
            await until("refused")
            assert "token" in link.reason
            assert "wrong" not in link.reason
        async with link_to(port, token="right") as (_, _, until):
            await until("online")


@pytest.mark.asyncio
async def test_a_vocabulary_mismatch_is_refused_in_the_verifiers_words() -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(Error("vocabulary_mismatch", "n_vocab is 263 here, 49152 there")))
        await socket.wait_closed()

    async with server(handler) as port, link_to(port) as (link, user, until):
        await until("refused")
        assert link.reason == "n_vocab is 263 here, 49152 there"
        assert user.losses


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", [b"garbage", "text", encode(Ping(1))])
async def test_an_answer_that_is_no_welcome_is_refused(answer: str | bytes) -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(answer)
        await socket.wait_closed()

    async with server(handler) as port, link_to(port) as (link, _, until):
        await until("refused")
        assert "version" in link.reason


@pytest.mark.asyncio
async def test_garbage_later_on_drops_the_link_and_not_the_process() -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))
        await socket.send(b"garbage")
        await socket.wait_closed()

    async with server(handler) as port, link_to(port) as (link, user, until):
        await until("refused")
        assert "can't be read" in link.reason
        assert user.losses == 1


@pytest.mark.asyncio
async def test_silence_is_noticed_and_the_link_heals() -> None:
    async def silent(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))
        await socket.wait_closed()

    async with server(silent) as port, link_to(port) as (link, user, until):
        await until("online")
        await until("offline")
        assert "stopped answering" in link.reason
        assert user.losses == 1
        await until("online")


@pytest.mark.asyncio
async def test_ux_34_a_silent_verifier_shows_within_two_seconds() -> None:
    """By the times that are in force: from its last answer to the state; the best of three, as machines are noisy."""

    async def falls_silent(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))
        await socket.wait_closed()

    noticed_s = []
    async with server(falls_silent) as port:
        for _ in range(3):
            async with link_to(port, times=LinkTimes()) as (link, _, until):
                await until("online")
                since = time.monotonic()
                await until("offline")
                noticed_s.append(time.monotonic() - since)
                assert "stopped answering" in link.reason
            if noticed_s[-1] < 2.0:
                break
    assert min(noticed_s) < 2.0


@pytest.mark.asyncio
async def test_a_closed_connection_is_offline_and_sends_go_nowhere() -> None:
    async def closing(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(WELCOME))

    async with server(closing) as port, link_to(port) as (link, user, until):
        await until("offline")
        assert "closed the connection" in link.reason
        link.send(Cancel(1, 0))
        assert user.losses >= 1


@pytest.mark.asyncio
async def test_missed_deadlines_open_the_circuit_and_a_hit_closes_it() -> None:
    """ux-34. The first is told already, while rounds go on: of a verifier that hangs but answers pings, a user whose
    keys are far apart would else hear nothing for long."""
    async with server(polite) as port, link_to(port) as (link, _, until):
        await until("online")
        link.miss(1.5)
        assert (link.state, link.reason) == ("slow", "a verdict took over 1500 ms")
        assert link.usable
        link.hit()
        assert (link.state, link.reason) == ("online", "")
        for _ in range(3):
            link.miss(1.5)
        assert (link.state, link.reason) == ("slow", "3 verdicts in a row took over 1500 ms")
        assert not link.usable
        link.hit()
        assert link.state == "online"
        assert link.usable


@pytest.mark.asyncio
async def test_plain_text_where_tls_is_expected_is_explained() -> None:
    async with server(polite) as port:
        changed = asyncio.Event()
        settings = LinkSettings(f"wss://127.0.0.1:{port}")
        link = VerifierLink(settings, hello, changed.set, time.monotonic, lambda: 0.0, QUICK)
        task = asyncio.create_task(link.run())
        async with asyncio.timeout(10):
            while link.state != "offline":
                changed.clear()
                await changed.wait()
        assert "ws:// instead of wss://" in link.reason
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.asyncio
async def test_an_unreadable_ca_file_is_named(tmp_path: object) -> None:
    settings = LinkSettings("wss://127.0.0.1:1", ca_file=f"{tmp_path}/missing.pem")
    changed = asyncio.Event()
    link = VerifierLink(settings, hello, changed.set, time.monotonic, lambda: 0.0, QUICK)
    task = asyncio.create_task(link.run())
    async with asyncio.timeout(10):
        while link.state != "refused":
            changed.clear()
            await changed.wait()
    assert "ca_file" in link.reason
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_the_token_is_in_no_text() -> None:
    """ux-40."""
    settings = LinkSettings("wss://gpu.example.com:1", "s3cret")
    assert "s3cret" not in repr(settings)
    for failure in (OSError("x"), TimeoutError(), ConnectionRefusedError(), ssl.SSLError("x")):
        assert "s3cret" not in explain(failure, settings)


@pytest.mark.asyncio
async def test_a_target_with_another_number_of_tokens_is_refused_with_both_numbers() -> None:
    async def other(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(structs.replace(WELCOME, n_vocab=264)))
        await socket.wait_closed()

    async with server(other) as port, link_to(port) as (link, _, until):
        await until("refused")
        assert "264" in link.reason
        assert "263" in link.reason


@pytest.mark.asyncio
async def test_a_defect_in_taking_a_message_costs_one_connection(caplog: pytest.LogCaptureFixture) -> None:
    connections = 0

    async def talking(socket: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        await socket.recv()
        await socket.send(encode(WELCOME))
        if connections == 1:
            await socket.send(encode(Verdict(1, 4, 1, 0, 0, 0, 65, 1, 0)))
        async for data in socket:
            if isinstance(message := decode(data), Ping):
                await socket.send(encode(Pong(message.nonce)))

    class Broken(Seen):
        def verdict(self, verdict: Verdict) -> None:
            raise ZeroDivisionError

    async with server(talking) as port, link_to(port) as (link, _, until):
        broken = Broken()
        link.attach(1, broken)
        async with asyncio.timeout(10):
            while connections < 2:
                await asyncio.sleep(0.01)
        await until("online")
        assert broken.losses == 1
        assert "ZeroDivisionError" in caplog.text
