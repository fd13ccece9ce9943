"""A clock that jumps: a machine that slept for minutes, and a wall clock that was set back (ux-8, ux-52).

Nobody waits for ever: each request is answered, no time is negative, nothing that was counted is lost.
The daemon is the real one behind its socket, with a monotonic clock that a test sets forward; asyncio's own goes on as
always, as where a system stops one while it sleeps and not the other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonUnavailable
from daemon.api.messages import Accepted, ChangeDocument, Edit, OpenDocument
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.draft.draft_worker import DraftWorker
from daemon.serving import server
from tests.fakes.engine import FakeEngine, following
from tests.fakes.running_daemon import running_daemon

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
START = "def add(a, b):\n    ret"
NAME = "file:///a.py"
SLEPT_S = 600.0
ANSWER_S = 20.0


class JumpingClock:
    """The monotonic clock, further on by what it was set forward."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_s

    def jump(self, seconds: float = SLEPT_S) -> None:
        self.ahead_s += seconds


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return runtime_paths(tmp_path / "run")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> JumpingClock:
    """The daemon's."""
    found = JumpingClock()
    monkeypatch.setattr(server, "time", SimpleNamespace(monotonic=found))
    return found


@asynccontextmanager
async def client(paths: RuntimePaths, engine: FakeEngine) -> AsyncIterator[DaemonClient]:
    """A client of a daemon that is up and has its model."""
    async with running_daemon(paths, engine), asyncio.timeout(4 * ANSWER_S):
        found = await connected(paths)
        try:
            while (await found.status()).draft == "loading":
                await asyncio.sleep(0.01)
            found.send(OpenDocument(NAME, "python", 1, START))
            yield found
        finally:
            await found.close()


async def connected(paths: RuntimePaths) -> DaemonClient:
    while True:
        try:
            return await DaemonClient.connect(paths, client="test")
        except DaemonUnavailable:
            await asyncio.sleep(0.01)


def no_negative_number(values: Any) -> bool:
    """None anywhere in what was counted."""
    if isinstance(values, Mapping):
        return all(map(no_negative_number, values.values()))
    if isinstance(values, list):
        return all(map(no_negative_number, values))
    return not isinstance(values, int | float) or values >= 0


@pytest.mark.asyncio
async def test_ux_8_asleep_while_a_request_waits_for_the_model(
    paths: RuntimePaths, clock: JumpingClock
) -> None:
    """Its patience is over when the machine wakes up: it is answered, with text or the reason, and so is the next."""
    engine = FakeEngine(following(SOURCE))
    async with client(paths, engine) as one:
        engine.hold()
        asked = asyncio.create_task(one.complete(NAME, 1, len(START)))
        await asyncio.to_thread(engine.wait_until_held)
        clock.jump()
        engine.release()
        answer = await asyncio.wait_for(asked, ANSWER_S)
        assert answer.suggestions or answer.reason == "timeout"
        one.send(ChangeDocument(NAME, 2, [Edit(len(START), len(START), "u")]))
        after = await asyncio.wait_for(one.complete(NAME, 2, len(START) + 1, wait="settled"), ANSWER_S)
        assert after.suggestions[0].text.startswith("rn a + b")
        assert no_negative_number(await one.stats())


@pytest.mark.asyncio
async def test_ux_8_asleep_between_a_suggestion_and_the_key_along_it(
    paths: RuntimePaths, clock: JumpingClock
) -> None:
    """What was shown before is still known, at its place."""
    async with client(paths, FakeEngine(following(SOURCE))) as one:
        before = await one.complete(NAME, 1, len(START))
        clock.jump()
        one.send(ChangeDocument(NAME, 2, [Edit(len(START), len(START), "ur")]))
        after = await one.complete(NAME, 2, len(START) + 2)
        assert after.suggestions[0].text.startswith(before.suggestions[0].text[2:])
        assert after.suggestions[0].source == "recall"


@pytest.mark.asyncio
async def test_ux_52_what_was_accepted_before_the_machine_slept_is_counted_once(
    paths: RuntimePaths, clock: JumpingClock
) -> None:
    """All three times are over at once; the key after it is timed from its own edit."""
    async with client(paths, FakeEngine(following(SOURCE))) as one:
        shown = (await one.complete(NAME, 1, len(START))).suggestions[0]
        length = len(shown.text)
        one.send(ChangeDocument(NAME, 2, [Edit(len(START), len(START), shown.text)]))
        one.send(Accepted(shown.id, length))
        assert {kept["suggestions"] for kept in (await one.stats())["kept"].values()} == {0}
        clock.jump()
        end = len(START) + length
        one.send(ChangeDocument(NAME, 3, [Edit(end, end, "\n")]))
        await one.complete(NAME, 3, end + 1)
        stats = await one.stats()
        assert [kept["suggestions"] for kept in stats["kept"].values()] == [1, 1, 1]
        assert {kept["whole_share"] for kept in stats["kept"].values()} == {1.0}
        assert stats["key_to_ghost_ms"].get("p99", 0) < 1000 * SLEPT_S
        assert no_negative_number(stats)


@pytest.mark.asyncio
async def test_ux_52_a_wall_clock_set_back_is_not_looked_at(
    paths: RuntimePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times of the statistics, patience and what is kept are the monotonic clock's."""
    async with client(paths, FakeEngine(following(SOURCE))) as one:
        await one.complete(NAME, 1, len(START))
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now - 86_400)
        one.send(ChangeDocument(NAME, 2, [Edit(len(START), len(START), "u")]))
        after = await asyncio.wait_for(one.complete(NAME, 2, len(START) + 1), ANSWER_S)
        assert after.suggestions
        stats = await one.stats()
        assert (stats["keys"], stats["requests"], stats["suggestions"]) == (1, 2, 2)
        assert no_negative_number(stats)


@pytest.mark.asyncio
async def test_a_token_during_which_the_machine_slept_says_nothing_of_the_models_speed() -> None:
    """Else a target on the same machine would be told to wait for drafts as if each took minutes."""
    clock, engine = JumpingClock(), FakeEngine(following(SOURCE))
    worker = DraftWorker(lambda: engine, lambda: None, clock)
    await worker.start()
    try:
        ids = engine.tokenize("def ad")
        await worker.next_candidates(1, ids[:-1])
        engine.hold()
        asked = asyncio.create_task(worker.next_candidates(1, ids))
        await asyncio.to_thread(engine.wait_until_held)
        clock.jump()
        engine.release()
        await asked
        assert worker.token_s < 1
    finally:
        engine.release()
        await worker.close()
