"""A document's grammar as its runs ask it: searches, masks, examinations, and who waits how long for what."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from daemon.documents import Document, Place
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.legality import PAUSE_S, READ_S, WHOLE_TEXT_S
from daemon.grammars.worker import PATIENCE_S
from grammars.islands import Island
from tests.fakes.grammars import lets
from tests.fakes.legality import VOCABULARY, LegalityBench, play
from tests.fakes.virtual_time import at_once


def test_a_search_a_mask_and_an_examination() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"
        allowed = await at_once(b.legality.allowed(run))
        assert allowed is not None
        assert (allowed[ord("1")], allowed[ord("=")]) == (True, False)
        assert await at_once(b.legality.first_legal(run, [*b"=;"])) is None
        await at_once(b.legality.examine(run, run.place, "1, = 2"))
        assert run.grammar.fitting("1, = 2", 0) == "1,"
        await at_once(b.legality.examine(run, run.place, "1, = 2, 3"))
        assert not run.grammar.knows("1, = 2, 3", 0)
        await at_once(b.legality.examine(run, run.place, "1, = 2, 3", last=True))
        assert run.grammar.knows("1, = 2, 3", 0)
        use = run.grammar.use
        assert (use.searches, use.checks, use.full_masks, use.trimmed_characters) == (2, 5, 1, 7)
        assert use.engine_s > 0

    play(scenario)


def test_what_may_stand_at_the_place_and_where_nothing_is_known_the_first() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        assert await at_once(b.legality.first_text(run, [b"= 1", b"1 =", b"12;"])) == 2
        assert await at_once(b.legality.first_text(run, [b"="])) is None
        with b.blocked():
            assert await b.legality.first_text(run, [b"=", b"1"]) == 0
        b.legality.close()
        assert await b.legality.first_text(run, [b"=", b"1"]) == 0

    play(scenario)


def test_a_run_that_the_target_leads_off_the_grammar_is_counted_once() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        run.generation.commit(b"1 = =")
        for _ in range(2):
            assert await at_once(b.legality.first_legal(run, [*b"="])) == 0
        assert run.grammar.use.illegal_target_runs == 1
        assert run.grammar.mode.startswith("unmasked")

    play(scenario)


def test_without_a_grammar_everything_goes_and_is_shown() -> None:
    async def scenario(b: LegalityBench) -> None:
        for grammars, mode in (
            (DocumentGrammar(None, expected=False, reason="no grammar for this file"), ""),
            (DocumentGrammar(None, reason="not trusted: trust /work"), "unmasked: not trusted: trust /work"),
        ):
            assert b.legality.use(grammars) is (mode == "")
            run = b.run_at("let = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert await b.legality.allowed(run) is None
            await b.legality.examine(run, run.place, "= = =")
            assert run.grammar.fitting("= = =", 0) == "= = ="
            assert run.grammar.mode == mode

    play(scenario)


def test_where_the_grammar_is_not_there_nothing_is_shown() -> None:
    async def scenario(b: LegalityBench) -> None:
        for reason in ("looking for grammars", "compiling sql.bnf", "refused: sql.bnf: line 4: ..."):
            is_first = reason == "looking for grammars"  # else nothing was shown that could end
            assert b.legality.use(DocumentGrammar(None, reason=reason, required=True)) is is_first
            run = b.run_at("let = |")
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            await b.legality.examine(run, run.place, "= = =", last=True)
            assert run.grammar.fitting("= = =", 0) == ""
            assert run.grammar.mode == f"held back: {reason}"

    play(scenario)


def test_in_an_island_without_its_grammar_nothing_is_shown_and_around_it_all_is() -> None:
    island = Island("<<", ">>", "y")

    async def scenario(b: LegalityBench) -> None:
        compiling = DocumentGrammar(None, ((island, "refused: y.bnf"),), "compiling x.bnf", required=True)
        for marked, reason in (("a << b|", "refused: y.bnf"), ("a |", "compiling x.bnf")):
            assert b.legality.use(compiling) is (reason == "refused: y.bnf")
            run = b.run_at(marked)
            await b.read(run)
            assert run.grammar.mode == f"held back: {reason}"
        assert b.legality.use(replace(compiling, reason="no grammar", expected=False, required=False))
        for marked, shown, mode in (("a << b|", "", "held back: refused: y.bnf"), ("a |", "= =", "")):
            run = b.run_at(marked)
            await b.read(run)
            await b.legality.examine(run, run.place, "= =")
            assert (run.grammar.fitting("= =", 0), run.grammar.mode) == (shown, mode)

    play(scenario)


def test_of_a_text_that_is_still_being_read_nothing_is_shown() -> None:
    """The first token waits 10 ms, the others do not; after READ_S the run is given up."""

    async def scenario(b: LegalityBench) -> None:
        text = "let a = 1;\n" * 1000 + "let b = |"
        with b.blocked():
            run = b.run_at(text)
            began = b.loop.time()
            for _ in range(3):
                assert await b.legality.first_legal(run, [*b"=;1"]) == 0
                await b.legality.examine(run, run.place, "1")
            assert b.loop.time() - began == pytest.approx(PATIENCE_S, abs=0.002)
            assert run.grammar.fitting("1", 0) == ""
            await asyncio.sleep(READ_S)
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            assert run.grammar.mode == "held back: the text before the cursor is still being read"
            assert run.grammar.fitting("1", 0) == ""
        run = b.run_at(text)
        await b.read(run)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2

    play(scenario)


LONG = "let a = 1;\n" * 1000 + "let b = |"


def place_in(marked: str) -> Place:
    before, _, after = marked.partition("|")
    return Place(Document("x", "lets", 1, before + after), len(before))


def test_who_has_time_has_the_text_read_before_a_run_begins() -> None:
    async def scenario(b: LegalityBench) -> None:
        await at_once(b.legality.read(place_in(LONG), VOCABULARY))
        run = b.run_at(LONG)
        assert await at_once(b.legality.first_legal(run, [*b"=;1"])) == 2
        assert run.grammar.mode == "masked"

    play(scenario)


def test_a_reading_that_is_under_way_is_waited_for_first() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at(LONG)
        await at_once(b.legality.read(run.place, VOCABULARY))
        assert (run.grammar.state, run.grammar.use.engine_s > 0) == ("in force", True)

    play(scenario)


def test_a_text_is_not_read_where_there_is_no_grammar_or_that_rests() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        b.legality.took(1.0, asked=True)
        with b.blocked():
            await at_once(b.legality.read(place_in(LONG), VOCABULARY))
            b.legality.use(DocumentGrammar(None, expected=False))
            await at_once(b.legality.read(place_in(LONG), VOCABULARY))
        assert not b.engine.entered.is_set()

    play(scenario)


def test_a_reading_that_takes_too_long_leaves_the_run_to_say_so() -> None:
    async def scenario(b: LegalityBench) -> None:
        reading = asyncio.ensure_future(b.legality.read(place_in(LONG), VOCABULARY))
        await asyncio.sleep(0)
        b.loop.jump(WHOLE_TEXT_S)
        await at_once(_done(reading))
        with b.blocked():
            run = b.run_at(LONG)
            await b.legality.examine(run, run.place, "1", last=True)
            assert run.grammar.mode == "held back: the text before the cursor is still being read"

    play(scenario)


def test_a_reading_ends_with_the_grammar_that_it_was_for() -> None:
    async def scenario(b: LegalityBench) -> None:
        reading = asyncio.ensure_future(b.legality.read(place_in(LONG), VOCABULARY))
        await asyncio.sleep(0)
        b.legality.use(DocumentGrammar(lets()))
        await at_once(_done(reading))
        assert b.legality._follower is None

    play(scenario)


def test_a_text_that_gets_the_engine_stuck_or_breaks_it_is_read_no_further() -> None:
    """There is no run yet that the time could be put down to; the next says why it does without."""

    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            reading = asyncio.ensure_future(b.legality.read(place_in(LONG), VOCABULARY))
            await asyncio.sleep(0)
            assert b.engine.entered.wait(20)
            await asyncio.sleep(2.1)
            await reading
        assert b.run_at("let a = |").grammar.mode == "unmasked: the grammar engine was stuck"
        await asyncio.sleep(PAUSE_S + 0.1)
        b.engine.raises = ZeroDivisionError("no such thing")
        await at_once(b.legality.read(place_in(LONG), VOCABULARY))
        run = b.run_at("let a = |")
        assert run.grammar.mode == "unmasked: the grammar engine failed: no such thing"

    play(scenario)


async def _done(task: asyncio.Future[None]) -> None:
    await task


def test_the_last_text_of_a_run_waits_for_the_reading_as_long_as_that_may_take() -> None:
    async def scenario(b: LegalityBench) -> None:
        with b.blocked():
            run = b.run_at("let a = 1; let b = |")
            began = b.loop.time()
            assert await b.legality.first_legal(run, [*b"=;1"]) == 0
            await b.legality.examine(run, run.place, "1", last=True)
            assert b.loop.time() - began == pytest.approx(READ_S, abs=0.002)
            assert run.grammar.state == "held back"

    play(scenario)


def test_the_last_text_is_shown_as_it_is_if_there_is_no_answer() -> None:
    async def scenario(b: LegalityBench) -> None:
        run = b.run_at("let a = |")
        await b.read(run)
        with b.blocked():
            began = b.loop.time()
            await b.legality.examine(run, run.place, "1 = ", last=True)
            assert b.loop.time() - began == pytest.approx(PATIENCE_S)
        assert run.grammar.mode == "unmasked: the grammar engine took too long"
        assert run.grammar.fitting("1 = ", 0) == "1 = "

    play(scenario)


def test_an_answer_that_costs_too_much_is_not_asked_for_again_for_a_while() -> None:
    async def scenario(b: LegalityBench) -> None:
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


def test_another_grammar_ends_a_pause_and_the_same_is_no_news() -> None:
    async def scenario(b: LegalityBench) -> None:
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
