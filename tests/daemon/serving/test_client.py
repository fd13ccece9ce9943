"""One connection without its socket: messages in, pushed messages out, on a scripted engine and target."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from daemon.api.messages import (
    Accepted,
    Cancel,
    ChangeDocument,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    Edit,
    Failed,
    GetStats,
    GetStatus,
    OpenDocument,
    ServedMessage,
    Shown,
    Stats,
    Status,
    SuggestionUpdate,
)
from daemon.serving.client import Client
from daemon.settings.config import ConfigError, parse_config
from speculation.messages import Cancel as CancelSession
from speculation.messages import Context
from tests.fakes.desk import NAME, OPEN, OTHER, SOURCE, START, Desk, desk
from tests.fakes.engine import FakeEngine, following

# --- requests


@pytest.mark.asyncio
async def test_a_request_is_answered_and_counted() -> None:
    async with desk() as d:
        d.take(OPEN, Complete(1, NAME, 1, len(START)))
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text
        assert "urn a + b".startswith(answer.suggestions[0].text)
        assert (answer.request, answer.document, answer.version, answer.offset) == (1, NAME, 1, len(START))
        [last] = d.service.statistics.last
        assert (last.document, last.language, last.reason) == ("a.py", "python", None)


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([OPEN, Complete(1, NAME, 1, len(START)), Cancel(1)], "cancelled"),
        ([OPEN, Complete(1, NAME, 1, len(START)), CloseDocument(NAME)], "no_document"),
        ([Complete(1, NAME, 1, 0)], "no_document"),
        ([OPEN, Complete(1, NAME, 2, 0)], "stale_version"),
        ([OPEN, Complete(1, NAME, 1, len(START) + 1)], "stale_version"),
        ([OPEN, Complete(1, NAME, 1, 2)], "mid_word"),
        ([OPEN, Complete(1, NAME, 1, len(START)), ChangeDocument(NAME, 2, [])], "stale_version"),
        ([OpenDocument("file:///.env", "x", 1, ""), Complete(1, "file:///.env", 1, 0)], "excluded_file"),
        ([Configure({"completion.enabled": False}), OPEN, Complete(1, NAME, 1, 0)], "disabled"),
    ],
)
@pytest.mark.asyncio
async def test_what_comes_in_one_read_gets_one_answer_with_its_reason(
    messages: list[ServedMessage], reason: str
) -> None:
    """All before the request has had a turn of the event loop."""
    async with desk() as d:
        d.take(*messages)
        [answer] = await d.first(Completions)
        assert (answer.suggestions, answer.reason) == ([], reason)
        assert d.service.statistics.nothing == {reason: 1}
        await d.settled()
        assert len(d.got(Completions)) == 1


@pytest.mark.asyncio
async def test_a_cancelled_request_that_waits_for_the_model_is_answered_at_once() -> None:
    async with desk() as d:
        await d.take_and_hold(OPEN, Complete(1, NAME, 1, len(START)))
        d.take(Cancel(1), Cancel(1), Cancel(99))
        [answer] = await d.first(Completions)
        assert answer.reason == "cancelled"


@pytest.mark.asyncio
async def test_a_request_number_may_be_used_again_once_it_is_answered() -> None:
    async with desk() as d:
        d.take(OPEN, Complete(1, NAME, 1, len(START)), Complete(1, NAME, 1, len(START)))
        [refused] = d.got(Failed)
        assert (refused.code, refused.request) == ("bad_message", 1)
        await d.first(Completions)
        await d.settled()
        d.take(Complete(1, NAME, 1, len(START)))
        assert len(await d.first(Completions, 2)) == 2


@pytest.mark.asyncio
async def test_a_defect_is_an_answer_and_the_client_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as d:
        d.take(OPEN)
        _, completer = d.client.documents[NAME]

        async def broken(*_: Any) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as broken_for_now:
            broken_for_now.setattr(completer, "complete", broken)
            d.take(Complete(1, NAME, 1, len(START)))
            [answer] = await d.first(Completions)
        assert answer.reason == "internal_error"
        d.take(Complete(2, NAME, 1, len(START)))
        assert (await d.first(Completions, 2))[1].suggestions


# --- documents


@pytest.mark.asyncio
async def test_a_document_opened_again_is_the_new_text_in_the_same_session() -> None:
    async with desk() as d:
        d.take(OPEN)
        number = d.client.documents[NAME][1].number
        d.take(OpenDocument(NAME, "python", 1, SOURCE), Complete(1, NAME, 1, len(SOURCE)))
        await d.first(Completions)
        document, completer = d.client.documents[NAME]
        assert (document.text, completer.number) == (SOURCE, number)


@pytest.mark.parametrize(
    ("message", "code", "open_still"),
    [
        (ChangeDocument(OTHER, 2, [Edit(0, 0, "x")]), "unknown_document", True),
        (ChangeDocument(NAME, 2, [Edit(0, 0, "x"), Edit(99, 99, "y")]), "bad_offset", False),
        (ChangeDocument(NAME, 2, [Edit(3, 2, "x")]), "bad_offset", False),
        (Configure({"completion.nonsense": 1}), "bad_setting", True),
        (Configure({"verifier.url": "ws://elsewhere:1"}), "bad_setting", True),
        (Configure({"completion.max_tokens": 0}), "bad_setting", True),
    ],
)
@pytest.mark.asyncio
async def test_a_message_that_cannot_be_carried_out_is_told(
    message: ServedMessage, code: str, open_still: bool
) -> None:
    async with desk() as d:
        d.take(OPEN, message)
        [failed] = d.got(Failed)
        assert failed.code == code
        assert (NAME in d.client.documents) is open_still
        assert failed.settings == (list(message.settings) if isinstance(message, Configure) else [])


@pytest.mark.asyncio
async def test_a_version_may_go_backwards() -> None:
    async with desk() as d:
        d.take(OPEN, ChangeDocument(NAME, -5, [Edit(len(START), len(START), "u")]))
        d.take(Complete(1, NAME, -5, len(START) + 1, wait="settled"))
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text.startswith("rn a + b")


@pytest.mark.asyncio
async def test_work_in_a_document_ends_when_the_user_writes_in_another() -> None:
    """A change of all open documents at once (a renamed symbol) must not leave a run in each of them."""
    engine = FakeEngine(following(SOURCE))
    async with desk(engine) as d:
        engine.hold()
        names = [f"file:///{i}.py" for i in range(8)]
        for name in names:
            d.take(OpenDocument(name, "python", 1, START))
            d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        await d.looked_at(*names)
        active = [d.client.documents[name][1]._runs.active for name in names]
        assert [run is not None for run in active] == [False] * 7 + [True]


@pytest.mark.asyncio
async def test_a_request_in_another_document_is_still_answered() -> None:
    async with desk() as d:
        await d.take_and_hold(OPEN, OpenDocument(OTHER, "python", 1, START), Complete(1, NAME, 1, len(START)))
        d.take(ChangeDocument(OTHER, 2, [Edit(len(START), len(START), "u")]))
        d.engine.release()
        [answer] = await d.first(Completions)
        assert (answer.document, answer.reason) == (NAME, None)


@pytest.mark.parametrize(
    ("name", "chosen", "is_read"),
    [
        (NAME, "", True),
        ("file:///.env", "", False),
        (NAME, "[draft]\nahead = false", False),
        (NAME, '[completion]\ntrigger = "manual"', False),
        (NAME, "[completion]\nenabled = false", False),
    ],
)
@pytest.mark.asyncio
async def test_what_is_completed_unasked_is_read_by_both_models_when_it_is_opened(
    name: str, chosen: str, is_read: bool
) -> None:
    """Nothing else is: of an excluded file no model ever sees a word, here or elsewhere."""
    async with desk(config=parse_config(chosen, Path("config.toml"))) as d:
        d.take(OpenDocument(name, "python", 1, START))
        await d.looked_at(name)
        warm_up = d.client.documents[name][1]._warm_up
        async with asyncio.timeout(10):
            while warm_up._task is None or not warm_up._task.done():  # it begins anew when grammars are known
                await asyncio.sleep(0.001)
        assert d.engine.evaluated_tokens() == (len(START) if is_read else 0)
        assert any(isinstance(message, Context) for message in d.link.sent) == is_read


# --- settings, questions, reports


@pytest.mark.asyncio
async def test_settings_hold_from_now_on() -> None:
    async with desk() as d:
        d.take(
            OPEN, Configure({"completion.max_tokens": 3}), Complete(1, NAME, 1, len(START), wait="settled")
        )
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text == "urn"


@pytest.mark.asyncio
async def test_comments_are_switched_off_at_once_and_no_key_is_drafted_from_there() -> None:
    """ux-46."""
    text = "# add(a, b"
    async with desk() as d:
        d.take(OpenDocument(NAME, "python", 1, text), ChangeDocument(NAME, 2, [Edit(10, 10, ")")]))
        await d.looked_at(NAME)
        assert d.client.documents[NAME][1]._runs.active is not None
        d.take(Configure({"completion.comments": "off"}), ChangeDocument(NAME, 3, [Edit(11, 11, ":")]))
        assert d.client.documents[NAME][1]._runs.busy is None
        d.take(Complete(1, NAME, 3, 12, trigger="invoked"))
        assert (await d.first(Completions))[0].reason == "in_comment"


@pytest.mark.asyncio
async def test_a_wrong_setting_in_hello_is_an_error() -> None:
    async with desk() as d:
        with pytest.raises(ConfigError, match="nonsense"):
            Client(d.service, "x", d.push, {"completion.nonsense": 1})
        assert d.service.clients == {d.client}


@pytest.mark.asyncio
async def test_questions_and_reports() -> None:
    async with desk() as d:
        d.take(OPEN, GetStatus(7), Shown(1), Accepted(1, 5, "word"), GetStats(8))
        [status], [stats] = await d.first(Status), d.got(Stats)
        assert (status.request, status.draft, status.clients, status.sessions) == (7, "ready", 1, 1)
        assert stats.request == 8
        assert (stats.values["shown"], stats.values["accepted"]) == (1, {"word": 1})


# --- the end


def sessions_closed(d: Desk) -> int:
    return sum(isinstance(message, CancelSession) and message.close for message in d.link.sent)


@pytest.mark.asyncio
async def test_the_end_frees_the_verifiers_sessions_and_stops_the_model() -> None:
    async with desk() as d:
        await d.take_and_hold(OPEN, Complete(1, NAME, 1, len(START), wait="verified"))
        assert any(isinstance(message, Context) for message in d.link.sent)
        async with asyncio.timeout(5):
            await d.client.close()
        assert sessions_closed(d) == 1
        assert d.service.clients == set()
        assert d.client.documents == {}


@pytest.mark.asyncio
async def test_a_document_closed_just_before_the_end_is_closed_at_the_verifier_too() -> None:
    async with desk() as d:
        await d.take_and_hold(OPEN, Complete(1, NAME, 1, len(START), wait="verified"))
        d.take(CloseDocument(NAME))
        async with asyncio.timeout(5):
            await d.client.close()
        assert sessions_closed(d) == 1


@pytest.mark.asyncio
async def test_of_a_closed_document_nothing_is_answered_and_nothing_drafted_ahead() -> None:
    """Though its request is under way, and has a text to answer with."""
    patient = parse_config("[verifier]\ndeadline_ms = 60000", Path("config.toml"))
    async with desk(FakeEngine(following("x = foo(1)\n")), patient) as d:
        d.take(OpenDocument(NAME, "python", 1, "x ="), ChangeDocument(NAME, 2, [Edit(3, 3, " ")]))
        await d.looked_at(NAME)
        completer = d.client.documents[NAME][1]
        d.take(Complete(1, NAME, 2, 4, wait="verified"))

        def waits_with_a_text() -> bool:
            run = completer._runs.active
            return completer._waiting > 0 and run is not None and run.generation.drafted_to_the_end

        async with asyncio.timeout(10):
            while not waits_with_a_text():
                await asyncio.sleep(0.001)
        d.take(CloseDocument(NAME))
        [answer] = await d.first(Completions)
        await d.settled()
        assert (answer.suggestions, answer.reason) == ([], "superseded")
        assert completer._runs.busy is None


@pytest.mark.asyncio
async def test_closing_twice_is_closing_once() -> None:
    async with desk() as d:
        d.take(OPEN, Complete(1, NAME, 1, len(START)))
        await d.first(Completions)
        await d.client.close()
        await d.client.close()
        assert sessions_closed(d) == 1


# --- a model that is late


LATE = "x = total(1)\ny = tot"


@pytest.mark.asyncio
async def test_ux_49_the_text_around_answers_while_the_model_is_late() -> None:
    engine = FakeEngine(lambda prefix: b"ality"[len(prefix) - len(LATE) :])
    async with desk(engine, answer_ms=20) as d:
        engine.hold()
        d.take(OpenDocument(NAME, "python", 1, LATE), Complete(1, NAME, 1, len(LATE)))
        [answer] = await d.first(Completions)
        assert [one.text for one in answer.suggestions] == ["al(1)"]
        assert (answer.suggestions[0].verified, answer.suggestions[0].complete) == (0, False)
        [last] = d.service.statistics.last
        assert (last.source, last.reason) == ("stopgap", None)


@pytest.mark.asyncio
async def test_ux_49_with_nothing_to_say_in_time_what_comes_later_is_an_update() -> None:
    """The empty answer has its reason, and the update has the suggestion's own id, of which no other knew."""
    async with desk(answer_ms=20) as d:
        d.engine.hold()
        end = len(START) + 1
        d.take(OPEN, ChangeDocument(NAME, 2, [Edit(end - 1, end - 1, "u")]), Complete(1, NAME, 2, end))
        [answer] = await d.first(Completions)
        assert (answer.suggestions, answer.reason) == ([], "timeout")
        assert d.got(SuggestionUpdate) == []
        d.engine.release()
        [update] = (await d.first(SuggestionUpdate))[:1]
        assert (update.kind, update.version, update.offset) == ("extended", 2, end)
        assert "rn a + b".startswith(update.suggestion.text)
        assert update.suggestion.text
        await d.first(SuggestionUpdate, 2)
        statistics = d.service.statistics
        assert (statistics.late_texts, len(statistics.key_to_ghost_s)) == (1, 1)


# --- what `draftwire stats` shows


@pytest.mark.asyncio
async def test_ux_52_accepted_text_is_followed() -> None:
    async with desk() as d:
        d.take(OPEN, Complete(1, NAME, 1, len(START), wait="settled"))
        [answer] = await d.first(Completions)
        shown = answer.suggestions[0]
        now = d.service.clock()
        d.service.clock = lambda: now
        d.take(ChangeDocument(NAME, 2, [Edit(len(START), len(START), shown.text)]))
        d.take(Accepted(shown.id, len(shown.text)))
        d.take(ChangeDocument(NAME, 3, [Edit(len(START), len(START) + 1, "")]))
        d.service.clock = lambda: now + 31.0
        d.take(GetStats(7))
        [stats] = await d.first(Stats)
        kept = stats.values["kept"]
        share = (len(shown.text) - 1) / len(shown.text)
        assert kept["after 30 s"] == {
            "suggestions": 1, "whole_share": 0.0, "characters_share": pytest.approx(share, abs=1e-4),
        }  # fmt: skip
        assert kept["after 90 s"]["suggestions"] == kept["after 180 s"]["suggestions"] == 0


@pytest.mark.asyncio
async def test_ux_52_a_key_is_timed_from_its_edit_to_the_answer_with_text() -> None:
    async with desk() as d:
        d.take(OPEN, ChangeDocument(NAME, 2, [Edit(len(START), len(START), "u")]))
        d.take(Complete(1, NAME, 2, len(START) + 1))
        await d.first(Completions)
        d.take(Complete(2, NAME, 2, len(START) + 1, trigger="invoked"))
        await d.first(Completions, 2)
        d.take(GetStats(7))
        [stats] = await d.first(Stats)
        assert stats.values["key_to_ghost_ms"]["count"] == 1
        assert stats.values["first_ghost_ms"]["count"] == 2


@pytest.mark.asyncio
async def test_ux_6_keys_are_taken_at_once_while_the_model_is_at_work() -> None:
    """CPU time, which does not depend on what else the machine does. The document is a large one."""
    text = "".join(f"value_{number} = compute({number})\n" for number in range(8000))
    async with desk() as d:
        d.engine.hold()
        d.take(OpenDocument(NAME, "python", 1, text))
        taken_ms = []
        for number in range(200):
            at = len(text) + number
            began = time.thread_time()
            d.take(ChangeDocument(NAME, 2 + number, [Edit(at, at, "x")]))
            taken_ms.append((time.thread_time() - began) * 1000)
            await asyncio.sleep(0)
        assert sorted(taken_ms)[-3] < 5
