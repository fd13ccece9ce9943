"""The choice of a draft token: the order of the candidates, the first that is legal, and the ways out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.drafting import Drafting, ranking
from daemon.draft.engine import Candidates
from daemon.generation import Generation, Limits
from daemon.grammars.run_grammar import State
from daemon.prompts.open_texts import OpenTexts
from daemon.run import Run
from daemon.settings.config import Config
from speculation.sampling import Sampling, draw
from tests.fakes.engine import FakeEngine

GREEDY = Config().completion
EOS = 257


@dataclass
class Rule:
    """In place of a grammar: which ids are legal, and what to do while it is asked."""

    legal: frozenset[int]
    knows_all: bool = True
    asked: list[list[int]] = field(default_factory=list)
    verdict: tuple[Run, list[int]] | None = None

    async def first_legal(self, run: Run, candidates: list[int]) -> int | None:
        self.asked.append(candidates)
        if self.verdict is not None:
            self.verdict[0].generation.commit(self.verdict[1])
        return next((i for i, token in enumerate(candidates) if token in self.legal), None)

    async def allowed(self, run: Run) -> NDArray[np.bool_] | None:
        return np.isin(np.arange(263), list(self.legal)) if self.knows_all else None


@asynccontextmanager
async def drafting(
    rule: Rule, engine: FakeEngine, text: str = "ab", opening: str = ""
) -> AsyncIterator[tuple[Drafting, Run]]:
    worker = DraftWorker(lambda: engine, lambda: None, time.monotonic)
    await worker.start()
    place = Place(Document("x", "sql", 1, text), len(text))
    run = Run(Generation(place, tuple(text.encode()), worker.vocabulary, Limits(16, 4)), 0.0)
    drafting = Drafting(1, worker, rule, time.monotonic, OpenTexts(), lambda: opening.encode())  # type: ignore[arg-type]
    try:
        yield drafting, run
    finally:
        await worker.close()


@pytest.mark.parametrize(
    ("legal", "token"),
    [({*range(256)}, ord("x")), ({ord("y"), 5}, ord("y")), ({200}, 200), (set(), EOS)],
    ids=["the best", "the best legal one", "one of all", "none: the draft ends"],
)
@pytest.mark.asyncio
async def test_which_token_is_drafted(legal: set[int], token: int) -> None:
    engine = FakeEngine(lambda prefix: b"x", alternatives=lambda prefix: [b"y"])
    async with drafting(Rule(frozenset(legal)), engine) as (one, run):
        assert await one.next_token(run, GREEDY)
        assert run.generation.tail == [token]
        assert run.evaluating is None
        assert run.grammar.use.draft_s > 0
        assert run.generation.drafted_to_the_end is (not legal)


@pytest.mark.asyncio
async def test_without_an_answer_about_all_tokens_the_models_best_is_drafted() -> None:
    async with drafting(Rule(frozenset(), knows_all=False), FakeEngine(lambda prefix: b"x")) as (one, run):
        assert await one.next_token(run, GREEDY)
        assert run.generation.tail == [ord("x")]


ONCE = "select other from "
TWICE = ONCE + "one; " + ONCE


@pytest.mark.parametrize(
    ("case", "state", "text", "opening", "legal", "token"),
    [
        ("repeated", "in force", TWICE, "", range(256), b"o"),
        ("repeated from another file", "in force", ONCE, TWICE, range(256), b"o"),
        ("not legal", "in force", TWICE, "", b"x", b"x"),
        ("too short a match", "in force", TWICE.replace("select other", "", 1), "", range(256), b"x"),
        ("no grammar", "none", TWICE, "", range(256), b"o"),
        ("the grammar is off", "off", TWICE, "", range(256), b"o"),
    ],
)
@pytest.mark.asyncio
async def test_what_followed_a_long_match_goes_before_the_models_choice(
    case: str, state: State, text: str, opening: str, legal: Iterable[int], token: bytes
) -> None:
    engine = FakeEngine(lambda prefix: b"x")
    async with drafting(Rule(frozenset(legal)), engine, text, opening) as (one, run):
        run.grammar.state = state
        assert await one.next_token(run, GREEDY), case
        assert bytes(run.generation.tail) == token, case
        assert run.grammar.use.repeated_tokens == (token == b"o" and state == "in force"), case
        assert bool(engine.calls) == (token == b"x"), case
        assert run.drafters == {0: "match" if token == b"o" else "model"}, case


@pytest.mark.parametrize(
    ("legal", "text", "token"),
    [(range(256), "ab", ord("y")), (b"x", "ab", EOS), (range(256), TWICE, ord("y"))],
    ids=["the best that agrees", "none that agrees is legal", "a match that does not agree"],
)
@pytest.mark.asyncio
async def test_the_first_token_agrees_with_what_is_pending(
    legal: Iterable[int], text: str, token: int
) -> None:
    engine = FakeEngine(lambda prefix: b"x", alternatives=lambda prefix: [b"y"])
    async with drafting(Rule(frozenset(legal)), engine, text) as (one, run):
        run.generation.pending = "y"
        assert await one.next_token(run, GREEDY)
        assert run.generation.tail == [token]
        if token != EOS:
            assert await one.next_token(run, GREEDY)
            assert run.generation.tail[1:] == [ord("x")]


@pytest.mark.asyncio
async def test_at_a_temperature_the_model_is_asked() -> None:
    engine = FakeEngine(lambda prefix: b"x")
    async with drafting(Rule(frozenset(range(256))), engine, TWICE) as (one, run):
        run.grammar.state = "in force"
        assert await one.next_token(run, replace(GREEDY, temperature=0.8))
        assert run.grammar.use.repeated_tokens == 0
        assert engine.calls


@pytest.mark.asyncio
async def test_a_prompt_is_healed_once() -> None:
    """What its last word goes on with is looked for before the first token, not before those that follow."""
    async with drafting(Rule(frozenset(range(256))), FakeEngine(lambda prefix: b"x")) as (one, run):
        assert await one.next_token(run, GREEDY)
        assert run.healed
        assert await one.next_token(run, GREEDY)
        assert run.drafters == {0: "model", 1: "model"}


@pytest.mark.asyncio
async def test_ux_49_a_stopgap_is_how_the_text_went_on_before() -> None:
    async with drafting(Rule(frozenset()), FakeEngine(), ONCE + "one;\n" + ONCE) as (one, run):
        assert one.stopgap(run) == "one;"
        assert run.generation.tail == [], "it is not drafted"


@pytest.mark.asyncio
async def test_a_verdict_during_the_search_makes_its_token_one_of_another_path() -> None:
    rule = Rule(frozenset(range(256)))
    async with drafting(rule, FakeEngine(lambda prefix: b"x")) as (one, run):
        rule.verdict = (run, [99])
        assert not await one.next_token(run, GREEDY)
        assert run.generation.generated == [99]


@pytest.mark.asyncio
async def test_an_evaluation_that_was_stopped_drafts_nothing() -> None:
    engine = FakeEngine(lambda prefix: b"x")
    async with drafting(Rule(frozenset(range(256))), engine) as (one, run):
        engine.hold()
        task = asyncio.create_task(one.next_token(run, GREEDY))
        await asyncio.to_thread(engine.wait_until_held)
        one._worker.stop(1)
        assert not await task
        assert run.generation.tail == []
        assert run.evaluating is None


def test_without_a_temperature_candidates_are_taken_as_they_come() -> None:
    best = Candidates(np.array([7, 3, 9], np.int32), np.array([2, 2, 1], np.float32), 1.0)
    assert ranking(best, GREEDY, 5).tolist() == [0, 1, 2]


def test_with_a_temperature_the_first_is_the_draw_that_the_target_would_make() -> None:
    best = Candidates(np.array([7, 3, 9, 1], np.int32), np.array([2, 2, 1, 0], np.float32), 1.0)
    for seed in range(20):
        completion = replace(GREEDY, temperature=0.8, seed=seed)
        order = ranking(best, completion, 5)
        assert sorted(order) == [0, 1, 2, 3]
        drawn = draw(best.logits, Sampling(0.8), seed, 5, best.ids.astype(np.int64))
        assert best.ids[order[0]] == drawn
