"""One document's grammars, as its runs ask them: which candidate may come next, and how much of a text fits.

    read         before a run, where somebody has time: the text before the cursor is followed, however long it is
    begin        a run starts: the text before its cursor is followed in the background, while its prompt is evaluated
    first_legal  after each evaluation
    allowed      when none of the best candidates is legal
    examine      after each token and verdict, before its text is shown

Nothing is shown of a run whose grammar is not there (looked for, compiled, loaded, refused), or has not followed the
text before the cursor in time.

Nobody waits longer for the engine than the worker's patience. What is late is done without: that token is drafted
unmasked, that text is not shown yet. One that costs the CPU too much (rather than waits for it) makes the
document go unmasked for `PAUSE_S`; one that is stuck does, and each time for twice as long. What a run knows is in its
`RunGrammar`; what the engine knows is in the `Follower`, which only its own thread touches.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from daemon.documents import Place
from daemon.draft.engine import Vocabulary
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.follower import Follower
from daemon.grammars.worker import EngineBusy, EngineLost, GrammarWorker
from daemon.run import Run

log = logging.getLogger(__name__)

PAUSE_S: Final = 30.0
READ_S: Final = 0.5
"""Once candidates are there, the text before the cursor may be read for so much longer: until then they are drafted
unmasked, and not shown. Then the run is given up."""
WHOLE_TEXT_S: Final = 30.0
"""Who has time waits so long for it: the longest text that a grammar follows is read by then, on a quiet machine."""

Result = TypeVar("Result")


class Legality:
    """One document's; an `Owner` of calls of the worker. All methods are the event loop's."""

    def __init__(self, worker: GrammarWorker, clock: Callable[[], float]) -> None:
        self._worker = worker
        self._clock = clock
        self._grammars = DocumentGrammar(None, expected=False)
        self._follower: Follower | None = None
        self._run: Run | None = None
        """The newest; it is the one whose place is read, and the engine's time is put down to it."""
        self._reading: asyncio.Task[None] | None = None
        self._outstanding = 0
        self._late = 0
        """How many of the calls outstanding have to end before another is worth making."""
        self._last_awaited = 0
        """Answers under way about a run's last text."""
        self._paused_until = 0.0
        self._pause_reason = ""
        self._times_stuck = 0

    def use(self, grammars: DocumentGrammar) -> bool:
        """These hold for runs that begin from now on. True if they are others: runs under way are to end then."""
        before, self._grammars = self._grammars, grammars
        is_same = (before.whole, before.islands) == (grammars.whole, grammars.islands)
        has_shown_nothing = bool(before.lack) and not before.islands
        if is_same and (has_shown_nothing or before.lack == grammars.lack):
            return False
        self._paused_until, self._times_stuck = 0.0, 0
        self._forget()
        return True

    async def read(self, place: Place, vocabulary: Vocabulary) -> None:
        """Follow the text before the place, within WHOLE_TEXT_S: a run that begins there then finds it followed.

        Where the engine fails, or takes longer, that run does without its grammar and says so.
        """
        grammars, give_up = self._grammars, self._clock() + WHOLE_TEXT_S
        if (grammars.whole is None and not grammars.islands) or self._clock() < self._paused_until:
            return
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=WHOLE_TEXT_S)
        if self._follower is None:
            self._follower = Follower(grammars, vocabulary)
        follower = self._follower
        try:
            while self._follower is follower and not await self._prepare(partial(follower.read, place)):
                if self._clock() >= give_up:
                    return
        except EngineLost:
            return
        except Exception as defect:
            self._broken(defect)

    def begin(self, run: Run, vocabulary: Vocabulary) -> None:
        """Follow the text before the run's cursor, in the background."""
        self._stop_reading()
        self._run = run
        grammars = self._grammars
        if grammars.whole is None and not grammars.islands:
            if grammars.lack:
                run.grammar.hold_back(grammars.lack)
            elif grammars.expected:
                run.grammar.turn_off(grammars.reason)
        elif self._clock() < self._paused_until:
            run.grammar.turn_off(self._pause_reason)
        else:
            if self._follower is None:
                self._follower = Follower(grammars, vocabulary)
            run.grammar.state = "reading"
            self._reading = asyncio.create_task(self._read(run, self._follower))

    async def first_legal(self, run: Run, candidates: list[int]) -> int | None:
        """The index of the first candidate that may come next; None if none of them may.

        0 where no grammar is in force, or where it does not answer in time.
        """
        if not await self._in_force(run):
            return 0
        assert self._follower is not None
        generated, committed = run.generation.generated, len(run.generation.committed)
        found = await self._ask(run, partial(self._follower.first_legal, run.place, generated, candidates))
        if found is None:
            return 0
        use = run.grammar.use
        use.searches += 1
        use.checks += found.checks
        if any(index < committed for index in found.illegal):
            use.illegal_target_runs = 1
        if run.grammar.state == "in force":
            run.grammar.follows(found.mode)
        return found.index

    async def first_text(self, run: Run, texts: list[bytes]) -> int | None:
        """The index of the first of `texts` (bytes) that may stand at the run's place; else as `first_legal`."""
        if not await self._in_force(run):
            return 0
        assert self._follower is not None
        found = await self._ask(run, partial(self._follower.first_text, run.place, texts))
        return 0 if found is None else found.index

    async def allowed(self, run: Run) -> NDArray[np.bool_] | None:
        """Shape [n_vocab]: which tokens may come next; None if that is not known in time."""
        if not await self._in_force(run):
            return None
        assert self._follower is not None
        run.grammar.use.full_masks += 1
        return await self._ask(run, partial(self._follower.allowed, run.place, run.generation.generated))

    async def examine(self, run: Run, place: Place, text: str, *, last: bool = False) -> None:
        """Find out how much of `text` (from the run's place on, what was typed of it included) fits at `place`.

        Not for every token of it, unless the text is the `last`: then there will be no other. That is asked for in
        any case, and shown as it is if there is no answer.
        """
        if not await self._in_force(run, last=last):
            return
        if not last and not run.grammar.has_grown(text, place.characters_after):
            return
        assert self._follower is not None
        call = partial(self._follower.fit, run.place, run.generation.generated, text, place)
        fitting = await self._ask(run, call, last=last)
        if fitting is not None:
            run.grammar.examined(text, place.characters_after, fitting)
            run.grammar.use.trimmed_characters = len(text) - fitting

    def close(self) -> None:
        """The document is gone. A call under way ends by itself."""
        self._forget()

    # --- Owner

    def took(self, seconds: float, *, asked: bool) -> None:
        """A call is over. One that somebody waited for and that was dear is no accident: the next would be too.

        The run under way does without from here on, unless it waits for the answer about its last text.
        """
        self._outstanding = max(0, self._outstanding - 1)
        self._late = max(0, self._late - 1)
        if self._run is not None:
            self._run.grammar.use.engine_s += seconds
        if asked and seconds >= self._worker.dear_s:
            self._pause(f"the grammar engine took {seconds * 1000:.0f} ms for one answer", PAUSE_S)

    def lost(self) -> None:
        """A call is stuck: begin anew from the templates, after a while."""
        self._times_stuck += 1
        if self._run is not None:
            self._run.grammar.use.stuck_calls += 1
        self._forget()
        self._pause("the grammar engine was stuck", PAUSE_S * 2 ** (self._times_stuck - 1))

    # --- steps

    async def _read(self, run: Run, follower: Follower) -> None:
        try:
            while not await self._prepare(partial(follower.read, run.place)):
                pass
            mode = await self._prepare(partial(follower.stand, run.place))
            lack = await self._prepare(partial(follower.lack, run.place)) if mode is None else ""
        except EngineLost:
            return
        except Exception as defect:
            self._broken(defect)
            return
        if run.grammar.state != "reading":
            return
        if lack:
            run.grammar.hold_back(lack)
        else:
            run.grammar.follows(mode)

    async def _prepare(self, call: Callable[[], Result]) -> Result:
        self._outstanding += 1
        return await self._worker.prepare(self, call)

    async def _in_force(self, run: Run, *, last: bool = False) -> bool:
        """Whether the run's grammar is. Who asks first while the text is still being read waits a moment for it.

        `last`: nobody asks after this.
        """
        if run.grammar.state == "reading" and run is self._run and self._reading is not None:
            await asyncio.wait({self._reading}, timeout=self._reading_patience_s(run, last=last))
        if run.grammar.state == "reading" and self._is_read_in_vain(run):
            run.grammar.hold_back("the text before the cursor is still being read")
        elif run.grammar.state == "in force" and self._follower is None:
            run.grammar.turn_off("its grammar is no longer in use")
        return run.grammar.state == "in force"

    def _is_read_in_vain(self, run: Run) -> bool:
        """The text before its cursor is not read any more, or was not in time."""
        is_under_way = run is self._run and self._reading is not None and not self._reading.done()
        return not is_under_way or self._clock() >= run.grammar.read_by

    def _reading_patience_s(self, run: Run, *, last: bool) -> float:
        now = self._clock()
        is_first = run.grammar.read_by == float("inf")
        if is_first:
            run.grammar.read_by = now + max(READ_S, self._worker.patience_s)
        if last:
            return max(0.0, run.grammar.read_by - now)
        return self._worker.patience_s if is_first else 0.0

    async def _ask(self, run: Run, call: Callable[[], Result], *, last: bool = False) -> Result | None:
        """The engine's answer; None if there is none in time.

        The `last` is waited for whatever went before; if it does not come, the run does without its grammar.
        """
        if self._late == 0 or last:
            self._outstanding += 1
            self._last_awaited += last
            try:
                return await self._worker.ask(self, call)
            except EngineBusy:
                self._late = self._outstanding
            except EngineLost:
                pass
            except Exception as defect:
                self._broken(defect)
                run.grammar.turn_off(self._pause_reason)
            finally:
                self._last_awaited -= last
        run.grammar.use.late_answers += 1
        if last and run.grammar.trims:
            run.grammar.turn_off("the grammar engine took too long")
        return None

    def _broken(self, defect: Exception) -> None:
        """The engine has refused or failed: its state is worth nothing now."""
        log.error("the grammar engine failed: %s", defect, exc_info=defect)
        self._forget()
        self._pause(f"the grammar engine failed: {defect}", PAUSE_S)

    def _pause(self, reason: str, seconds: float) -> None:
        self._paused_until, self._pause_reason = self._clock() + seconds, reason
        if self._run is not None and self._run.grammar.trims and not self._last_awaited:
            self._run.grammar.turn_off(reason)

    def _forget(self) -> None:
        """Make the follower anew at the next run."""
        self._stop_reading()
        self._follower = None
        self._outstanding = self._late = 0

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
