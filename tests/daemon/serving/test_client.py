"""One connection without its socket: messages in, pushed messages out, on a scripted engine and target."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from daemon.api.messages import (
    Accepted,
    Cancel,
    ChangeDocument,
    CheckGrammar,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    DaemonMessage,
    Edit,
    Failed,
    GetStats,
    GetStatus,
    GrammarFindings,
    GrammarState,
    OpenDocument,
    ServedMessage,
    Shown,
    Stats,
    Status,
    SuggestionUpdate,
)
from daemon.documents import Document, Place
from daemon.grammars import store as grammar_store
from daemon.serving import client, ignored_documents
from daemon.serving.client import Client
from daemon.serving.service import Service
from daemon.settings.config import Config, ConfigError, parse_config
from daemon.target.link_address import LinkSettings
from speculation.messages import Cancel as CancelSession
from speculation.messages import Context
from tests.fakes.engine import FakeEngine, following
from tests.fakes.link import FakeLink

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
START = "def add(a, b):\n    ret"
NAME, OTHER = "file:///a.py", "file:///b.py"
OPEN = OpenDocument(NAME, "python", 1, START)

M = TypeVar("M")


class StatedLink(FakeLink):
    """With what a status says of a link."""

    state, reason, retry_at, round_trip_s = "online", "", 0.0, 0.0
    settings = LinkSettings("ws://verifier:1")


@dataclass
class Desk:
    """A client, and what it was sent."""

    client: Client
    service: Service
    engine: FakeEngine
    link: FakeLink
    pushed: list[DaemonMessage] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def push(self, message: DaemonMessage) -> None:
        self.pushed.append(message)
        self.arrived.set()

    def take(self, *messages: ServedMessage) -> None:
        for message in messages:
            self.client.take(message)

    async def take_and_hold(self, *messages: ServedMessage) -> None:
        """Until the model is held in what they have it evaluate."""
        self.engine.hold()
        self.take(*messages)
        await asyncio.to_thread(self.engine.wait_until_held)

    def got(self, kind: type[M]) -> list[M]:
        return [message for message in self.pushed if isinstance(message, kind)]

    async def looked_at(self, *names: str) -> None:
        """Until it is known of the documents whether git ignores them, and what follows from that has happened."""
        async with asyncio.timeout(10):
            for name in names:
                await self.client._ignored.known(name)

    async def first(self, kind: type[M], count: int = 1) -> list[M]:
        """The messages of a kind, once there are so many."""
        async with asyncio.timeout(10):
            while len(found := self.got(kind)) < count:
                self.arrived.clear()
                await self.arrived.wait()
        return found


@asynccontextmanager
async def desk(
    engine: FakeEngine | None = None, config: Config | None = None, *, answer_ms: int = 10_000
) -> AsyncIterator[Desk]:
    engine = engine or FakeEngine(following(SOURCE))
    config = config or Config()
    config = replace(config, display=replace(config.display, first_ghost_ms=0, answer_ms=answer_ms))
    service = Service(config, lambda: engine, None, time.monotonic)
    link = StatedLink(lambda ids: ids[-1])
    service.link = link  # type: ignore[assignment]
    await service.worker.start()
    one = Desk.__new__(Desk)
    client = Client(service, "test", lambda message: one.push(message), {})
    one.__init__(client, service, engine, link)  # type: ignore[misc]
    try:
        yield one
    finally:
        engine.release()
        await client.close()
        await service.worker.close()


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
        await settled(d)
        assert len(d.got(Completions)) == 1


async def settled(d: Desk) -> None:
    """Until no request and no closing of a document is under way."""
    async with asyncio.timeout(10):
        while d.client._requests or d.client._closing:
            await asyncio.sleep(0.001)


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
        await settled(d)
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
        async with asyncio.timeout(10):
            await d.client.documents[name][1]._warm_up._task  # type: ignore[misc]
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
        [status], [stats] = d.got(Status), d.got(Stats)
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
    async with desk(FakeEngine(following("x = foo(1)\n"))) as d:
        d.take(OpenDocument(NAME, "python", 1, "x ="), ChangeDocument(NAME, 2, [Edit(3, 3, " ")]))
        await d.looked_at(NAME)
        completer = d.client.documents[NAME][1]
        d.take(Complete(1, NAME, 2, 4, wait="verified"))
        async with asyncio.timeout(10):
            while not (run := completer._runs.active) or not run.generation.drafted_to_the_end:
                await asyncio.sleep(0.001)
        d.take(CloseDocument(NAME))
        [answer] = await d.first(Completions)
        await settled(d)
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


@pytest.mark.asyncio
async def test_an_edit_has_the_grammars_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar_store, "LOOK_S", 0.0)
    async with desk(config=Config(file=tmp_path / "config.toml")) as d:
        d.take(OPEN)
        await d.service.grammars.idle()
        (tmp_path / "grammars").mkdir()
        (tmp_path / "grammars" / "bad.bnf").write_text("; @files a.py", encoding="utf-8")
        d.take(ChangeDocument(NAME, 2, [Edit(0, 0, "#")]))
        await d.service.grammars.idle()
        document, _ = d.client.documents[NAME]
        assert d.service.grammars.of(document).reason.startswith("refused: bad.bnf: ")


@asynccontextmanager
async def lets_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """With a grammar of the user's for `*.lets`, and a model that would write `=` twice."""
    folder = tmp_path / "grammars"
    folder.mkdir()
    (folder / "lets.bnf").write_text(
        "; @files *.lets\n<start> ::= <let> | <let> <start>\n"
        '<let> ::= "let" <name> "=" <name> ";"\n<name> ::= <letter> | <letter> <name>\n'
        f"<letter> ::= {' | '.join(map(repr, 'abcdefghij')).replace(chr(39), chr(34))}\n",
        encoding="utf-8",
    )
    engine = FakeEngine(
        lambda prefix: b"let a == b;\n"[len(prefix) :], alternatives=lambda prefix: [b"b", b";"]
    )
    async with desk(engine, Config(file=tmp_path / "config.toml")) as d:
        d.service.grammar_worker.patience_s = 60.0
        d.service.grammars.vocabulary_known(engine.vocabulary)
        yield d


@pytest.mark.asyncio
async def test_a_grammar_of_the_users_masks_the_draft_and_the_trace_says_so(tmp_path: Path) -> None:
    name, text = "file:///a.lets", "let a "
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, text))
        await d.service.grammars.idle()
        d.take(Complete(1, name, 1, len(text), wait="verified"))
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text == "=b ;"
        assert d.service.statistics.last[-1].grammar == "masked"
        assert d.service.statistics.snapshot()["grammar"]["requests"] == {"masked": 1}


@pytest.mark.asyncio
async def test_how_a_documents_grammar_fares_is_told_when_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what waits for the user; nothing of a document that has none, and nothing twice."""
    monkeypatch.setattr(grammar_store, "LOOK_S", 0.0)
    folder = tmp_path / "grammars"
    folder.mkdir()
    file = folder / "bad.bnf"
    file.write_text("; @files a.py", encoding="utf-8")
    async with desk(config=Config(file=tmp_path / "config.toml")) as d:
        d.take(OPEN, OpenDocument("file:///b.none", "", 1, ""))
        await d.service.grammars.idle()
        told = d.got(GrammarState)
        assert [state.document for state in told] == [NAME] * len(told)
        assert told[-1].line.startswith("refused: bad.bnf: ")
        assert [(one.about, one.text) for one in told[-1].problems] == [(str(file), told[-1].line)]
        d.take(OPEN)
        assert d.got(GrammarState) == told
        d.take(Configure({"grammars.enabled": False}))
        await d.service.grammars.idle()
        assert d.got(GrammarState)[-1] == GrammarState(NAME, "")
        d.take(CloseDocument(NAME), Configure({}), OPEN)
        await d.service.grammars.idle()
        assert d.got(GrammarState)[-1] == told[-1]


@pytest.mark.asyncio
async def test_the_text_of_a_grammar_is_checked_on_request(tmp_path: Path) -> None:
    """Whatever number is under way can't be used again, of either kind; a cancel finds its request."""
    async with desk(config=Config(file=tmp_path / "config.toml")) as d:
        check = CheckGrammar(1, "file:///a.bnf", "<a> ::= <b>\n")
        d.take(OPEN, check, check, Complete(1, NAME, 1, 0), Cancel(1))
        assert [failed.request for failed in d.got(Failed)] == [1, 1]
        assert [(one.request, one.reason) for one in d.got(GrammarFindings)] == [(1, "cancelled")]
        d.take(check)
        [_, found] = await d.first(GrammarFindings, 2)
        assert [one.code for one in found.findings if one.severity == "error"] == ["undefined-rule"]
        d.take(Configure({"grammars.enabled": False}), check)
        assert d.got(GrammarFindings)[-1].reason == "disabled"


@pytest.mark.asyncio
async def test_who_waits_for_a_whole_text_waits_for_its_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """`draftwire complete` opens a document and asks at once: its grammar has yet to be looked for and compiled."""
    known = asyncio.Event()

    async def idle() -> None:
        await known.wait()

    async with desk() as d:
        monkeypatch.setattr(d.service.grammars, "idle", idle)
        d.take(OPEN, Complete(1, NAME, 1, len(START), wait="settled"), Complete(2, NAME, 1, len(START)))
        (answered,) = await d.first(Completions)
        assert answered.request == 2  # an editor's is answered at once
        known.set()
        await d.first(Completions, 2)
        assert {one.request for one in d.got(Completions)} == {1, 2}


@pytest.mark.asyncio
async def test_a_grammar_that_takes_too_long_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    async def idle() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(client, "GRAMMARS_S", 0.01)
    async with desk() as d:
        monkeypatch.setattr(d.service.grammars, "idle", idle)
        d.take(OPEN, Complete(1, NAME, 1, len(START), wait="settled"))
        (answered,) = await d.first(Completions)
        assert answered.suggestions


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
async def test_texts_of_excluded_files_are_never_drafted_from() -> None:
    """Not as they are opened, not as they are edited, and no more once they are excluded (ux-39)."""
    secret = "password = correct horse battery staple"
    texts: dict[str, list[str]] = {}
    async with desk() as d:
        for name in ("file:///.env", "file:///b.py"):
            d.take(OpenDocument(name, "", 1, secret))
            await d.looked_at(name)
            d.take(ChangeDocument(name, 2, [Edit(0, 0, "x")]))
            d.take(ChangeDocument(name, 3, [Edit(0, 30, "")]))
            texts[name] = d.client._trail.texts.around(Place(Document(NAME, "", 1, ""), 0))
        assert not any("horse" in text for text in texts["file:///.env"])
        assert any("horse" in text for text in texts["file:///b.py"])
        d.take(Configure({"files.exclude": ["b.py"]}))
        assert not any(
            "staple" in text for text in d.client._trail.texts.around(Place(Document(NAME, "", 1, ""), 0))[2:]
        )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that ignores `local/`; the user's home is elsewhere, and empty."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    root = tmp_path.resolve() / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".gitignore").write_text("local/\n", encoding="utf-8")
    return root


@pytest.mark.asyncio
async def test_what_git_ignores_is_neither_completed_nor_read(repository: Path) -> None:
    """No model sees a word of it, not as it is opened and not as it is edited; nor do other documents (ux-39)."""
    name = (repository / "local" / "notes.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        d.take(Complete(1, name, 2, len(START) + 1, trigger="invoked", wait="verified"))
        [answer] = await d.first(Completions)
        assert (answer.suggestions, answer.reason) == ([], "ignored_file")
        d.take(ChangeDocument(name, 3, [Edit(0, 0, "x")]))
        await settled(d)
        assert d.engine.evaluated_tokens() == 0
        assert d.link.sent == []
        assert not any(d.client._trail.texts.around(Place(Document(OTHER, "", 1, ""), 0)))
        assert d.service.statistics.nothing == {"ignored_file": 1}
        assert d.service.status().left_out == {"notes.py": "ignored_file"}


@pytest.mark.asyncio
async def test_a_key_before_it_is_known_that_git_does_not_ignore_its_document_is_drafted_from_then_on(
    repository: Path,
) -> None:
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        assert d.client.documents[name][1]._runs.active is None
        await d.looked_at(name)
        assert d.client.documents[name][1]._runs.active is not None
        assert d.service.status().left_out == {}


@pytest.mark.asyncio
async def test_a_document_that_git_ignores_from_now_on_is_dropped_by_both_ends(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And completed again once git no longer ignores it."""
    monkeypatch.setattr(ignored_documents, "LOOK_AGAIN_S", 0.0)
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START), Complete(1, name, 1, len(START)))
        assert (await d.first(Completions))[0].suggestions
        session = d.client.documents[name][1].number
        for version, ignored in ((2, "*.py"), (3, "")):
            (repository / ".gitignore").write_text(ignored, encoding="utf-8")
            d.take(ChangeDocument(name, version, [Edit(0, 0, "\n")]))
            await d.client._ignored._looks[name].task  # type: ignore[misc]
            d.take(Complete(version, name, version, len(START) + version - 1))
            answer = (await d.first(Completions, version))[-1]
            assert answer.reason == ("ignored_file" if ignored else None)
            await settled(d)
            ends = [one for one in d.link.sent if isinstance(one, CancelSession) and one.close]
            assert session in [one.session for one in ends]


@pytest.mark.asyncio
async def test_a_document_that_git_no_longer_ignores_has_its_grammar(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignored_documents, "LOOK_AGAIN_S", 0.0)
    name, text = (repository / "a.lets").as_uri(), "let a "
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, text))
        await d.service.grammars.idle()
        await d.looked_at(name)
        for version, ignored in ((2, "*.lets"), (3, "")):
            (repository / ".gitignore").write_text(ignored, encoding="utf-8")
            d.take(ChangeDocument(name, version, []))
            await d.client._ignored._looks[name].task  # type: ignore[misc]
        d.take(Complete(1, name, 3, len(text), wait="verified"))
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text == "=b ;"


@pytest.mark.parametrize("closed", [[CloseDocument], []])
@pytest.mark.asyncio
async def test_a_key_before_a_document_is_opened_again_is_not_drafted_from(
    repository: Path, closed: list[type[CloseDocument]]
) -> None:
    """It is known only then that git does not ignore it, and the cursor is nowhere in the new text."""
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        d.take(*(one(name) for one in closed), OpenDocument(name, "python", 3, "de"))
        await d.looked_at(name)
        assert d.client.documents[name][1].where() is None
        assert d.client.documents[name][1]._runs.active is None


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
