"""Completing under a grammar: what is drafted, verified and shown, and what goes wrong without anybody noticing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from daemon import completion
from daemon.api.messages import Edit
from daemon.completion import Answer
from daemon.documents import Place
from daemon.grammars import legality
from daemon.grammars.document_grammar import DocumentGrammar, Problem
from daemon.grammars.worker import GrammarWorker
from daemon.run import Run
from daemon.screen.merge import Timing
from speculation.messages import Draft
from speculation.sampling import Sampling, draw
from tests.fakes.completion import bench, only, settings
from tests.fakes.engine import FakeEngine
from tests.fakes.grammars import lets, whole

LEGAL = "let abc = 1, (2);\ndel abc;\n"


def scripted(text: str, *alternatives: str) -> FakeEngine:
    """A model that says `text`, whatever it is, and has as next best what the `alternatives` have at that place."""

    def goes_on(known: str) -> Callable[[bytes], bytes]:
        def continuation(prefix: bytes) -> bytes:
            return known.encode()[len(prefix) :]

        return continuation

    others = [goes_on(known) for known in alternatives]

    def next_best(prefix: bytes) -> Sequence[bytes]:
        return [rest for other in others if (rest := other(prefix))]

    return FakeEngine(goes_on(text), alternatives=next_best)


ILLEGAL = "let abc = =, (2);\ndel abc;\n"


@pytest.mark.asyncio
async def test_an_illegal_best_token_is_passed_over_for_the_best_legal_one() -> None:
    """ux-16."""
    async with bench(engine=scripted(ILLEGAL, LEGAL), grammar=whole()) as b:
        b.open("let a")
        answer = await b.ask(wait="verified")
        assert only(answer) == LEGAL[5:].rstrip()
        assert answer.grammar == "masked"
        use = b.statistics.grammar
        assert (use.checks - use.searches, use.full_masks) == (1, 0)


@pytest.mark.asyncio
async def test_when_none_of_the_best_is_legal_the_whole_vocabulary_is_looked_at() -> None:
    nonsense = [bytes([byte]) for byte in range(128, 192)]
    engine = FakeEngine(lambda prefix: b"=", alternatives=lambda prefix: nonsense)
    async with bench(engine=engine, grammar=whole()) as b:
        b.open("let a = 1")
        answer = await b.ask(wait="verified")
        assert answer == Answer([], "filtered_blank", "masked")  # the first that is legal is a line end
        use = b.statistics.grammar
        assert use.full_masks == use.searches - use.repeated_tokens > 0
        assert use.checks == 64 * use.full_masks + use.repeated_tokens


@pytest.mark.asyncio
async def test_who_waits_for_the_whole_text_waits_until_a_long_file_was_read() -> None:
    above = "let a = 1;\n" * 4000
    engine = FakeEngine(lambda prefix: b"=", alternatives=lambda prefix: [b";", b"1"])
    async with bench(engine=engine, grammar=whole()) as b:
        b.open(above + "let b =")
        answer = await b.ask(wait="settled")
        assert (only(answer), answer.grammar) == ("1;", "masked")


@pytest.mark.asyncio
async def test_who_asks_while_a_long_file_is_read_is_answered_and_who_waited_for_that_is_superseded() -> None:
    async with bench(engine=scripted(LEGAL), grammar=whole()) as b:
        b.open("let a = 1;\n" * 4000)
        older = asyncio.create_task(b.ask(wait="settled"))
        await asyncio.sleep(0)
        await b.ask()
        assert (await older).reason == "superseded"


@pytest.mark.asyncio
async def test_a_text_with_an_error_on_the_cursors_line_is_completed_without_a_mask() -> None:
    async with bench(engine=scripted("let = = 1;"), grammar=whole()) as b:
        b.open("let = ")
        answer = await b.ask(wait="verified")
        assert answer.grammar.startswith("unmasked: line 1")
        assert only(answer) == "= 1;"


@pytest.mark.asyncio
async def test_what_would_break_the_text_after_the_cursor_is_cut_off() -> None:
    """ux-16."""
    async with bench(engine=scripted("let a = (1), 5"), grammar=whole()) as b:
        b.open("let a = (\n);\ndel c;\n")
        place = Place(b.document, len("let a = ("))
        answer = await b.ask(place, wait="verified")
        assert only(answer) == "1"
        assert b.statistics.grammar.trimmed_characters > 0


@pytest.mark.asyncio
async def test_what_leads_to_nowhere_yet_is_shown_to_the_end_of_its_line() -> None:
    async with bench(engine=scripted("let a = ((\n((\n(("), grammar=whole()) as b:
        b.open("let a = \nlet b = 2;\n")
        answer = await b.ask(Place(b.document, len("let a = ")), wait="verified")
        assert only(answer) == "(("


@pytest.mark.asyncio
async def test_nothing_fitting_has_a_reason() -> None:
    """ux-16."""
    async with bench(engine=scripted("\nlet q = (((((((((((((((((((((((("), grammar=whole()) as b:
        b.open("\n\ndel c;\n")
        answer = await b.ask(Place(b.document, 1), wait="verified")
        assert answer == Answer([], "filtered_grammar", "masked")


@pytest.mark.asyncio
async def test_what_is_shown_only_grows_and_is_never_more_than_what_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "let a = 1, (2), 3; del x"
    shown: list[str] = []
    async with bench(engine=scripted(text), grammar=whole()) as b:
        publish = b.completer.publish

        def watched(run: Run) -> None:
            publish(run)
            shown.append(b.completer._news(run, run.place)[0].text)

        monkeypatch.setattr(b.completer, "publish", watched)
        b.open("let a = ;\ndel c;\n")
        await b.ask(Place(b.document, len("let a = ")), wait="verified")
    for before, after in pairwise(shown):
        assert after.startswith(before)
    assert list(dict.fromkeys(shown)) == ["1", "1, (2), 3"]


LETS_WORDS = ("let ", "del ", "a", "bc", "= ", "(", ")", ", ", ";", "\n", "7", " # x", "=", "}", "ab1")
PROGRAMS = ("let abc = 1, (2);\ndel abc;\n", "let a = ((b)), 7;\nlet c = (a);\n", "# ab\ndel a;\n")


@given(
    st.sampled_from(PROGRAMS),
    st.data(),
    st.lists(st.sampled_from(LETS_WORDS), min_size=1, max_size=8).map("".join),
)
@hypothesis_settings(max_examples=60)
def test_ux_16_what_is_shown_goes_on_from_the_prefix(program: str, data: st.DataObject, said: str) -> None:
    """Whatever the model says and stands after the cursor: a copy of the engine follows it to its end, or there is
    nothing to follow."""
    at = data.draw(st.integers(0, len(program)))
    other = data.draw(st.sampled_from(PROGRAMS))
    after = data.draw(st.sampled_from(["", "\n" + other, program[at:], ";\n", ")"]))

    async def answer() -> Answer:
        model = FakeEngine(lambda prefix: said.encode()[len(prefix) - len(program[:at].encode()) :])
        async with bench(engine=model, grammar=whole()) as b:
            b.open(program[:at] + after)
            return await b.ask(Place(b.document, at), wait="verified")

    given_ = asyncio.run(answer())
    for one in given_.suggestions:
        assert given_.grammar == "masked"
        text = list((program[:at] + one.text).encode())
        assert lets().template.copy().consume(text) == len(text)
    assert bool(given_.suggestions) == (given_.reason is None)


# --- with a verifier


@pytest.mark.asyncio
@pytest.mark.parametrize("draft", [ILLEGAL, LEGAL, "let q", "zzzz"])
async def test_the_verified_text_is_the_same_with_and_without_the_grammar(draft: str) -> None:
    """The target keeps its own distribution; the grammar cuts only what is shown of it."""
    verified = []
    for grammar in (None, whole()):
        engine = scripted(draft, LEGAL)
        async with bench(engine=engine, target=LEGAL, grammar=grammar) as b:
            b.open("let a")
            with b.target_at_work():
                answer = await b.ask(wait="verified")
            assert answer.suggestions[0].verified == len(only(answer))
            verified.append(only(answer))
    assert verified[0] == verified[1] == LEGAL[5:].rstrip()


@pytest.mark.asyncio
async def test_an_illegal_token_of_the_target_leaves_the_request_working_and_the_next_key_masked() -> None:
    target = "let abc = 1 = 2;\nlet d = 3;\n"
    async with bench(engine=scripted(LEGAL), target=target, grammar=whole()) as b:
        b.open("let a")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert only(answer) == "bc = 1"  # what comes after it is no text of the language
        assert answer.grammar.startswith("unmasked")
        run = b.completer._runs.active
        assert run.generation.text().text == target[5:]
        assert b.statistics.grammar.illegal_target_runs == 1
        b.type("x")
        with b.target_at_work():
            assert (await b.ask(wait="verified")).grammar == "masked"


@pytest.mark.asyncio
@pytest.mark.parametrize("target", ["let a = = 1;\nlet d = 3;\n", "let a = ="])
async def test_a_target_whose_words_are_none_of_the_language_leaves_the_answer_to_the_draft(
    target: str,
) -> None:
    async with bench(engine=scripted("let a = 1, b;\n"), target=target, grammar=whole()) as b:
        b.open("let a = \nlet b = 2;\n")
        place = Place(b.document, len("let a = "))
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
        assert only(answer) == "1, b;"
        assert answer.suggestions[0].verified == 0
        assert b.completer._runs.active.generation.committed == []
        again = b.type("x")  # the next key is the target's again
        with b.target_at_work():
            await b.ask(again, wait="verified")
        assert b.completer._runs.active.generation.committed


@pytest.mark.asyncio
async def test_what_was_drafted_before_a_target_went_astray_stays_on_the_screen_and_is_not_drafted_again() -> (
    None
):
    target = "let a = = 1;\nlet d = 3;\n"
    async with bench(engine=scripted("let a = 1, b;\n"), target=target, grammar=whole()) as b:
        b.open("let a = ")
        assert only(await b.ask(wait="settled")) == "1, b;"
        run = b.completer._runs.active
        assert b.link is not None
        asked = len(b.engine.calls)
        with b.target_at_work():
            await b.ask(wait="verified")
        assert run.alone
        assert (run.generation.committed, run.generation.text().text) == ([], "1, b;\n")
        assert len(b.engine.calls) - asked <= 1  # one that was under way along the target's words
        assert {update.suggestion.text for update in b.updates} <= {"1, b;"}


@pytest.mark.asyncio
async def test_a_draft_that_does_not_fit_is_begun_anew_once_the_target_is_astray(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was drafted while the grammar engine was late."""

    async def late(self: legality.Legality, run: Run, candidates: list[int]) -> int:
        return 0

    engine = scripted(ILLEGAL, LEGAL)
    async with bench(engine=engine, target="let abc = *\n", grammar=whole()) as b:
        b.open("let abc = ")
        with monkeypatch.context() as at_first:
            at_first.setattr(legality.Legality, "first_legal", late)
            assert (await b.ask(wait="settled")).suggestions == []
        assert b.completer._runs.active.generation.text().text.startswith("=, (2);")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert only(answer) == LEGAL[10:].rstrip()


@pytest.mark.asyncio
async def test_a_verdict_in_the_middle_of_a_search_is_one_more_path() -> None:
    """Corrections come while tokens are searched for, again and again; the text is the target's."""
    async with bench(engine=scripted(ILLEGAL, "let q = 9;"), target=LEGAL, grammar=whole()) as b:
        b.open("let a")

        async def hurry() -> None:
            while b.link.step(alone=True) or True:
                await asyncio.sleep(0)

        rushing = asyncio.create_task(hurry())
        answer = await b.ask(wait="verified")
        rushing.cancel()
        assert only(answer) == LEGAL[5:].rstrip()
        assert b.statistics.grammar.illegal_target_runs == 0


@pytest.mark.asyncio
async def test_with_temperature_draft_and_target_share_the_noise_under_the_mask() -> None:
    """Of the legal tokens the draft takes the one that the target's noise prefers."""
    chosen = settings()
    chosen = replace(chosen, completion=replace(chosen.completion, temperature=0.9, seed=3, max_tokens=12))
    engine = FakeEngine(lambda prefix: LEGAL.encode()[len(prefix) :], confidence=0.2)
    async with bench(engine=engine, grammar=whole(), chosen=chosen) as b:
        b.open("let a")
        await b.ask(wait="verified")
        run = b.completer._runs.active
        ids = list(run.generation.context)
        for token in run.generation.tail:
            best = engine._candidates(ids)
            allowed = b.completer._legality._follower.allowed(run.place, ids[5:])
            legal = [i for i, candidate in enumerate(best.ids) if allowed[candidate]]
            if legal:
                logits, names = best.logits[legal], best.ids[legal].astype("int64")
                assert token == draw(logits, Sampling(0.9), 3, len(ids), names)
            ids.append(token)


# --- the screen


@pytest.mark.asyncio
async def test_typing_along_needs_no_new_check_and_beyond_what_fits_another_run_begins() -> None:
    async with bench(engine=scripted("let a = 12, 3; del b, c"), grammar=whole()) as b:
        b.open("let a = ")
        text = only(await b.ask(wait="verified"))
        searches = b.statistics.grammar.searches
        for count, key in enumerate("12,", 1):
            assert only(await b.ask(b.type(key))) == text[count:]
        assert b.statistics.grammar.searches == searches


@pytest.mark.asyncio
async def test_a_bracket_closed_by_the_editor_is_text_after_the_cursor() -> None:
    async with bench(engine=scripted("let a = (12), 3;"), grammar=whole()) as b:
        b.open("let a = ")
        assert only(await b.ask(wait="verified")) == "(12), 3;"
        b.document = b.document.edited([Edit(8, 8, "()")], 3)
        b.completer.edited(b.document, 9)
        answer = await b.ask(Place(b.document, 9), wait="verified")
        assert only(answer) == "12"


@pytest.mark.asyncio
async def test_a_verdict_after_the_end_is_examined_before_it_is_shown() -> None:
    chosen = settings(deadline_s=0.0)
    async with bench(
        engine=scripted("let a = 12"), target="let a = 12, = 3;", grammar=whole(), chosen=chosen,
        timing=Timing(0.25, 0.0),
    ) as b:  # fmt: skip
        b.open("let a = ")
        assert only(await b.ask(wait="verified")) == "12"
        run = b.completer._runs.active
        b.link._left = 6  # what was on its way when it was told to stop
        while b.link.step(alone=True):
            pass
        assert run.generation.committed
        await run.task
        assert only(await b.ask(wait="verified")) == "12,"


# --- grammars come and go


LOOKING = DocumentGrammar(None, reason="looking for grammars", expected=False, required=True)
COMPILING = replace(LOOKING, reason="compiling lets.bnf", expected=True)
WAITING = replace(COMPILING, reason="lets.bnf waits for the draft model to be loaded")
REFUSED = replace(
    COMPILING, reason="refused: lets.bnf: line 1: it is bad", problems=(Problem("lets.bnf", "it is bad"),)
)


@pytest.mark.asyncio
@pytest.mark.parametrize("grammar", [LOOKING, COMPILING, WAITING, REFUSED])
@pytest.mark.parametrize("wait", ["first", "verified"])
async def test_until_the_grammar_is_there_nothing_is_shown_of_either_model(
    grammar: DocumentGrammar, wait: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ux-16: of the first keys, too; the reason names the file and what is wrong with it."""
    monkeypatch.setattr(completion, "GRAMMAR_S", 0.01)
    async with bench(engine=scripted(ILLEGAL), target=ILLEGAL, grammar=grammar) as b:
        b.open("let ")
        with b.target_at_work():
            answers = [await b.ask(b.type(key), wait=wait) for key in "abc"]
        assert answers == [Answer([], "grammar_unused", f"held back: {grammar.reason}")] * 3
        assert (b.updates, b.sent(Draft), b.statistics.drafted_tokens) == ([], [], 0)


@pytest.mark.asyncio
async def test_an_answer_waits_a_moment_for_a_grammar_that_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(completion, "GRAMMAR_S", 20.0)
    async with bench(engine=scripted(ILLEGAL, LEGAL), grammar=LOOKING) as b:
        b.open("let ")
        asked = asyncio.create_task(b.ask(b.type("a"), wait="verified"))
        await asyncio.sleep(0)
        assert not b.completer.use_grammar(COMPILING)
        await asyncio.sleep(0)
        assert b.completer.use_grammar(whole())
        answer = await asked
        assert (only(answer), answer.grammar) == (LEGAL[5:].rstrip(), "masked")
        b.completer.use_grammar(REFUSED)  # not for what its user has to mend
        assert (await b.ask(b.type("b"))).reason == "grammar_unused"


@pytest.mark.asyncio
async def test_who_waits_for_a_grammar_is_superseded_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "GRAMMAR_S", 20.0)
    async with bench(engine=scripted(ILLEGAL, LEGAL), grammar=LOOKING) as b:
        b.open("let ")
        older, newer = [asyncio.create_task(b.ask(b.type(key))) for key in "ab"]
        await asyncio.sleep(0)
        b.completer.use_grammar(DocumentGrammar(None, expected=False))
        assert ((await older).reason, (await newer).reason) == ("superseded", None)


@pytest.mark.asyncio
async def test_of_a_text_that_is_not_followed_in_time_nothing_is_shown_and_the_next_key_is_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The target's words are held back with the draft's."""
    above = "let a = 1;\n" * 4000
    monkeypatch.setattr(legality, "READ_S", 0.001)
    worker = GrammarWorker(patience_s=0.001)
    said = FakeEngine(lambda prefix: b"= 1;"[prefix.endswith(b"=") :], alternatives=lambda prefix: [b"1"])
    async with bench(engine=said, target=above + "let b = = 1;", grammar=whole(), grammar_worker=worker) as b:
        b.open(above + "let b ")
        with b.target_at_work():
            answer = await b.ask(b.type("="))
            late = "held back: the text before the cursor is still being read"
            assert answer == Answer([], "grammar_unused", late)
            worker.patience_s = worker.dear_s = 10.0
            monkeypatch.setattr(legality, "READ_S", 60.0)
            assert (await b.ask(wait="verified")).grammar.startswith(("masked", "unmasked: a token"))
        assert b.updates == []


@pytest.mark.asyncio
async def test_a_grammar_that_goes_takes_what_runs_with_it() -> None:
    async with bench(engine=scripted(ILLEGAL, LEGAL), grammar=whole()) as b:
        b.engine.hold(after_tokens=8)
        b.open("let a")
        asked = asyncio.create_task(b.ask())
        await asyncio.to_thread(b.engine.wait_until_held)
        b.completer.use_grammar(REFUSED)
        b.engine.release()
        assert LEGAL[5:].startswith(only(await asked))  # what the grammar has found right before
        answer = await b.ask(wait="verified")
        assert answer == Answer([], "grammar_unused", f"held back: {REFUSED.reason}")


@pytest.mark.asyncio
async def test_another_grammar_holds_from_the_next_run_on() -> None:
    async with bench(engine=scripted(ILLEGAL, LEGAL), grammar=whole()) as b:
        b.engine.hold(after_tokens=8)
        b.open("let a")
        asked = asyncio.create_task(b.ask())
        await asyncio.to_thread(b.engine.wait_until_held)
        b.completer.use_grammar(DocumentGrammar(None, reason="not trusted"))
        b.engine.release()
        await asked
        answer = await b.ask(wait="verified")
        assert answer.grammar == "unmasked: not trusted"
        assert only(answer) == ILLEGAL[5:].rstrip()
        b.completer.use_grammar(whole())
        assert only(await b.ask(wait="verified")) == LEGAL[5:].rstrip()


@pytest.mark.asyncio
async def test_news_of_the_same_grammar_disturb_nothing() -> None:
    async with bench(engine=scripted(LEGAL), grammar=whole()) as b:
        b.open("let a")
        only(await b.ask(wait="verified"))
        run = b.completer._runs.active
        b.completer.use_grammar(replace(whole(), notes=("its newest version has errors",)))
        await b.ask(wait="verified")
        assert b.completer._runs.active is run


@pytest.mark.asyncio
async def test_a_document_closed_in_the_middle_of_a_call_is_closed() -> None:
    async with bench(engine=scripted(LEGAL), grammar=whole()) as b:
        b.open("let a")
        b.type("b")
        await b.completer.close()
        assert b.completer._runs.active is None or b.completer._runs.active.finished
