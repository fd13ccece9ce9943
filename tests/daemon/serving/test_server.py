"""The daemon behind its real socket: handshake, isolation, bad input, start races, takeover, and its end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonRefused, DaemonUnavailable
from daemon.api.framing import MAX_FRAME_BYTES, encode, for_client
from daemon.api.messages import (
    Accepted,
    ChangeDocument,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    Edit,
    Failed,
    Hello,
    OpenDocument,
    Shown,
    Shutdown,
    Status,
    Welcome,
)
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.draft.engine import EngineFailed
from daemon.serving.lifecycle import AlreadyRunning, only_daemon
from daemon.serving.server import link_settings, run_daemon
from daemon.settings.config import TOKEN_VARIABLE, Config, VerifierConfig
from tests.fakes.engine import FakeEngine, following

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
START = "def add(a, b):\n    ret"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return runtime_paths(tmp_path / "run", transport="unix")


def quick(config: Config | None = None) -> Config:
    config = config or Config()
    return replace(config, display=replace(config.display, first_ghost_ms=0))


@asynccontextmanager
async def daemon(
    paths: RuntimePaths, engine: FakeEngine | None = None, config: Config | None = None
) -> AsyncIterator[asyncio.Task[None]]:
    """A running daemon in this process, up and with its model loaded."""
    engine = engine or FakeEngine(following(SOURCE))
    task = asyncio.create_task(run_daemon(quick(config), paths, lambda: engine))
    try:
        async with asyncio.timeout(10):
            await until_ready(paths, task)
        yield task
    finally:
        engine.release()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until_ready(paths: RuntimePaths, task: asyncio.Task[None]) -> None:
    while not task.done():
        try:
            client = await DaemonClient.connect(paths, client="wait")
        except DaemonUnavailable:
            await asyncio.sleep(0.01)
            continue
        try:
            while (await client.status()).draft == "loading":
                await asyncio.sleep(0.01)
        finally:
            await client.close()
        return
    task.result()


async def opened(client: DaemonClient, text: str = START, name: str = "file:///a.py") -> str:
    client.send(OpenDocument(name, "python", 1, text))
    return name


@pytest.mark.asyncio
async def test_a_client_opens_a_document_and_gets_a_completion(paths: RuntimePaths) -> None:
    async with daemon(paths):
        client = await DaemonClient.connect(paths, client="test")
        name = await opened(client)
        answer = await client.complete(name, 1, len(START))
        assert answer.suggestions[0].text.startswith("urn a + b"[: len(answer.suggestions[0].text)])
        client.send(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        answer = await client.complete(name, 2, len(START) + 1, wait="settled")
        assert answer.suggestions[0].text.startswith("rn a + b")
        client.send(Shown(answer.suggestions[0].id))
        client.send(Accepted(answer.suggestions[0].id, 5, "word"))
        stats = await client.stats()
        assert stats["keys"] == 1
        assert stats["suggestions"] == 2
        assert stats["accepted"] == {"word": 1}
        await client.close()


@pytest.mark.asyncio
async def test_the_socket_is_the_users_alone(paths: RuntimePaths) -> None:
    """ux-41."""
    async with daemon(paths):
        assert stat.S_IMODE(paths.socket.stat().st_mode) == 0o600
        assert stat.S_IMODE(paths.directory.stat().st_mode) == 0o700
    assert not paths.socket.exists()


@pytest.mark.asyncio
async def test_loopback_tcp_wants_the_token_of_this_run(tmp_path: Path) -> None:
    """ux-41."""
    paths = runtime_paths(tmp_path / "run", transport="tcp")
    async with daemon(paths):
        assert stat.S_IMODE(paths.token.stat().st_mode) == 0o600
        client = await DaemonClient.connect(paths, client="test")
        await client.close()
        from daemon.api.paths import read_endpoint, write_endpoint

        right = read_endpoint(paths)
        write_endpoint(paths, type(right)(right.port, "guessed"))
        with pytest.raises(DaemonRefused, match="token"):
            await DaemonClient.connect(paths, client="test")
        write_endpoint(paths, right)


@pytest.mark.asyncio
async def test_two_clients_with_the_same_file_do_not_disturb_each_other(paths: RuntimePaths) -> None:
    """ux-30, ux-33."""
    async with daemon(paths):
        one = await DaemonClient.connect(paths, client="one")
        two = await DaemonClient.connect(paths, client="two", settings={"completion.max_tokens": 3})
        name = await opened(one)
        await opened(two, "def sub(a, b):\n    ret")
        first, second = await asyncio.gather(
            one.complete(name, 1, len(START), wait="settled"),
            two.complete(name, 1, len(START), wait="settled"),
        )
        assert first.suggestions[0].text.startswith("urn a + b")
        assert second.suggestions[0].text == "urn"
        await two.close()
        again = await one.complete(name, 1, len(START), wait="settled")
        assert again.suggestions[0].text == first.suggestions[0].text
        await one.close()


@pytest.mark.asyncio
async def test_a_cancel_of_one_client_leaves_the_others_sequence_alone(paths: RuntimePaths) -> None:
    """ux-5."""
    engine = FakeEngine(following(SOURCE))
    async with daemon(paths, engine):
        one = await DaemonClient.connect(paths, client="one")
        two = await DaemonClient.connect(paths, client="two")
        name = await opened(one)
        await opened(two)
        engine.hold()
        gone = asyncio.create_task(one.complete(name, 1, len(START)))
        stays = asyncio.create_task(two.complete(name, 1, len(START), wait="settled"))
        await asyncio.to_thread(engine.wait_until_held)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        engine.release()
        assert (await stays).suggestions[0].text.startswith("urn a + b")
        await one.close()
        await two.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("version", "offset", "name", "reason"),
    [
        (1, 5, "file:///b.py", "no_document"),
        (7, 5, "file:///a.py", "stale_version"),
        (1, 5000, "file:///a.py", "stale_version"),
    ],
)
async def test_a_question_about_what_is_not_there_has_its_reason(
    paths: RuntimePaths, version: int, offset: int, name: str, reason: str
) -> None:
    async with daemon(paths):
        client = await DaemonClient.connect(paths, client="test")
        await opened(client)
        answer = await client.complete(name, version, offset)
        assert (answer.suggestions, answer.reason) == ([], reason)
        await client.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("settings", "uri", "reason"),
    [
        ({"completion.enabled": False}, "file:///a.py", "disabled"),
        ({"languages.python.enabled": False}, "file:///a.py", "disabled"),
        ({"completion.trigger": "manual"}, "file:///a.py", "manual_only"),
        ({}, "file:///home/me/.env.local", "excluded_file"),
        ({"files.exclude": ["*.secret"]}, "file:///x/y.secret", "excluded_file"),
    ],
)
async def test_switches_and_excluded_files(
    paths: RuntimePaths, settings: dict[str, object], uri: str, reason: str
) -> None:
    """ux-39, ux-46."""
    async with daemon(paths):
        client = await DaemonClient.connect(paths, client="test", settings=settings)
        await opened(client, name=uri)
        assert (await client.complete(uri, 1, len(START))).reason == reason
        await client.close()


@pytest.mark.asyncio
async def test_settings_change_without_a_restart_and_bad_ones_are_named(paths: RuntimePaths) -> None:
    """ux-33, ux-46."""
    pushed: list[object] = []
    async with daemon(paths):
        client = await DaemonClient.connect(paths, client="test", on_push=pushed.append)
        name = await opened(client)
        client.send(Configure({"completion.enabled": False}))
        assert (await client.complete(name, 1, len(START))).reason == "disabled"
        client.send(Configure({"completion.enabld": True}))
        client.send(Configure({"completion.enabled": True}))
        assert (await client.complete(name, 1, len(START))).suggestions
        failures = [message for message in pushed if isinstance(message, Failed)]
        assert len(failures) == 1
        assert 'did you mean "enabled"' in failures[0].message
        await client.close()
        settings = {"verifier.url": "ws://x:1", "completion.enabled": True, "zzz": 1}
        with pytest.raises(DaemonRefused, match=r"^verifier\.url") as refused:
            await DaemonClient.connect(paths, client="test", settings=settings)
        assert refused.value.settings == ("verifier.url", "zzz")


def test_the_log_warns_of_a_token_that_travels_in_the_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    link_settings(Config(verifier=VerifierConfig(url="ws://gpu.example.com")))
    [record] = caplog.records
    assert (record.levelname, "unencrypted (ws://)" in record.getMessage()) == ("WARNING", True)
    assert "s3cret" not in caplog.text


@pytest.mark.asyncio
async def test_an_edit_outside_the_document_is_named_and_the_document_closed(paths: RuntimePaths) -> None:
    pushed: list[object] = []
    async with daemon(paths):
        client = await DaemonClient.connect(paths, client="test", on_push=pushed.append)
        name = await opened(client)
        client.send(ChangeDocument(name, 2, [Edit(1000, 1001, "x")]))
        assert (await client.complete(name, 2, 3)).reason == "no_document"
        assert any(
            isinstance(message, Failed) and "open the document again" in message.message for message in pushed
        )
        client.send(ChangeDocument(name, 3, [Edit(0, 0, "x")]))
        client.send(CloseDocument(name))
        await opened(client)
        assert (await client.complete(name, 1, len(START))).suggestions
        await client.close()


@pytest.mark.asyncio
async def test_a_failed_model_says_why_in_status_and_answers(paths: RuntimePaths) -> None:
    def broken() -> FakeEngine:
        raise EngineFailed("model.gguf is cut short; download it again")

    task = asyncio.create_task(run_daemon(quick(), paths, broken))
    try:
        async with asyncio.timeout(10):
            await until_ready(paths, task)
            client = await DaemonClient.connect(paths, client="test")
            status = await client.status()
            assert status.draft == "failed"
            assert "download it again" in status.message
            name = await opened(client)
            assert (await client.complete(name, 1, 3)).reason == "model_failed"
            await client.close()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# --- raw bytes


class Raw:
    """A client that sends what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer, self.frames = reader, writer, for_client()

    @classmethod
    async def connect(cls, paths: RuntimePaths) -> Raw:
        return cls(*await asyncio.open_unix_connection(str(paths.socket)))

    async def next(self) -> object:
        """The next message; None at the end."""
        while (message := self.frames.next_message()) is None:
            data = await self.reader.read(4096)
            if not data:
                return None
            self.frames.feed(data)
        return message

    async def rest(self) -> AsyncIterator[object]:
        """All messages up to the end."""
        while (message := await self.next()) is not None:
            yield message

    async def close(self) -> None:
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


HELLO = encode(Hello(1, "raw", 1))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (encode(Hello(99, "raw", 1)), "protocol version 1, this client 99; run: draftwire daemon stop"),
        (encode(Hello(0, "raw", 1)), "protocol version 1, this client 0; restart the editor"),
        (encode(OpenDocument("file:///a", "x", 1, "")), "Hello"),
        (b"\x00\x00\x00\x03abc" + encode(Hello(99, "raw", 1)), "not a message"),
    ],
)
async def test_a_wrong_greeting_is_answered(paths: RuntimePaths, sent: bytes, answer: str) -> None:
    async with daemon(paths), asyncio.timeout(10):
        raw = await Raw.connect(paths)
        raw.writer.write(sent)
        got = await raw.next()
        assert isinstance(got, Failed)
        assert answer in got.message
        await raw.close()


@pytest.mark.asyncio
async def test_garbage_in_a_connection_is_answered_and_the_connection_goes_on(paths: RuntimePaths) -> None:
    async with daemon(paths), asyncio.timeout(10):
        raw = await Raw.connect(paths)
        raw.writer.write(HELLO + b"\x00\x00\x00\x02\xff\xff" + HELLO)
        kinds = [type(await raw.next()) for _ in range(4)]
        assert kinds == [Welcome, Status, Failed, Failed]
        raw.writer.write(
            encode(OpenDocument("file:///a", "x", 1, START)) + encode(Complete(9, "file:///a", 1, 3))
        )
        assert isinstance(await raw.next(), Completions)
        await raw.close()


@pytest.mark.asyncio
async def test_an_oversized_frame_ends_its_own_connection_only(paths: RuntimePaths) -> None:
    async with daemon(paths), asyncio.timeout(10):
        other = await DaemonClient.connect(paths, client="other")
        raw = await Raw.connect(paths)
        raw.writer.write(HELLO + (MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
        messages = [message async for message in raw.rest()]
        assert isinstance(messages[-1], Failed)
        assert "over the limit" in messages[-1].message
        assert (await other.status()).draft == "ready"
        await raw.close()
        await other.close()


@pytest.mark.asyncio
async def test_the_same_request_number_twice_is_refused(paths: RuntimePaths) -> None:
    engine = FakeEngine(following(SOURCE))
    async with daemon(paths, engine), asyncio.timeout(10):
        raw = await Raw.connect(paths)
        engine.hold()
        raw.writer.write(HELLO + encode(OpenDocument("file:///a", "x", 1, START)))
        raw.writer.write(2 * encode(Complete(9, "file:///a", 1, len(START))))
        messages = [await raw.next() for _ in range(3)]
        assert isinstance(messages[2], Failed)
        engine.release()
        assert isinstance(await raw.next(), Completions)
        await raw.close()


@pytest.mark.asyncio
async def test_a_defect_costs_one_message_and_not_the_connection(
    paths: RuntimePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    async with daemon(paths), asyncio.timeout(10):
        raw = await Raw.connect(paths)
        with monkeypatch.context() as for_now:
            for_now.setattr("daemon.completion.Completer.edited", broken)
            raw.writer.write(HELLO + encode(OpenDocument("file:///a", "x", 1, START)))
            raw.writer.write(encode(ChangeDocument("file:///a", 2, [Edit(0, 0, "")])))
            messages = [await raw.next() for _ in range(3)]
        assert isinstance(messages[2], Failed)
        assert messages[2].code == "internal"
        raw.writer.write(encode(Complete(9, "file:///a", 2, len(START))))
        answer = await raw.next()
        assert isinstance(answer, Completions)
        assert answer.suggestions
        await raw.close()


# --- the process


def process(paths: RuntimePaths, source: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.daemon_process", str(source), *more],
        cwd=ROOT,
        env={**os.environ, **paths.environment()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    return path


async def connected(paths: RuntimePaths) -> DaemonClient:
    async with asyncio.timeout(30):
        while True:
            try:
                return await DaemonClient.connect(paths, client="test")
            except DaemonUnavailable:
                await asyncio.sleep(0.02)


@pytest.mark.asyncio
async def test_a_start_race_ends_with_one_daemon(paths: RuntimePaths, source: Path) -> None:
    """ux-30."""
    starters = [process(paths, source) for _ in range(4)]
    try:
        client = await connected(paths)
        pid = client.welcome.pid
        losers = [starter for starter in starters if starter.pid != pid]
        assert len(losers) == 3
        for loser in losers:
            assert await asyncio.to_thread(loser.wait, 30) == 75
        client.send(Shutdown())
        await client.wait_lost()
        await client.close()
        winner = next(starter for starter in starters if starter.pid == pid)
        assert await asyncio.to_thread(winner.wait, 30) == 0
    finally:
        for starter in starters:
            starter.kill()
            starter.wait()


@pytest.mark.asyncio
async def test_a_killed_daemons_socket_is_taken_over(paths: RuntimePaths, source: Path) -> None:
    """ux-30."""
    first = process(paths, source)
    try:
        client = await connected(paths)
        first.send_signal(signal.SIGKILL)
        await asyncio.to_thread(first.wait, 10)
        await client.wait_lost()
        await client.close()
        assert paths.socket.exists()
        async with daemon(paths):
            client = await DaemonClient.connect(paths, client="test")
            assert client.welcome.pid == os.getpid()
            await client.close()
    finally:
        first.kill()
        first.wait()


@pytest.mark.asyncio
async def test_a_socket_file_of_somebody_silent_is_taken_over(paths: RuntimePaths) -> None:
    """ux-30."""
    paths.prepare()
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(paths.socket))
    silent.listen()
    try:
        async with daemon(paths), asyncio.timeout(10):
            client = await DaemonClient.connect(paths, client="test")
            await client.close()
    finally:
        silent.close()


@pytest.mark.asyncio
async def test_the_lock_decides_not_the_socket_file(paths: RuntimePaths) -> None:
    """ux-30."""
    paths.prepare()
    with only_daemon(paths), pytest.raises(AlreadyRunning):
        await run_daemon(quick(), paths, FakeEngine)


@pytest.mark.asyncio
async def test_the_daemon_ends_when_idle(paths: RuntimePaths, source: Path) -> None:
    """ux-31."""
    started = process(paths, source, "1")
    try:
        client = await connected(paths)
        await client.close()
        assert await asyncio.to_thread(started.wait, 30) == 0
        assert not paths.socket.exists()
    finally:
        started.kill()
        started.wait()


@pytest.mark.asyncio
async def test_the_daemon_ends_soon_after_its_only_client_was_killed(
    paths: RuntimePaths, source: Path
) -> None:
    """ux-31. The idle limit is ten minutes; a connection that breaks without a goodbye is a killed editor's."""
    started = process(paths, source)
    try:
        client = await connected(paths)
        stays = await connected(paths)
        client._writer.transport.abort()
        await client.wait_lost()
        await stays.status()
        stays._writer.transport.abort()
        await stays.wait_lost()
        since = time.monotonic()
        assert await asyncio.to_thread(started.wait, 30) == 0
        assert time.monotonic() - since < 5.0
    finally:
        started.kill()
        started.wait()


@pytest.mark.asyncio
async def test_sigterm_ends_the_daemon_with_a_request_under_way(paths: RuntimePaths, source: Path) -> None:
    started = process(paths, source)
    try:
        client = await connected(paths)
        name = await opened(client)
        asked = asyncio.create_task(client.complete(name, 1, len(START), wait="verified"))
        started.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(started.wait, 30) == 0
        await asyncio.gather(asked, return_exceptions=True)
        await client.close()
    finally:
        started.kill()
        started.wait()
