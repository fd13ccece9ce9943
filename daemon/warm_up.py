"""Both ends read what a document's next prompt begins with, before there is a key. Event loop only.

A prompt of some hundred tokens takes a laptop seconds to evaluate, and the first key would wait for it. So it is read
when a document is opened, and again when its prompts begin with something else: an exemplar was found, settings have
changed. That is done once for each such start, after all that anybody waits for (`DraftWorker.defer`), and ends with
the first key; what both have in common is kept.

How much is read is `DocumentPrompts.foreseen`'s business. The verifier gets it as a context that nothing is drafted
for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from daemon.document_prompts import Foreseen
from daemon.draft_worker import DraftWorker
from daemon.engine import Aborted, EngineFailed
from speculation.paths import common_length

log = logging.getLogger(__name__)

PAUSE_S: Final = 0.5
"""Between having to give way and the next try: each try may lose the batch that it is at."""


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
        self._known = foreseen.start
        told = self._tell_target(foreseen.ids)
        if drafting:
            await self._evaluate(foreseen.ids)
        if not told:
            self._tell_target(foreseen.ids)

    async def _evaluate(self, ids: Sequence[int]) -> None:
        self._evaluating = ids
        try:
            while True:
                if await self._is_evaluated(ids):
                    return
                await asyncio.sleep(self._pause_s)
        except EngineFailed as failure:
            log.error("a document can't be read ahead: %s", failure)
        finally:
            self._evaluating = ()

    async def _is_evaluated(self, ids: Sequence[int]) -> bool:
        """Evaluate as much as there is time for; whether that was all."""
        self._worker.defer(self._number)
        try:
            await self._worker.next_candidates(self._number, ids)
        except Aborted:
            return False
        else:
            return True
        finally:
            if self._task is asyncio.current_task():  # else whoever ended it goes on with the sequence
                self._worker.rest(self._number)

    def _stop(self, keep: int) -> bool:
        """Stop reading, once `keep` ids are evaluated; whether there was something under way."""
        task, self._task = self._task, None
        if task is None or task.done():
            return False
        self._known = None
        self._worker.stop(self._number, keep)
        task.cancel()
        return True
