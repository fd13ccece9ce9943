"""Reading ahead of the first key: when, how often, for whom it gives way, and what the verifier is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from daemon.draft.draft_worker import DraftWorker
from daemon.prompts.document_prompts import Foreseen
from daemon.warm_up import WarmUp
from tests.fakes.engine import FakeEngine, following

TEXT = list(b"one two three four")
HERE, ELSEWHERE = 1, 2


@dataclass
class Scene:
    """A document that nobody has typed in."""

    engine: FakeEngine = field(default_factory=lambda: FakeEngine(following("one two three four five")))
    foreseen: Foreseen | None = field(default_factory=lambda: Foreseen((7,), TEXT))
    told: list[Sequence[int]] = field(default_factory=list)
    target_is_there: bool = True

    def __post_init__(self) -> None:
        self.worker = DraftWorker(lambda: self.engine, lambda: None, time.monotonic)
        self.warm_up = WarmUp(HERE, self.worker, lambda: self.foreseen, self._tell)
        self.warm_up._pause_s = 0.0

    def _tell(self, ids: Sequence[int]) -> bool:
        self.told.append(ids)
        return self.target_is_there

    async def over(self) -> None:
        """Until nothing is read any more."""
        task = self.warm_up._task
        assert task is not None
        await asyncio.wait_for(task, 10)

    async def held_after(self, tokens: int) -> None:
        """It has begun, and is held once so many tokens are read."""
        self.engine.hold(after_tokens=tokens)
        self.warm_up.begin(drafting=True)
        await asyncio.to_thread(self.engine.wait_until_held)


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    made = Scene()
    await made.worker.start()
    try:
        yield made
    finally:
        made.engine.release()
        made.warm_up.close()
        await made.worker.close()


@pytest.mark.asyncio
async def test_both_ends_read_what_is_foreseen_and_the_first_key_finds_it() -> None:
    async with scene() as s:
        s.warm_up.begin(drafting=True)
        await s.over()
        assert s.engine.evaluated_tokens() == len(TEXT)
        assert s.told == [TEXT]
        await s.worker.next_candidates(HERE, [*TEXT, 32])
        assert s.engine.evaluated_tokens() == len(TEXT) + 1


@pytest.mark.asyncio
async def test_it_begins_once_the_model_is_there() -> None:
    s = Scene()
    s.warm_up.begin(drafting=True)
    await asyncio.sleep(0)
    assert s.told == []
    await s.worker.start()
    await s.over()
    assert s.engine.evaluated_tokens() == len(TEXT)
    await s.worker.close()


@pytest.mark.asyncio
async def test_each_start_of_prompts_is_read_once() -> None:
    async with scene() as s:
        for start, evaluated in [((7,), 18), ((7,), 18), ((8,), 36), ((8,), 36), ((), 54)]:
            s.foreseen = Foreseen(start, [*start, *TEXT][: len(TEXT)])
            s.warm_up.begin(drafting=True)
            await s.over()
            assert s.engine.evaluated_tokens() == evaluated
        s.warm_up.end((9,), [])  # a key
        s.foreseen = Foreseen((9,), [9, *TEXT])
        s.warm_up.begin(drafting=True)
        await s.over()
        assert s.engine.evaluated_tokens() == 54


@pytest.mark.asyncio
async def test_what_ended_before_it_was_read_is_read_again() -> None:
    async with scene() as s:
        await s.held_after(3)
        s.warm_up.begin(drafting=True)
        s.engine.release()
        await s.over()
        assert s.engine.evaluated_tokens() == len(TEXT)


@pytest.mark.asyncio
async def test_a_key_ends_it_but_for_what_both_have_in_common() -> None:
    async with scene() as s:
        await s.held_after(2)
        s.warm_up.end((7,), list(b"one twist"))
        key = asyncio.create_task(s.worker.next_candidates(HERE, list(b"one twist")))
        s.engine.release()
        await key
        assert s.engine.evaluated_tokens() == len(b"one twist")


@pytest.mark.asyncio
async def test_another_documents_key_comes_first_and_what_was_read_stays() -> None:
    async with scene() as s:
        await s.held_after(4)
        key = asyncio.create_task(s.worker.next_candidates(ELSEWHERE, list(b"one")))
        await asyncio.sleep(0)
        s.engine.release()
        await key
        assert s.engine.evaluated_tokens() == 4 + 3
        s.worker.rest(ELSEWHERE)
        await s.over()
        assert s.engine.evaluated_tokens() == len(TEXT) + 3


@pytest.mark.asyncio
async def test_where_nothing_is_drafted_only_the_verifier_reads() -> None:
    async with scene() as s:
        s.warm_up.begin(drafting=False)
        await s.over()
        assert (s.engine.evaluated_tokens(), s.told) == (0, [TEXT])


@pytest.mark.asyncio
async def test_a_verifier_that_is_not_there_yet_is_told_afterwards() -> None:
    async with scene() as s:
        s.target_is_there = False
        s.warm_up.begin(drafting=True)
        await s.over()
        assert s.told == [TEXT, TEXT]


@pytest.mark.parametrize("foreseen", [None, Foreseen((), [])])
@pytest.mark.asyncio
async def test_it_waits_for_a_better_time(foreseen: Foreseen | None) -> None:
    """Nothing can be foreseen: a run is under way, an exemplar is looked for. Or there is nothing to read."""
    async with scene() as s:
        s.foreseen = foreseen
        s.warm_up.begin(drafting=True)
        await s.over()
        assert (s.engine.evaluated_tokens(), s.told) == (0, [])
        s.foreseen = Foreseen((7,), TEXT)
        s.warm_up.catch_up(drafting=True)
        await s.over()
        assert s.engine.evaluated_tokens() == (len(TEXT) if foreseen is None else 0)


@pytest.mark.asyncio
async def test_a_failing_model_is_logged_and_left_to_the_first_key(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as s:
        s.engine.fail_with("broken")
        s.warm_up.begin(drafting=True)
        await s.over()
        assert "read ahead: broken" in caplog.text


@pytest.mark.asyncio
async def test_a_model_that_does_not_load_is_nothing_new() -> None:
    s = Scene()
    s.worker._load = lambda: (_ for _ in ()).throw(MemoryError("8 GB"))  # type: ignore[assignment]
    await s.worker.start()
    s.warm_up.begin(drafting=True)
    await s.over()
    assert s.told == []
    await s.worker.close()


@pytest.mark.asyncio
async def test_closing_frees_the_sequence() -> None:
    async with scene() as s:
        await s.held_after(2)
        s.warm_up.close()
        s.engine.release()
        async with asyncio.timeout(5):
            await s.worker.next_candidates(ELSEWHERE, [1])
        assert s.engine.evaluated_tokens() == 3


OLD, NEW = [7, *TEXT], [8, *TEXT, 1]


@asynccontextmanager
async def changing() -> AsyncIterator[tuple[Scene, list[str]]]:
    """Prompts begin with 7, and are to begin with 8; `adopted` notes when that is so."""
    async with scene() as s:
        adopted: list[str] = []
        await s.worker.next_candidates(HERE, OLD)
        s.worker.rest(HERE)
        s.warm_up.end((7,), OLD)
        s.foreseen = Foreseen((8,), NEW, lambda: adopted.append("adopted"))
        yield s, adopted


@pytest.mark.asyncio
async def test_another_beginning_is_read_aside_and_adopted_when_it_is_read() -> None:
    async with changing() as (s, adopted):
        evaluated = s.engine.evaluated_tokens()
        s.warm_up.begin(drafting=True)
        await s.over()
        assert (adopted, s.told) == (["adopted"], [NEW])
        assert s.engine.evaluated_tokens() == evaluated + len(NEW)
        await s.worker.next_candidates(HERE, [*NEW, 2])
        assert s.engine.evaluated_tokens() == evaluated + len(NEW) + 1


@pytest.mark.asyncio
async def test_a_key_meanwhile_finds_its_prompt_as_it_was() -> None:
    """And reading is taken up again where it was."""
    async with changing() as (s, adopted):
        evaluated = s.engine.evaluated_tokens()
        s.engine.hold(after_tokens=5)
        s.warm_up.begin(drafting=True)
        await asyncio.to_thread(s.engine.wait_until_held)
        s.warm_up.end((7,), [*OLD, 2])
        key = asyncio.create_task(s.worker.next_candidates(HERE, [*OLD, 2]))
        s.engine.release()
        await key
        assert (adopted, s.told) == ([], [])
        assert s.engine.evaluated_tokens() <= evaluated + 5 + 1 + 1
        s.worker.rest(HERE)
        s.warm_up.catch_up(drafting=True)
        await s.over()
        assert adopted == ["adopted"]
        assert s.engine.evaluated_tokens() <= evaluated + len(NEW) + 2


@pytest.mark.asyncio
async def test_it_is_not_adopted_while_the_document_drafts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key may come between the end of the reading and the event loop's hearing of it."""
    async with changing() as (s, adopted):
        hand_over = s.worker.hand_over
        asked: list[list[str]] = []

        def not_at_first(session: int, to: int) -> bool:
            asked.append(list(adopted))
            return len(asked) > 1 and hand_over(session, to)

        monkeypatch.setattr(s.worker, "hand_over", not_at_first)
        s.warm_up.begin(drafting=True)
        await s.over()
        assert (asked, adopted) == ([[], []], ["adopted"])


@pytest.mark.asyncio
async def test_where_nothing_is_drafted_it_is_adopted_at_once() -> None:
    async with changing() as (s, adopted):
        evaluated = s.engine.evaluated_tokens()
        s.warm_up.begin(drafting=False)
        await s.over()
        assert (adopted, s.told, s.engine.evaluated_tokens()) == (["adopted"], [NEW], evaluated)


@pytest.mark.asyncio
async def test_a_failing_model_leaves_prompts_as_they_are() -> None:
    async with changing() as (s, adopted):
        s.engine.fail_with("broken")
        s.warm_up.begin(drafting=True)
        await s.over()
        assert (adopted, s.told) == ([], [])
