"""A document's grammar between the draft loop and a slow, stuck or broken engine: nobody waits; there is a reason."""

from __future__ import annotations

import asyncio
import threading

import pytest

from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.legality import PAUSE_S, READ_S
from daemon.grammars.worker import PATIENCE_S, EngineLost
from tests.fakes.grammars import lets
from tests.fakes.legality import LegalityBench, play
from tests.fakes.virtual_time import at_once, no_time_passes_until


def test_a_text_that_is_read_a_little_late_is_masked_from_then_on() -> None:
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
        await b.read(run)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"

    play(scenario)


def test_a_text_that_is_read_too_late_does_not_bring_the_grammar_back() -> None:
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            await asyncio.sleep(READ_S)
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
        reading = b.legality._reading
        assert reading is not None
        await no_time_passes_until(reading.done)
        assert run.grammar.mode == "held back: the text before the cursor is still being read"

    play(scenario)


def test_an_engine_that_fails_when_the_text_is_read_too_late_shows_nothing_of_the_run() -> None:
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await b.legality.examine(run, run.place, "1", last=True)
            b.engine.raises = ZeroDivisionError("no such thing")
        reading = b.legality._reading
        assert reading is not None
        await no_time_passes_until(reading.done)
        assert run.grammar.state == "held back"
        assert b.run_at("let a = |").grammar.mode == "unmasked: the grammar engine failed: no such thing"

    play(scenario)


def test_a_worker_that_ends_while_the_text_is_read() -> None:
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await b.worker.close()
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 0
        assert run.grammar.state == "held back"

    play(scenario)


def test_a_run_that_another_has_overtaken_is_no_longer_read_for() -> None:
    async def scenario(b: LegalityBench) -> None:
        older = b.run_at("let a = |")
        newer = b.run_at("let ab = |")
        assert await at_once(b.legality.first_legal(newer, [*b"=;1"])) == 2
        assert await at_once(b.legality.first_legal(older, [*b"=;1"])) == 0
        assert older.grammar.state == "held back"

    play(scenario)


def test_a_late_answer_costs_one_token_its_mask_and_is_not_waited_for_again() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            began = b.loop.time()
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert b.loop.time() - began == pytest.approx(PATIENCE_S)
            assert b.engine.entered.wait(20)
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert await b.legality.allowed(run) is None
            await b.legality.examine(run, run.place, "1")
            assert b.loop.time() - began == pytest.approx(PATIENCE_S)
        assert run.grammar.fitting("1", 0) == ""  # not examined: held back
        assert run.grammar.use.late_answers == 4
        await no_time_passes_until(lambda: b.legality._late == 0)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"

    play(scenario)


def test_the_last_text_is_asked_about_though_earlier_answers_are_late() -> None:
    """It would break the file; the engine says so in time."""

    async def scenario(b: LegalityBench) -> None:
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

    async def scenario(b: LegalityBench) -> None:
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
    async def scenario(b: LegalityBench) -> None:
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
    async def scenario(b: LegalityBench) -> None:
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

    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |;")
        await b.read(run)
        begun, go_on = threading.Event(), threading.Event()

        def stuck_call() -> None:
            begun.set()
            go_on.wait(20)

        stuck = asyncio.ensure_future(b.worker.prepare(Other(), stuck_call))
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

    async def scenario(b: LegalityBench) -> None:
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
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await asyncio.sleep(0)
            if what == "replaced":
                b.legality.use(DocumentGrammar(lets()))
            else:
                b.legality.close()
            await b.legality.examine(run, run.place, "1", last=True)
            assert run.grammar.state == "held back"
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0

    play(scenario)


def test_edits_while_the_text_is_read() -> None:
    """Each begins another run; the newest is followed, as if there had been no others."""

    async def scenario(b: LegalityBench) -> None:
        text = "let a = 1;\n" * 1500
        runs = [b.run_at(text[: 3000 * n] + "del x;\n" + text[3000 * n :] + "let b = |") for n in (1, 3, 0)]
        runs.append(b.run_at("let b = 1;\n" + text + "let = = |"))
        runs.append(b.run_at(text + "let b = |"))
        await b.read(runs[-1])
        assert await at_once(b.legality.first_legal(runs[-1], [*b"=;1"])) == 2
        for run in runs[:-1]:
            assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 0
            assert run.grammar.state == "held back"

    play(scenario)


def test_a_verdict_in_the_middle_of_a_call_is_not_taken_for_what_the_call_was_about() -> None:
    """An illegal draft token was rejected meanwhile: the target wrote nothing illegal."""

    async def scenario(b: LegalityBench) -> None:
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
    async def scenario(b: LegalityBench) -> None:
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
    """Whoever waits for the reading goes on after a while; the reading itself ends with the thread."""

    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await asyncio.sleep(2.1)
            assert run.grammar.mode == "unmasked: the grammar engine was stuck"

    play(scenario)


@pytest.mark.parametrize("when", ["reading", "searching"])
def test_an_engine_that_fails_is_an_error_in_the_log_and_a_reason(
    when: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(b: LegalityBench) -> None:
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


def test_a_document_closed_in_the_middle_of_a_call() -> None:
    """The call ends by itself; nothing more is asked for its sake."""

    async def scenario(b: LegalityBench) -> None:
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
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            search = asyncio.ensure_future(b.legality.first_legal(run, [*b"=;1"]))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await b.worker.close()
            assert await search == 0

    play(scenario)
