"""The grammars of a connection's documents: looked for, in force, told of, checked, waited for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daemon.api.messages import (
    Cancel,
    ChangeDocument,
    CheckGrammar,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    Edit,
    Failed,
    GetStatus,
    GrammarFindings,
    GrammarState,
    OpenDocument,
    Status,
)
from daemon.grammars import store as grammar_store
from daemon.serving import client
from daemon.settings.config import Config
from tests.fakes.desk import NAME, OPEN, START, desk, lets_desk


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


@pytest.mark.asyncio
async def test_the_status_does_not_tell_of_a_file_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor with all its documents closed, when no key has the folders looked at."""
    monkeypatch.setattr(grammar_store, "LOOK_S", 0.0)
    name = "file:///a.lets"
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, "let a "))
        await d.service.grammars.idle()
        d.take(CloseDocument(name), GetStatus(7))
        assert [len(status.grammars) for status in await d.first(Status)] == [1]
        (tmp_path / "grammars" / "lets.bnf").unlink()
        d.take(GetStatus(8), Cancel(8))
        assert [status.request for status in await d.first(Status, 2)] == [7, 8]
        d.take(GetStatus(9))
        assert (await d.first(Status, 3))[2].grammars == []


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
async def test_the_first_keys_wait_for_the_grammar_and_are_drafted_from_once_it_is_there(
    tmp_path: Path,
) -> None:
    """ux-16: a document is typed in from the moment it is opened; what the model says first is not of the language."""
    name = "file:///a.lets"
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, "let "), ChangeDocument(name, 2, [Edit(4, 4, "a")]))
        d.take(Complete(1, name, 2, 5), ChangeDocument(name, 3, [Edit(5, 5, " ")]), Complete(2, name, 3, 6))
        answers = await d.first(Completions, 2)
        await d.service.grammars.idle()
        await d.looked_at(name)
        assert d.client.documents[name][1]._runs.active is not None
        d.take(Complete(3, name, 3, 6, wait="verified"))
        *answers, answer = await d.first(Completions, 3)
        assert (answer.suggestions[0].text, answer.grammar) == ("=b ;", "masked")
        for early in answers:
            assert early.grammar in ("masked", "") or early.grammar.startswith("held back: "), early
            assert all("=b ;".startswith(one.text) for one in early.suggestions)


@pytest.mark.asyncio
async def test_a_file_with_errors_in_its_grammar_is_not_completed_and_the_trace_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file and the first error are named; once that is mended the grammar is in force from the next key on."""
    monkeypatch.setattr(grammar_store, "LOOK_S", 0.0)
    name = "file:///a.lets"
    async with lets_desk(tmp_path) as d:
        file = tmp_path / "grammars" / "lets.bnf"
        good = file.read_text(encoding="utf-8")
        file.write_text(good.replace("<let> |", "<lett> |"), encoding="utf-8")
        d.take(OpenDocument(name, "lets", 1, "let a "), Complete(1, name, 1, 6, wait="settled"))
        [answer] = await d.first(Completions)
        assert (answer.suggestions, answer.reason) == ([], "grammar_unused")
        assert answer.grammar.startswith("held back: refused: lets.bnf: line 2: ")
        last = d.service.statistics.last[-1]
        assert (last.reason, last.grammar) == (answer.reason, answer.grammar)
        await d.service.grammars.idle()
        file.write_text(good, encoding="utf-8")
        d.take(ChangeDocument(name, 2, [Edit(6, 6, "=")]), Complete(2, name, 2, 7, wait="settled"))
        [_, answer] = await d.first(Completions, 2)
        assert (answer.suggestions[0].text, answer.grammar) == ("b ;", "masked")


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
async def test_a_grammar_that_takes_the_place_of_another_is_told_of_though_there_is_nothing_else_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was suggested under the old one may be forbidden now: who remembers it must know."""
    monkeypatch.setattr(grammar_store, "LOOK_S", 0.0)
    name = "file:///a.lets"
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, "let a "))
        await d.service.grammars.idle()
        before = d.got(GrammarState)
        d.take(GetStatus(1))
        await d.service.grammars.idle()
        assert d.got(GrammarState) == before
        file = tmp_path / "grammars" / "lets.bnf"
        file.write_text(file.read_text("utf-8").replace('"="', '":="'), encoding="utf-8")
        d.take(GetStatus(2))
        await d.first(Status, 2)
        await d.service.grammars.idle()
        assert d.got(GrammarState)[len(before) :] == before[-1:]
        d.take(Complete(3, name, 1, 6, wait="settled"))
        [answer] = await d.first(Completions)
        assert [one.text for one in answer.suggestions if one.text.startswith("=")] == []


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
async def test_a_grammar_that_takes_too_long_is_waited_for_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def idle() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(client, "GRAMMARS_S", 0.01)
    async with desk() as d:
        monkeypatch.setattr(d.service.grammars, "idle", idle)
        d.take(OPEN, Complete(1, NAME, 1, len(START), wait="settled"))
        (answered,) = await d.first(Completions)
        assert answered.suggestions
