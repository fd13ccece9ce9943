"""The client against a scripted daemon: answers find their requests, and every kind of loss has its error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from daemon.api import client as client_module
from daemon.api.client import DaemonClient, Pushed
from daemon.api.errors import (
    BadMessage,
    DaemonLost,
    DaemonSilent,
    DaemonStopped,
    RequestFailed,
)
from daemon.api.framing import encode
from daemon.api.messages import (
    Cancel,
    ChangeDocument,
    CheckGrammar,
    Complete,
    Completions,
    DaemonMessage,
    Edit,
    Ending,
    Failed,
    GrammarFinding,
    GrammarFindings,
    GrammarState,
    Hello,
    OpenDocument,
    Suggestion,
    SuggestionUpdate,
    Welcome,
)
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.api.text import surroundings_hash
from tests.fakes.daemon import READY, ScriptedDaemon
from tests.fakes.raw_daemon import RawDaemon

pytestmark = pytest.mark.asyncio
U = "file:///a"
WELCOME = Welcome(1, "v", 1, "m")


@pytest.fixture(params=["unix", "tcp"])
def paths(request: pytest.FixtureRequest, tmp_path: Path) -> RuntimePaths:
    """Both transports: Windows has the second alone."""
    return runtime_paths(tmp_path / "run", transport=request.param)


@pytest_asyncio.fixture
async def daemon(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    async with ScriptedDaemon(paths, lambda text, offset: [text[:offset].upper()]) as daemon:
        yield daemon


@pytest_asyncio.fixture
async def client(paths: RuntimePaths, daemon: ScriptedDaemon) -> AsyncIterator[DaemonClient]:
    client = await DaemonClient.connect(paths, client="test", settings={"a.b": 1})
    yield client
    await client.close()


async def test_a_conversation(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """Open, change, complete: the answer is for the text as changed."""
    client.send(OpenDocument(U, "python", 1, "x"))
    client.send(ChangeDocument(U, 2, [Edit(1, 1, "yz")]))
    answer = await client.complete(U, 2, 2, trigger="invoked", wait="settled")
    assert answer.suggestions == [Suggestion(1, "XY", 0, True, "draft")]
    assert answer.surroundings == surroundings_hash("xyz", 2)
    (ask,) = daemon.of_type(Complete)
    assert (ask.trigger, ask.wait) == ("invoked", "settled")
    assert daemon.of_type(Hello)[0].settings == {"a.b": 1}
    assert client.welcome.draft_model == "scripted"


async def test_status_and_stats(client: DaemonClient) -> None:
    """Each has its own answer, also when asked together."""
    status, stats = await asyncio.gather(client.status(), client.stats())
    assert status.message == READY.message
    assert stats == {"suggestions": 0}


async def test_answers_out_of_order(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """A held completion does not hold a status."""
    daemon.hold.clear()
    client.send(OpenDocument(U, "python", 1, "x"))
    held = asyncio.create_task(client.complete(U, 1, 1))
    await daemon.wait_for(Complete)
    await client.status()
    daemon.hold.set()
    assert (await held).suggestions


async def test_failed_requests(client: DaemonClient) -> None:
    """The daemon's code and text; the connection goes on."""
    with pytest.raises(RequestFailed, match="open the document first") as caught:
        await client.complete("file:///unknown", 1, 0)
    assert caught.value.code == "unknown_document"
    await client.status()


async def test_cancelling_a_call_cancels_the_request(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """The late answer is dropped."""
    daemon.hold.clear()
    client.send(OpenDocument(U, "python", 1, "x"))
    asking = asyncio.create_task(client.complete(U, 1, 1))
    (ask,) = await daemon.wait_for(Complete)
    asking.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled()
    assert await daemon.wait_for(Cancel) == [Cancel(ask.request)]
    await client.status()


async def test_checking_a_grammar(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """The answer is what the daemon finds; cancelling the call cancels the request."""
    found = [GrammarFinding("error", "bad", "状态 is bad", "mend it", 1, 2, 1, 4)]
    daemon.find = lambda uri, text: found if (uri, text) == (U, "<状态>") else []
    answer = await client.check_grammar(U, "<状态>")
    assert answer == GrammarFindings(answer.request, found)
    daemon.hold.clear()
    asking = asyncio.create_task(client.check_grammar(U, "x"))
    [_, ask] = await daemon.wait_for(CheckGrammar, 2)
    asking.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled()
    assert await daemon.wait_for(Cancel) == [Cancel(ask.request)]
    await client.status()


async def test_pushes_come_in_order(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    """The greeting's status first; a callback that fails ends nothing."""
    got: list[Pushed] = []
    all_there = asyncio.Event()

    def on_push(message: Pushed) -> None:
        got.append(message)
        if len(got) == 4:
            all_there.set()
        raise ValueError("in the callback")

    client = await DaemonClient.connect(paths, client="test", on_push=on_push)
    update = SuggestionUpdate(U, 1, 0, "verified", Suggestion(1, "x", 1, True, "target"))
    await daemon.wait_connections(1)
    daemon.push(update)
    daemon.push(GrammarState(U, "masked by x"))
    daemon.push(Failed("bad_setting", "no such setting"))
    await all_there.wait()
    assert got == [READY, update, GrammarState(U, "masked by x"), Failed("bad_setting", "no such setting")]
    await client.status()
    await client.close()


async def test_a_daemon_that_dies(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """Requests under way and all later ones raise DaemonLost."""
    daemon.hold.clear()
    client.send(OpenDocument(U, "python", 1, "x"))
    asking = asyncio.create_task(client.complete(U, 1, 1))
    await daemon.wait_for(Complete)
    await daemon.die()
    with pytest.raises(DaemonLost):
        await asking
    await client.wait_lost()
    assert client.lost is not None
    with pytest.raises(DaemonLost):
        client.send(Cancel(1))
    with pytest.raises(DaemonLost):
        await client.status()
    async with asyncio.timeout(0):
        assert await client.wait_lost() is client.lost


async def test_a_daemon_that_says_that_it_ends(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """Was stopped; one that dies without a word was not."""
    daemon.connections[0].send(Ending())
    await daemon.die()
    lost = await client.wait_lost()
    assert isinstance(lost, DaemonStopped)
    assert "draftwire daemon start" in str(lost)


async def test_a_daemon_that_gives_no_sign_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question fails, with the process and what to run; the connection stays, for it may yet go on."""
    monkeypatch.setattr(client_module, "HANDSHAKE_TIMEOUT_S", 0.1)
    paths = runtime_paths(tmp_path / "run", transport="unix")
    async with RawDaemon(paths, encode(WELCOME), encode(READY)):
        client = await DaemonClient.connect(paths, client="test")
        for ask in (client.status, client.stats):
            with pytest.raises(
                DaemonSilent, match=r"process 1\) does not answer .* run: draftwire daemon stop"
            ):
                await ask()
        assert client.lost is None
        await client.close()


async def test_closing(client: DaemonClient, daemon: ScriptedDaemon) -> None:
    """The daemon sees the end; what is under way raises; twice is fine."""
    daemon.silent = True
    client.send(OpenDocument(U, "python", 1, "x"))
    asking = asyncio.create_task(client.complete(U, 1, 1))
    await daemon.wait_for(Complete)
    await client.close()
    with pytest.raises(DaemonLost, match="closed by this client"):
        await asking
    await daemon.wait_connections(0)
    await client.close()


async def test_a_message_that_cannot_be_sent_harms_nothing(client: DaemonClient) -> None:
    """A lone surrogate is refused here, and the connection goes on."""
    with pytest.raises(BadMessage):
        client.send(OpenDocument(U, "python", 1, "\ud800"))
    await client.status()


async def test_a_daemon_that_no_longer_reads(client: DaemonClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given up before our memory is full."""
    monkeypatch.setattr(client_module, "MAX_UNSENT_BYTES", 100)
    with pytest.raises(DaemonLost, match="no longer reads"):
        client.send(OpenDocument(U, "python", 1, "x" * 200))
    await client.wait_lost()


async def test_nonsense_after_the_greeting(tmp_path: Path) -> None:
    """A bad frame and an answer to nothing are skipped; the wrong answer fails its request alone."""
    paths = runtime_paths(tmp_path / "run", transport="unix")
    messages: list[DaemonMessage] = [
        Welcome(1, "again", 1, "m"),
        Completions(1, U, 1, 0, 0, []),
        Completions(77, U, 1, 0, 0, []),
    ]
    late = b"\0\0\0\1\xc1" + b"".join(encode(message) for message in messages)
    async with RawDaemon(paths, encode(WELCOME), late):
        client = await DaemonClient.connect(paths, client="test")
        with pytest.raises(RequestFailed, match="answered with Completions, not Status"):
            await client.status()
        await client.close()
