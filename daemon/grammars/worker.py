"""All work of the legality engine, on one thread of its own, so that nobody ever waits for it longer than they want.

A call into the engine can't be interrupted, and its limits do not bound its time; but it releases the GIL. So:

    late    the caller waits `patience_s` and goes on without an answer; the call goes on too, and its result is dropped
    stuck   after `stuck_s` its thread is given up and another takes its place; what the call worked on is lost, since
            the old thread may yet write to it: its owner is told, and makes it anew

Calls run one after the other, those that somebody waits for (`ask`) before those in the background (`prepare`). What
the calls do, this module does not know.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

log = logging.getLogger(__name__)

PATIENCE_S: Final = 0.1
"""The draft loop never waits longer for the engine. An answer costs it 0.1 ms; where all cores are busy, the thread may
wait for one for tens of milliseconds, and a token drafted without its mask is worth less than one that is late."""
DEAR_S: Final = 0.010
"""CPU time of an answer at which its owner does better without."""
STUCK_S: Final = 2.0

_TIMER_SLACK_S: Final = 0.001
"""Timers may fire a little early."""

Result = TypeVar("Result")


class EngineBusy(Exception):
    """No answer in time; the call goes on, and its result is dropped."""


class EngineLost(Exception):
    """The call will not be made, or not be heard of: its thread was given up, or the worker closed."""


class Owner(Protocol):
    """Who has calls made. Told in the event loop, and of calls too that nobody waits for any more."""

    def took(self, seconds: float, *, asked: bool) -> None:
        """A call, `ask`ed for or prepared, is over; it has cost this much CPU time."""
        ...

    def lost(self) -> None:
        """A call is stuck: nothing that the owner's calls could reach may be used again."""
        ...


@dataclass(eq=False, slots=True)
class _Call:
    owner: Owner
    function: Callable[[], Any]
    answer: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    asked: bool
    started_at: float = 0.0
    """By the loop's clock."""


@dataclass(eq=False)
class _Thread:
    """A thread and its queues, which are read and written under `turn` only."""

    turn: threading.Condition = field(default_factory=threading.Condition)
    urgent: deque[_Call] = field(default_factory=deque)
    background: deque[_Call] = field(default_factory=deque)
    running: _Call | None = None
    over: bool = False
    """No call is begun any more."""

    def start(self) -> None:
        """A daemon thread: one that is stuck does not keep the process from ending."""
        threading.Thread(target=self._work, name="grammar", daemon=True).start()

    def _work(self) -> None:
        while (call := self._next()) is not None:
            before = time.thread_time()
            result: Any = None
            failure: Exception | None = None
            try:
                result = call.function()
            except Exception as error:  # it is the caller's to handle
                failure = error
            except BaseException as panic:  # pyo3's PanicException is no Exception
                failure = RuntimeError(f"the grammar engine broke down: {panic}")
                failure.__cause__ = panic
            seconds = time.thread_time() - before
            with self.turn:
                self.running = None
            with contextlib.suppress(RuntimeError):  # a loop that is closed wants to know nothing
                call.loop.call_soon_threadsafe(self._ended, call, seconds, result, failure)

    def _next(self) -> _Call | None:
        with self.turn:
            self.turn.wait_for(lambda: self.over or self.urgent or self.background)
            if self.over:
                return None
            self.running = (self.urgent or self.background).popleft()
            self.running.started_at = self.running.loop.time()
            return self.running

    def _ended(self, call: _Call, seconds: float, result: Any, failure: Exception | None) -> None:
        if call.answer.done():  # it was given up
            return
        call.owner.took(seconds, asked=call.asked)
        if failure is None:
            call.answer.set_result(result)
        else:
            call.answer.set_exception(failure)


class GrammarWorker:
    """Runs calls of several owners. Its methods are the event loop's."""

    def __init__(
        self, *, patience_s: float = PATIENCE_S, dear_s: float = DEAR_S, stuck_s: float = STUCK_S
    ) -> None:
        self.patience_s = patience_s
        self.dear_s = dear_s
        self.given_up = 0
        """Threads that were stuck."""
        self._stuck_s = stuck_s
        self._thread: _Thread | None = None
        self._watch: asyncio.TimerHandle | None = None

    async def ask(self, owner: Owner, function: Callable[[], Result]) -> Result:
        """What `function` returns (or raises). Raises EngineBusy after `patience_s`, EngineLost."""
        answer = self._enqueue(owner, function, asked=True)
        try:
            async with asyncio.timeout(self.patience_s):
                return await asyncio.shield(answer)
        except TimeoutError:
            _not_waited_for(answer)
            raise EngineBusy(f"no answer within {self.patience_s * 1000:g} ms") from None
        except asyncio.CancelledError:
            _not_waited_for(answer)
            raise

    async def prepare(self, owner: Owner, function: Callable[[], Result]) -> Result:
        """As `ask`, with all the time it takes, after all that somebody waits for. Raises EngineLost.

        Calls should be short all the same: a running one keeps others waiting.
        """
        answer = self._enqueue(owner, function, asked=False)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            _not_waited_for(answer)
            raise

    async def close(self) -> None:
        """End the thread, or leave it behind if it is stuck."""
        thread, self._thread = self._thread, None
        self._stop_watching()
        if thread is None:
            return
        with thread.turn:
            thread.over = True
            waiting = [*thread.urgent, *thread.background, *([thread.running] if thread.running else [])]
            thread.turn.notify_all()
        for call in waiting:
            call.answer.set_exception(EngineLost("the daemon is ending"))

    def _enqueue(
        self, owner: Owner, function: Callable[[], Result], *, asked: bool
    ) -> asyncio.Future[Result]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()
        call = _Call(owner, function, answer, loop, asked)
        if self._thread is None:
            self._thread = _Thread()
            self._thread.start()
        thread = self._thread
        with thread.turn:
            (thread.urgent if asked else thread.background).append(call)
            thread.turn.notify_all()
        if self._watch is None:
            self._watch = loop.call_later(self._stuck_s, self._look_after, thread)
        return answer

    def _look_after(self, thread: _Thread) -> None:
        """Give up the thread if its call is stuck; look again while there are calls."""
        loop = asyncio.get_running_loop()
        self._watch = None
        with thread.turn:
            running = thread.running
            if running is None and not (thread.urgent or thread.background):
                return
            due = (loop.time() if running is None else running.started_at) + self._stuck_s
            thread.over = stuck = loop.time() >= due - _TIMER_SLACK_S
        if stuck:
            assert running is not None, "what is stuck is running"
            self._give_up(thread, running)
        else:
            self._watch = loop.call_at(due, self._look_after, thread)

    def _give_up(self, thread: _Thread, stuck: _Call) -> None:
        """Another thread takes the calls over, but for those of the stuck call's owner."""
        log.warning("the grammar engine has been at one call for %g s: going on without it", self._stuck_s)
        self.given_up += 1
        self._thread = _Thread()
        lost = [stuck]
        for old, new in (
            (thread.urgent, self._thread.urgent),
            (thread.background, self._thread.background),
        ):
            lost += [call for call in old if call.owner is stuck.owner]
            new.extend(call for call in old if call.owner is not stuck.owner)
        self._thread.start()
        stuck.owner.lost()
        for call in lost:
            call.answer.set_exception(EngineLost("the grammar engine did not come back"))
        loop = asyncio.get_running_loop()
        self._watch = loop.call_later(self._stuck_s, self._look_after, self._thread)

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


def _not_waited_for(answer: asyncio.Future[Any]) -> None:
    """Nobody is left to hear of a failure: it is not to be reported as one that nobody handled."""
    answer.add_done_callback(lambda done: None if done.cancelled() else done.exception())
