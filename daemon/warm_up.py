"""Both ends read what a document's next prompt begins with, before there is a key. Event loop only.

A prompt of some hundred tokens takes a laptop seconds to evaluate, and the first key would wait for it. So it is read
when a document is opened, and again when its prompts begin with something else: an exemplar was found, settings have
changed. That is done once for each such start, after all that anybody waits for (`DraftWorker.defer`), and ends with
the first key; what both have in common is kept.

Where prompts are to begin with something else than those evaluated before, that is read aside, in a KV cache of its
own: keys find their prompt as it was until all is read. Then the caches change places (`Foreseen.adopt`).

How much is read is `DocumentPrompts.foreseen`'s business. The verifier gets it as a context that nothing is drafted
for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from daemon.draft.draft_worker import DraftWorker
from daemon.draft.engine import Aborted, EngineFailed
from daemon.prompts.document_prompts import Foreseen
from speculation.paths import common_length

log = logging.getLogger(__name__)

PAUSE_S: Final = 0.5
"""Between having to give way and the next try: each try may lose the batch that it is at."""


def aside(number: int) -> int:
    """At the draft worker, the number of what a document reads aside."""
    return -number


class WarmUp:
    """Of one document, whose number at the draft worker is `number`.

    foresee: what to read, or None if it is not the time; asked once the model is there. tell_target: lets the verifier
    read ids; False if it can't be had now.
    """

    def __init__(
        self,
        number: int,
        worker: DraftWorker,
        foresee: Callable[[], Foreseen | None],
        tell_target: Callable[[Sequence[int]], bool],
    ) -> None:
        self._number = number
        self._worker = worker
        self._foresee = foresee
        self._tell_target = tell_target
        self._pause_s = PAUSE_S
        self._known: tuple[int, ...] | None = None
        """The start of the prompts that were read, or evaluated for a key."""
        self._evaluating: Sequence[int] = ()
        self._task: asyncio.Task[None] | None = None
        self._aside: asyncio.Task[None] | None = None
        """The task, if it reads aside."""
        self._put_off = False
        """It was not the time when it was asked for."""

    def begin(self, *, drafting: bool) -> None:
        """Read what is foreseen, if its start is new. Not drafting: only the verifier reads."""
        self.close()
        self._task = asyncio.create_task(self._run(drafting=drafting))

    def catch_up(self, *, drafting: bool) -> None:
        """Begin what was put off."""
        if self._put_off:
            self.begin(drafting=drafting)

    def end(self, start: tuple[int, ...], context: Sequence[int]) -> None:
        """A prompt is evaluated that has this start: what the reading under way shares with it goes on."""
        self._stop(common_length(self._evaluating, context))
        self._known = start

    def close(self) -> None:
        """Nothing is to be read."""
        if self._stop(0):
            self._worker.rest(self._number)

    async def _run(self, *, drafting: bool) -> None:
        foreseen = self._foresee() if await self._worker.ready() else None
        self._put_off = foreseen is None
        if foreseen is None or foreseen.start == self._known or not foreseen.ids:
            return
        if foreseen.adopt is not None:
            await self._change(foreseen, foreseen.adopt, drafting=drafting)
            return
        self._known = foreseen.start
        told = self._tell_target(foreseen.ids)
        if drafting:
            await self._evaluate(foreseen.ids)
        if not told:
            self._tell_target(foreseen.ids)

    async def _change(self, foreseen: Foreseen, adopt: Callable[[], None], *, drafting: bool) -> None:
        """Let prompts begin as foreseen once that is read."""
        if drafting:
            self._aside = self._task
        if not drafting or await self._evaluate(foreseen.ids, aside(self._number)):
            self._known = foreseen.start
            adopt()
            self._tell_target(foreseen.ids)

    async def _evaluate(self, ids: Sequence[int], session: int | None = None) -> bool:
        """Whether it could be done. session: the one that reads, if not the document's own."""
        self._evaluating = ids if session is None else ()
        try:
            while True:
                if await self._is_evaluated(ids, self._number if session is None else session):
                    return True
                await asyncio.sleep(self._pause_s)
        except EngineFailed as failure:
            log.error("a document can't be read ahead: %s", failure)
            return False
        finally:
            self._evaluating = ()

    async def _is_evaluated(self, ids: Sequence[int], session: int) -> bool:
        """Evaluate as much as there is time for; whether that was all, and the document has it."""
        self._worker.defer(session)
        try:
            await self._worker.next_candidates(session, ids)
            return session == self._number or self._worker.hand_over(session, self._number)
        except Aborted:
            return False
        finally:
            if self._task is asyncio.current_task():  # else whoever ended it goes on with the sequence
                self._worker.rest(session)

    def _stop(self, keep: int) -> bool:
        """Stop reading, once `keep` ids are evaluated; whether there was something under way."""
        task, self._task = self._task, None
        if task is None or task.done():
            return False
        self._known = None
        if self._aside is task:
            self._put_off = True
            self._worker.stop(aside(self._number))
            self._worker.rest(aside(self._number))
        else:
            self._worker.stop(self._number, keep)
        task.cancel()
        return True
