"""What is done before there is a key: the first prompt is read, and the draft goes on behind what is shown."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from daemon.completion import Answer
from daemon.screen.merge import Timing
from speculation.messages import Cancel, Context, Draft, Open
from tests.fakes.completion import SOURCE, Bench, bench, only, settings
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

BEGUN = "def add(a, b):\n    ret"
FIRST = "urn a + b\n\n\ndef sub(a, b):"
SECOND = "\n    return a - b"
WRONG = SOURCE.replace("a + b", "a * b")
AHEAD = settings(ahead=True)
ONE_LINE = replace(AHEAD, completion=replace(AHEAD.completion, max_tokens=len("urn a + b")))


async def idle(b: Bench) -> None:
    """Until nothing is drafted any more."""
    async with asyncio.timeout(10):
        while (run := b.completer._runs.active) is not None and not run.finished:
            await asyncio.sleep(0.001)


async def shown_and_gone_ahead(b: Bench) -> str:
    """The first suggestion, once it has been drafted on behind it."""
    b.open(BEGUN)
    text = only(await b.ask(wait="settled"))
    await idle(b)
    return text


async def shown_and_held_ahead(b: Bench, *, after_tokens: int = 0) -> str:
    """The first suggestion, while the engine is held behind it, so many tokens further on."""
    b.open(BEGUN)
    text = only(await b.ask(wait="settled"))
    b.engine.hold(after_tokens=after_tokens)
    await asyncio.to_thread(b.engine.wait_until_held)
    return text


# --- behind what is shown


@pytest.mark.asyncio
async def test_what_follows_an_accepted_suggestion_is_there_before_the_edit() -> None:
    """ux-28"""
    async with bench(chosen=AHEAD) as b:
        assert await shown_and_gone_ahead(b) == FIRST
        evaluated = b.engine.evaluated_tokens()
        assert only(await b.ask(b.type(FIRST))) == SECOND
        assert b.engine.evaluated_tokens() == evaluated
        assert b.statistics.continuations == 1
        assert (b.statistics.ends, b.statistics.foreseen) == (1, 1)


@pytest.mark.asyncio
async def test_it_is_being_drafted_while_the_edit_comes() -> None:
    """The edit finds the run under way, and nothing of it is lost."""
    async with bench(chosen=AHEAD) as b:
        assert await shown_and_held_ahead(b, after_tokens=4) == FIRST
        place = b.type(FIRST)
        b.engine.release()
        assert only(await b.ask(place, wait="settled")) == SECOND
        assert b.engine.aborts == []


@pytest.mark.parametrize("parts", [["urn", " a + b"], ["urn a + b\n\n\n"], list(FIRST[:-1])])
@pytest.mark.asyncio
async def test_accepting_or_typing_it_in_parts_keeps_the_rest_and_what_follows(parts: list[str]) -> None:
    """ux-26, ux-28: words, lines, characters."""
    async with bench(chosen=AHEAD) as b:
        rest = await shown_and_gone_ahead(b)
        evaluated = b.engine.evaluated_tokens()
        for part in parts:
            rest = rest.removeprefix(part)
            assert only(await b.ask(b.type(part))) == rest
        assert only(await b.ask(b.type(rest))) == SECOND
        assert b.engine.evaluated_tokens() == evaluated


@pytest.mark.asyncio
async def test_backspacing_keeps_it() -> None:
    async with bench(chosen=AHEAD) as b:
        await shown_and_gone_ahead(b)
        evaluated = b.engine.evaluated_tokens()
        await b.ask(b.type("urn"))
        assert only(await b.ask(b.type("", backspaces=3))) == FIRST
        assert only(await b.ask(b.type(FIRST))) == SECOND
        assert b.engine.evaluated_tokens() == evaluated


@pytest.mark.asyncio
async def test_a_key_against_the_suggestion_ends_it_within_a_token() -> None:
    """ux-4"""
    async with bench(chosen=AHEAD) as b:
        await shown_and_held_ahead(b)
        ahead = b.completer._runs.active
        b.type("x")
        assert b.engine.aborts
        assert b.completer._runs.active is not ahead
        assert ahead.finished
        b.engine.release()
        await b.ask()


@pytest.mark.asyncio
async def test_where_the_text_ends_nothing_stale_is_shown() -> None:
    """ux-28"""
    async with bench(chosen=AHEAD, draft=BEGUN + "urn a + b") as b:
        assert await shown_and_gone_ahead(b) == "urn a + b"
        assert await b.ask(b.type("urn a + b"), wait="settled") == Answer([], "empty_draft")
        assert (b.statistics.ends, b.statistics.foreseen) == (1, 1)


@pytest.mark.asyncio
async def test_ends_that_come_before_what_follows_is_known_are_counted_too() -> None:
    """ux-28: typed or accepted in parts, and held up; but not where another key was typed, or nobody goes ahead."""
    async with bench(chosen=ONE_LINE) as b:
        rest = await shown_and_held_ahead(b)
        b.type(rest[:4])
        assert b.statistics.ends == 0
        b.type(rest[4:])
        assert (b.statistics.ends, b.statistics.foreseen) == (1, 0)
    async with bench(chosen=AHEAD) as b:
        await shown_and_gone_ahead(b)
        b.type("x")
        assert b.statistics.ends == 0
    async with bench() as b:
        b.open(BEGUN)
        b.type(only(await b.ask(wait="settled")))
        assert b.statistics.ends == 0


@pytest.mark.asyncio
async def test_what_is_known_of_a_run_that_goes_on_counts_as_foreseen() -> None:
    """ux-28: a user may be at the end of what is shown before all of it is, since texts grow in steps."""
    async with bench(chosen=AHEAD, timing=Timing(0.0, 30.0)) as b:
        b.open(BEGUN)
        b.engine.hold(after_tokens=len(BEGUN) + 2)
        asked = asyncio.create_task(b.ask())
        await asyncio.to_thread(b.engine.wait_until_held)
        shown = only(await asked)
        b.engine.hold(after_tokens=4)
        await asyncio.to_thread(b.engine.wait_until_held)
        b.type(shown)
        assert (b.statistics.ends, b.statistics.foreseen) == (1, 1)
        b.engine.release()


@pytest.mark.parametrize("chosen", [settings(), settings(ahead=True, drafting=False)])
@pytest.mark.asyncio
async def test_nobody_goes_ahead_who_does_not_draft_unasked(chosen: object) -> None:
    async with bench(chosen=chosen, target=SOURCE) as b:  # type: ignore[arg-type]
        b.open(BEGUN)
        with b.target_at_work():
            await b.ask(wait="verified")
        await idle(b)
        assert not any(run.ahead for run in b.completer._runs._runs)


@pytest.mark.asyncio
async def test_it_goes_no_further_than_one_suggestion() -> None:
    """What nobody has been shown has nothing behind it."""
    text = BEGUN + "urn " + "".join(f"a{n} + " for n in range(100))
    async with bench(chosen=AHEAD, draft=text) as b:
        await shown_and_gone_ahead(b)
        assert len(b.completer._runs._runs) == 2


@pytest.mark.parametrize("n_sequences", [1, 2])
@pytest.mark.asyncio
async def test_another_document_comes_first(n_sequences: int) -> None:
    """Where there is one sequence, the document the user is in keeps it until this one's user goes on."""
    engine = FakeEngine(following(SOURCE), n_sequences=n_sequences)
    async with bench(chosen=AHEAD, engine=engine) as b:
        await shown_and_held_ahead(b)
        other = asyncio.create_task(b.completer._worker.next_candidates(99, [1, 2]))
        await asyncio.sleep(0)
        engine.release()
        async with asyncio.timeout(5):
            await other
        b.completer._worker.rest(99)
        if n_sequences == 2:
            await idle(b)
        assert only(await b.ask(b.type(FIRST), wait="settled")) == SECOND


@pytest.mark.asyncio
async def test_leaving_the_document_ends_it() -> None:
    async with bench(chosen=AHEAD) as b:
        await shown_and_held_ahead(b)
        b.completer.left()
        assert b.completer._runs.active is None
        b.engine.release()


LEGAL = "let abc = 1, (2);\ndel abc;\n" * 4
ILLEGAL = LEGAL.replace("del abc", "del 1bc")


@pytest.mark.asyncio
async def test_the_grammar_holds_behind_what_is_shown_and_still_where_it_is_shown() -> None:
    """The engine stands ahead meanwhile; it goes back and forth without either being shown unexamined."""

    def says(text: str) -> Callable[[bytes], bytes]:
        return lambda prefix: text.encode()[len(prefix) :]

    others = says(LEGAL)
    engine = FakeEngine(says(ILLEGAL), alternatives=lambda prefix: [others(prefix)] if others(prefix) else [])
    async with bench(chosen=AHEAD, engine=engine, grammar=whole()) as b:
        b.open("let a")
        shown = await b.ask(wait="verified")
        rest, text = only(shown), "let a" + only(shown)
        await idle(b)
        for part in (rest[:3], rest[3:9]):
            rest = rest.removeprefix(part)
            along = await b.ask(b.type(part))
            assert (only(along), along.grammar) == (rest, "masked")
        answer = await b.ask(b.type(rest), wait="verified")
        assert LEGAL.startswith(text + only(answer))
        assert len(only(answer)) > 10
        assert (answer.grammar, b.statistics.continuations) == ("masked", 1)
        assert b.statistics.grammar.late_answers == 0


# --- and the verifier


@pytest.mark.asyncio
async def test_the_verifier_hears_of_it_once_the_user_is_there() -> None:
    """All that was drafted is verified in a round, and what is then shown verified is the target's own."""
    async with bench(chosen=AHEAD, target=SOURCE) as b:
        b.open(BEGUN)
        with b.target_at_work():
            assert only(await b.ask(wait="verified")) == FIRST
        await idle(b)
        contexts, drafts = len(b.sent(Context)), len(b.sent(Draft))
        assert b.completer._runs.active.ahead
        place = b.type(FIRST)
        await asyncio.sleep(0)
        assert len(b.sent(Context)) == contexts + 1
        assert len(b.sent(Context)[-1].append) <= 2  # type: ignore[attr-defined]
        assert sum(len(draft.ids) for draft in b.sent(Draft)[drafts:]) >= 8  # type: ignore[attr-defined]
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
        assert only(answer) == SECOND
        assert answer.suggestions[0].verified == len(SECOND)


@pytest.mark.asyncio
async def test_a_draft_ahead_that_the_target_contradicts_is_corrected() -> None:
    async with bench(
        chosen=AHEAD, draft=SOURCE.replace("a - b", "a / b"), target=SOURCE, timing=Timing(30.0, 0.0)
    ) as b:
        b.open(BEGUN)
        with b.target_at_work():
            assert only(await b.ask(wait="verified")) == FIRST
        await idle(b)
        place = b.type(FIRST)
        assert only(await b.ask(place)) == SECOND.replace("-", "/")
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
        assert only(answer) == SECOND


@pytest.mark.asyncio
async def test_a_correction_of_what_is_shown_takes_it_elsewhere() -> None:
    """What is drafted on is what is on the screen in the end."""
    async with bench(chosen=AHEAD, draft=WRONG, target=SOURCE, timing=Timing(30.0, 0.0)) as b:
        b.open(BEGUN)
        assert "a * b" in only(await b.ask(wait="settled"))
        with b.target_at_work():
            await b.completer._runs.active.task
        await idle(b)
        shown = b.completer.display.showing.offer.text
        assert "a + b" in shown
        evaluated = b.engine.evaluated_tokens()
        assert only(await b.ask(b.type(shown)))
        assert b.engine.evaluated_tokens() == evaluated


@pytest.mark.parametrize("target", [None, SOURCE])
@pytest.mark.asyncio
async def test_a_prompt_ahead_is_healed_only_where_no_verifier_will_read_it(target: str | None) -> None:
    engine = FakeEngine(following(SOURCE), extra_tokens=[b" begin"])
    async with bench(chosen=ONE_LINE, engine=engine, target=target) as b:
        b.open(BEGUN)
        with b.target_at_work() if target else contextlib.nullcontext():
            assert only(await b.ask(wait="verified")) == "urn a + b"
        await idle(b)
        ahead = b.completer._runs.active
        assert ahead.ahead
        before_its_last_word = list(ahead.generation.context[: -len(" b")])
        asked = [ids for _, ids in engine.calls].count(before_its_last_word)
        assert asked == (2 if target is None else 1)  # the first of them is on the way of what is shown


@pytest.mark.asyncio
async def test_a_lost_link_leaves_the_draft() -> None:
    async with bench(chosen=AHEAD, target=SOURCE) as b:
        b.open(BEGUN)
        with b.target_at_work():
            await b.ask(wait="verified")
        await idle(b)
        b.link.lose()
        answer = await b.ask(b.type(FIRST))
        assert (only(answer), answer.suggestions[0].verified) == (SECOND, 0)


# --- before the first key


async def read(b: Bench) -> None:
    """Until nothing is read ahead any more."""
    async with asyncio.timeout(10):
        await b.completer._warm_up._task


@pytest.mark.asyncio
async def test_the_first_key_evaluates_what_is_new() -> None:
    async with bench(chosen=AHEAD) as b:
        b.open(BEGUN)
        await read(b)
        assert b.engine.evaluated_tokens() == len(BEGUN)
        b.engine.hold(after_tokens=1)
        b.type("u")
        await asyncio.to_thread(b.engine.wait_until_held)
        assert b.engine.evaluated_tokens() == len(BEGUN) + 1
        b.engine.release()


@pytest.mark.asyncio
async def test_the_verifier_reads_too_and_is_stopped_at_its_first_word() -> None:
    async with bench(chosen=AHEAD, target=SOURCE) as b:
        b.open(BEGUN)
        await read(b)
        assert [type(message) for message in b.link.sent] == [Open, Context]
        assert b.sent(Context)[0].append == list(BEGUN.encode())  # type: ignore[attr-defined]
        assert b.link.step()
        assert isinstance(b.link.sent[-1], Cancel)
        assert not b.link.step()
        assert b.statistics.target_alone_tokens == 0
        with b.target_at_work():
            answer = await b.ask(b.type("u"), wait="verified")
        assert answer.suggestions[0].verified == len(only(answer))
        assert len(b.sent(Context)[1].append) == 1  # type: ignore[attr-defined]
        assert len(b.sent(Open)) == 1


@pytest.mark.asyncio
async def test_a_document_that_is_not_completed_unasked_is_not_read() -> None:
    """ux-39: an excluded file, say: nothing of it reaches a model, here or elsewhere."""
    async with bench(target=SOURCE) as b:
        b.open(BEGUN)
        await read(b)
        assert (b.engine.evaluated_tokens(), b.link.sent) == (0, [])


@pytest.mark.asyncio
async def test_new_settings_have_it_read_again_where_the_user_was() -> None:
    async with bench(chosen=AHEAD) as b:
        b.open(BEGUN + "\n\nx = 1\n")
        await b.ask(b.type("y"), wait="settled")
        await idle(b)
        b.engine.prompt_start = (256,)
        b.completer.configure(replace(AHEAD, deadline_s=0.5))
        await read(b)
        assert b.engine.calls[-1][1] == [256, *b.document.text.encode()]
