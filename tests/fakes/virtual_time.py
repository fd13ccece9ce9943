"""An event loop whose clock jumps to the next timer instead of waiting for it: timers are exact, and cost nothing."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`time()` starts at 0 and moves only when all that is ready has run. No sockets, threads or processes."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Jump(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds

    def pass_time(self, seconds: float) -> None:
        """Run what is due within the next `seconds`, each at its time."""
        self.run_until_complete(asyncio.sleep(seconds))


class _Jump(selectors.SelectSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, Any]]:
        if timeout is None:
            raise RuntimeError("nothing is left to wait for: the test would hang")
        ready = super().select(0)
        if not ready:
            self._loop.jump(timeout)
        return ready


async def no_time_passes_until(reached: Callable[[], bool]) -> None:
    """Wait for a thread. The clock stands still meanwhile: it jumps only when nothing is ready to run."""
    while not reached():
        await asyncio.sleep(0)


async def at_once(work: Coroutine[Any, Any, Result]) -> Result:
    """Do work that waits for a thread, while the clock stands still."""
    task = asyncio.ensure_future(work)
    await no_time_passes_until(task.done)
    return task.result()
