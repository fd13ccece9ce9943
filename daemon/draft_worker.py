"""The draft model on a thread of its own, seen from asyncio.

One thread owns the engine from loading to closing (its calls release the GIL); coroutines await one token at a
time, so sessions take turns by the token. A session that no longer wants its token calls `stop`: the evaluation
ends within one token.

Sequences (KV caches) are lent to sessions. A session that drafts keeps its own until it says `rest`; of those at
rest the least recently used is taken over. While all are drafting, others wait, the newest first in line: taking
turns on too few caches would read a whole prompt anew for every token, and the newest is where the user is.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daemon.engine import Aborted, Candidates, DraftEngine, EngineFailed, Vocabulary
from grammars.pieces import PieceIndex

log = logging.getLogger(__name__)

State = Literal["loading", "ready", "failed"]

FRAME_TOKENS = 4
FIRST_GUESS_S = 0.03


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
        """Seconds a token takes, smoothed; prefills are not counted."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="draft")
        self._engine: DraftEngine | None = None
        self._pieces: PieceIndex | None = None
        self._sequences: OrderedDict[int, int] = OrderedDict()
        """Session number -> sequence, least recently used first."""
        self._drafting: set[int] = set()
        """Sessions that keep their sequences for now."""
        self._waiting: dict[int, asyncio.Future[None]] = {}
        """Who waits for a sequence, by ticket: a higher one is newer."""
        self._tickets = itertools.count()
        self._kept: dict[int, int] = {}
        """For sequences whose queued or running call is to be given up: how many of its ids are wanted still."""
        self.state: State = "loading"
        self.error = ""

    async def start(self) -> None:
        """Load the model; the state tells when it is there, or why not."""
        loop = asyncio.get_running_loop()
        try:
            engine = await loop.run_in_executor(self._thread, self._load)
            self._pieces = await loop.run_in_executor(self._thread, PieceIndex, engine.vocabulary.token_bytes)
            self._engine = engine
            self.state = "ready"
        except EngineFailed as failure:
            self.state, self.error = "failed", str(failure)
        except Exception as defect:  # no reason for the daemon to seem to load for ever
            log.exception("the draft model can't be loaded")
            self.state, self.error = (
                "failed",
                f"the draft model can't be loaded ({defect}): see the daemon's log",
            )
        self._changed()

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
        sequence = await self._borrowed(session)
        self._kept.pop(sequence, None)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._evaluate, sequence, ids, allowed)

    @property
    def frame_ms(self) -> int:
        """How long a frame of draft tokens takes to draft, generously: what the target may wait for one."""
        return max(10, min(1000, int(2000 * FRAME_TOKENS * self._token_s)))

    def stop(self, session: int, keep: int = 0) -> None:
        """The session no longer wants the token it waits for, but what the first `keep` ids leave in the KV cache."""
        sequence = self._sequences.get(session)
        if sequence is not None and self._engine is not None:
            self._kept[sequence] = keep
            self._engine.abort(sequence, keep)

    def rest(self, session: int) -> None:
        """The session drafts nothing for now: another one may have its sequence, if one needs it."""
        self._drafting.discard(session)
        for ticket in sorted(self._waiting, reverse=True):
            if not self._waiting[ticket].done():
                self._waiting[ticket].set_result(None)

    def forget(self, session: int) -> None:
        """The session is over; its sequence is the first to be lent again."""
        if session in self._sequences:
            self.stop(session)
            self._sequences.move_to_end(session, last=False)
        self.rest(session)

    def _evaluate(self, sequence: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None) -> Candidates:
        if sequence in self._kept:
            raise Aborted(f"sequence {sequence}: given up before it began")
        before, started = self.engine.evaluated_tokens(), self._clock()
        candidates = self.engine.next_candidates(sequence, ids, allowed)
        if self.engine.evaluated_tokens() - before == 1:
            self._token_s += 0.1 * (self._clock() - started - self._token_s)
        return candidates

    async def _borrowed(self, session: int) -> int:
        """The session's sequence, its own until it rests."""
        ticket = next(self._tickets)
        while (sequence := self._free_sequence(session)) is None:
            turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
            try:
                await turn
            finally:
                del self._waiting[ticket]
        self._drafting.add(session)
        self._sequences[session] = sequence
        self._sequences.move_to_end(session)
        return sequence

    def _free_sequence(self, session: int) -> int | None:
        """The sequence the session has, one that nobody has yet, or one taken from a session at rest."""
        if session in self._sequences:
            return self._sequences[session]
        if len(self._sequences) < self.engine.n_sequences:
            return len(self._sequences)
        at_rest = (other for other in self._sequences if other not in self._drafting)
        unused = next(at_rest, None)
        return None if unused is None else self._sequences.pop(unused)
