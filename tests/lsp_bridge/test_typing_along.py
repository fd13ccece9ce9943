"""What a line becomes as a suggestion is typed or taken, through bridge and daemon (ux-12, ux-14)."""

from __future__ import annotations

import asyncio

import pytest

from daemon.api.paths import RuntimePaths
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI, replace
from tests.lsp_bridge.conftest import connected, drafting_daemon


@pytest.mark.asyncio
async def test_ux_14_typed_to_its_last_character_it_is_accepted(paths: RuntimePaths) -> None:
    """The buffer is what was typed, no key asks the daemon, and an editor that tells of it too changes nothing."""
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, FakeEngine(following("x = foo(1)\n"))) as client,
        connected(paths) as editor,
    ):
        editor.open("x =")
        editor.type(0, 3, " ")
        items = await editor.inline(0, 4)
        while [one["insertText"] for one in items] != ["foo(1)"]:
            await asyncio.sleep(0.01)
            items = await editor.inline(0, 4)
        requests = (await client.stats())["requests"]
        for at, key in enumerate("foo(1)", start=4):
            editor.type(0, at, key)
            (left,) = await editor.inline(0, at + 1) or [{"insertText": ""}]
            assert "foo(1)".endswith(left["insertText"])
            if at < 9:
                assert (await client.stats())["requests"] == requests, "answered from memory"
        await editor.request("workspace/executeCommand", items[0]["command"])
        stats = await client.stats()
        assert (stats["accepted"], stats["accepted_characters"]) == ({"typed": 1}, len("foo(1)"))
        document = editor.bridge.documents.get(URI)
        assert document is not None
        assert document.text == "x = foo(1)"


@pytest.mark.asyncio
@pytest.mark.parametrize("indent", ["    ", "\t", "  "])
async def test_ux_12_on_a_blank_line_the_indentation_is_there_once(paths: RuntimePaths, indent: str) -> None:
    """The item begins at the cursor, behind the blanks that the editor has put there, and goes on as the file does."""
    body = f"{indent}if b:\n{indent}{indent}a()\n{indent}c()"
    source = f"def f(b, c):\n{body}\n"
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, FakeEngine(following(source))),
        connected(paths) as editor,
    ):
        editor.open("def f(b, c):\n")
        editor.type(1, 0, indent)
        items = await editor.inline(1, len(indent))
        while [one["insertText"] for one in items] != [body.removeprefix(indent)]:
            await asyncio.sleep(0.01)
            items = await editor.inline(1, len(indent))
        start, end = items[0]["range"]["start"], items[0]["range"]["end"]
        editor.change(replace((1, start["character"]), (1, end["character"]), items[0]["insertText"]))
        await editor.request("draftwire/status")
        document = editor.bridge.documents.get(URI)
        assert document is not None
        assert document.text == f"def f(b, c):\n{body}"
