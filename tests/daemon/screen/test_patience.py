"""How long an answer waits: for what is worth showing, as long as there is patience, and not when it is superseded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from daemon.api.messages import Wait
from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.run import Run
from daemon.screen.patience import WHOLE_TEXT_S, until_worth_showing
from daemon.settings.config import Config
from tests.fakes.engine import byte_vocabulary
from tests.fakes.virtual_time import VirtualTimeLoop

PLACE = Place(Document("file:///f", "x", 1, "a = "), 4)
DISPLAY = replace(Config().display, first_ghost_ms=40, answer_ms=100)


def draft(text: str) -> Callable[[Run], None]:
    def event(run: Run) -> None:
        for token in text.encode():
            run.generation.draft(token, 0.0)

    return event


def finish(run: Run) -> None:
    run.finished = True


@pytest.mark.parametrize(
    ("wait", "events", "waited_s"),
    [
        ("first", [], 0.1),
        ("first", [(0.01, draft("b"))], 0.04),
        ("first", [(0.01, draft("b\n  c\nd"))], 0.01),
        ("first", [(0.01, draft("b")), (0.02, finish)], 0.02),
        ("first", [(0.06, draft("b"))], 0.06),
        ("first", [(0.01, finish)], 0.01),
        ("settled", [(0.01, draft("b")), (0.3, draft("c" * 20))], 0.3),
        ("verified", [(0.01, draft("b" * 20)), (0.5, finish)], 0.5),
        ("verified", [(0.01, draft("b" * 20))], WHOLE_TEXT_S),
    ],
)
def test_what_an_answer_waits_for(
    wait: Wait, events: list[tuple[float, Callable[[Run], None]]], waited_s: float
) -> None:
    """A first text is given a moment to grow; a text of some lines, or a whole one, is not."""
    loop = VirtualTimeLoop()
    run = Run(Generation(PLACE, [1], byte_vocabulary(), Limits(20, 8)), 0.0)

    async def waited() -> float:
        for at, event in events:
            loop.call_at(at, lambda event=event: (event(run), run.changed()))
        await until_worth_showing(run, PLACE, wait, DISPLAY, loop.time, lambda: False)
        return loop.time()

    try:
        assert loop.run_until_complete(waited()) == pytest.approx(waited_s)
    finally:
        loop.close()


def test_a_superseded_answer_waits_no_longer() -> None:
    """It is told by a change of the run."""
    loop = VirtualTimeLoop()
    run = Run(Generation(PLACE, [1], byte_vocabulary(), Limits(20, 8)), 0.0)
    newer: list[int] = []

    async def waited() -> float:
        loop.call_at(0.02, lambda: (newer.append(1), run.changed()))
        async with asyncio.timeout(1):
            await until_worth_showing(run, PLACE, "verified", DISPLAY, loop.time, lambda: bool(newer))
        return loop.time()

    try:
        assert loop.run_until_complete(waited()) == pytest.approx(0.02)
    finally:
        loop.close()
