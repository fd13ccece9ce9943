"""The thread of the legality engine: who waits for it, how long, and what becomes of a call that does not return."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from daemon.grammars.worker import EngineBusy, EngineLost, GrammarWorker
from tests.fakes.virtual_time import VirtualTimeLoop, no_time_passes_until


@dataclass(eq=False)
class Owner:
    """Counts what it is told."""

    calls: int = 0
    asked: int = 0
    losses: int = 0

    def took(self, seconds: float, *, asked: bool) -> None:
        assert seconds >= 0
        self.asked += asked
        self.calls += 1

    def lost(self) -> None:
        self.losses += 1


class Blocked:
    """A call that returns `result` when the test lets it."""

    def __init__(self, result: str = "at last") -> None:
        self.entered = threading.Event()
        self.let_go = threading.Event()
        self._result = result

    def __call__(self) -> str:
        self.entered.set()
        assert self.let_go.wait(20)
        return self._result


@contextmanager
def blocked(result: str = "at last") -> Iterator[Blocked]:
    call = Blocked(result)
    try:
        yield call
    finally:
        call.let_go.set()


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    """Only for tests whose calls are held by them: the clock does not wait for a thread."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        yield runner.get_loop()  # type: ignore[misc]


class Panic(BaseException):
    """As Rust's come through pyo3."""


def raising(error: BaseException) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


@pytest.mark.asyncio
async def test_calls_run_one_after_the_other_on_a_thread_of_their_own() -> None:
    worker, owner = GrammarWorker(patience_s=20), Owner()
    threads = [await worker.ask(owner, threading.get_ident) for _ in range(3)]
    threads.append(await worker.prepare(owner, threading.get_ident))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()
    assert (owner.calls, owner.asked) == (4, 3)
    await worker.close()


@pytest.mark.asyncio
async def test_what_a_call_raises_is_the_askers() -> None:
    worker, owner = GrammarWorker(patience_s=20), Owner()
    for ask in (worker.ask, worker.prepare):
        with pytest.raises(ZeroDivisionError):
            await ask(owner, raising(ZeroDivisionError()))
        with pytest.raises(RuntimeError, match="broke down: out of items"):
            await ask(owner, raising(Panic("out of items")))
    assert await worker.ask(owner, lambda: 7) == 7
    await worker.close()


@pytest.mark.asyncio
async def test_what_somebody_waits_for_goes_first() -> None:
    worker, owner, order = GrammarWorker(patience_s=20), Owner(), list[str]()
    with blocked() as first:
        waiting = [asyncio.create_task(worker.prepare(owner, first))]
        await asyncio.to_thread(first.entered.wait)
        waiting.append(asyncio.create_task(worker.prepare(owner, lambda: order.append("prepared"))))
        waiting.append(asyncio.create_task(worker.ask(owner, lambda: order.append("asked"))))
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert order == ["asked", "prepared"]
    await worker.close()


def test_nobody_waits_longer_than_they_want(loop: VirtualTimeLoop) -> None:
    """The call goes on, and its owner hears of its end."""
    worker, owner = GrammarWorker(patience_s=0.01), Owner()

    async def scenario() -> None:
        with blocked() as call:
            with pytest.raises(EngineBusy, match="10 ms"):
                await worker.ask(owner, call)
            assert loop.time() == pytest.approx(0.01)
            assert call.entered.wait(20)
            assert (owner.calls, worker.given_up) == (0, 0)
        await no_time_passes_until(lambda: owner.calls == 1)
        await worker.close()

    loop.run_until_complete(scenario())


def test_a_stuck_thread_is_replaced_and_its_owner_told(loop: VirtualTimeLoop) -> None:
    """Others lose nothing; what the owner had queued is not made on what the old thread may yet write to."""
    worker, stuck, other = GrammarWorker(patience_s=0.01), Owner(), Owner()

    async def scenario() -> None:
        with blocked() as call:
            behind = [asyncio.ensure_future(worker.prepare(stuck, call))]
            await asyncio.sleep(0)
            assert call.entered.wait(20)
            behind.append(asyncio.ensure_future(worker.prepare(stuck, lambda: "never made")))
            elsewhere = asyncio.ensure_future(worker.prepare(other, lambda: "made"))
            with pytest.raises(EngineBusy):
                await worker.ask(other, lambda: None)
            await asyncio.wait(behind)
            assert loop.time() == pytest.approx(2.0)
            for answer in behind:
                assert isinstance(answer.exception(), EngineLost)
            await no_time_passes_until(elsewhere.done)
            assert elsewhere.result() == "made"
            await asyncio.sleep(10)  # with nothing to look after, nobody is given up
            assert (stuck.losses, other.losses, worker.given_up) == (1, 0, 1)
        assert stuck.calls == 0
        await worker.close()

    loop.run_until_complete(scenario())


def test_a_call_is_stuck_by_its_own_time_not_by_its_place_in_the_queue(loop: VirtualTimeLoop) -> None:
    worker, owner = GrammarWorker(patience_s=0.01), Owner()

    async def scenario() -> None:
        with blocked("first") as first, blocked("second") as second:
            answers = [asyncio.ensure_future(worker.prepare(owner, call)) for call in (first, second)]
            await asyncio.sleep(1.5)
            first.let_go.set()
            assert second.entered.wait(20)
            await no_time_passes_until(answers[0].done)
            assert answers[0].result() == "first"
            await asyncio.sleep(1.0)
            assert worker.given_up == 0
            await asyncio.wait(answers)
            assert loop.time() == pytest.approx(3.5)
            assert worker.given_up == 1
        await worker.close()

    loop.run_until_complete(scenario())


def test_one_who_no_longer_waits_disturbs_nobody(loop: VirtualTimeLoop) -> None:
    """A cancelled caller's call goes on; that it fails then is no news to anybody."""
    worker, owner = GrammarWorker(patience_s=20), Owner()

    async def scenario() -> None:
        with blocked() as call:

            def failing() -> None:
                call()
                raise ZeroDivisionError

            for ask in (worker.ask, worker.prepare):
                task = asyncio.ensure_future(ask(owner, failing))
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert call.entered.wait(20)
        await no_time_passes_until(lambda: owner.calls == 2)
        await worker.close()

    loop.run_until_complete(scenario())


def test_closing_waits_for_no_call() -> None:
    """A thread that outlives the loop has nobody to tell."""
    worker, owner = GrammarWorker(), Owner()

    async def scenario() -> None:
        await worker.close()
        answers = [asyncio.ensure_future(worker.prepare(owner, one)) for one in (call, lambda: None)]
        await asyncio.sleep(0)
        assert call.entered.wait(20)
        await worker.close()
        await asyncio.wait(answers)
        assert all(isinstance(answer.exception(), EngineLost) for answer in answers)

    with blocked() as call, asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(scenario())
    assert owner.calls == 0
