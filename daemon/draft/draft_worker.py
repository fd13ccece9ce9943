"""The draft model on a thread of its own, seen from asyncio.

One thread owns the engine from loading to closing (its calls release the GIL); coroutines await one token at a
time, so sessions take turns by the token. A session that no longer wants its token calls `stop`: the evaluation
ends within one token.

Sequences (KV caches) are lent to sessions (`sequences.py`). A session that drafts keeps its own until it says
`rest`. While all are drafting, others wait, the newest first in line: the newest is where the user is. A session that
works ahead of its user says so (`defer`): its evaluations wait for those of all others, and end within a token when
another session wants one.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daemon.draft.engine import Aborted, Candidates, DraftEngine, EngineFailed, Vocabulary
from daemon.draft.sequences import Sequences
from grammars.pieces import PieceIndex

log = logging.getLogger(__name__)

State = Literal["loading", "ready", "failed"]

FIRST_GUESS_S = 0.03
LONGEST_TOKEN_S = 1.0
"""What takes longer is not the model's speed: the machine may have slept meanwhile."""


@dataclass(eq=False, slots=True)
class _Call:
    """A call of the engine, queued or running."""

    engine: DraftEngine
    sequence: int
    keep: int | None = None
    """It is to be given up; so many of its ids are wanted still."""


class DraftWorker:
    """Runs one `DraftEngine`. `changed` is called in the event loop whenever `state` changes."""

    def __init__(
        self,
        load: Callable[[], DraftEngine],
        changed: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._load = load
        self._changed = changed
        self._clock = clock
        self._token_s = FIRST_GUESS_S
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="draft")
        self._engine: DraftEngine | None = None
        self._pieces: PieceIndex | None = None
        self._sequences = Sequences(0)
        self._waiting: dict[int, asyncio.Future[None]] = {}
        """Who waits for a sequence, by ticket: a higher one is newer."""
        self._tickets = itertools.count()
        self._calls: dict[int, _Call] = {}
        """The newest call of each session, until it is over."""
        self._loaded = asyncio.Event()
        self.state: State = "loading"
        self.error = ""

    async def start(self) -> None:
        """Load the model; the state tells when it is there, or why not. Again after a failure: try once more."""
        if self.state == "failed":
            self.state, self.error = "loading", ""
            self._loaded.clear()
            self._changed()
        loop = asyncio.get_running_loop()
        try:
            engine = await loop.run_in_executor(self._thread, self._load)
            self._pieces = await loop.run_in_executor(self._thread, PieceIndex, engine.vocabulary.token_bytes)
            self._engine, self._sequences = engine, Sequences(engine.n_sequences)
            self.state = "ready"
        except EngineFailed as failure:
            self.state, self.error = "failed", str(failure)
        except Exception as defect:  # no reason for the daemon to seem to load for ever
            log.exception("the draft model can't be loaded")
            self.state, self.error = (
                "failed",
                f"the draft model can't be loaded ({defect}): see the daemon's log",
            )
        self._loaded.set()
        self._changed()

    async def ready(self) -> bool:
        """Once the model is loaded, or can't be: whether it is."""
        await self._loaded.wait()
        return self.state == "ready"

    async def close(self) -> None:
        """Give up what runs, free the model, end the thread."""
        if self._engine is not None:
            for sequence in range(self._engine.n_sequences):
                self._engine.abort(sequence)
            await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.close)
        self._thread.shutdown(wait=True)

    @property
    def engine(self) -> DraftEngine:
        """The loaded engine; EngineFailed while there is none."""
        if self._engine is None:
            raise EngineFailed(self.error or "the draft model is still loading")
        return self._engine

    @property
    def vocabulary(self) -> Vocabulary:
        return self.engine.vocabulary

    @property
    def pieces(self) -> PieceIndex:
        """The vocabulary's tokens by their bytes; EngineFailed while there is no model."""
        if self._pieces is None:
            raise EngineFailed(self.error or "the draft model is still loading")
        return self._pieces

    async def next_candidates(
        self, session: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        """The best next tokens after `ids`, of those `allowed` (shape [n_vocab]) if given.

        Raises Aborted (see `stop`) and EngineFailed.
        """
        for other in self._sequences.giving_way(session):
            self.stop(other)
        call = _Call(self.engine, await self._borrowed(session))
        self._calls[session] = call
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._evaluate, call, ids, allowed)
        finally:
            if self._calls.get(session) is call:
                del self._calls[session]

    @property
    def token_s(self) -> float:
        """Seconds a token takes, smoothed; prefills are not counted."""
        return self._token_s

    def stop(self, session: int, keep: int = 0) -> None:
        """The session no longer wants the token it waits for, but what the first `keep` ids leave in the KV cache."""
        sequence, call = self._sequences.of(session), self._calls.get(session)
        if call is not None:
            call.keep = keep
        if sequence is not None:
            self.engine.abort(sequence, keep)

    def defer(self, session: int) -> None:
        """Nobody waits for what the session drafts from now on, until it rests or `hurry` is called."""
        self._sequences.defer(session)

    def hurry(self, session: int) -> None:
        """Somebody waits for what the session drafts."""
        self._sequences.hurry(session)
        self._wake()

    def rest(self, session: int) -> None:
        """The session drafts nothing for now: another one may have its sequence, if one needs it."""
        self._sequences.rest(session)
        self._wake()

    def hand_over(self, session: int, to: int) -> bool:
        """Let session `to` go on with what `session`, which drafts, has evaluated.

        False while `to` drafts itself, or where what was evaluated is lost.
        """
        is_done = self._sequences.hand_over(session, to)
        self._wake()
        return is_done

    def forget(self, session: int) -> None:
        """The session is over; its sequence is the first to be lent again."""
        self.stop(session)
        self._sequences.forget(session)
        self.rest(session)

    def _evaluate(self, call: _Call, ids: Sequence[int], allowed: NDArray[np.bool_] | None) -> Candidates:
        engine, sequence = call.engine, call.sequence
        if call.keep is not None:
            raise Aborted(f"sequence {sequence}: given up before it began")
        before, started = engine.evaluated_tokens(), self._clock()
        candidates = engine.next_candidates(sequence, ids, allowed)
        if engine.evaluated_tokens() - before == 1:
            taken_s = min(self._clock() - started, LONGEST_TOKEN_S)
            self._token_s += 0.1 * (taken_s - self._token_s)
        return candidates

    def _wake(self) -> None:
        """Let those who wait for a sequence try again."""
        for ticket in sorted(self._waiting, reverse=True):
            if not self._waiting[ticket].done():
                self._waiting[ticket].set_result(None)

    async def _borrowed(self, session: int) -> int:
        """The session's sequence, its own until it rests."""
        ticket = next(self._tickets)
        while (sequence := self._sequences.lend(session)) is None:
            turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
            try:
                await turn
            finally:
                del self._waiting[ticket]
        return sequence
