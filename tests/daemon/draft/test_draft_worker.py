"""The draft worker with a scripted engine: one thread, lent sequences, giving up, and who waits for whom."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from daemon.draft.draft_worker import DraftWorker
from daemon.draft.engine import Aborted, DraftEngine, EngineFailed
from tests.fakes.engine import FakeEngine, following

TEXT = "one two three four five six seven eight nine ten"
A, B, C, D = 11, 12, 13, 14


@asynccontextmanager
async def worker_of(
    engine: FakeEngine, clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[DraftWorker]:
    worker = DraftWorker(lambda: engine, lambda: None, clock)
    await worker.start()
    try:
        yield worker
    finally:
        engine.release()
        await worker.close()


def engine_with(n_sequences: int) -> FakeEngine:
    return FakeEngine(following(TEXT), n_sequences=n_sequences)


def ids_of(text: str) -> list[int]:
    return list(text.encode())


async def asked(worker: DraftWorker, session: int, text: str = "one") -> asyncio.Task[object]:
    """A call under way, as far as it gets by itself."""
    task = asyncio.create_task(worker.next_candidates(session, ids_of(text)))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def held(
    worker: DraftWorker, engine: FakeEngine, text: str = "one", *, after_tokens: int = 0
) -> asyncio.Task[object]:
    """A call of A that is held in the engine, once so many tokens are evaluated."""
    engine.hold(after_tokens=after_tokens)
    task = await asked(worker, A, text)
    await asyncio.to_thread(engine.wait_until_held)
    return task


# --- loading and closing


@pytest.mark.asyncio
async def test_the_engine_is_loaded_used_and_closed_on_one_thread_that_is_not_the_loops() -> None:
    threads: list[int] = []
    engine = engine_with(2)

    class Watched(FakeEngine):
        def close(self) -> None:
            threads.append(threading.get_ident())
            super().close()

    def load() -> DraftEngine:
        threads.append(threading.get_ident())
        engine.__class__ = Watched
        return engine

    changes: list[str] = []
    worker = DraftWorker(load, lambda: changes.append(worker.state), time.monotonic)
    assert worker.state == "loading"
    with pytest.raises(EngineFailed, match="still loading"):
        _ = worker.engine
    told = asyncio.create_task(worker.ready())
    await worker.start()
    assert await told
    await worker.next_candidates(A, ids_of("one"))
    await worker.close()
    assert changes == ["ready"]
    assert len(threads) == 2
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (EngineFailed("there is no such file"), "there is no such file"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (MemoryError("8 GB"), "8 GB"),
    ],
)
@pytest.mark.asyncio
async def test_a_model_that_cannot_be_loaded_is_a_state_with_a_reason(failure: Exception, told: str) -> None:
    def load() -> DraftEngine:
        raise failure

    changes: list[str] = []
    worker = DraftWorker(load, lambda: changes.append(worker.state), time.monotonic)
    await worker.start()
    assert (worker.state, changes, await worker.ready()) == ("failed", ["failed"], False)
    assert told in worker.error
    with pytest.raises(EngineFailed, match=told):
        await worker.next_candidates(A, ids_of("one"))
    await worker.close()


@pytest.mark.asyncio
async def test_closing_ends_an_evaluation_under_way() -> None:
    engine = engine_with(2)
    worker = DraftWorker(lambda: engine, lambda: None, time.monotonic)
    await worker.start()
    waiting = await held(worker, engine)
    async with asyncio.timeout(5):
        await worker.close()
    with pytest.raises(Aborted):
        await waiting


# --- giving up


@pytest.mark.asyncio
async def test_stop_ends_the_call_that_runs() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        waiting = await held(worker, engine)
        worker.stop(A)
        with pytest.raises(Aborted):
            await waiting
        engine.release()
        assert (await worker.next_candidates(A, ids_of("one"))).ids[0] == ord(" ")


@pytest.mark.asyncio
async def test_stop_ends_a_call_before_it_begins() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        first = await held(worker, engine)
        second = await asked(worker, B)
        worker.stop(B)
        engine.release()
        await first
        with pytest.raises(Aborted, match="before it began"):
            await second
        assert [sequence for sequence, _ in engine.calls] == [0]


@pytest.mark.asyncio
async def test_stop_lets_what_is_wanted_of_a_prefill_go_on() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        waiting = await held(worker, engine, "one two", after_tokens=2)
        worker.stop(A, keep=5)
        engine.release()
        with pytest.raises(Aborted):
            await waiting
        assert engine.evaluated_tokens() == 5


@pytest.mark.asyncio
async def test_stop_of_a_session_that_never_drafted_is_nothing() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        worker.stop(A)
        worker.forget(A)
        worker.rest(A)
        assert engine.aborts == []


# --- lending sequences


@pytest.mark.asyncio
async def test_a_session_keeps_its_sequence_and_pays_for_new_ids_only() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("one"))
        await worker.next_candidates(B, ids_of("two"))
        worker.rest(A)
        before = engine.evaluated_tokens()
        await worker.next_candidates(A, ids_of("one "))
        assert engine.evaluated_tokens() - before == 1
        assert [sequence for sequence, _ in engine.calls] == [0, 1, 0]


@pytest.mark.parametrize(
    ("at_rest", "taken"),
    [([A, B], 0), ([B, A], 0), ([B], 1)],
    ids=["the least recently used", "whatever the order of resting", "never one that drafts"],
)
@pytest.mark.asyncio
async def test_which_sequence_changes_hands(at_rest: list[int], taken: int) -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("one"))
        await worker.next_candidates(B, ids_of("two"))
        for session in at_rest:
            worker.rest(session)
        await worker.next_candidates(C, ids_of("three"))
        assert engine.calls[-1][0] == taken


@pytest.mark.asyncio
async def test_a_forgotten_sessions_sequence_is_lent_first() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("one"))
        await worker.next_candidates(B, ids_of("two"))
        worker.rest(A)
        worker.forget(B)
        await worker.next_candidates(C, ids_of("three"))
        assert engine.calls[-1][0] == 1


@pytest.mark.asyncio
async def test_more_drafting_sessions_than_sequences_do_not_take_them_from_each_other() -> None:
    """Else each would read its whole prompt anew for every token."""
    engine = engine_with(2)
    length = len("one two three")
    async with worker_of(engine) as worker:

        async def draft(session: int) -> None:
            ids = [session, *ids_of("one two three")]
            for _ in range(5):
                ids.append(int((await worker.next_candidates(session, ids)).ids[0]))
            worker.rest(session)

        async with asyncio.timeout(20):
            await asyncio.gather(*(draft(session) for session in range(20)))
        assert engine.evaluated_tokens() == 20 * (1 + length + 4)


@pytest.mark.asyncio
async def test_the_newest_in_line_is_served_first() -> None:
    engine = engine_with(1)
    served: list[int] = []
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("one"))

        async def draft(session: int) -> None:
            await worker.next_candidates(session, ids_of("one"))
            served.append(session)
            worker.rest(session)

        drafts = []
        for session in (B, C, D):
            drafts.append(asyncio.create_task(draft(session)))
            await asyncio.sleep(0)
        assert served == []
        worker.rest(A)
        async with asyncio.timeout(5):
            await asyncio.gather(*drafts)
        assert served == [D, C, B]


@pytest.mark.asyncio
async def test_one_who_gives_up_waiting_leaves_the_line() -> None:
    engine = engine_with(1)
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("one"))
        older, newer = await asked(worker, B), await asked(worker, C)
        worker.rest(A)  # wakes the newer one, which is gone before it can take the sequence
        newer.cancel()
        async with asyncio.timeout(5):
            await older
        assert newer.cancelled()
        assert worker._waiting == {}


# --- working ahead


@pytest.mark.asyncio
async def test_who_works_ahead_stops_within_a_token_for_another_and_keeps_what_it_has() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        worker.defer(A)
        ahead = await held(worker, engine, "one two three", after_tokens=5)
        waited_for = await asked(worker, B)
        with pytest.raises(Aborted):
            await ahead
        engine.release()
        await waited_for
        assert engine.evaluated_tokens() == 5 + len("one")
        again = await asked(worker, A, "one two three")
        assert len(engine.calls) == 2  # it waits for B to rest
        worker.rest(B)
        await again
        assert engine.evaluated_tokens() == len("one two three") + len("one")


@pytest.mark.asyncio
async def test_who_is_waited_for_after_all_does_not_give_way() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        worker.defer(A)
        hurried = await held(worker, engine, after_tokens=2)
        worker.hurry(A)
        other = await asked(worker, B)
        assert engine.aborts == []
        engine.release()
        await hurried
        await other


@pytest.mark.asyncio
async def test_a_call_that_was_given_up_in_the_queue_never_begins() -> None:
    """Though its session has asked for something else since."""
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        running = await held(worker, engine)
        older = await asked(worker, B, "one")
        worker.stop(B)
        newer = await asked(worker, B, "two")
        engine.release()
        await running
        await newer
        with pytest.raises(Aborted):
            await older
        assert [bytes(ids) for _, ids in engine.calls] == [b"one", b"two"]


# --- times


@pytest.mark.asyncio
async def test_a_tokens_time_follows_single_tokens_and_not_prefills() -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += 0.25
        return now[0]

    async with worker_of(engine_with(1), clock) as worker:
        first_guess = worker.token_s
        await worker.next_candidates(A, ids_of("one two"))
        assert worker.token_s == first_guess
        await worker.next_candidates(A, ids_of("one two "))
        assert worker.token_s > first_guess
        for end in range(9, 40):
            await worker.next_candidates(A, ids_of(TEXT[:end]))
        assert worker.token_s == pytest.approx(0.25, abs=0.02)


# --- handing over


@pytest.mark.asyncio
async def test_a_session_goes_on_with_what_another_one_has_evaluated() -> None:
    engine = engine_with(2)
    async with worker_of(engine) as worker:
        await worker.next_candidates(A, ids_of("other"))
        worker.rest(A)
        worker.defer(B)
        await worker.next_candidates(B, ids_of("one two"))
        before = engine.evaluated_tokens()
        assert worker.hand_over(B, A)
        await worker.next_candidates(A, ids_of("one two "))
        assert engine.evaluated_tokens() - before == 1
        assert not worker.hand_over(B, A)
