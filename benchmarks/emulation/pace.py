"""How long a forward of a target takes at least, on a machine whose own forwards are quicker than the one emulated.

The rest of the time is slept away *after* the real work, in the engine's own thread: sleeping takes no CPU from the
draft, and nothing else of the verifier waits for it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator


class Pace:
    """Stretches each forward to `forward_ms`. `clock` and `sleep` count seconds."""

    def __init__(
        self,
        forward_ms: float,
        *,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not forward_ms >= 0:
            raise ValueError(f"a forward can't take {forward_ms} ms: give 0 or more")
        self.forward_ms = forward_ms
        self.forwards = 0
        self.slower = 0
        """Forwards that took longer than this by themselves: where there are many, the pace is not what it says."""
        self._clock, self._sleep = clock, sleep

    @contextlib.contextmanager
    def forward(self) -> Iterator[None]:
        """Around one forward; returns `forward_ms` after it was entered, or when the work is done if that is later."""
        due = self._clock() + self.forward_ms / 1000
        yield
        self.forwards += 1
        rest_s = due - self._clock()
        self.slower += rest_s < 0
        if rest_s > 0:
            self._sleep(rest_s)

    def __str__(self) -> str:
        return f"at least {self.forward_ms:g} ms a forward"
