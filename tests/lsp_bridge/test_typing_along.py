"""A suggestion that is typed character by character, through bridge and daemon (ux-14)."""

from __future__ import annotations

import asyncio

import pytest

from daemon.api.paths import RuntimePaths
from tests.fakes.lsp_editor import URI
from tests.lsp_bridge.conftest import connected, drafting_daemon


@pytest.mark.asyncio
async def test_ux_14_typed_to_its_last_character_it_is_accepted(paths: RuntimePaths) -> None:
    """The buffer is what was typed, no key asks the daemon, and an editor that tells of it too changes nothing."""
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, "x = foo(1)\n") as client,
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
