"""The connection to the daemon: found, lost, found again, with nothing forgotten and no waiting in the
test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from daemon.api.client import OnPush
from daemon.api.errors import (
    BadMessage,
    DaemonLost,
    DaemonRefused,
    DaemonSilent,
    DaemonStopped,
    DaemonUnavailable,
    RequestFailed,
)
from daemon.api.messages import (
    ChangeDocument,
    ClientMessage,
    CloseDocument,
    Completions,
    Configure,
    Failed,
    GrammarFindings,
    OpenDocument,
    Status,
    Trigger,
)
from lsp_bridge import session as session_module
from lsp_bridge.session import FIRST_RETRY_S, LAST_RETRY_S, DaemonSession, SessionState
from tests.fakes.daemon import READY

pytestmark = pytest.mark.asyncio
DOCUMENT = OpenDocument("u", "python", 3, "x")


class FakeClient:
    """A client in memory: sends are kept, answers are scripted."""

    def __init__(self, answer: Completions | Exception | None = None) -> None:
        self.answer = answer
        self.sent: list[ClientMessage] = []
        self.lost = asyncio.Event()
        self.why: DaemonLost = DaemonLost("gone")
        self.life: Exception | None = None
        """What asking for the status raises."""
        self.asked = 0
        self.closed = False
        self.send_error: Exception | None = None

    def send(self, message: ClientMessage) -> None:
        if self.send_error is not None:
            raise self.send_error
        self.sent.append(message)

    async def complete(
        self, document: str, version: int, offset: int, *, trigger: Trigger = "automatic"
    ) -> Completions:
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is None:
            await asyncio.Event().wait()
        assert self.answer is not None
        return self.answer

    async def check_grammar(self, document: str, text: str) -> GrammarFindings:
        if isinstance(self.answer, Exception):
            raise self.answer
        return GrammarFindings(len(text), [])

    async def status(self) -> Status:
        self.asked += 1
        if isinstance(self.life, Exception):
            raise self.life
        return READY

    async def stats(self) -> dict[str, Any]:
        return {"n": 1}

    async def wait_lost(self) -> DaemonLost:
        await self.lost.wait()
        return self.why

    async def close(self) -> None:
        self.closed = True


class Setting:
    """A session whose connects are scripted and whose sleeps are counted."""

    def __init__(self, outcomes: Iterable[FakeClient | Exception]) -> None:
        self.outcomes = list(outcomes)
        self.settings: list[dict[str, Any]] = []
        self.starts: list[bool] = []
        """Of each connect, whether it may start a daemon."""
        self.slept: list[float] = []
        self.states: list[SessionState] = []
        self.problems: list[str] = []
        self.push: OnPush = lambda _: None
        self.changed = asyncio.Event()
        self.exhausted = asyncio.Event()
        self.during_connect: Any = None
        self.session = DaemonSession(
            self._connect,
            documents=lambda: [DOCUMENT],
            on_push=lambda _: None,
            on_state=self._on_state,
            on_problem=self.problems.append,
            sleep=self._sleep,
        )

    async def _connect(self, settings: dict[str, Any], on_push: OnPush, *, start: bool) -> FakeClient:
        self.settings.append(settings)
        self.starts.append(start)
        self.push = on_push
        if self.during_connect is not None:
            self.during_connect()
        if not self.outcomes:
            self.exhausted.set()
            await asyncio.Event().wait()
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def _on_state(self, state: SessionState) -> None:
        self.states.append(state)
        self.changed.set()

    async def connected(self, times: int = 1) -> None:
        """Wait until the session has connected this often."""
        while [state.phase for state in self.states].count("connected") < times:
            self.changed.clear()
            await self.changed.wait()

    async def phase(self, phase: str) -> None:
        """Wait until the session is in this phase."""
        while self.session.state.phase != phase:
            self.changed.clear()
            await self.changed.wait()


@asynccontextmanager
async def running(*outcomes: FakeClient | Exception) -> AsyncIterator[Setting]:
    setting = Setting(outcomes)
    task = asyncio.create_task(setting.session.run())
    yield setting
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_documents_are_opened_on_connecting() -> None:
    """Before anything else is sent."""
    client = FakeClient()
    async with running(client) as setting:
        setting.session.send(CloseDocument("dropped: there is no daemon"))
        await setting.connected()
        assert client.sent == [DOCUMENT]
        setting.session.send(CloseDocument("u"))
        assert client.sent == [DOCUMENT, CloseDocument("u")]
    assert client.closed


async def test_a_lost_daemon_is_found_again() -> None:
    """With the documents as they then are."""
    first, second = FakeClient(), FakeClient()
    async with running(first, second) as setting:
        await setting.connected()
        first.lost.set()
        await setting.connected(times=2)
        assert second.sent == [DOCUMENT]
        assert first.closed
        assert [state.phase for state in setting.states] == ["connected", "starting", "connected"]


async def test_tries_get_rarer() -> None:
    """Twice the wait each time, up to a limit; refusals are told apart."""
    errors: list[Exception] = [DaemonUnavailable("nobody")] * 9
    async with running(*errors, DaemonRefused("bad_hello", "no")) as setting:
        await setting.exhausted.wait()
        waits = [FIRST_RETRY_S * 2**n for n in range(7)]
        assert setting.slept == [*waits, LAST_RETRY_S, LAST_RETRY_S, LAST_RETRY_S]
        assert [state.phase for state in setting.states] == ["unavailable"] * 9 + ["refused"]
        assert setting.states[-1].message == "no"


async def test_waits_begin_anew_after_a_steady_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that ran is not one that fails to start."""
    monkeypatch.setattr(session_module, "STEADY_S", -1.0)
    client = FakeClient()
    client.lost.set()
    async with running(DaemonUnavailable("x"), DaemonUnavailable("x"), client) as setting:
        await setting.exhausted.wait()
        assert setting.slept == [FIRST_RETRY_S, 2 * FIRST_RETRY_S, FIRST_RETRY_S]


async def test_settings_that_change_while_connecting() -> None:
    """The handshake had the old ones."""
    client = FakeClient()
    async with running(client) as setting:
        setting.during_connect = lambda: setting.session.configure({"a": 2})
        await setting.connected()
        assert client.sent == [Configure({"a": 2}), DOCUMENT]
        setting.session.configure({"a": 3})
        assert client.sent[-1] == Configure({"a": 3})


def refusal(*names: str) -> DaemonRefused:
    return DaemonRefused("bad_setting", f"no {names}", names)


@pytest.mark.parametrize(
    ("refused", "then"),
    [(("b",), {"a": 1, "c": 3}), (("b", "c"), {"a": 1}), ((), {}), (("unheard of",), {})],
    ids=["one", "two", "unnamed", "none of ours"],
)
async def test_refused_settings_are_left_out_at_once(refused: tuple[str, ...], then: dict[str, int]) -> None:
    """Those that are named, else all; there is no wait, for nothing has to come up."""
    client = FakeClient()
    async with running(refusal(*refused), client) as setting:
        setting.session.configure({"a": 1, "b": 2, "c": 3})
        await setting.connected()
        assert setting.settings == [{"a": 1, "b": 2, "c": 3}, then]
        assert setting.slept == []
        assert setting.problems == [f"Draftwire leaves out settings it can't use: no {refused}"]
        assert setting.session.state == SessionState("connected", "", f"no {refused}")
        setting.session.configure({"a": 9})
        assert client.sent[-1] == Configure({"a": 9})
        assert setting.session.state == SessionState("connected", "")


async def test_a_refusal_of_no_settings_is_like_any_other() -> None:
    """Nothing could be left out, so it must not be tried without end."""
    async with running(refusal("a")) as setting:
        await setting.exhausted.wait()
        assert [state.phase for state in setting.states] == ["refused"]
        assert setting.slept == [FIRST_RETRY_S]


async def test_a_setting_refused_later_is_taken_back() -> None:
    """The daemon kept all the old ones; a refusal of settings that are gone already changes nothing."""
    client = FakeClient()
    async with running(client) as setting:
        await setting.connected()
        setting.session.configure({"a": 1, "b": 2})
        setting.push(Failed("bad_setting", "no b", settings=["b"]))
        assert client.sent[-1] == Configure({"a": 1})
        assert setting.session.state.bad_settings == "no b"
        setting.push(Failed("bad_setting", "no b", settings=["b"]))
        assert client.sent.count(Configure({"a": 1})) == 1
        assert len(setting.problems) == 1


async def test_the_log_says_once_why_there_is_no_daemon(caplog: pytest.LogCaptureFixture) -> None:
    """And again after it has been there."""
    gone = DaemonUnavailable("nobody")
    client = FakeClient()
    client.lost.set()
    async with running(gone, gone, DaemonUnavailable("else"), client, gone) as setting:
        await setting.exhausted.wait()
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["no daemon: nobody", "no daemon: else", "no daemon: nobody"]
    assert setting.problems == []


async def test_lost_while_opening_documents() -> None:
    """Is as good as lost later."""
    first = FakeClient()
    first.send_error = DaemonLost("gone")
    async with running(first, FakeClient()) as setting:
        await setting.connected()
        assert setting.slept == [FIRST_RETRY_S]


@pytest.mark.parametrize("error", [DaemonLost("gone"), BadMessage("no text")])
async def test_sending_never_raises(error: Exception) -> None:
    """Typing goes on whatever the connection does."""
    client = FakeClient()
    async with running(client) as setting:
        await setting.connected()
        client.send_error = error
        setting.session.send(CloseDocument("u"))


ANSWER = Completions(1, "u", 1, 0, 0, [])


@pytest.mark.parametrize(
    ("scripted", "expected"),
    [
        (ANSWER, ANSWER),
        (DaemonLost("gone"), None),
        (RequestFailed("unknown_document", "open it"), None),
        (None, None),
    ],
    ids=["answer", "lost", "failed", "hangs"],
)
async def test_completing(
    scripted: Completions | Exception | None, expected: Completions | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer, or none; never an exception, never for ever."""
    monkeypatch.setattr(session_module, "ANSWER_TIMEOUT_S", 0.05 if scripted is None else 10)
    async with running(FakeClient(scripted)) as setting:
        assert await setting.session.complete("u", 1, 0, "automatic") is None
        assert await setting.session.status() is None
        assert await setting.session.stats() is None
        await setting.connected()
        assert await setting.session.complete("u", 1, 0, "automatic") == expected
        assert await setting.session.status() == READY
        assert await setting.session.stats() == {"n": 1}


@pytest.mark.parametrize("scripted", [DaemonLost("gone"), RequestFailed("internal", "its log says why")])
async def test_checking_a_grammar(scripted: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """An answer, or none; never an exception."""
    client = FakeClient()
    async with running(client) as setting:
        assert await setting.session.check_grammar("u", "abc") is None
        await setting.connected()
        assert await setting.session.check_grammar("u", "abc") == GrammarFindings(3, [])
        client.answer = scripted
        assert await setting.session.check_grammar("u", "abc") is None
    assert caplog.messages == [f"the daemon has not checked a grammar: {scripted}"]


# Stopped by somebody ----------------------------------------------------------------------------------------


def stopped() -> FakeClient:
    """A client whose daemon somebody stops at once."""
    client = FakeClient()
    client.why = DaemonStopped("stopped")
    client.lost.set()
    return client


@pytest.mark.parametrize("wants", ["a key", "another document", "asking by hand"])
async def test_one_that_was_stopped_is_started_again_when_the_user_goes_on(wants: str) -> None:
    """And not before: not for what an editor says that is closing."""
    async with running(stopped()) as setting:
        await setting.phase("stopped")
        setting.session.send(CloseDocument("u"))
        await setting.session.complete("u", 1, 0, "automatic")
        assert [state.phase for state in setting.states] == ["connected", "stopped"]
        assert "when you type on" in setting.session.state.message
        if wants == "a key":
            setting.session.send(ChangeDocument("u", 4, []))
        elif wants == "another document":
            setting.session.send(DOCUMENT)
        else:
            assert await setting.session.complete("u", 1, 0, "invoked") is None
        assert setting.session.state.phase == "starting"
        await setting.exhausted.wait()
    assert (setting.starts[0], setting.starts[-1], setting.slept) == (True, True, [])


async def test_one_that_was_stopped_and_started_by_somebody_else_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looking for it starts nothing, and that there is none yet is no news; a crash of it is again one."""
    monkeypatch.setattr(session_module, "LOOK_EVERY_S", 0.0)
    found = FakeClient()
    async with running(stopped(), DaemonUnavailable("none"), found) as setting:
        await setting.connected(times=2)
        assert [state.phase for state in setting.states] == ["connected", "stopped", "connected"]
        found.lost.set()
        await setting.exhausted.wait()
    assert setting.starts == [True, False, False, True]


# Hanging ----------------------------------------------------------------------------------------------------


async def test_one_that_gives_no_sign_of_life_is_told_of_until_it_does(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Edits go on to it meanwhile, so that it finds nothing missing; questions are not held back for it."""
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.0)
    client = FakeClient(ANSWER)
    async with running(client) as setting:
        await setting.connected()
        client.life = DaemonSilent("process 7 does not answer; run: this")
        await setting.phase("silent")
        assert setting.session.state.message == "process 7 does not answer; run: this"
        assert await setting.session.complete("u", 1, 0, "automatic") is None
        setting.session.send(CloseDocument("u"))
        assert client.sent == [DOCUMENT, CloseDocument("u")]
        client.life = None
        await setting.connected(times=2)
        assert await setting.session.complete("u", 1, 0, "automatic") == ANSWER
    assert caplog.messages == ["process 7 does not answer; run: this", "the daemon answers again"]
    assert setting.problems == ["Draftwire: process 7 does not answer; run: this"]
    assert setting.starts == [True]


async def test_a_bad_answer_is_a_sign_of_life_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.0)
    client = FakeClient()
    async with running(client) as setting:
        await setting.connected()
        client.life = DaemonSilent("no word")
        await setting.phase("silent")
        client.life = RequestFailed("internal", "its log says why")
        await setting.connected(times=2)
        asked = client.asked
        while client.asked < asked + 3:
            await asyncio.sleep(0)
        assert setting.session.state.phase == "connected"


async def test_one_that_is_lost_as_it_is_asked_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.0)
    client = FakeClient()
    async with running(client) as setting:
        await setting.connected()
        client.lost.set()
        client.life = DaemonLost("gone")
        await setting.phase("starting")
    assert client.closed


async def test_one_that_hung_and_was_ended_was_ended_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it stays so until the user goes on."""
    monkeypatch.setattr(session_module, "ASK_EVERY_S", 0.0)
    client = FakeClient()
    client.life = DaemonSilent("no word")
    async with running(client) as setting:
        await setting.phase("silent")
        client.lost.set()
        await setting.phase("stopped")


async def test_one_that_hangs_when_it_is_looked_for_is_told_as_such() -> None:
    async with running(DaemonSilent("no word")) as setting:
        await setting.exhausted.wait()
        assert [state.phase for state in setting.states] == ["silent"]
        assert setting.problems == ["Draftwire: no word"]
