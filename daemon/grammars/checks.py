"""A client's questions about the texts of grammar files: one at a time, each answered exactly once.

The newest wins: who writes a grammar wants to know of the text as it is now. The work is the grammar store's, in a
process of its own; this module knows the order of the messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from daemon.api.messages import CheckGrammar, DaemonMessage, Failed, GrammarFindings
from daemon.grammars.messages import findings_of
from daemon.grammars.store import GrammarStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A question that has no answer so far."""

    request: int
    task: asyncio.Task[None]


class GrammarChecks:
    """One client's. Event loop only."""

    def __init__(self, store: GrammarStore, push: Callable[[DaemonMessage], None]) -> None:
        self._store = store
        self._push = push
        self._under_way: _UnderWay | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        """Those that were cancelled included, until they have ended their process."""

    def __contains__(self, request: int) -> bool:
        """Whether a question of this number is under way."""
        return self._under_way is not None and self._under_way.request == request

    def begin(self, message: CheckGrammar, *, enabled: bool) -> None:
        """Look into a text; what was asked before is answered as superseded."""
        self._end("superseded")
        if not enabled:
            self._push(GrammarFindings(message.request, [], "disabled"))
            return
        task = asyncio.get_running_loop().create_task(self._check(message))
        self._under_way = _UnderWay(message.request, task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self, request: int) -> None:
        """The client no longer wants to know."""
        if request in self:
            self._end("cancelled")

    async def close(self) -> None:
        """End what is under way, its process included."""
        self._end("cancelled")
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, reason: Literal["cancelled", "superseded"]) -> None:
        if (ended := self._under_way) is not None:
            self._under_way = None
            ended.task.cancel()
            self._push(GrammarFindings(ended.request, [], reason))

    async def _check(self, message: CheckGrammar) -> None:
        answer: DaemonMessage
        try:
            answer = findings_of(message.request, await self._store.check(message.text, message.document))
        except Exception:
            log.exception("a grammar could not be checked")
            text = "the daemon failed at this check; its log says why"
            answer = Failed("internal", text, message.request)
        if self._is_newest(asyncio.current_task()):  # else it has its answer already
            self._under_way = None
            self._push(answer)

    def _is_newest(self, task: asyncio.Task[None] | None) -> bool:
        return self._under_way is not None and self._under_way.task is task
