"""The threads of one llama.cpp context: how many decode, and how long a token takes them. Knows no sequences."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from daemon.draft.cpu_threads import sensible_threads, thread_counts
from daemon.draft.llama_library import llama
from daemon.draft.thread_choice import ThreadChoice

log = logging.getLogger(__name__)

_DECODED = 0


class LlamaThreads:
    """Decodes batches of a context with as many threads as is fastest now; with `fixed`, always with so many."""

    def __init__(self, fixed: int = 0) -> None:
        """`fixed` 0: as it finds out."""
        self.counts = (fixed,) if fixed else thread_counts(sensible_threads())
        """The numbers of threads that come into question."""
        self._choice = ThreadChoice(dict.fromkeys(self.counts))
        self._set = self.counts[-1]
        """What the context was told last."""

    @property
    def most(self) -> int:
        """What a new context is to be made with."""
        return self.counts[-1]

    @property
    def chosen(self) -> int:
        return self._choice.chosen

    @property
    def token_ms(self) -> dict[int, float]:
        """Milliseconds a token took with each number of threads when it was last measured."""
        return {n: round(seconds * 1000, 1) for n, seconds in sorted(self._choice.token_s.items())}

    def begin_with(self, token_ms: Mapping[int, float]) -> None:
        """So many milliseconds a token takes, as far as is known: choose what is fastest."""
        known = {n: token_ms[n] / 1000 if n in token_ms else None for n in self.counts}
        self._choice = ThreadChoice(known)

    def decode(self, context: Any, batch: Any, threads: int = 0) -> int:
        """llama_decode's status. With `threads`, by so many, and nothing is learnt of it."""
        count = threads or self._choice.count
        if count != self._set:
            llama.llama_set_n_threads(context, count, count)
            self._set = count
        began = time.perf_counter()
        status = int(llama.llama_decode(context, batch))
        if batch.n_tokens == 1 and status == _DECODED and not threads:
            now = time.perf_counter()
            self._took(now - began, now)
        return status

    def _took(self, seconds: float, now: float) -> None:
        before = self._choice.chosen
        self._choice.took(seconds, now)
        if self._choice.chosen != before:
            log.info(
                "%d threads draft now, before it were %d; ms a token: %s",
                self._choice.chosen,
                before,
                self.token_ms,
            )
