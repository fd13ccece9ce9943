"""The verifier: every way in which it can't be reached or refuses is told apart, with a fix."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest
from websockets.asyncio.server import Request, Response, ServerConnection, serve

from daemon.target.link_address import LinkSettings
from draftwire.doctor import verifier_hop
from draftwire.doctor.findings import Finding
from draftwire.doctor.verifier_hop import check_verifier
from speculation.codec import decode, encode
from speculation.messages import Error, Hello, Message, Welcome
from tests.fakes.engine import FakeEngine

WELCOME = Welcome(1, "big-model", f"sampled-sha256:{'0123456789abcdef' * 2}", 263, 8, 4096, 64, 16, 2500)


def answers(*messages: Message) -> Callable[[ServerConnection], Awaitable[None]]:
    async def handler(connection: ServerConnection) -> None:
        hello = decode(await connection.recv())
        assert isinstance(hello, Hello)
        assert hello.n_vocab == FakeEngine().vocabulary.n_vocab
        for message in messages:
            await connection.send(encode(message))
        await connection.wait_closed()

    return handler


@asynccontextmanager
async def verifier(
    handler: Callable[[ServerConnection], Awaitable[None]], status: HTTPStatus | None = None
) -> AsyncIterator[str]:
    def check(connection: ServerConnection, _: Request) -> Response | None:
        return None if status is None else connection.respond(status, "no")

    async with serve(handler, "127.0.0.1", 0, process_request=check) as listening:
        yield f"127.0.0.1:{next(iter(listening.sockets)).getsockname()[1]}"


async def check(url: str) -> list[Finding]:
    return await check_verifier(LinkSettings(url), FakeEngine())


def levels(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(found.check, found.level) for found in findings]


REACHED = [("name", "ok"), ("port", "ok")]


@pytest.mark.asyncio
async def test_one_that_accepts_the_draft_model() -> None:
    async with verifier(answers(WELCOME)) as address:
        findings = await check(f"ws://{address}")
    assert levels(findings) == [*REACHED, ("handshake", "ok")]
    assert findings[-1].text == "big-model (sampled-sha256:0123456789ab), 263 tokens, verifies in about 2 ms"


@pytest.mark.asyncio
async def test_none_configured_is_no_failure() -> None:
    [found] = await check_verifier(None, FakeEngine())
    assert (found.level, "verifier.url is empty" in found.text) == ("info", True)


@pytest.mark.asyncio
async def test_a_name_that_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    [found] = await check("wss://gpu.invalid:8765")
    assert (found.check, found.level) == ("name", "failed")
    assert found.text == "gpu.invalid can't be resolved: Name or service not known"
    assert "verifier.url" in found.fix


@pytest.mark.asyncio
async def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        findings = await check(f"ws://127.0.0.1:{unused.getsockname()[1]}")
    assert levels(findings) == [("name", "ok"), ("port", "failed")]
    assert "draftwire verifier" in findings[-1].fix


@pytest.mark.asyncio
async def test_a_port_that_swallows(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", hangs)
    monkeypatch.setattr(verifier_hop, "TCP_TIMEOUT_S", 0.05)
    findings = await check("ws://127.0.0.1:9")
    assert (levels(findings)[-1], "firewall" in findings[-1].fix) == (("port", "failed"), True)


@pytest.mark.asyncio
async def test_tls_where_there_is_none() -> None:
    async with verifier(answers(WELCOME)) as address:
        findings = await check(f"wss://{address}")
    assert levels(findings) == [*REACHED, ("handshake", "failed")]
    assert "TLS" in findings[-1].text


@pytest.mark.asyncio
async def test_a_refused_token() -> None:
    async with verifier(answers(WELCOME), HTTPStatus.UNAUTHORIZED) as address:
        findings = await check(f"ws://{address}")
    assert levels(findings) == [*REACHED, ("handshake", "failed")]
    assert "verifier.token_file" in findings[-1].fix


@pytest.mark.asyncio
async def test_another_vocabulary() -> None:
    refusal = Error("vocabulary_mismatch", "the target has 151936 tokens; use its own draft model")
    async with verifier(answers(refusal)) as address:
        findings = await check(f"ws://{address}")
    assert levels(findings) == [*REACHED, ("handshake", "failed")]
    assert (findings[-1].text, findings[-1].fix) == (refusal.message, "use its own draft model")


@pytest.mark.asyncio
async def test_a_server_of_another_kind() -> None:
    async with verifier(answers(WELCOME), HTTPStatus.NOT_FOUND) as address:
        findings = await check(f"ws://{address}")
    assert findings[-1].level == "failed"
    assert "404" in findings[-1].text


@pytest.mark.asyncio
async def test_one_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier_hop, "HANDSHAKE_TIMEOUT_S", 0.1)
    async with verifier(answers()) as address:
        findings = await check(f"ws://{address}")
    assert levels(findings)[-1] == ("handshake", "failed")
    assert "did not finish the handshake within 0.1 s" in findings[-1].text


@pytest.mark.asyncio
async def test_without_a_draft_model_the_handshake_waits() -> None:
    async with verifier(answers(WELCOME)) as address:
        findings = await check_verifier(LinkSettings(f"ws://{address}"), None)
    assert levels(findings) == [*REACHED, ("handshake", "warning")]


@pytest.mark.asyncio
async def test_trust_given_up_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """ux-42."""

    async def no(_: LinkSettings) -> Finding:
        return Finding("verifier", "name", "failed", "x", "y")

    monkeypatch.setattr(verifier_hop, "_check_name", no)
    findings = await check_verifier(LinkSettings("wss://gpu", insecure_skip_verify=True), FakeEngine())
    assert (findings[-1].check, findings[-1].level) == ("TLS", "warning")
    assert "any certificate is accepted" in findings[-1].text
    assert len(await check_verifier(LinkSettings("wss://gpu"), FakeEngine())) == 1
