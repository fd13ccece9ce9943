"""All sessions, one engine: each step batches whatever sessions have work, rounds for a first token first.

Sessions live in the event loop; the engine has one thread of its own and is never called from two steps at once. A
session that is closed frees its place at once, also in the middle of a step: its result is then nobody's. Sockets,
frames and who may open what are the connection's business.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from speculation.messages import Error, Open, Verdict
from verifier.engine import Failed, Request, Result, TargetEngine
from verifier.errors import EngineFailed
from verifier.session import Session
from verifier.session_events import (
    Dropped,
    DropReason,
    Effect,
    Event,
    Limits,
    Released,
    Round,
    RoundDone,
    Send,
)

log = logging.getLogger(__name__)

SESSIONS_PER_SLOT = 16
"""Open sessions per cache slot: most editors' documents are idle at any time."""

Post = Callable[[Verdict | Error], None]
"""Queues a message for a client; never blocks."""


class NoSessionFree(Exception):
    """The verifier serves as many sessions as it can hold."""


class Scheduler:
    """Runs the sessions' rounds on the engine. `run` is its main loop; everything else is called from the same loop."""

    def __init__(
        self,
        engine: TargetEngine,
        *,
        credit: int,
        max_sessions: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_release: Callable[[int], None] | None = None,
    ) -> None:
        self.engine = engine
        self.dropped: Counter[DropReason] = Counter()
        """Draft tokens (or, for contexts and cancels, messages) that had no effect, by reason."""
        self.step_us = 0
        """How long the last step took."""
        self._limits = Limits(
            n_vocab=engine.vocabulary.n_vocab,
            max_context=engine.max_context,
            max_draft=engine.max_draft,
            credit=credit,
            stop_ids=engine.vocabulary.stop_ids,
        )
        self.max_sessions = max_sessions or SESSIONS_PER_SLOT * engine.n_slots
        self._clock, self._on_release = clock, on_release
        self._sessions: dict[int, tuple[Session, Post]] = {}
        self._released: list[int] = []
        self._next_key = 0
        self._changed = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="target-engine")

    @property
    def credit(self) -> int:
        return self._limits.credit

    @property
    def n_sessions(self) -> int:
        return len(self._sessions)

    def open(self, opened: Open, post: Post) -> int:
        """A new session; its key. Raises NoSessionFree."""
        if len(self._sessions) >= self.max_sessions:
            raise NoSessionFree(f"all {self.max_sessions} sessions of this verifier are in use")
        self._next_key += 1
        self._sessions[self._next_key] = Session(self._next_key, opened, self._limits), post
        return self._next_key

    def handle(self, key: int, event: Event) -> None:
        """Give an event to a session. Nothing happens if it is closed: a step may end after its session."""
        if key not in self._sessions:
            return
        session, post = self._sessions[key]
        try:
            effects = session.handle(event, self._now_ms())
        except Exception:  # a defect here costs one session, not the others
            log.exception("session %d ended by a defect at %s", key, type(event).__name__)
            effects = [Send(Error("internal", "the verifier lost this session", session.number)), Released()]
        for effect in effects:
            self._carry_out(key, post, effect)
        self._changed.set()

    def close(self, key: int) -> None:
        """Forget a session and free its place; nothing happens if it is closed."""
        if self._sessions.pop(key, None) is not None:
            self._released.append(key)
            if self._on_release is not None:
                self._on_release(key)

    async def run(self) -> None:
        """Step after step, until cancelled."""
        try:
            while True:
                await self._work_due()
                await self._step()
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _step(self) -> None:
        """One step: the rounds that are due, the engine, the verdicts."""
        rounds = self._due_rounds()
        released, self._released = self._released, []
        requests = [round_.request for round_ in rounds]
        started = self._clock()
        results = await asyncio.get_running_loop().run_in_executor(
            self._thread, self._verify, released, requests
        )
        self.step_us = round(1e6 * (self._clock() - started))
        for round_, result in zip(rounds, results, strict=True):
            self.handle(round_.request.session, RoundDone(round_, result, self.step_us))

    def _due_rounds(self) -> list[Round]:
        """What is due now, as far as one step holds it: first those that may bring a first token, then the oldest."""
        now_ms = self._now_ms()
        due = [
            (not session.brings_first_token, wake_ms, session)
            for session, _ in self._sessions.values()
            if (wake_ms := session.wake_at_ms()) is not None and wake_ms <= now_ms
        ]
        due.sort(key=lambda item: item[:2])
        rounds = [session.next_round(now_ms) for _, _, session in due[: self.engine.n_slots]]
        return [round_ for round_ in rounds if round_ is not None]

    def _verify(self, released: Sequence[int], requests: Sequence[Request]) -> Sequence[Result]:
        """In the engine's thread. A step that fails is a failure of its sessions, never of the process."""
        try:
            for key in released:
                self.engine.release(key)
            return self.engine.verify(requests)
        except EngineFailed as error:
            log.error("step of %d sessions failed: %s", len(requests), error)
            return [Failed(str(error))] * len(requests)
        except Exception:
            log.exception("step of %d sessions failed", len(requests))
            return [Failed("the verifier failed at this step: its log says why")] * len(requests)

    async def _work_due(self) -> None:
        """Return when at least one session has work."""
        while True:
            self._changed.clear()
            wakes = [
                wake for session, _ in self._sessions.values() if (wake := session.wake_at_ms()) is not None
            ]
            delay_s = (min(wakes) - self._now_ms()) / 1000 if wakes else None
            if delay_s is not None and delay_s <= 0:
                return
            try:
                async with asyncio.timeout(delay_s):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def _carry_out(self, key: int, post: Post, effect: Effect) -> None:
        match effect:
            case Send(message):
                post(message)
            case Dropped(reason, n_tokens):
                self.dropped[reason] += max(1, n_tokens)
                log.debug("session %d: %d tokens dropped: %s", key, n_tokens, reason)
            case Released():
                self.close(key)

    def _now_ms(self) -> float:
        return 1000 * self._clock()
