"""The opt-in completion list as a client meets it: from memory, never late, and what is taken is seen in the text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from daemon.api.messages import Accepted, Complete
from daemon.api.paths import RuntimePaths
from tests.fakes.daemon import ScriptedDaemon
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI, InProcessEditor, Json, replace
from tests.lsp_bridge.conftest import drafting_daemon

pytestmark = pytest.mark.asyncio
LIST = {"initializationOptions": {"completionList": True}}


def start_list(editor: InProcessEditor, line: int, character: int, kind: int = 1) -> asyncio.Future[Any]:
    where = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}
    return editor.start("textDocument/completion", {**where, "context": {"triggerKind": kind}})


async def entries(editor: InProcessEditor, line: int, character: int, kind: int = 1) -> list[Json]:
    result = await start_list(editor, line, character, kind)
    return result["items"]  # type: ignore[no-any-return]


@pytest_asyncio.fixture
async def daemon(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    async with ScriptedDaemon(
        paths, lambda text, _: ["ghost(x)"] if text.endswith("def ") else []
    ) as scripted:
        yield scripted


@pytest_asyncio.fixture
async def editor(paths: RuntimePaths, daemon: ScriptedDaemon) -> AsyncIterator[InProcessEditor]:
    async with InProcessEditor(paths) as editor:
        await editor.initialize(**LIST)
        await editor.connected()
        yield editor
        assert editor.unmatched == []


async def test_what_is_typed_along_is_listed_from_memory(
    daemon: ScriptedDaemon, editor: InProcessEditor
) -> None:
    """The daemon is asked once; the entry goes on to replace the whole word, and goes when another is typed (ux-3)."""
    editor.open("def ")
    assert [one["label"] for one in await entries(editor, 0, 4)] == ["ghost(x)"]
    for at, key in enumerate("gho", start=4):
        editor.type(0, at, key)
        (entry,) = await entries(editor, 0, at + 1, kind=3)
        assert entry["label"] == entry["filterText"] == entry["textEdit"]["newText"] == "ghost(x)"
        assert entry["textEdit"]["range"]["start"] == {"line": 0, "character": 4}
    assert len(daemon.of_type(Complete)) == 1
    editor.type(0, 7, "X")
    assert await entries(editor, 0, 8, kind=3) == []


async def test_a_newer_list_answers_the_older_at_once(
    daemon: ScriptedDaemon, editor: InProcessEditor
) -> None:
    """It is empty, so a client that waits for all its servers is not held up."""
    editor.open("def ")
    daemon.hold.clear()
    older = start_list(editor, 0, 4)
    await daemon.wait_for(Complete)
    newer = start_list(editor, 0, 4)
    assert (await older)["items"] == []
    daemon.hold.set()
    assert len((await newer)["items"]) == 1


async def test_a_list_is_for_where_it_was_asked_for(daemon: ScriptedDaemon, editor: InProcessEditor) -> None:
    """Typed along in the meantime, it would replace the wrong text; the next request has it at once."""
    editor.open("def ")
    daemon.hold.clear()
    asked = start_list(editor, 0, 4)
    await daemon.wait_for(Complete)
    editor.type(0, 4, "g")
    daemon.hold.set()
    assert await asked == {"isIncomplete": True, "items": []}
    assert [one["label"] for one in await entries(editor, 0, 5)] == ["ghost(x)"]
    assert len(daemon.of_type(Complete)) == 1


async def test_nothing_to_suggest_is_an_empty_list_that_is_asked_for_again(
    daemon: ScriptedDaemon, editor: InProcessEditor
) -> None:
    """Never null, and never complete: there may be something after the next key."""
    editor.open("nothing")
    assert await start_list(editor, 0, 7) == {"isIncomplete": True, "items": []}
    assert daemon.of_type(Accepted) == []


@pytest.mark.parametrize(
    "steps",
    [
        [((0, 4), (0, 5), "foo(1)")],
        [((0, 4), (0, 5), ""), ((0, 4), (0, 4), "foo(1)")],
        [
            ((0, 5), (0, 5), "oo(1)"),
            ((0, 5), (0, 10), ""),
            ((0, 4), (0, 5), ""),
            ((0, 4), (0, 4), "foo(1)"),
        ],
    ],
    ids=["in one edit", "the word out, the text in", "as eglot does it"],
)
@pytest.mark.parametrize("told", [False, True], ids=["untold", "told"])
async def test_what_is_taken_is_counted_once(paths: RuntimePaths, steps: list[Any], *, told: bool) -> None:
    """By a client that runs no commands, too: its text is there (ux-14)."""
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, FakeEngine(following("x = foo(1)\n"))) as client,
        InProcessEditor(paths) as editor,
    ):
        await editor.initialize(**LIST)
        await editor.connected()
        editor.open("x = ")
        editor.type(0, 4, "f")
        found = await entries(editor, 0, 5)
        while [one["textEdit"]["newText"] for one in found] != ["foo(1)"]:
            await asyncio.sleep(0.01)
            found = await entries(editor, 0, 5)
        editor.change(*(replace(*step) for step in steps))
        if told:
            await editor.request("workspace/executeCommand", found[0]["command"])
        stats = await client.stats()
        while not stats["accepted"]:
            await asyncio.sleep(0.01)
            stats = await client.stats()
        assert sum(stats["accepted"].values()) == 1
        document = editor.bridge.documents.get(URI)
        assert document is not None
        assert document.text == "x = foo(1)"
