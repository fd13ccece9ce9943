"""The completion path with a scripted engine and a scripted target: what is answered, sent and shown, and when."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from msgspec import structs

from daemon.completion import Answer
from daemon.documents import Place
from daemon.screen.merge import Timing
from speculation.messages import Cancel, Context, Draft, Error, Open
from tests.fakes.completion import SOURCE, bench, only, settings
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

WRONG = SOURCE.replace("a + b", "a * b")


# --- drafting alone


@pytest.mark.asyncio
async def test_without_a_verifier_the_draft_alone_completes() -> None:
    async with bench() as b:
        b.open("def add(a, b):\n    ret")
        answer = await b.ask(wait="settled")
        assert only(answer).startswith("urn a + b")
        assert answer.suggestions[0].verified == 0


@pytest.mark.asyncio
async def test_the_edit_starts_the_draft_and_the_request_finds_it() -> None:
    """ux-2."""
    async with bench() as b:
        b.open("def add(a, b):\n    re")
        b.type("t")
        started = b.completer._runs.active
        assert started is not None
        await b.ask()
        assert b.completer._runs.active is started


@pytest.mark.asyncio
async def test_typing_along_is_answered_without_the_model() -> None:
    async with bench() as b:
        b.open("def add(a, b):\n    ret")
        text = only(await b.ask(wait="verified"))
        evaluated = b.engine.evaluated_tokens()
        for count, key in enumerate("urn a", 1):
            answer = await b.ask(b.type(key))
            assert only(answer) == text[count:]
            assert answer.suggestions[0].source == "recall"
        assert b.engine.evaluated_tokens() == evaluated


@pytest.mark.asyncio
async def test_backspace_brings_the_earlier_suggestion_back() -> None:
    """ux-25."""
    async with bench() as b:
        b.open("def add(a, b):\n    ret")
        text = only(await b.ask(wait="verified"))
        b.type("u")
        b.type("x")  # against the suggestion: something else is drafted
        evaluated = b.engine.evaluated_tokens()
        assert only(await b.ask(b.type("", backspaces=1))) == text[1:]
        assert only(await b.ask(b.type("", backspaces=1))) == text
        assert b.engine.evaluated_tokens() >= evaluated


@pytest.mark.asyncio
async def test_a_contradicting_key_stops_the_draft_within_a_token() -> None:
    """ux-4."""
    async with bench() as b:
        b.open("def add(a, b):\n    re")
        b.engine.hold(after_tokens=25)
        b.type("t")
        await asyncio.to_thread(b.engine.wait_until_held)
        b.type("x")
        assert b.engine.aborts
        b.engine.release()
        await b.ask()


@pytest.mark.asyncio
async def test_a_newer_request_supersedes_the_older() -> None:
    async with bench() as b:
        b.open("def add(a, b):\n    ret")
        b.engine.hold()
        older = asyncio.create_task(b.ask())
        await asyncio.sleep(0)
        newer = asyncio.create_task(b.ask())
        await asyncio.sleep(0)
        b.engine.release()
        assert (await older).reason == "superseded"
        assert only(await newer)


@pytest.mark.asyncio
async def test_a_failing_model_is_a_reason_not_a_crash() -> None:
    async with bench() as b:
        b.engine.fail_with("the file is gone")
        b.open("x = ")
        assert await b.ask() == Answer([], "model_failed")
        b.engine.fail_with(None)
        assert only(await b.ask(b.open("def add(a, b):\n    ret")))


@pytest.mark.asyncio
async def test_nothing_to_say_has_a_reason() -> None:
    async with bench(draft="") as b:
        b.open("x = ")
        assert (await b.ask()).reason in ("empty_draft", "filtered_blank")


@pytest.mark.asyncio
async def test_who_waits_for_the_whole_draft_hears_why_it_is_nothing() -> None:
    """Also where the run has not heard yet that it is over: the model was not too slow."""
    async with bench(draft="\n\n\n") as b:
        b.open("x = ")
        answer = await b.ask(wait="settled")
        assert answer.suggestions == []
        assert answer.reason != "timeout"


@pytest.mark.asyncio
async def test_text_in_the_middle_of_a_line_stays_on_it() -> None:
    async with bench() as b:
        b.open("def add(a, b):\n    return )")
        answer = await b.ask(Place(b.document, len(b.document.text) - 1), "settled")
        assert "\n" not in only(answer)


# --- with a verifier


@pytest.mark.asyncio
async def test_verified_text_is_the_targets_own() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        suggestion = answer.suggestions[0]
        assert suggestion.text == SOURCE[len("def add(a, b):\n    ret") :][: len(suggestion.text)]
        assert suggestion.verified == len(suggestion.text)
        assert suggestion.source == "target"
        counts = b.statistics.by_language["python"]
        assert counts.accepted >= counts.drafted - 1 > 0


@pytest.mark.asyncio
async def test_a_wrong_draft_is_corrected_and_drafting_goes_on_from_there() -> None:
    async with bench(draft=WRONG, target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert only(answer).startswith("urn a + b")
        assert answer.suggestions[0].verified == len(answer.suggestions[0].text)
        counts = b.statistics.by_language["python"]
        assert 0 < counts.accepted < counts.drafted


@pytest.mark.asyncio
@pytest.mark.parametrize("draft", [SOURCE, WRONG, "", "zzzz"])
async def test_the_verified_text_does_not_depend_on_the_draft(draft: str) -> None:
    async with bench(draft=draft, target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert only(answer) == "urn a + b\n\n\ndef sub(a, b):"  # and "\n    r": a limit is there


@pytest.mark.asyncio
async def test_without_a_local_draft_the_target_decodes_alone() -> None:
    async with bench(target=SOURCE, chosen=settings(drafting=False)) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert only(answer).startswith("urn a + b")
        assert not b.sent(Draft)
        assert b.sent(Open)[0].draft_wait_ms == 0  # type: ignore[attr-defined]
        assert b.engine.evaluated_tokens() == 0


@pytest.mark.asyncio
async def test_a_key_sends_only_what_changed() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    re")
        b.type("x")
        await asyncio.sleep(0)
        b.type("y")
        await b.ask(wait="settled")
        contexts = b.sent(Context)
        assert [len(context.append) for context in contexts] == [22, 1]  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_context_goes_out_before_the_first_draft_token_is_there() -> None:
    async with bench(target=SOURCE) as b:
        b.engine.hold()
        b.open("def add(a, b):\n    re")
        b.type("t")
        await asyncio.to_thread(b.engine.wait_until_held)
        assert [type(message) for message in b.link.sent] == [Open, Context]
        b.engine.release()


@pytest.mark.asyncio
async def test_losing_the_link_in_a_run_leaves_the_draft_completing() -> None:
    """ux-34."""
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        asked = asyncio.create_task(b.ask(wait="verified"))
        while not b.sent(Draft):
            await asyncio.sleep(0)
        b.link.lose()
        answer = await asked
        assert only(answer).startswith("urn a + b")
        assert answer.suggestions[0].verified == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("over", [True, False])
async def test_what_was_drafted_without_the_link_is_verified_once_it_is_back(over: bool) -> None:
    """Typing along it, be its run over or not, is enough."""
    async with bench(WRONG, SOURCE) as b:
        assert b.link is not None
        b.open("def add(a, b):\n    re")
        b.link.lose()
        if over:
            await b.ask(b.type("t"), wait="verified")
        else:
            b.type("t")
        b.link.up = True
        with b.target_at_work():
            answer = await b.ask(b.type("u"), wait="verified")
        assert only(answer).startswith("rn a + b")
        assert answer.suggestions[0].verified == len(only(answer))


@pytest.mark.asyncio
async def test_a_run_without_the_link_asks_for_it() -> None:
    async with bench(target=SOURCE) as b:
        b.link.up = False
        b.open("def add(a, b):\n    ret")
        assert only(await b.ask(wait="verified")).startswith("urn a + b")
        assert b.link.wanted == 1


@pytest.mark.asyncio
async def test_a_missed_deadline_lets_the_draft_stand_and_is_counted() -> None:
    """ux-7."""
    async with bench(target=SOURCE, chosen=settings(deadline_s=-1.0)) as b:
        b.open("def add(a, b):\n    ret")
        answer = await b.ask(wait="verified")
        assert only(answer).startswith("urn a + b")
        assert b.link.misses == 1


@pytest.mark.asyncio
async def test_a_refused_context_is_sent_again_whole() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    re")
        b.type("t")
        b.completer._target.error(Error("context_mismatch", "no", 1))
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert answer.suggestions[0].verified == len(only(answer))
        assert b.sent(Context)[-1].keep_len == 0  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_an_unsupported_session_falls_back_to_the_draft() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        asked = asyncio.create_task(b.ask(wait="verified"))
        while not b.sent(Draft):
            await asyncio.sleep(0)
        b.completer._target.error(Error("too_many_sessions", "full", 1))
        assert only(await asked).startswith("urn a + b")
        assert b.sent(Cancel)[-1].close  # type: ignore[attr-defined]
        with b.target_at_work():  # the next run opens a session anew
            answer = await b.ask(b.type("n a"), wait="verified")
        assert len(b.sent(Open)) == 2
        assert answer.suggestions[0].verified == len(only(answer))


@pytest.mark.asyncio
async def test_a_verifier_that_refused_a_run_is_not_asked_again_at_every_key_along_it() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    re")
        b.type("t")
        await b.ask()
        b.completer._target.error(Error("unsupported", "no such mode", 1))
        for key in "urn":
            assert only(await b.ask(b.type(key), wait="settled"))
        assert len(b.sent(Open)) == 1


@pytest.mark.asyncio
async def test_a_word_is_not_split() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    return")
        assert await b.ask(Place(b.document, len(b.document.text) - 2)) == Answer([], "mid_word")
        assert not b.link.sent


@pytest.mark.parametrize("knows", ["nothing", "a grammar", "the suffix"])
@pytest.mark.asyncio
async def test_before_a_word_nothing_is_begun_that_could_not_lead_on_to_it(knows: str) -> None:
    """Neither model says a word in vain."""
    engine = FakeEngine(following("let a = 1 + b;"), fim=knows == "the suffix")
    async with bench(engine=engine, grammar=whole() if knows == "a grammar" else None) as b:
        b.open("let a = b;")
        place = Place(b.document, len("let a = "))
        b.completer.edited(b.document, place.offset)
        answer = await b.ask(place, wait="settled")
        assert (answer.reason == "mid_word") is (not b.engine.calls) is (knows == "nothing")


@pytest.mark.asyncio
async def test_the_credit_bounds_what_is_in_flight() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    re")
        b.engine.hold()
        b.type("t")
        await asyncio.to_thread(b.engine.wait_until_held)
        b.completer._target.credit(3)
        b.engine.release()
        await b.ask(wait="settled")
        assert sum(len(draft.ids) for draft in b.sent(Draft)) == 3  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_the_target_is_told_to_stop_when_the_text_is_long_enough() -> None:
    chosen = settings()
    chosen = replace(chosen, completion=replace(chosen.completion, max_lines=1))
    async with bench(target=SOURCE, chosen=chosen) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            assert only(await b.ask(wait="verified")) == "urn a + b"
        assert b.sent(Cancel)


@pytest.mark.asyncio
async def test_with_temperature_draft_and_target_share_the_noise() -> None:
    """The draft's own distribution is the target's here, so every token it draws is accepted."""
    chosen = settings()
    chosen = replace(chosen, completion=replace(chosen.completion, temperature=0.8, seed=7))
    engine = FakeEngine(following(SOURCE), confidence=0.3)
    from speculation.sampling import Sampling, draw

    def target(ids: list[int]) -> int:
        best = engine._candidates(ids)
        return draw(best.logits, Sampling(0.8), 7, len(ids), best.ids.astype("int64"))

    async with bench(engine=engine, target=SOURCE, chosen=chosen) as b:
        b.link._target = target
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            await b.ask(wait="verified")
        counts = b.statistics.by_language["python"]
        assert counts.drafted > 0
        assert counts.drafted - counts.accepted <= 1


# --- the screen


@pytest.mark.asyncio
async def test_a_shown_draft_is_extended_and_then_marked_verified() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        first = only(await b.ask())
        with b.target_at_work():
            await b.completer._runs.active.task
        assert [u.kind for u in b.updates][-1] in ("verified", "extended")
        last = b.updates[-1].suggestion
        assert last.text.startswith(first)
        assert last.verified == len(last.text)
        assert last.complete


@pytest.mark.asyncio
async def test_within_the_settling_window_a_verdict_corrects_once() -> None:
    """ux-7."""
    async with bench(draft=WRONG, target=SOURCE, timing=Timing(30.0, 0.0)) as b:
        b.open("def add(a, b):\n    ret")
        shown = only(await b.ask(wait="settled"))
        assert "a * b" in shown
        with b.target_at_work():
            await b.completer._runs.active.task
        kinds = [update.kind for update in b.updates]
        assert kinds.count("corrected") == 1
        assert "a + b" in b.updates[-1].suggestion.text


@pytest.mark.asyncio
async def test_after_the_settling_window_what_is_shown_stays() -> None:
    """ux-7, ux-21."""
    async with bench(draft=WRONG, target=SOURCE, timing=Timing(0.0, 0.0)) as b:
        b.open("def add(a, b):\n    ret")
        shown = only(await b.ask(wait="settled"))
        with b.target_at_work():
            await b.completer._runs.active.task
        assert all(update.suggestion.text.startswith(shown) for update in b.updates)
        # What the next key shows is what the target says.
        assert "a + b" in only(await b.ask(b.type("u")))


@pytest.mark.asyncio
async def test_the_verified_policy_shows_no_draft_while_the_verifier_answers() -> None:
    chosen = settings()
    chosen = replace(chosen, display=replace(chosen.display, policy="verified"))
    async with bench(draft=WRONG, target=SOURCE, chosen=chosen) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask()
        suggestion = answer.suggestions[0]
        assert suggestion.verified == len(suggestion.text)


@pytest.mark.asyncio
async def test_the_verified_policy_shows_the_draft_when_the_verifier_misses_its_deadline() -> None:
    """ux-7."""
    chosen = settings(deadline_s=0.05)
    chosen = replace(chosen, display=replace(chosen.display, policy="verified"))
    async with bench(target=SOURCE, chosen=chosen) as b:
        b.open("def add(a, b):\n    ret")
        assert only(await b.ask()).startswith("urn a")


@pytest.mark.asyncio
async def test_updates_follow_the_user_typing_along() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        await b.ask(wait="settled")
        b.type("u")
        with b.target_at_work():
            await b.completer._runs.active.task
        last = b.updates[-1]
        assert last.version == b.document.version
        assert last.offset == len(b.document.text)
        assert last.suggestion.text.startswith("rn a + b")


@pytest.mark.asyncio
async def test_typing_against_what_is_shown_ends_its_updates() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        await b.ask(wait="settled")
        b.type("x")
        before = len(b.updates)
        with b.target_at_work():
            await b.completer._runs.active.task
        assert len(b.updates) == before


@pytest.mark.asyncio
async def test_new_settings_close_the_verifiers_session_and_hold_from_then_on() -> None:
    async with bench(target=SOURCE) as b:
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            await b.ask(wait="verified")
        changed = settings()
        b.completer.configure(replace(changed, completion=replace(changed.completion, max_tokens=3)))
        assert b.sent(Cancel)[-1].close  # type: ignore[attr-defined]
        with b.target_at_work():
            assert len(only(await b.ask(wait="verified"))) <= 3


@pytest.mark.asyncio
async def test_quick_keys_do_not_lose_the_prefill_they_share() -> None:
    """Each key supersedes the run before it, but what both prompts begin with is evaluated once."""
    async with bench() as b:
        b.open("def add(a, b):\n    ")
        b.engine.hold(after_tokens=10)
        b.type("x")
        await asyncio.to_thread(b.engine.wait_until_held)
        b.type("y")
        assert b.completer._runs.active.evaluating is None  # the older evaluation still fills the cache
        b.engine.release()
        await b.ask(wait="settled")
        prompts = [ids for _, ids in b.engine.calls]
        assert b.engine.evaluated_tokens() <= len(prompts[-1]) + 2


# --- what must not happen


@pytest.mark.asyncio
async def test_a_defect_ends_the_run_with_a_reason_and_not_with_silence(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench() as b:
        b.open("def add(a, b):\n    ret")

        def broken(*_: object) -> int:
            raise ZeroDivisionError

        with monkeypatch.context() as for_now:
            for_now.setattr(b.completer._drafting, "_choose", broken)
            async with asyncio.timeout(5):
                answer = await b.ask(wait="verified")
        assert answer == Answer([], "internal_error")
        assert "ZeroDivisionError" in caplog.text
        assert only(await b.ask(wait="settled")).startswith("urn a + b")


@pytest.mark.parametrize(("n_context", "length"), [(16, 8), (2, 1), (4096, 32)])
@pytest.mark.asyncio
async def test_a_model_that_holds_little_says_little(n_context: int, length: int) -> None:
    engine = FakeEngine(lambda prefix: b"x", n_context=n_context)
    async with bench(engine=engine) as b:
        b.open(SOURCE[:-4])
        await b.ask(wait="settled")
        run = b.completer._runs.active
        assert len(run.generation.tail) == length
        assert len(run.generation.context) <= n_context - length


@pytest.mark.asyncio
async def test_the_prompt_leaves_the_target_room_to_go_on() -> None:
    async with bench(target=SOURCE) as b:
        b.link._welcome = structs.replace(b.link._welcome, max_context=40)
        b.open(SOURCE * 2 + "def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert len(b.sent(Context)[0].append) <= 20  # type: ignore[attr-defined]
        assert answer.suggestions[0].verified > 0


@pytest.mark.asyncio
async def test_an_answer_overtaken_by_keys_says_so() -> None:
    async with bench() as b:
        b.engine.hold()
        b.open("def add(a, b):\n    ret")
        asked = asyncio.create_task(b.ask())
        await asyncio.to_thread(b.engine.wait_until_held)
        b.type("x")
        assert await asked == Answer([], "stale_version")


@pytest.mark.asyncio
async def test_an_answer_to_an_older_version_leaves_the_screen_where_the_user_is() -> None:
    async with bench(target=SOURCE) as b:
        b.engine.hold(after_tokens=len("def add(a, b):\n    ret") + 2)
        b.open("def add(a, b):\n    ret")
        asked = asyncio.create_task(b.ask(wait="settled"))
        await asyncio.to_thread(b.engine.wait_until_held)
        here = b.type("u")
        b.engine.release()
        assert only(await asked).startswith("urn a + b")
        assert b.completer.display.showing.place == here
        with b.target_at_work():
            await b.completer._runs.active.task
        assert b.updates[-1].version == b.document.version
        assert b.updates[-1].suggestion.text.startswith("rn a + b")


@pytest.mark.parametrize("asked_for", [False, True])
@pytest.mark.asyncio
async def test_leaving_a_document_ends_work_that_nobody_waits_for(asked_for: bool) -> None:
    async with bench(target=SOURCE) as b:
        b.engine.hold()
        b.open("def add(a, b):\n    re")
        b.type("t")
        asked = asyncio.create_task(b.ask()) if asked_for else None
        await asyncio.to_thread(b.engine.wait_until_held)
        b.completer.left()
        assert (b.completer._runs.active is not None) is asked_for
        assert len(b.sent(Cancel)) == (not asked_for)
        b.engine.release()
        if asked is not None:
            assert only(await asked)


@pytest.mark.asyncio
async def test_whatever_ends_a_run_its_sequence_can_be_had_by_another() -> None:
    engine = FakeEngine(following(SOURCE), n_sequences=1)
    async with bench(engine=engine) as b:

        async def another_drafts() -> None:
            async with asyncio.timeout(5):
                await b.completer._worker.next_candidates(99, [1])
            b.completer._worker.rest(99)

        b.open("def add(a, b):\n    ret")
        await b.ask(wait="settled")  # the end of the text
        await b.completer._runs.active.task
        await another_drafts()

        engine.hold()
        b.type("x")
        await asyncio.to_thread(engine.wait_until_held)
        b.type("yz")
        b.completer.left()  # a run that had yet to begin
        engine.release()
        await another_drafts()

        engine.fail_with("broken")
        b.type("q")
        assert (await b.ask()).reason == "model_failed"
        engine.fail_with(None)
        await another_drafts()
