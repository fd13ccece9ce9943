"""A document's grammar between the draft loop and a slow, stuck or broken engine: nobody waits; there is a reason."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.document_grammar import DocumentGrammar
from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.grammar_worker import EngineLost, GrammarWorker
from daemon.legality import LAST_PATIENCE_S, PAUSE_S, Legality
from daemon.run import Run
from grammars.interface import Recogniser
from tests.fakes.engine import byte_vocabulary
from tests.fakes.grammars import lets
from tests.fakes.virtual_time import VirtualTimeLoop, at_once, no_time_passes_until

VOCABULARY = byte_vocabulary()


@dataclass
class Engine:
    """What all copies of a recogniser do in a call: nothing, wait until let go, or raise."""

    blocks: bool = False
    raises: Exception | None = None
    entered: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def called(self) -> None:
        if self.raises is not None:
            raise self.raises
        if self.blocks:
            self.entered.set()
            assert self.let_go.wait(20)


@dataclass
class Watched:
    """A recogniser whose every call goes by way of `engine`."""

    inner: Recogniser
    engine: Engine

    def consume(self, tokens: Sequence[int]) -> int:
        self.engine.called()
        return self.inner.consume(tokens)

    def valid(self, tokens: Sequence[int]) -> int:
        self.engine.called()
        return self.inner.valid(tokens)

    def rollback(self, count: int) -> None:
        self.inner.rollback(count)

    def mask(self) -> NDArray[np.bool_]:
        self.engine.called()
        return self.inner.mask()

    def accepting(self) -> bool:
        return self.inner.accepting()

    def copy(self) -> Watched:
        return Watched(self.inner.copy(), self.engine)


@dataclass
class Bench:
    loop: VirtualTimeLoop
    engine: Engine
    worker: GrammarWorker
    legality: Legality

    def run_at(self, marked: str, generated: bytes = b"") -> Run:
        """A run that has begun at `|`."""
        before, _, after = marked.partition("|")
        place = Place(Document("x", "lets", 1, before + after), len(before))
        generation = Generation(place, (1,), VOCABULARY, Limits(64, 8))
        for token in generated:
            generation.draft(token, 0.0)
        run = Run(generation, 0.0)
        self.legality.begin(run, VOCABULARY)
        return run

    async def read(self, run: Run) -> None:
        """Wait until the text before the cursor is followed."""
        await no_time_passes_until(lambda: run.grammar.state != "reading")

    @contextmanager
    def blocked(self) -> Iterator[None]:
        """Calls that begin now come back only after the `with`."""
        self.engine.blocks = True
        self.engine.entered.clear()
        self.engine.let_go.clear()
        try:
            yield
        finally:
            self.engine.blocks = False
            self.engine.let_go.set()


Scenario = Callable[[Bench], Coroutine[Any, Any, None]]


def play(scenario: Scenario) -> None:
    """Run a scenario in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualTimeLoop)
        engine = Engine()
        worker = GrammarWorker()
        legality = Legality(worker, loop.time)
        loaded = lets()
        legality.use(DocumentGrammar(replace(loaded, template=Watched(loaded.template, engine))))

        async def all_of_it() -> None:
            try:
                await scenario(Bench(loop, engine, worker, legality))
            finally:
                engine.let_go.set()
                legality.close()
                await worker.close()

        runner.run(all_of_it())


def test_a_search_a_mask_and_an_examination() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"
        allowed = await at_once(b.legality.allowed(run))
        assert allowed is not None
        assert (allowed[ord("1")], allowed[ord("=")]) == (True, False)
        assert await at_once(b.legality.first_legal(run, [*b"=;"])) is None
        await at_once(b.legality.examine(run, run.place, "1, = 2"))
        assert run.grammar.fitting("1, = 2", 0) == "1,"
        use = run.grammar.use
        assert (use.searches, use.checks, use.full_masks, use.trimmed_characters) == (2, 5, 1, 4)
        assert use.engine_s > 0

    play(scenario)


def test_without_a_grammar_everything_goes_and_is_shown() -> None:
    async def scenario(b: Bench) -> None:
        for grammars, mode in (
            (DocumentGrammar(None, expected=False, reason="no grammar for this file"), ""),
            (DocumentGrammar(None, reason="compiling sql.bnf"), "unmasked: compiling sql.bnf"),
        ):
            assert b.legality.use(grammars) is (mode == "")
            run = b.run_at("let = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert await b.legality.allowed(run) is None
            await b.legality.examine(run, run.place, "= = =")
            assert run.grammar.fitting("= = =", 0) == "= = ="
            assert run.grammar.mode == mode

    play(scenario)


def test_a_text_that_is_still_being_read_is_completed_without() -> None:
    """The first token waits 10 ms, the others do not; after 50 ms nothing is held back for it any more."""

    async def scenario(b: Bench) -> None:
        text = "let a = 1;\n" * 1000 + "let b = |"
        with b.blocked():
            run = b.run_at(text)
            began = b.loop.time()
            for _ in range(3):
                assert await b.legality.first_legal(run, [*b"=;1"]) == 0
                await b.legality.examine(run, run.place, "1")
            assert b.loop.time() - began == pytest.approx(0.01, abs=0.002)
            assert run.grammar.fitting("1", 0) == ""
            await asyncio.sleep(0.05)
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert run.grammar.mode == "unmasked: the text before the cursor is still being read"
            assert run.grammar.fitting("1", 0) == "1"
        run = b.run_at(text)
        await b.read(run)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


def test_a_text_that_is_read_a_little_late_is_masked_from_then_on() -> None:
    async def scenario(b: Bench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
        await b.read(run)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"

    play(scenario)


def test_the_last_text_of_a_run_waits_for_the_reading_as_long_as_that_may_take() -> None:
    async def scenario(b: Bench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            began = b.loop.time()
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            await b.legality.examine(run, run.place, "1", last=True)
            assert b.loop.time() - began == pytest.approx(0.05, abs=0.002)
            assert run.grammar.state == "off"

    play(scenario)


def test_a_run_that_another_has_overtaken_is_no_longer_read_for() -> None:
    async def scenario(b: Bench) -> None:
        older = b.run_at("let a = |")
        newer = b.run_at("let ab = |")
        assert await at_once(b.legality.first_legal(newer, [*b"=;1"])) == 2
        assert await at_once(b.legality.first_legal(older, [*b"=;1"])) == 0
        assert older.grammar.state == "off"

    play(scenario)


def test_a_late_answer_costs_one_token_its_mask_and_is_not_waited_for_again() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            began = b.loop.time()
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert b.loop.time() - began == pytest.approx(0.01)
            assert b.engine.entered.wait(20)
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert await b.legality.allowed(run) is None
            await b.legality.examine(run, run.place, "1")
            assert b.loop.time() - began == pytest.approx(0.01)
        assert run.grammar.fitting("1", 0) == ""  # not examined: held back
        assert run.grammar.use.late_answers == 4
        await no_time_passes_until(lambda: b.legality._late == 0)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"

    play(scenario)


def test_the_last_text_is_waited_for_a_little_longer_and_then_shown_as_it_is() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            began = b.loop.time()
            await b.legality.examine(run, run.place, "1 = ", last=True)
            assert b.loop.time() - began == pytest.approx(LAST_PATIENCE_S)
        assert run.grammar.mode == "unmasked: the grammar engine took too long"
        assert run.grammar.fitting("1 = ", 0) == "1 = "

    play(scenario)


def test_the_last_text_is_asked_about_though_earlier_answers_are_late() -> None:
    """It would break the file; the engine says so in time."""

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |;")
        await b.read(run)
        with b.blocked():
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert b.engine.entered.wait(20)
        await at_once(b.legality.examine(run, run.place, "1, (2", last=True))
        assert (run.grammar.state, run.grammar.fitting("1, (2", 1)) == ("in force", "1")

    play(scenario)


def test_an_answer_about_the_last_text_that_was_dear_counts() -> None:
    """Only later runs do without."""

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |;")
        await b.read(run)
        with b.blocked():
            last = asyncio.ensure_future(b.legality.examine(run, run.place, "1, (2", last=True))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            b.legality.took(0.05, asked=True)
        await at_once(last)
        assert run.grammar.fitting("1, (2", 1) == "1"
        assert b.run_at("let a = |;").grammar.state == "off"

    play(scenario)


def test_what_was_found_not_to_fit_stays_hidden_when_the_engine_is_given_up() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |;")
        await b.read(run)
        await at_once(b.legality.examine(run, run.place, "1, (2"))
        b.legality.took(0.05, asked=True)
        assert run.grammar.state == "off"
        assert run.grammar.fitting("1, (2", 1) == "1"

    play(scenario)


def test_an_answer_that_arrives_with_the_news_of_its_price_does_not_bring_the_grammar_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        took = b.legality.took
        monkeypatch.setattr(b.legality, "took", lambda seconds, asked: took(0.05, asked=asked))
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "unmasked: the grammar engine took 50 ms for one answer"

    play(scenario)


def test_another_documents_stuck_call_costs_the_others_a_moment() -> None:
    """The worker's thread is replaced in the middle of a run; what was asked meanwhile is done without."""

    class Other:
        def took(self, seconds: float, *, asked: bool) -> None: ...

        def lost(self) -> None: ...

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |;")
        await b.read(run)
        begun, go_on = threading.Event(), threading.Event()

        def stuck_call() -> None:
            begun.set()
            go_on.wait(20)

        stuck = asyncio.ensure_future(b.worker.ask(Other(), stuck_call, 60))
        await asyncio.sleep(0)
        assert begun.wait(20)
        assert await b.legality.first_legal(run, [*b"=;1"]) == 0
        await b.legality.examine(run, run.place, "1, (2")
        assert run.grammar.fitting("1, (2", 1) == ""
        await asyncio.sleep(2.1)
        with pytest.raises(EngineLost):
            await stuck
        await no_time_passes_until(lambda: b.legality._late == 0)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        await at_once(b.legality.examine(run, run.place, "1, (2", last=True))
        assert run.grammar.fitting("1, (2", 1) == "1"
        go_on.set()

    play(scenario)


def test_a_grammar_replaced_in_the_middle_of_a_call() -> None:
    """The old run does without; the call's answer is that of the old grammar, and harms nobody."""

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            search = asyncio.ensure_future(b.legality.first_legal(run, [*b"=;1"]))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            assert b.legality.use(DocumentGrammar(lets()))
            newer = b.run_at("let ab = |")
        assert await at_once(search) == 2
        await b.read(newer)
        assert await at_once(b.legality.first_legal(newer, [*b"=;1"])) == 2

    play(scenario)


@pytest.mark.parametrize("what", ["replaced", "closed"])
def test_a_grammar_that_goes_while_the_text_is_read(what: str) -> None:
    async def scenario(b: Bench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await asyncio.sleep(0)
            if what == "replaced":
                b.legality.use(DocumentGrammar(lets()))
            else:
                b.legality.close()
            await b.legality.examine(run, run.place, "1", last=True)
            assert run.grammar.state == "off"
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0

    play(scenario)


def test_edits_while_the_text_is_read() -> None:
    """Each begins another run; the newest is followed, as if there had been no others."""

    async def scenario(b: Bench) -> None:
        text = "let a = 1;\n" * 1500
        runs = [b.run_at(text[: 3000 * n] + "del x;\n" + text[3000 * n :] + "let b = |") for n in (1, 3, 0)]
        runs.append(b.run_at("let b = 1;\n" + text + "let = = |"))
        runs.append(b.run_at(text + "let b = |"))
        await b.read(runs[-1])
        assert await at_once(b.legality.first_legal(runs[-1], [*b"=;1"])) == 2
        for run in runs[:-1]:
            assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 0
            assert run.grammar.state == "off"

    play(scenario)


def test_a_verdict_in_the_middle_of_a_call_is_not_taken_for_what_the_call_was_about() -> None:
    """An illegal draft token was rejected meanwhile: the target wrote nothing illegal."""

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |", b"=")
        await b.read(run)
        with b.blocked():
            search = asyncio.ensure_future(b.legality.first_legal(run, [*b"1"]))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            run.generation.commit(b"1")
        await at_once(search)
        assert run.grammar.use.illegal_target_runs == 0

    play(scenario)


def test_a_stuck_engine_is_replaced_and_the_document_rests_each_time_for_longer() -> None:
    async def scenario(b: Bench) -> None:
        for times, pause_s in ((1, PAUSE_S), (2, 2 * PAUSE_S)):
            run = b.run_at("let a = |")
            await b.read(run)
            assert run.grammar.state == "in force"
            with b.blocked():
                assert await b.legality.first_legal(run, [*b"=;1"]) == 0
                assert b.engine.entered.wait(20)
                await asyncio.sleep(2.1)
                assert b.worker.given_up == times
                assert run.grammar.mode == "unmasked: the grammar engine was stuck"
                assert run.grammar.use.stuck_calls == 1
                run = b.run_at("let b = |")
                assert run.grammar.mode == "unmasked: the grammar engine was stuck"
            await asyncio.sleep(pause_s - 1)
            assert b.run_at("let a = |").grammar.state == "off"
            await asyncio.sleep(2)
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


def test_a_text_that_gets_the_engine_stuck_is_given_up_too() -> None:
    """Whoever waits for the reading goes on after 10 ms; the reading itself ends with the thread."""

    async def scenario(b: Bench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await asyncio.sleep(2.1)
            assert run.grammar.mode == "unmasked: the grammar engine was stuck"

    play(scenario)


def test_an_answer_that_costs_too_much_is_not_asked_for_again_for_a_while() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        b.legality.took(0.5, asked=False)  # reading may take its time
        assert run.grammar.state == "in force"
        b.legality.took(0.012, asked=True)
        assert run.grammar.mode == "unmasked: the grammar engine took 12 ms for one answer"
        assert b.run_at("let a = |").grammar.state == "off"
        await asyncio.sleep(PAUSE_S + 0.1)
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


@pytest.mark.parametrize("when", ["reading", "searching"])
def test_an_engine_that_fails_is_an_error_in_the_log_and_a_reason(
    when: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(b: Bench) -> None:
        if when == "reading":
            b.engine.raises = ZeroDivisionError("no such thing")
        run = b.run_at("let a = |")
        await b.read(run)
        b.engine.raises = ZeroDivisionError("no such thing")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 0
        assert run.grammar.mode == "unmasked: the grammar engine failed: no such thing"
        assert "ZeroDivisionError" in caplog.text
        b.engine.raises = None
        await asyncio.sleep(PAUSE_S + 0.1)
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


def test_another_grammar_ends_a_pause_and_the_same_is_no_news() -> None:
    async def scenario(b: Bench) -> None:
        grammars = b.legality._grammars
        run = b.run_at("let a = |")
        await b.read(run)
        b.legality.took(1.0, asked=True)
        assert not b.legality.use(replace(grammars, notes=("a note",)))
        assert b.run_at("let a = |").grammar.state == "off"
        assert b.legality.use(DocumentGrammar(lets()))
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


def test_a_document_closed_in_the_middle_of_a_call() -> None:
    """The call ends by itself; nothing more is asked for its sake."""

    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            search = asyncio.ensure_future(b.legality.first_legal(run, [*b"=;1"]))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            b.legality.close()
            assert await search == 0
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 0
        assert run.grammar.mode == "unmasked: its grammar is no longer in use"

    play(scenario)


def test_a_worker_that_ends_in_the_middle_of_a_call() -> None:
    async def scenario(b: Bench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            search = asyncio.ensure_future(b.legality.first_legal(run, [*b"=;1"]))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await b.worker.close()
            assert await search == 0

    play(scenario)
