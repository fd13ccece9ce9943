"""The verifier over a real socket: handshake, auth, bad input, many clients, and clients that die."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import struct
import time

import httpx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from speculation.codec import MAX_FRAME_BYTES, encode
from speculation.epochs import after_edit
from speculation.messages import (
    Cancel,
    Context,
    Draft,
    Error,
    Hello,
    Message,
    Open,
    Ping,
    Pong,
    Resume,
    Verdict,
    Welcome,
)
from speculation.paths import EMPTY_PATH, path_hash
from tests.fakes.target import FakeTarget
from tests.fakes.verifier_client import hello_for, served
from verifier.connection import ConnectionLimits
from verifier.errors import EngineFailed
from verifier.reference import greedy_continuation
from verifier.server import RefusalLog, _cannot_listen, check_address

pytestmark = pytest.mark.asyncio

EPOCH = after_edit(0)


# -- handshake


async def test_welcome_says_what_the_target_is_and_allows() -> None:
    engine = FakeTarget()
    async with served(engine) as server, server.client(hello=False) as client:
        await client.send(hello_for(engine))
        welcome = await client.receive()
        assert isinstance(welcome, Welcome)
        assert (welcome.target_id, welcome.n_vocab, welcome.verify_estimate_us) == ("fake", 8, 1234)
        assert (welcome.max_sessions, welcome.max_context, welcome.credit) == (64, 256, 32)
        assert welcome.modes == ["match", "ratio", "block"]


def changed(hello: Hello, **changes: object) -> Hello:
    values = {name: getattr(hello, name) for name in hello.__struct_fields__} | changes
    return Hello(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"n_vocab": 9}, "vocabulary_mismatch", "the draft model has 9 tokens, the target model 8"),
        ({"special_ids": {"eos": 3}}, "vocabulary_mismatch", "special id eos is 3 in the draft model"),
        ({"vocabulary": "sha256:0"}, "vocabulary_mismatch", "other bytes"),
        ({"protocol": 2}, "protocol_mismatch", "speaks protocol 1"),
    ],
)
async def test_a_draft_model_that_does_not_fit_is_refused_by_name(
    changes: dict[str, object], code: str, words: str
) -> None:
    engine = FakeTarget()
    async with served(engine) as server, server.client(hello=False) as client:
        await client.send(changed(hello_for(engine), **changes))
        error = await client.error()
        assert error.code == code
        assert words in error.message
        with pytest.raises(ConnectionClosed) as closed:
            await client.receive()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, code)


@pytest.mark.parametrize("first", [encode(Ping(1)), b"", b"garbage that is no frame", "text"])
async def test_a_connection_that_does_not_begin_with_hello_is_closed_with_a_reason(
    first: bytes | str,
) -> None:
    async with served(FakeTarget()) as server, server.client(hello=False) as client:
        await client.socket.send(first)
        assert (await client.error()).code == "bad_frame"
        with pytest.raises(ConnectionClosed):
            await client.receive()


async def test_a_connection_that_says_nothing_is_closed() -> None:
    limits = ConnectionLimits(hello_timeout_s=0.01)
    async with served(FakeTarget(), limits=limits) as server, server.client(hello=False) as client:
        assert "no HELLO" in (await client.error()).message


@pytest.mark.parametrize("token", ["", "wrong", "sEcret", "secret2", "sécret"])
async def test_without_the_token_nobody_gets_in(token: str) -> None:
    async with served(FakeTarget(), token="secret") as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.client(token):
                pass
        assert refused.value.response.status_code == 401
        assert refused.value.response.headers["WWW-Authenticate"] == "Bearer"


async def test_a_refusal_is_logged_with_the_peer_and_without_what_it_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(FakeTarget(), token="secret") as server:
        for token in ("", "wr0ng"):
            with pytest.raises(InvalidStatus):
                async with server.client(token):
                    pass
    said = [record.getMessage() for record in caplog.records if record.name == "verifier.server"]
    assert said == ["refused 127.0.0.1: no token", "refused 127.0.0.1: a wrong token"]
    assert "wr0ng" not in caplog.text


async def test_many_refusals_are_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 0.0
    refusals = RefusalLog(lambda: now_s)
    for _ in range(20):
        refusals.note("192.0.2.1", without=True)
    assert len(caplog.records) == 5
    now_s = 61.0
    refusals.note("192.0.2.1", without=False)
    assert (
        caplog.records[-1].getMessage()
        == "refused 192.0.2.1: a wrong token (15 more since the last such line)"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", ""])
async def test_an_address_that_can_be_had_is_no_error(host: str) -> None:
    check_address(host, 0)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EACCES, "Permission denied"), "choose a --port above 1023"),
        (OSError(errno.EADDRINUSE, "in use"), "can't listen on h:80 (in use): stop what uses it or choose"),
        (OSError(errno.EADDRNOTAVAIL, "not here"), "--host h is no address of this machine (not here)"),
        (UnicodeError("label too long"), "--host h is no address of this machine (label too long)"),
    ],
)
async def test_the_address_or_the_port_is_blamed(error: Exception, said: str) -> None:
    assert said in str(_cannot_listen("h", 80, error))


async def test_with_the_token_everybody_gets_in() -> None:
    async with served(FakeTarget(), token="secret") as server, server.client("secret") as client:
        await client.send(Ping(7))
        assert await client.receive() == Pong(7, 0)


async def test_a_page_in_a_browser_is_refused() -> None:
    async with served(FakeTarget()) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://127.0.0.1:{server.port}", origin="https://example.org", proxy=None):  # type: ignore[arg-type]
                pass
        assert refused.value.response.status_code == 403


async def test_health_needs_no_token() -> None:
    async with served(FakeTarget(), token="secret") as server, httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(f"http://127.0.0.1:{server.port}/healthz")
        assert (answer.status_code, answer.text) == (200, "ok\n")


# -- generation


async def test_the_target_decodes_by_itself() -> None:
    engine = FakeTarget()
    async with served(engine) as server, server.client() as client:
        assert await client.generate([1, 2, 3]) == greedy_continuation(engine, [1, 2, 3], 5, {7})


async def test_drafts_are_verified_and_replayed() -> None:
    engine = FakeTarget(30)
    own = greedy_continuation(engine, [1, 2, 3], 6)
    async with served(engine) as server, server.client() as client:
        await client.send(Open(1, max_tokens=4, draft_wait_ms=10_000))
        await client.send(Context(1, EPOCH, 0, EMPTY_PATH, [1, 2, 3]))
        draft = Draft(1, EPOCH, 1, 3, path_hash([1, 2, 3]), [*own[:2], (own[2] + 1) % 29])
        await client.send(draft)
        verdict = await client.verdict()
        assert (verdict.accepted, verdict.drafted, verdict.next_id, verdict.seq) == (2, 3, own[2], 1)
        await client.send(draft)
        assert await client.verdict() == verdict
        await client.send(Resume(1, 3, path_hash([1, 2, 3])))
        assert [(await client.verdict()).next_id for _ in range(3)] == own[:3]


async def test_many_clients_and_sessions_at_once_get_their_own_continuations() -> None:
    engine = FakeTarget(50, n_slots=3, chunk_tokens=3)
    async with served(engine) as server:

        async def one_client(first: int) -> None:
            async with server.client() as client:
                for session in (1, 2):
                    said = await client.generate([first, session, 4, 5, 6], session=session, max_tokens=6)
                    assert said == greedy_continuation(FakeTarget(50), [first, session, 4, 5, 6], 6, {49})
                    await client.send(Cancel(session, EPOCH, close=True))

        async with asyncio.TaskGroup() as group:
            for first in range(6):
                group.create_task(one_client(first))
    assert max(len(batch) for batch in engine.batches) > 1, "steps were shared"


async def test_rounds_for_a_first_token_come_first() -> None:
    engine = FakeTarget(50)
    async with served(engine) as server, server.client() as client:
        await client.send(Open(1, max_tokens=40))
        await client.send(Open(2, max_tokens=1))
        engine.gate.clear()
        await client.send(Context(1, EPOCH, 0, EMPTY_PATH, [1]))
        assert await asyncio.to_thread(engine.entered.wait, 10)
        await client.send(Context(2, EPOCH, 0, EMPTY_PATH, [2]))
        await client.send(Ping(1))
        assert isinstance(await client.receive(), Pong), "answered in the middle of a step"
        engine.gate.set()
        while (await client.verdict()).session != 2:
            pass
    assert [[request.tokens[0] for request in batch] for batch in engine.batches[:2]] == [[1], [2, 1]]


# -- limits and errors


async def refused(
    *messages: Message, limits: ConnectionLimits | None = None, engine: FakeTarget | None = None
) -> Error:
    """The error that answers the last of `messages`."""
    async with served(engine or FakeTarget(), limits=limits) as server, server.client() as client:
        for message in messages:
            await client.send(message)
        while not isinstance(answer := await client.receive(), Error):
            pass
        await client.send(Ping(1))
        while not isinstance(await client.receive(), Pong):
            pass
        return answer


OPENED = Open(1, max_tokens=2)


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([Context(1, EPOCH, 0, EMPTY_PATH, [1])], "unknown_session"),
        ([Draft(1, EPOCH, 1, 0, EMPTY_PATH, [1])], "unknown_session"),
        ([Resume(1, 0, EMPTY_PATH)], "unknown_session"),
        ([OPENED, Cancel(1, EPOCH, close=True), Cancel(1, EPOCH)], "unknown_session"),
        ([OPENED, OPENED], "session_exists"),
        ([Open(1, stop_ids=[8])], "token_out_of_range"),
        ([OPENED, Context(1, EPOCH, 0, EMPTY_PATH, [8])], "token_out_of_range"),
        ([OPENED, Context(1, EPOCH, 0, EMPTY_PATH, [1] * 256)], "context_too_long"),
        ([OPENED, Context(1, EPOCH, 1, 5, [1])], "context_mismatch"),
        ([Hello(1, "", 1, {}, "")], "bad_frame"),
        ([Verdict(1, 1, 1, 1, 1, 1, 1, 1, 1)], "bad_frame"),
    ],
)
async def test_what_a_client_gets_wrong_has_one_answer_and_the_connection_goes_on(
    messages: list[Message], code: str
) -> None:
    assert (await refused(*messages)).code == code


async def test_sessions_of_one_connection_are_limited() -> None:
    error = await refused(Open(1), Open(2), limits=ConnectionLimits(sessions=1))
    assert (error.code, error.session) == ("too_many_sessions", 2)


async def test_an_unsupported_mode_is_named() -> None:
    engine = FakeTarget()
    engine.modes = ("match",)
    error = await refused(Open(1, mode="ratio"), engine=engine)
    assert (error.code, error.message) == ("unsupported_mode", "this target verifies by match")


async def test_too_many_messages_are_refused_once_until_it_is_quiet() -> None:
    limits = ConnectionLimits(messages_per_s=0.001, message_burst=2)
    async with served(FakeTarget(), limits=limits) as server, server.client() as client:
        for nonce in range(5):
            await client.send(Ping(nonce))
        assert [await client.receive() for _ in range(2)] == [Pong(0, 0), Pong(1, 0)]
        error = await client.error()
        assert error.code == "rate_limited"
        assert error.retry_after_ms > 0


async def test_bad_frames_are_answered_and_too_many_end_the_connection() -> None:
    limits = ConnectionLimits(bad_frames=3)
    async with served(FakeTarget(), limits=limits) as server, server.client() as client:
        for bad in (b"x" * 30, "text", encode(Ping(1))[:-1]):
            await client.socket.send(bad)
        assert [(await client.error()).code for _ in range(3)] == ["bad_frame"] * 3
        with pytest.raises(ConnectionClosed):
            await client.receive()


async def test_an_oversized_frame_closes_its_connection_only() -> None:
    async with served(FakeTarget()) as server, server.client() as other:
        async with server.client() as client:
            await client.socket.send(bytes(MAX_FRAME_BYTES + 1))
            with pytest.raises(ConnectionClosed) as closed:
                await client.receive()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
        assert await other.generate([1]) == greedy_continuation(FakeTarget(), [1], 5, {7})


async def test_a_frame_that_announces_more_than_its_type_may_hold_is_a_bad_frame() -> None:
    async with served(FakeTarget()) as server, server.client() as client:
        await client.socket.send(struct.pack(">2sBBI", b"DW", 1, 12, 2**31))
        assert "over its limit" in (await client.error()).message


@given(frames=st.lists(st.one_of(st.binary(max_size=60), st.text(max_size=20)), max_size=8))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_garbage_never_reaches_another_client(frames: list[bytes | str]) -> None:
    engine = FakeTarget(50)
    async with served(engine) as server, server.client() as good, server.client() as bad:
        for frame in frames:
            await bad.socket.send(frame)
        assert await good.generate([1, 2]) == greedy_continuation(engine, [1, 2], 5, {49})


async def test_a_step_that_fails_ends_its_sessions_not_the_server() -> None:
    engine = FakeTarget(50)
    async with served(engine) as server, server.client() as client:
        for failure in (EngineFailed("no memory"), KeyError("a defect")):
            engine.fail_next = failure
            await client.send(Open(1, max_tokens=2))
            await client.send(Context(1, EPOCH, 0, EMPTY_PATH, [1]))
            error = await client.error()
            assert (error.code, error.session) == ("internal", 1)
            await client.send(Cancel(1, EPOCH, close=True))
        assert len(await client.generate([1], session=3, max_tokens=2)) == 2


# -- clients that go


async def test_a_killed_client_frees_its_places_at_once_even_in_the_middle_of_a_step() -> None:
    """Measured from the reset to the place being free; and the place can be used while the old step still
    runs (ux-4)."""
    engine = FakeTarget(50, n_slots=1)
    async with served(engine) as server:
        engine.gate.clear()
        async with server.client() as client:
            await client.send(Open(1))
            await client.send(Context(1, EPOCH, 0, EMPTY_PATH, [1]))
            assert await asyncio.to_thread(engine.entered.wait, 10)
            started = time.perf_counter()
            client.socket.transport.abort()
            await asyncio.wait_for(server.released.get(), 10)
            freed_after_s = time.perf_counter() - started
        assert server.scheduler.n_sessions == 0
        async with server.client() as client:
            await client.send(Open(1, max_tokens=3))
            await client.send(Context(1, EPOCH, 0, EMPTY_PATH, [2]))
            await client.send(Ping(1))
            assert isinstance(await client.receive(), Pong)
            engine.gate.set()
            assert [(await client.verdict()).next_id for _ in range(3)] == greedy_continuation(
                FakeTarget(50), [2], 3
            )
    assert freed_after_s < 0.05
    assert engine.released == [1]


async def test_a_client_that_does_not_read_is_cut_off_and_delays_nobody() -> None:
    """Each RESUME is answered by 200 verdicts; nothing takes them."""
    engine = FakeTarget(
        50, logits=lambda tokens: np.eye(1, 50, len(tokens) % 40, dtype=np.float32)[0], max_context=300
    )
    async with (
        served(engine, limits=ConnectionLimits(send_queue=250)) as server,
        server.client(receive_buffer=4096) as slow,
        server.client() as other,
    ):
        assert len(await slow.generate([1], max_tokens=200)) == 200
        slow.socket.transport.pause_reading()

        async def flood() -> None:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await slow.send(Resume(1, 1, path_hash([1])))

        flooding = asyncio.create_task(flood())
        assert len(await other.generate([1], max_tokens=2)) == 2
        await asyncio.wait_for(server.released.get(), 20)
        await flooding
        assert len(await other.generate([1], session=2, max_tokens=2)) == 2


async def test_resume_cannot_ask_for_what_the_client_itself_sent() -> None:
    messages = [OPENED, Context(1, EPOCH, 0, EMPTY_PATH, [1, 2]), Resume(1, 0, EMPTY_PATH)]
    assert (await refused(*messages)).code == "context_mismatch"
