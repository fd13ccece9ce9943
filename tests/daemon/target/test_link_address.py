"""Where the verifier is and how it is trusted: certificates over a real TLS socket, and no proxy for this machine."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from daemon.serving.service import Service
from daemon.settings.config import Config
from daemon.target.link_address import LinkSettings, Refused, explain, tls_context
from daemon.target.verifier_link import VerifierLink
from speculation.codec import decode, encode
from speculation.messages import Hello, Ping, Pong, Welcome
from tests.fakes.engine import FakeEngine

WELCOME = Welcome(1, "target", "r1", 263, 8, 4096, 64, 16, 1000)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificate of an authority that no system knows, which is 127.0.0.1's own, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    try:
        subprocess.run([*command, *names], cwd=folder, check=True, capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return folder


async def polite(socket: ServerConnection) -> None:
    """A verifier that welcomes and answers pings."""
    assert isinstance(decode(await socket.recv()), Hello)
    await socket.send(encode(WELCOME))
    async for data in socket:
        if isinstance(message := decode(data), Ping):
            await socket.send(encode(Pong(message.nonce)))


@asynccontextmanager
async def verifier(authority: Path | None = None) -> AsyncIterator[str]:
    """The address of one, with TLS if there is an authority."""
    tls = None
    if authority is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(authority / "cert.pem", authority / "key.pem")
    async with serve(polite, "127.0.0.1", 0, ssl=tls, compression=None) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        yield f"{'ws' if tls is None else 'wss'}://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("url", "address"),
    [("ws://h", ("h", 80)), ("wss://h", ("h", 443)), ("wss://[::1]:9/x", ("::1", 9))],
)
def test_what_is_connected_to(url: str, address: tuple[str, int]) -> None:
    assert LinkSettings(url).address == address


@pytest.mark.asyncio
async def test_one_that_speaks_tls_asked_without_it(authority: Path) -> None:
    async with verifier(authority) as url:
        plain = url.replace("wss:", "ws:")
        link = await outcome(LinkSettings(plain))
    assert link.state == "offline"
    assert link.reason == (
        f"{link.settings.host} is no Draftwire verifier (its websocket handshake failed); "
        "if it serves TLS, try wss:// in verifier.url"
    )


@pytest.mark.asyncio
async def test_one_without_tls_asked_with_it() -> None:
    async with verifier() as url:
        link = await outcome(LinkSettings(url.replace("ws:", "wss:")))
    assert link.state == "offline"
    assert link.reason == f"TLS with {link.settings.host} failed; does it serve ws:// instead of wss://?"


@pytest.mark.asyncio
async def test_a_host_with_several_addresses_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    async def two(_: str, port: int, **__: object) -> list[object]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(*kind, ("127.0.0.1", port)), (*kind, ("127.0.0.2", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", two)
    with socket.socket() as unused:
        unused.bind(("", 0))
        host = f"localhost:{unused.getsockname()[1]}"
        link = await outcome(LinkSettings(f"ws://{host}"))
    assert link.reason == f"nothing listens at {host}; is the verifier running there?"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("wss://gpu", "gpu:443; put the verifier's port into verifier.url (8765 unless it has another)"),
        ("ws://[::1]", "[::1]:80; put the verifier's port into verifier.url (8765 unless it has another)"),
        ("wss://gpu:443", "gpu:443; is the verifier running there?"),
    ],
)
def test_a_port_that_the_address_does_not_name_is_told(url: str, said: str) -> None:
    assert explain(ConnectionRefusedError(), LinkSettings(url)) == f"nothing listens at {said}"


async def outcome(settings: LinkSettings) -> VerifierLink:
    """The link once it is known whether it can be used."""
    changed = asyncio.Event()

    def hello() -> Hello:
        return Hello(1, "sha256:0", 263, {}, "fake")

    link = VerifierLink(settings, hello, changed.set, time.monotonic)
    task = asyncio.create_task(link.run())
    try:
        async with asyncio.timeout(20):
            while link.state == "connecting":
                changed.clear()
                await changed.wait()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    return link


@pytest.mark.asyncio
async def test_ux_42_an_unknown_authority_is_refused_with_what_to_do(authority: Path) -> None:
    async with verifier(authority) as url:
        link = await outcome(LinkSettings(url))
    assert link.state == "offline"
    assert "is not trusted" in link.reason
    assert "verifier.ca_file" in link.reason


@pytest.mark.asyncio
async def test_ux_42_a_ca_file_is_trusted_beside_the_systems_authorities(authority: Path) -> None:
    settings = LinkSettings("wss://127.0.0.1:1", ca_file=str(authority / "cert.pem"))
    context, plain = tls_context(settings), tls_context(LinkSettings("wss://127.0.0.1:1"))
    assert context is not None
    assert plain is not None
    assert context.cert_store_stats()["x509"] == plain.cert_store_stats()["x509"] + 1
    async with verifier(authority) as url:
        link = await outcome(LinkSettings(url, ca_file=settings.ca_file))
    assert (link.state, link.reason) == ("online", "")


@pytest.mark.asyncio
async def test_ux_42_not_checking_is_for_one_host_and_in_the_status(authority: Path) -> None:
    """It is a setting of that verifier's; nothing else in the process trusts more for it."""
    async with verifier(authority) as url:
        settings = LinkSettings(url, insecure_skip_verify=True)
        assert (await outcome(settings)).state == "online"
        assert (await outcome(LinkSettings(url))).state == "offline"
    service = Service(Config(), FakeEngine, settings, time.monotonic)
    assert service.link is not None
    service.worker.state, service.link.state = "ready", "online"
    assert "(certificate not checked)" in service._status_line()


def test_by_default_certificates_and_names_are_checked() -> None:
    """ux-42. Without TLS there is nothing to trust."""
    context = tls_context(LinkSettings("wss://gpu.example.com"))
    assert context is not None
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert tls_context(LinkSettings("ws://gpu.example.com")) is None


def test_a_ca_file_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    """ux-42."""
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(Refused, match=r"verifier\.ca_file can't be read as PEM"):
        tls_context(LinkSettings("wss://gpu.example.com", ca_file=str(tmp_path / "ca.pem")))


@asynccontextmanager
async def proxy() -> AsyncIterator[tuple[str, list[bytes]]]:
    """The address of a proxy that lets nothing through, and what it was asked."""
    asked: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", asked


@pytest.mark.asyncio
async def test_ux_42_this_machine_is_never_asked_for_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other hosts are, where the environment says so."""
    environment: Callable[[str, str], None] = monkeypatch.setenv
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with proxy() as (address, asked), verifier() as url:
        for name in ("http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"):
            environment(name, address)
        assert (await outcome(LinkSettings(url))).state == "online"
        assert asked == []
        await outcome(LinkSettings("ws://gpu.invalid:8765"))
        assert asked == [b"CONNECT gpu.invalid:8765 HTTP/1.1\r\n"]
