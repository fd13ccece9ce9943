"""Who writes where drafts are mostly wrong, and when draft tokens go out."""

from __future__ import annotations

import pytest

from daemon.target.draft_worth import JUDGED_TOKENS
from speculation.messages import Draft
from tests.fakes.completion import SOURCE, Bench, bench

WRONG = SOURCE.replace("a + b", "a * b")


def let_drafts_be(bench: Bench, language: str, *, accepted: bool) -> None:
    """The target has judged so many draft tokens of the language like this."""
    assert bench.link is not None
    for _ in range(JUDGED_TOKENS):
        bench.link.acceptances.heard(language, [1], [1.5], [1 if accepted else 2], bench.completer._clock())


@pytest.mark.asyncio
async def test_where_drafts_are_mostly_wrong_the_target_writes_alone() -> None:
    async with bench(draft=WRONG, target=SOURCE) as b:
        let_drafts_be(b, "python", accepted=False)
        b.open("def add(a, b):\n    ret")
        with b.target_at_work():
            answer = await b.ask(wait="verified")
        assert answer.suggestions[0].text.startswith("urn a + b")
        assert answer.suggestions[0].verified == len(answer.suggestions[0].text)
        assert b.sent(Draft) == []
        assert b.statistics.drafted_tokens == 0


@pytest.mark.asyncio
async def test_where_the_link_is_down_drafts_go_on_however_wrong_they_are() -> None:
    async with bench(draft=WRONG, target=SOURCE) as b:
        let_drafts_be(b, "python", accepted=False)
        assert b.link is not None
        b.link.up = False
        b.open("def add(a, b):\n    ret")
        answer = await b.ask(wait="settled")
        assert answer.suggestions[0].text.startswith("urn a * b")


@pytest.mark.asyncio
async def test_a_link_that_is_lost_in_the_middle_brings_the_draft_back() -> None:
    async with bench(draft=WRONG, target=SOURCE) as b:
        let_drafts_be(b, "python", accepted=False)
        b.open("def add(a, b):\n    ret")
        b.type("u")
        assert b.link is not None
        b.link.lose()
        answer = await b.ask(wait="settled")
        assert answer.suggestions[0].text.startswith("rn a * b")


@pytest.mark.asyncio
async def test_draft_tokens_go_out_one_by_one_before_any_verdict() -> None:
    async with bench(target=SOURCE) as b:
        let_drafts_be(b, "python", accepted=True)
        b.open("def add(a, b):\n    ret")
        await b.ask(wait="settled")
        sent = [message.ids for message in b.sent(Draft) if isinstance(message, Draft)]
        assert len(sent) > 4
        assert {len(ids) for ids in sent} == {1}
