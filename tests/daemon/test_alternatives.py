"""Asking for another candidate: what is listed, typing along one, who verifies it, what ends the search (ux-27)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon import alternatives
from daemon.alternatives import ids_after
from daemon.api.messages import Suggestion
from daemon.completion import Answer
from daemon.screen.distinct import is_new
from daemon.screen.merge import Timing
from daemon.settings.config import Config
from speculation.messages import Draft
from tests.fakes.completion import Bench, bench, only, settings, target_of
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

pytestmark = pytest.mark.usefixtures("patient")

FIRST = "x = foo(1)\n"
SECOND = "x = bar(2)\ny = 3\n"
THIRD = "x = [3]\n"
NO_SETTLING = Timing(settling=0.0, update_interval=0.0)


def model(*texts: str) -> FakeEngine:
    """It says the first of the texts that goes on from a prefix, and has the others as next best."""

    def next_best(prefix: bytes) -> Sequence[bytes]:
        known = [text.encode() for text in texts[1:]]
        return [text[len(prefix) :] for text in known if text.startswith(prefix) and text != prefix]

    return FakeEngine(following(*texts), alternatives=next_best)


async def another(b: Bench) -> Answer:
    return await b.completer.complete(b.end, "first", another=True)


async def held(b: Bench) -> asyncio.Task[Answer]:
    """Another one is asked for, and the search is held in the engine."""
    b.engine.hold()
    asked = asyncio.create_task(another(b))
    await asyncio.to_thread(b.engine.wait_until_held)
    return asked


async def over(b: Bench) -> None:
    """Until no search is under way."""
    async with asyncio.timeout(10):
        while b.completer._alternatives.under_way:
            await asyncio.sleep(0.001)


def texts(answer: Answer) -> list[str]:
    return [one.text for one in answer.suggestions]


async def shown(b: Bench, text: str = "x = ", wait: str = "settled") -> Suggestion:
    b.open(text)
    (first,) = (await b.ask(wait=wait)).suggestions
    return first


@pytest.mark.asyncio
async def test_ux_27_another_lists_what_is_shown_first_and_lines_that_go_another_way() -> None:
    async with bench(engine=model(FIRST, SECOND, THIRD)) as b:
        assert (await shown(b)).text == "foo(1)"
        answer = await another(b)
        assert texts(answer) == ["foo(1)", "bar(2)", "[3]"]
        assert len({one.id for one in answer.suggestions}) == 3
        assert [(one.verified, one.source) for one in answer.suggestions[1:]] == [(0, "draft")] * 2
        evaluated = b.engine.evaluated_tokens()
        assert texts(await another(b)) == ["foo(1)", "bar(2)", "[3]"]
        assert b.engine.evaluated_tokens() == evaluated


@pytest.mark.asyncio
async def test_who_asks_by_hand_for_the_first_time_or_not_by_hand_waits_for_no_others() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        b.open("x = ")
        assert len(texts(await another(b))) == 1
        assert len(texts(await b.ask())) == 1
        assert not b.completer._alternatives.under_way


@pytest.mark.asyncio
async def test_the_prompt_is_not_evaluated_again_for_them() -> None:
    above = "# a long file\n" * 20
    async with bench(engine=model(above + FIRST, above + SECOND)) as b:
        await shown(b, above + "x = ")
        evaluated = b.engine.evaluated_tokens()
        assert texts(await another(b))[:2] == ["foo(1)", "bar(2)"]
        assert b.engine.evaluated_tokens() - evaluated < 64


@pytest.mark.asyncio
async def test_they_part_after_the_indentation() -> None:
    """A model that begins with four blanks has others in mind behind them, not without them."""
    begun = "def f():\n"
    engine = model(begun + "    return 1\n", begun + "    pass\n", begun + "\n\n")
    async with bench(engine=engine) as b:
        assert (await shown(b, begun)).text == "    return 1"
        assert texts(await another(b))[:2] == ["    return 1", "    pass"]


@pytest.mark.asyncio
async def test_they_begin_on_the_line_where_what_is_shown_begins() -> None:
    begun = "import os\n"
    async with bench(engine=model(begun + "\nx = 1\n", begun + "\ny = 2\nz = 3\n", begun + "os")) as b:
        assert (await shown(b, begun)).text == "\nx = 1"
        second = texts(await another(b))[1]
        assert second.startswith("\ny = 2")


@pytest.mark.asyncio
async def test_a_prompt_that_ends_inside_a_word_is_healed_for_them_too() -> None:
    """Else they would begin with a blank, or in the middle of a token."""
    begun, words = "def f():\n    ret", [b" return", b" retry", b" ret"]
    engine = FakeEngine(
        following("def f():\n    return x\n", "def f():\n    retry(y)\n"),
        extra_tokens=words,
        alternatives=lambda prefix: [b" retry(y)\n"] if prefix.endswith(b"():\n   ") else [],
    )
    async with bench(engine=engine) as b:
        assert (await shown(b, begun)).text == "urn x"
        assert texts(await another(b))[:2] == ["urn x", "ry(y)"]


@pytest.mark.asyncio
async def test_one_is_short_a_line_of_half_the_tokens_at_most() -> None:
    chosen = settings(completion=replace(Config().completion, max_tokens=10))
    async with bench(engine=model("x = abcdef", "x = ghijklmnop"), chosen=chosen) as b:
        await shown(b)
        assert texts(await another(b))[:2] == ["abcdef", "ghijk"]


@pytest.mark.asyncio
async def test_ux_25_typing_along_one_goes_on_with_it_and_the_target_verifies_it() -> None:
    """Its tokens are the draft of an ordinary run; the update has the id that was listed."""
    async with bench(engine=model(FIRST, SECOND), target=FIRST) as b:
        with b.target_at_work():
            await shown(b, wait="verified")
            listed = (await another(b)).suggestions[1]
            assert b.link is not None
            b.link._target = target_of(SECOND)
            before = len(b.sent(Draft))
            b.type("ba")
            async with asyncio.timeout(10):
                while not any(update.suggestion.verified >= 4 for update in b.updates):
                    await asyncio.sleep(0.001)
        drafts = [draft for draft in b.sent(Draft)[before:] if isinstance(draft, Draft)]
        assert bytes(drafts[0].ids).startswith(b"r(2)"[: len(drafts[0].ids)])
        last = b.updates[-1].suggestion
        assert (last.id, last.text[:4]) == (listed.id, "r(2)")
        assert {update.kind for update in b.updates} <= {"verified", "extended"}


@pytest.mark.asyncio
async def test_one_that_was_taken_up_goes_on_behind_its_line() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        await another(b)
        assert only(await b.ask(b.type("b"), wait="settled")) == "ar(2)\ny = 3"


@pytest.mark.asyncio
async def test_ux_9_accepting_one_yields_its_text() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        await b.ask(b.type((await another(b)).suggestions[1].text))
        assert b.document.text == "x = bar(2)"
        assert only(await b.ask(wait="settled")) == "\ny = 3"


@pytest.mark.asyncio
async def test_ux_21_what_a_verdict_left_off_the_screen_comes_before_drafts() -> None:
    """What is shown stays the first; typing along the target's text goes on with it."""
    async with bench(engine=model(FIRST, SECOND, THIRD), target=THIRD, timing=NO_SETTLING) as b:
        b.open("x = ")
        assert only(await b.ask()) == "f"
        with b.target_at_work():
            await b.ask(wait="verified")
            answer = await another(b)
        assert b.updates == []
        assert texts(answer)[:2] == ["f", "[3]"]
        assert answer.suggestions[1].verified == len("[3]")
        assert len(set(texts(answer))) == len(answer.suggestions) <= 3
        b.type("[")
        assert b.completer.display.showing is not None
        assert b.completer.display.showing.number == answer.suggestions[1].id


@pytest.mark.asyncio
async def test_nothing_illegal_is_listed() -> None:
    """The next best that is illegal is passed over, and so is every token on from there."""
    engine = model("let a = 1;\n", "let a = =;\n", "let a = (2);\n")
    async with bench(engine=engine, grammar=whole()) as b:
        assert (await shown(b, "let a = ")).text.startswith("1")
        assert texts(await another(b))[:2] == ["1;", "(2);"]


@pytest.mark.asyncio
async def test_where_none_of_the_best_is_legal_the_mask_names_others() -> None:
    nonsense = [bytes([byte]) for byte in range(128, 192)]
    engine = FakeEngine(following("let a = 1;\n"), alternatives=lambda prefix: nonsense)
    async with bench(engine=engine, grammar=whole()) as b:
        await shown(b, "let a")
        for one in texts(await another(b)):
            assert one.strip()[0] not in "()"


@pytest.mark.asyncio
async def test_where_no_other_word_is_legal_there_is_no_other() -> None:
    async with bench(engine=model("let a = 1;\n"), grammar=whole()) as b:
        assert (await shown(b, "le")).text.startswith("t")
        assert len(texts(await another(b))) == 1


@pytest.mark.asyncio
async def test_a_list_is_not_held_back_for_long_and_who_asks_again_gets_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alternatives, "PATIENCE_S", 0.01)
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        b.engine.hold()
        assert texts(await another(b)) == ["foo(1)"]
        b.engine.release()
        await over(b)
        assert texts(await another(b))[:2] == ["foo(1)", "bar(2)"]


@pytest.mark.asyncio
async def test_any_key_ends_the_search_within_a_token() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        asked = await held(b)
        aborts = len(b.engine.aborts)
        b.type("f")
        assert len(b.engine.aborts) == aborts + 1
        assert not b.completer._alternatives.under_way
        b.engine.release()
        assert texts(await asked) == ["foo(1)"]
        assert only(await b.ask(wait="settled")) == "oo(1)"


@pytest.mark.asyncio
async def test_a_verdict_that_needs_drafts_comes_first() -> None:
    """The search gives way to the run it is beside, and goes on after it."""
    async with bench(engine=model(FIRST, SECOND, THIRD), target=THIRD) as b:
        await shown(b)
        asked = await held(b)
        aborts = len(b.engine.aborts)
        assert b.link is not None
        b.link.step()
        async with asyncio.timeout(10):
            while len(b.engine.aborts) == aborts:
                await asyncio.sleep(0.001)
        b.engine.release()
        with b.target_at_work():
            answer = await asked
            assert len(set(texts(answer))) == len(answer.suggestions)
            await over(b)


@pytest.mark.asyncio
async def test_who_only_shows_verified_text_is_offered_no_drafts() -> None:
    chosen = settings(display=replace(settings().display, policy="verified"))
    async with bench(engine=model(FIRST, SECOND), target=FIRST, chosen=chosen) as b:
        with b.target_at_work():
            await shown(b, wait="verified")
            assert texts(await another(b)) == ["foo(1)"]


@pytest.mark.asyncio
async def test_work_ahead_gives_way_to_it_and_is_taken_up_after() -> None:
    async with bench(engine=model(FIRST, SECOND), chosen=settings(ahead=True)) as b:
        await shown(b)
        assert texts(await another(b))[:2] == ["foo(1)", "bar(2)"]
        b.type("foo(1)")
        assert b.statistics.continuations == 1


@pytest.mark.asyncio
async def test_a_model_that_fails_leaves_what_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        b.engine.fail_with("the model is gone")
        assert texts(await another(b)) == ["foo(1)"]
        assert "the model is gone" in caplog.text


@pytest.mark.asyncio
async def test_a_defect_leaves_what_is_shown(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alternatives, "limits", None)
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        assert texts(await another(b)) == ["foo(1)"]
        assert "seeking another candidate failed" in caplog.text


@pytest.mark.asyncio
async def test_new_settings_forget_what_was_found() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        await another(b)
        assert b.completer._alternatives.at(b.end)
        b.completer.configure(settings(deadline_s=9.0))
        assert not b.completer._alternatives.at(b.end)


@pytest.mark.asyncio
async def test_a_newer_request_supersedes_one_that_waits_for_others() -> None:
    async with bench(engine=model(FIRST, SECOND)) as b:
        await shown(b)
        older = await held(b)
        assert texts(await b.ask()) == ["foo(1)"]
        b.engine.release()
        assert (await older).reason == "superseded"


# --- any models


WORD = st.text("abc(", min_size=1, max_size=3)


@given(st.lists(WORD, min_size=1, max_size=4), st.integers(0, 2))
def test_ux_27_whatever_a_model_says_candidates_are_distinct_and_the_first_stays(
    words: list[str], chosen: int
) -> None:
    """And accepting any of them yields exactly the text that was listed (ux-9)."""

    async def ask() -> None:
        async with bench(engine=model(*(f"x = {word}\n" for word in words))) as b:
            b.open("x = ")
            first = await b.ask(wait="settled")
            answer = await another(b)
            assert texts(answer)[:1] == texts(first)
            assert len(answer.suggestions) <= 3
            for index, text in enumerate(texts(answer)):
                assert is_new(text, texts(answer)[:index])
            taken = answer.suggestions[chosen % len(answer.suggestions)].text
            b.type(taken[:1])
            rest = only(await b.ask()) if taken[1:] else ""
            assert taken[1:].startswith(rest) or rest.startswith(taken[1:])

    asyncio.run(ask())


# --- the rest of tokens


PIECES = [b"ab", b"c", "你".encode()[:2], "你".encode()[2:], b"d\n"]


@pytest.mark.parametrize(
    ("typed", "rest"),
    [
        ("", [0, 1, 4]),
        ("ab", [1, 4]),
        ("a", [98, 1, 4]),
        ("abcd", [10]),
        ("abcd\n", []),
        ("x", []),
        ("abx", []),
        ("abcd\nmore", []),
    ],
)
def test_ids_after_what_was_typed(typed: str, rest: list[int]) -> None:
    assert ids_after(typed, [0, 1, 4], PIECES, lambda text: list(text.encode())) == rest


def test_half_a_character_is_not_tokenised() -> None:
    assert ids_after("a", [0], [b"a\xe4"], lambda text: list(text.encode())) == []
    assert ids_after("a", [0, 1], [b"a" + PIECES[2], PIECES[3]], lambda text: list(text.encode())) == []
