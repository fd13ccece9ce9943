"""How long an answer waits for its text: what is worth showing, and when there is no more patience. Event loop only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from daemon.api.messages import Wait
from daemon.documents import Place
from daemon.run import Run
from daemon.screen.news import worth_showing
from daemon.settings.config_sections import DisplayConfig

WHOLE_TEXT_S: Final = 100.0
"""The longest an answer waits for the whole text, where a script asked for that."""


async def until_worth_showing(
    run: Run,
    place: Place,
    wait: Wait,
    display: DisplayConfig,
    clock: Callable[[], float],
    superseded: Callable[[], bool],
) -> None:
    """Wait until there is something worth showing at `place`, as `wait` defines it, or no more patience."""
    give_up = clock() + (display.answer_ms / 1000 if wait == "first" else WHOLE_TEXT_S)
    enough_at = run.started_at + display.first_ghost_ms / 1000
    with run.listening() as changed:
        while not superseded():
            now = clock()
            is_enough = worth_showing(run, place, display.policy, wait, waited_enough=now >= enough_at)
            if is_enough or now >= give_up:
                return
            due = min(give_up, enough_at) if now < enough_at and run.known_text else give_up
            changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(due - now):
                    await changed.wait()
