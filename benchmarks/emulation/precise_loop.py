"""An event loop whose timers keep microseconds: `asyncio.Runner(loop_factory=precise_loop)`.

The usual selector on Linux waits in whole milliseconds, rounded up, so that a timer is half a millisecond late on
average. `select` takes microseconds, and no more than about a thousand open files, which is plenty here.
"""

from __future__ import annotations

import asyncio
import selectors


def precise_loop() -> asyncio.AbstractEventLoop:
    """A new event loop over `select`."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())
