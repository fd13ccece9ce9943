"""A run driven to its end: what it tells whoever has it, how it ends, and a run ahead that is caught up with."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.drafting import Drafting
from daemon.generation import Generation, Limits
from daemon.grammars.legality import Legality
from daemon.grammars.worker import GrammarWorker
from daemon.prompts.open_texts import OpenTexts
from daemon.run import Run
from daemon.run_loop import RunLoop
from daemon.statistics import Statistics
from tests.fakes.completion import settings
from tests.fakes.engine import FakeEngine, following

BEGUN, REST = "a = ", "b + c\n"
PLACE = Place(Document("file:///f", "python", 1, BEGUN), len(BEGUN))
SESSION = 1


@dataclass
class Told:
    """Stands for the completer."""

    drafts: int = 0
    texts: list[str] = field(default_factory=list)
    ended: list[Run] = field(default_factory=list)

    def where(self) -> Place | None:
        return PLACE

    def about_to_draft(self) -> None:
        self.drafts += 1

    def publish(self, run: Run) -> None:
        self.texts.append(run.generation.text().text)

    def over(self, run: Run) -> None:
        self.ended.append(run)


@dataclass
class Scene:
    loop: RunLoop
    told: Told
    engine: FakeEngine
    worker: DraftWorker

    def run(self, *, ahead: bool = False) -> Run:
        context = self.engine.tokenize(BEGUN)
        return Run(
            Generation(PLACE, context, self.engine.vocabulary, Limits(32, 8)), time.monotonic(), ahead=ahead
        )

    async def driven(self, run: Run) -> Run:
        self.loop.drive(run)
        assert run.task is not None
        await run.task
        return run


@asynccontextmanager
async def scene(chosen: Settings | None = None) -> AsyncIterator[Scene]:
    engine, grammars, statistics, told = (
        FakeEngine(following(BEGUN + REST)),
        GrammarWorker(),
        Statistics(),
        Told(),
    )
    worker = DraftWorker(lambda: engine, lambda: None, time.monotonic)
    await worker.start()
    legality = Legality(grammars, time.monotonic)
    drafting = Drafting(SESSION, worker, legality, time.monotonic, OpenTexts(), lambda: ())
    loop = RunLoop(
        SESSION, chosen or settings(), worker, drafting, None, legality, statistics, told, time.monotonic
    )
    try:
        yield Scene(loop, told, engine, worker)
    finally:
        await worker.close()
        await grammars.close()


@pytest.mark.asyncio
async def test_a_run_is_told_of_token_by_token_and_once_it_is_over() -> None:
    async with scene() as s:
        run = await s.driven(s.run())
        assert s.told.texts[-1] == REST
        assert all(REST.startswith(text) for text in s.told.texts)
        assert s.told.drafts >= len(REST)
        assert (run.finished, run.failure, s.told.ended) == (True, None, [run])


@pytest.mark.asyncio
async def test_a_failing_model_ends_the_run_with_a_reason() -> None:
    async with scene() as s:
        s.engine.fail_with("broken")
        run = await s.driven(s.run())
        assert (run.finished, run.failure, s.told.ended) == (True, "model_failed", [run])


@pytest.mark.asyncio
async def test_where_nothing_is_drafted_a_run_without_a_target_says_nothing() -> None:
    async with scene(settings(drafting=False)) as s:
        run = await s.driven(s.run())
        assert (run.finished, s.told.drafts, run.known_text) == (True, 0, "")
        assert not s.loop.may_draft(run)


@pytest.mark.parametrize("is_over", [True, False])
@pytest.mark.asyncio
async def test_a_run_ahead_that_is_caught_up_with_goes_on_as_any_other(is_over: bool) -> None:
    async with scene() as s:
        run = s.run(ahead=True)
        s.loop.drive(run)
        assert run.task is not None
        if is_over:
            await run.task
        s.loop.catch_up(run)
        await run.task
        assert (run.ahead, run.finished, run.known_text) == (False, True, REST)
