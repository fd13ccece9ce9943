"""The scheduler without sockets: defects, order, and who gets a place. More of it over a socket: test_server.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from speculation.epochs import after_edit
from speculation.messages import Context, Draft, Error, Open, Verdict
from speculation.paths import EMPTY_PATH
from tests.fakes.target import FakeTarget
from verifier.reference import greedy_continuation
from verifier.scheduler import NoSessionFree, Scheduler
from verifier.session import Session

pytestmark = pytest.mark.asyncio

EPOCH = after_edit(0)


@asynccontextmanager
async def running(engine: FakeTarget, max_sessions: int | None = None) -> AsyncIterator[Scheduler]:
    scheduler = Scheduler(engine, credit=16, max_sessions=max_sessions)
    steps = asyncio.create_task(scheduler.run())
    yield scheduler
    steps.cancel()
    await asyncio.gather(steps, return_exceptions=True)


async def said_by(scheduler: Scheduler, opened: Open, context: list[int]) -> list[int]:
    """Open, give a context, and wait for the end of generation."""
    posted: asyncio.Queue[Verdict | Error] = asyncio.Queue()
    key = scheduler.open(opened, posted.put_nowait)
    scheduler.handle(key, Context(opened.session, EPOCH, 0, EMPTY_PATH, context))
    said: list[int] = []
    while True:
        message = await asyncio.wait_for(posted.get(), 20)
        assert isinstance(message, Verdict)
        said.append(message.next_id)
        if message.finish:
            scheduler.close(key)
            return said


async def test_sessions_share_steps_and_say_their_own() -> None:
    engine = FakeTarget(40)
    async with running(engine) as scheduler:
        contexts = [[1, 2], [3], [4, 5, 6]]
        opened = [Open(number, max_tokens=6) for number in range(3)]
        said = await asyncio.gather(
            *(said_by(scheduler, o, c) for o, c in zip(opened, contexts, strict=True))
        )
    assert said == [greedy_continuation(FakeTarget(40), context, 6, {39}) for context in contexts]
    assert max(map(len, engine.batches)) == 3


async def test_a_waiting_session_is_woken_when_its_wait_is_over() -> None:
    engine = FakeTarget(40)
    async with running(engine) as scheduler:
        assert len(await said_by(scheduler, Open(1, max_tokens=2, draft_wait_ms=20), [1])) == 2
    assert not engine.batches[0][0].decide, "prefilled at once"


async def test_more_sessions_than_slots_take_turns() -> None:
    engine = FakeTarget(40, n_slots=2, chunk_tokens=2)
    async with running(engine) as scheduler:
        contexts = [[1, 2, 3], [3], [4, 5, 6, 7], [8], [9, 1]]
        opened = [Open(number, max_tokens=5) for number in range(5)]
        said = await asyncio.gather(
            *(said_by(scheduler, o, c) for o, c in zip(opened, contexts, strict=True))
        )
    assert said == [greedy_continuation(FakeTarget(40), context, 5, {39}) for context in contexts]
    assert max(map(len, engine.batches)) == 2


async def test_places_are_limited_and_come_back() -> None:
    async with running(FakeTarget(), max_sessions=1) as scheduler:
        key = scheduler.open(Open(1), lambda message: None)
        with pytest.raises(NoSessionFree, match="all 1 sessions"):
            scheduler.open(Open(2), lambda message: None)
        scheduler.close(key)
        scheduler.close(key)
        scheduler.open(Open(2), lambda message: None)


async def test_a_defect_in_one_session_ends_that_session_only(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeTarget(40)
    whole = Session.handle

    def defective(self: Session, event: object, now_ms: float) -> object:
        if isinstance(event, Draft):
            raise RuntimeError("a defect")
        return whole(self, event, now_ms)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "handle", defective)
    async with running(engine) as scheduler:
        posted: list[Verdict | Error] = []
        key = scheduler.open(Open(7), posted.append)
        scheduler.handle(key, Draft(7, EPOCH, 1, 0, EMPTY_PATH, [1]))
        assert [(m.code, m.session) for m in posted if isinstance(m, Error)] == [("internal", 7)]
        assert scheduler.n_sessions == 0
        scheduler.handle(key, Draft(7, EPOCH, 1, 0, EMPTY_PATH, [1]))
        assert len(await said_by(scheduler, Open(1, max_tokens=3), [1])) == 3


async def test_what_is_dropped_is_counted() -> None:
    async with running(FakeTarget()) as scheduler:
        key = scheduler.open(Open(1), lambda message: None)
        scheduler.handle(key, Draft(1, EPOCH, 1, 0, EMPTY_PATH, [1, 2]))
        assert scheduler.dropped == {"no_context": 2}
