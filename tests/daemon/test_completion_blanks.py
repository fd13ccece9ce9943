"""A blank before the cursor (ux-12): both models begin before it, and what they say has to begin with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from daemon.api.messages import Edit
from speculation.messages import Context
from tests.fakes.completion import Bench, bench, only
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

WORDS = (b" total", b" =", b"\n   ", b" return", b" 1", b" 2")
SOURCE = "def f(a):\n    total = 1\n    return total\n"
ABOVE = "def f(a):\n    "
EOS = 257


def engine(says: str = SOURCE, **further: object) -> FakeEngine:
    return FakeEngine(following(says), extra_tokens=WORDS, **further)  # type: ignore[arg-type]


def target(b: Bench, says: Callable[[bytes], bytes]) -> None:
    """What the target of a bench says after a text, a byte at a time."""
    token_bytes = b.engine.vocabulary.token_bytes

    def next_token(ids: list[int]) -> int:
        follows = says(b"".join(token_bytes[token] for token in ids if not 256 <= token < 263))
        return follows[0] if follows else EOS

    assert b.link is not None
    b.link._target = next_token


def text_of_context(b: Bench) -> bytes:
    """All that the verifier was given to read, of one run."""
    contexts = [one for one in b.sent(Context) if isinstance(one, Context)]
    return b"".join(b.engine.vocabulary.token_bytes[token] for one in contexts for token in one.append)


@pytest.mark.asyncio
async def test_the_draft_begins_with_the_blank_as_a_part_of_its_first_word() -> None:
    async with bench(engine=engine()) as b:
        answer = await b.ask(b.open(ABOVE), wait="settled")
        assert only(answer) == "total = 1\n    return total"
        assert answer.suggestions[0].source == "draft"  # it is no recall
        run = b.completer._runs.active
        assert b.engine.vocabulary.token_bytes[run.generation.generated[0]] == b" total"
        assert not any(b.engine.vocabulary.token_bytes[ids[-1]] == b" " for _, ids in b.engine.calls)


@pytest.mark.asyncio
async def test_the_draft_begins_so_though_its_model_would_rather_not() -> None:
    """The other tokens are none of the continuation, however likely."""
    said = engine("def f(a):\n   x", alternatives=lambda prefix: [b" return"])
    async with bench(engine=said) as b:
        assert only(await b.ask(b.open(ABOVE), wait="settled")).startswith("return")


@pytest.mark.asyncio
async def test_under_a_grammar_too() -> None:
    said = FakeEngine(
        lambda prefix: b"" if prefix.endswith(b";") else b" =" if prefix.endswith(b"=") else b";",
        alternatives=lambda prefix: [b" 1"],
        extra_tokens=WORDS,
    )
    async with bench(engine=said, grammar=whole(WORDS)) as b:
        answer = await b.ask(b.open("let a = "), wait="settled")
        assert (only(answer), answer.grammar) == ("1;", "masked")


@pytest.mark.asyncio
async def test_the_target_reads_what_stands_before_the_blank_and_its_text_is_verified_without_it() -> None:
    async with bench(engine=engine(), target=SOURCE) as b:
        target(b, following(SOURCE))
        place = b.open(ABOVE)
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
        assert only(answer) == "total = 1\n    return total"
        assert answer.suggestions[0].verified == len(only(answer))
        assert text_of_context(b) == ABOVE[:-1].encode()


def other(prefix: bytes) -> bytes:
    """It would end the line before the blank, and goes on with something else behind it."""
    if prefix.endswith(b"\n   "):
        return b"\n"
    return following(ABOVE + "pass\n")(prefix)


@pytest.mark.asyncio
async def test_a_target_that_would_not_write_the_blank_reads_all_of_the_text() -> None:
    """Of a run that was typed along no further than to its place nothing is shown; another takes over."""
    async with bench(engine=engine(), target="") as b:
        target(b, other)
        place = b.open(ABOVE)
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
            assert (only(answer), answer.suggestions[0].verified) == ("pass", 4)
            assert b.completer._runs.active.generation.pending == ""
            begun = len(b.sent(Context))
            b.completer._runs._runs = type(b.completer._runs._runs)(
                run for run in b.completer._runs._runs if run.generation.pending
            )
            assert only(await b.ask(place, wait="verified")) == "pass"  # known to be in vain: not tried again
        assert len(b.sent(Context)) == begun + 1


@pytest.mark.asyncio
async def test_what_a_target_makes_amiss_is_replaced_on_the_screen() -> None:
    """The draft was the answer; the target's text comes as its correction."""
    async with bench(engine=engine(), target="") as b:
        target(b, other)
        place = b.open(ABOVE)
        b.completer.edited(b.document, place.offset)
        assert only(await b.ask(place, wait="settled")).startswith("total = 1")
        with b.target_at_work():
            async with asyncio.timeout(20):
                while not (b.updates and b.updates[-1].suggestion.text == "pass"):
                    await asyncio.sleep(0.001)
        assert b.updates[-1].suggestion.verified == 4


@pytest.mark.asyncio
async def test_a_run_that_is_amiss_has_no_say_elsewhere() -> None:
    """The user has gone on meanwhile."""
    async with bench(engine=engine(), target="") as b:
        place = b.open(ABOVE)
        await b.ask(place, wait="settled")
        run = b.completer._runs.active
        b.type("x")
        begun = len(b.completer._runs._runs)
        b.completer._begin_otherwise(run)
        assert len(b.completer._runs._runs) == begun


@pytest.mark.asyncio
async def test_a_verifier_that_comes_later_is_given_the_draft_with_its_blank() -> None:
    async with bench(engine=engine(), target=SOURCE) as b:
        assert b.link is not None
        target(b, following(SOURCE))
        b.link.up = False
        place = b.open(ABOVE)
        assert only(await b.ask(place, wait="settled")) == "total = 1\n    return total"
        b.link.up = True
        with b.target_at_work():
            answer = await b.ask(place, wait="verified")
        assert answer.suggestions[0].verified == len(only(answer)) == len("total = 1\n    return total")
        assert b.completer._runs.active.generation.pending == " "


@pytest.mark.asyncio
async def test_typing_on_along_the_text_needs_no_other_run() -> None:
    async with bench(engine=engine()) as b:
        await b.ask(b.open(ABOVE), wait="settled")
        run = b.completer._runs.active
        b.document = b.document.edited([Edit(len(ABOVE), len(ABOVE), "tot")], 2)
        b.completer.edited(b.document, len(b.document.text))
        answer = await b.ask(wait="settled")
        assert (only(answer), answer.suggestions[0].source) == ("al = 1\n    return total", "recall")
        assert b.completer._runs.active is run


@pytest.mark.parametrize(("typed", "pending"), [(None, " "), ("x ", " "), ("", ""), ("x", "")])
@pytest.mark.asyncio
async def test_the_rest_of_a_draft_begins_before_the_blank_only_if_it_has_that(
    typed: str | None, pending: str
) -> None:
    """typed: what was typed of the draft; nothing if there is none to go on from."""
    async with bench(engine=engine()) as b:
        place = b.open(ABOVE)
        begin, found = b.completer._beginning(place, typed)
        assert (begin.offset, found) == (place.offset - len(pending), pending)
