"""ux-49: a model that is late. The texts around answer in time; the model's own words follow by the rules of merge."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from daemon.prompts.open_texts import OpenTexts
from tests.fakes.completion import bench, only, settings
from tests.fakes.engine import FakeEngine

TEXT = "x = total(1)\ny = tot"
IMPATIENT = settings(drafting=True)
IMPATIENT = replace(IMPATIENT, display=replace(IMPATIENT.display, answer_ms=20))


def saying(text: str) -> FakeEngine:
    """A model that goes on with `text` after TEXT."""
    return FakeEngine(lambda prefix: text.encode()[len(prefix) - len(TEXT) :])


@pytest.mark.parametrize(
    ("said", "kind", "shown"),
    [("al(1) + 1", "extended", "al(1) + 1"), ("ality", "corrected", "ality")],
    ids=["it goes on", "it says something else"],
)
@pytest.mark.asyncio
async def test_the_models_text_follows(said: str, kind: str, shown: str) -> None:
    """The window in which a correction is allowed is long here, so that a slow machine tells the same."""
    engine = saying(said)
    async with bench(chosen=IMPATIENT, engine=engine, texts=OpenTexts()) as b:
        b.completer.display.timing = replace(b.completer.display.timing, settling=60.0)
        b.open(TEXT)
        engine.hold()
        assert only(await b.ask()) == "al(1)"
        engine.release()
        async with asyncio.timeout(10):
            while not b.updates or b.updates[-1].suggestion.text != shown:
                await asyncio.sleep(0)
        assert kind in [update.kind for update in b.updates]
        assert [update.kind for update in b.updates].count("corrected") == (kind == "corrected")


@pytest.mark.asyncio
async def test_what_is_a_stopgap_is_never_drafted_nor_sent() -> None:
    engine = saying("ality")
    async with bench(chosen=IMPATIENT, engine=engine, texts=OpenTexts()) as b:
        b.open(TEXT)
        engine.hold()
        assert only(await b.ask()) == "al(1)"
        assert b.statistics.drafted_tokens == 0


@pytest.mark.asyncio
async def test_who_waits_for_all_of_the_text_gets_no_stopgap() -> None:
    engine = saying("ality")
    async with bench(chosen=IMPATIENT, engine=engine, texts=OpenTexts()) as b:
        b.open(TEXT)
        engine.hold()
        asked = asyncio.create_task(b.ask(wait="settled"))
        await asyncio.to_thread(engine.wait_until_held)
        engine.release()
        assert only(await asked) == "ality"


@pytest.mark.asyncio
async def test_where_the_verifier_alone_is_to_draft_there_is_no_stopgap() -> None:
    chosen = replace(IMPATIENT, drafting=False, deadline_s=60.0)
    async with bench(target=TEXT, chosen=chosen, engine=saying("ality"), texts=OpenTexts()) as b:
        b.open(TEXT)
        answer = await b.ask()
        assert (answer.suggestions, answer.reason) == ([], "timeout")
