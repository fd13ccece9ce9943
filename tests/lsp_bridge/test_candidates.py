"""Next and previous as an editor meets them: what is listed, what updates change, what counts as accepted (ux-27)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from daemon.api.messages import Accepted, Complete, Shown, Suggestion, SuggestionUpdate
from daemon.api.paths import RuntimePaths
from tests.fakes.daemon import ScriptedDaemon
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI, InProcessEditor
from tests.fakes.lsp_editor import replace as replace_text
from tests.lsp_bridge.conftest import connected, drafting_daemon

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("patient")]

INVOKED = 1
FIRST, SECOND = "x = foo(1)\n", "x = bar(2)\ny = 3\n"


def suggested(identifier: int, text: str) -> Suggestion:
    return Suggestion(identifier, text, verified=0, complete=False, source="draft")


def texts(items: Sequence[Any]) -> list[str]:
    return [item["insertText"] for item in items]


# --- with a scripted daemon


@pytest_asyncio.fixture
async def daemon(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    """It lists two candidates, whoever asks."""
    async with ScriptedDaemon(
        paths, lambda text, offset: [suggested(1, "foo(1)"), suggested(2, "bar(2)")]
    ) as one:
        yield one


async def test_each_item_has_its_id_and_is_counted_by_it(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    """Accepting the second in part, and then whole, is told of the second."""
    async with connected(paths) as editor:
        editor.open("x = ")
        _, second = await editor.inline(0, 4, kind=INVOKED)
        assert daemon.of_type(Complete)[-1].trigger == "invoked"
        editor.notify("textDocument/didShowCompletion", {"item": second})
        editor.notify("textDocument/didPartiallyAcceptCompletion", {"item": second, "acceptedLength": 3})
        await editor.request("workspace/executeCommand", second["command"])
        partly, whole = await daemon.wait_for(Accepted, 2)
        assert daemon.of_type(Shown) == [Shown(2)]
        assert (partly.suggestion, partly.length, partly.kind) == (2, 3, "partial")
        assert (whole.suggestion, whole.length, whole.kind) == (2, len("bar(2)"), "all")


async def test_typing_along_the_second_asks_nobody(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    async with connected(paths) as editor:
        editor.open("x = ")
        await editor.inline(0, 4, kind=INVOKED)
        editor.type(0, 4, "ba")
        (item,) = await editor.inline(0, 6)
        assert item["insertText"] == "r(2)"
        assert item["command"]["arguments"][:2] == [2, len("bar(2)")]
        assert len(daemon.of_type(Complete)) == 1


async def test_ux_21_an_update_is_for_one_item_and_leaves_the_others(
    paths: RuntimePaths, daemon: ScriptedDaemon
) -> None:
    async with connected(paths) as editor:
        editor.open("x = ")
        before = await editor.inline(0, 4, kind=INVOKED)
        daemon.push(SuggestionUpdate(URI, 1, 4, "extended", suggested(1, "foo(1) + 1")))
        told = await editor.wait_for("draftwire/suggestion")
        assert (told["id"], told["text"]) == (before[0]["command"]["arguments"][0], "foo(1) + 1")
        assert texts(await editor.inline(0, 4)) == ["foo(1) + 1"]


@pytest_asyncio.fixture
async def alike(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    """It lists three candidates, of which two begin alike; with new ids each time, as the daemon does."""
    ids = itertools.count(1)

    def three(text: str, offset: int) -> list[Suggestion]:
        typed = text[len("x = ") : offset]
        return [suggested(next(ids), one.removeprefix(typed)) for one in ("foo(1)", "four(2)", "bar(3)")]

    async with ScriptedDaemon(paths, three) as one:
        yield one


async def second_shown(editor: InProcessEditor) -> Any:
    """The second of the list, once the editor has said that it is on the screen."""
    editor.open("x = ")
    second = (await editor.inline(0, 4, kind=INVOKED))[1]
    editor.notify("textDocument/didShowCompletion", {"item": second})
    return second


async def test_ux_21_the_one_that_is_shown_stays_while_it_is_typed_along(
    paths: RuntimePaths, alike: ScriptedDaemon
) -> None:
    """Its first characters are those of the first candidate too: each automatic answer is the shown one alone."""
    async with connected(paths) as editor:
        second = await second_shown(editor)
        assert texts(await editor.inline(0, 4)) == ["four(2)"]
        for at, character in enumerate("four", start=4):
            editor.type(0, at, character)
            (item,) = await editor.inline(0, at + 1)
            assert item["insertText"] == "four(2)"[at - 3 :]
            assert item["command"]["arguments"][0] == second["command"]["arguments"][0]
        assert len(alike.of_type(Complete)) == 1


async def test_ux_27_asking_once_more_lists_the_others_behind_the_one_that_is_shown(
    paths: RuntimePaths, alike: ScriptedDaemon
) -> None:
    """Under the id of the new answer, by which updates tell of it; typing along goes on with that."""
    async with connected(paths) as editor:
        await second_shown(editor)
        again = await editor.inline(0, 4, kind=INVOKED)
        assert texts(again) == ["four(2)", "foo(1)", "bar(3)"]
        assert again[0]["command"]["arguments"][0] == 5
        editor.type(0, 4, "fo")
        (item,) = await editor.inline(0, 6)
        assert (item["insertText"], item["command"]["arguments"][0]) == ("ur(2)", 5)


async def test_the_one_that_was_accepted_in_part_stays(paths: RuntimePaths, alike: ScriptedDaemon) -> None:
    """The editor has not said that it shows it, but it must have."""
    async with connected(paths) as editor:
        editor.open("x = ")
        second = (await editor.inline(0, 4, kind=INVOKED))[1]
        editor.notify("textDocument/didPartiallyAcceptCompletion", {"item": second, "acceptedLength": 2})
        editor.type(0, 4, "fo")
        assert texts(await editor.inline(0, 6)) == ["ur(2)"]


async def test_the_one_that_was_typed_along_stays_after_backspace(
    paths: RuntimePaths, alike: ScriptedDaemon
) -> None:
    """An editor that says nothing of what it shows: what it got last is taken to be on the screen (ux-25)."""
    async with connected(paths) as editor:
        editor.open("x = ")
        await editor.inline(0, 4, kind=INVOKED)
        editor.type(0, 4, "fou")
        assert texts(await editor.inline(0, 7)) == ["r(2)"]
        editor.change(replace_text((0, 6), (0, 7), ""))
        assert texts(await editor.inline(0, 6)) == ["ur(2)"]


async def test_what_is_typed_against_the_one_that_is_shown_brings_another(
    paths: RuntimePaths, alike: ScriptedDaemon
) -> None:
    async with connected(paths) as editor:
        await second_shown(editor)
        editor.type(0, 4, "foo")
        assert texts(await editor.inline(0, 7)) == ["(1)"]


async def test_without_an_answer_what_is_on_the_screen_stays(paths: RuntimePaths) -> None:
    """The daemon is gone when its user wants another."""
    async with InProcessEditor(paths) as editor:
        async with ScriptedDaemon(paths, lambda text, offset: [suggested(1, "foo(1)")]):
            await editor.initialize()
            await editor.connected()
            editor.open("x = ")
            await editor.inline(0, 4)
        await editor.wait_for("draftwire/status", lambda status: status["daemon"] != "connected")
        assert texts(await editor.inline(0, 4, kind=INVOKED)) == ["foo(1)"]


# --- with a daemon and its draft


def model(second: str) -> FakeEngine:
    def next_best(prefix: bytes) -> Sequence[bytes]:
        whole = second.encode()
        return [whole[len(prefix) :]] if whole.startswith(prefix) and whole != prefix else []

    words = (b"foo", b"four")
    return FakeEngine(following(FIRST, second), alternatives=next_best, extra_tokens=words)


async def whole(editor: InProcessEditor, line: int, character: int, text: str) -> None:
    """Until the automatic request is answered with the text."""
    async with asyncio.timeout(20):
        while texts(await editor.inline(line, character)) != [text]:
            await asyncio.sleep(0.01)


async def test_ux_27_next_lists_another_and_accepting_it_counts(paths: RuntimePaths) -> None:
    """Through bridge and daemon: the first stays the first, the second is accepted as it was shown (ux-9)."""
    async with drafting_daemon(paths, model(SECOND)) as client, connected(paths) as editor:
        editor.open("x =")
        editor.type(0, 3, " ")
        await whole(editor, 0, 4, "foo(1)")
        items = await editor.inline(0, 4, kind=INVOKED)
        assert texts(items)[:2] == ["foo(1)", "bar(2)"]
        editor.type(0, 4, items[1]["insertText"])
        await editor.request("workspace/executeCommand", items[1]["command"])
        await whole(editor, 0, 10, "\ny = 3")
        stats = await client.stats()
        assert stats["accepted"] == {"all": 1}
        assert stats["accepted_characters"] == len("bar(2)")
        assert editor.bridge.documents.get(URI).text == "x = bar(2)"  # type: ignore[union-attr]


async def test_typing_along_the_second_brings_more_of_it_as_an_update(paths: RuntimePaths) -> None:
    async with drafting_daemon(paths, model(SECOND)), connected(paths) as editor:
        editor.open("x =")
        editor.type(0, 3, " ")
        await whole(editor, 0, 4, "foo(1)")
        second = (await editor.inline(0, 4, kind=INVOKED))[1]
        editor.type(0, 4, "ba")
        assert texts(await editor.inline(0, 6)) == ["r(2)"]
        identifier = second["command"]["arguments"][0]
        told = await editor.wait_for(
            "draftwire/suggestion", lambda one: one["id"] == identifier and one["text"] == "r(2)\ny = 3"
        )
        assert told["kind"] == "extended"


async def test_ux_21_the_shown_one_leads_though_the_daemon_puts_the_other_first(paths: RuntimePaths) -> None:
    """Asked once more where both have been typed along; accepted as it was listed there."""
    async with drafting_daemon(paths, model("x = four(2)\n")) as client, connected(paths) as editor:
        editor.open("x =")
        editor.type(0, 3, " ")
        await whole(editor, 0, 4, "foo(1)")
        items = await editor.inline(0, 4, kind=INVOKED)
        assert texts(items)[:2] == ["foo(1)", "four(2)"]
        editor.notify("textDocument/didShowCompletion", {"item": items[1]})
        editor.type(0, 4, "fo")
        assert texts(await editor.inline(0, 6)) == ["ur(2)"]
        again = await editor.inline(0, 6, kind=INVOKED)
        assert texts(again)[:2] == ["ur(2)", "o(1)"]
        editor.type(0, 6, "ur(2)")
        await editor.request("workspace/executeCommand", again[0]["command"])
        stats = await client.stats()
        assert (stats["accepted"], stats["accepted_characters"]) == ({"all": 1}, len("ur(2)"))
