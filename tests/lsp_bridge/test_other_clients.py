"""Clients that can't be installed here, played against the real bridge as a process (`tests/fakes/client_profiles.py`).

Each says what its source says, set up as docs/other-editors.md has it. Not by pytest-lsp's client: that is typed, and
could send none of the nulls, missing fields and additions that are what these clients differ in.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.client_profiles import CLIENTS, ClientProfile
from tests.fakes.documented_setups import sections, understood
from tests.fakes.lsp_editor import ProcessEditor, ResponseError
from tests.fakes.played_client import URI, PlayedClient
from tests.fakes.scripted_daemon import ScriptedDaemonProcess, scripted_daemon

pytestmark = pytest.mark.asyncio

WITHOUT_SECTION: Final[dict[str, dict[str, Any] | None]] = {
    "Neovim 0.12": None,
    "a client that knows UTF-8 alone": None,
    "a client of 2017": {"completionList": True},
}
"""Options of clients that the document has no section for."""
DOCUMENTED: Final = [one.name for one in CLIENTS if one.name not in WITHOUT_SECTION]
GHOST: Final = "(a, b):\n    return a + b"
RULES: Final = [{"before": "def add", "suggestions": [{"text": GHOST}]}]
BY_NAME: Final = {one.name: one for one in CLIENTS}
COPILOT: Final = BY_NAME["Emacs with copilot.el"]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemonProcess]:
    with scripted_daemon(tmp_path / "daemon", RULES) as running:
        yield running


def options_of(profile: ClientProfile) -> dict[str, Any] | None:
    """What the client sends, set up as documented; None: what it sends of itself, if anything."""
    if profile.name in WITHOUT_SECTION:
        return WITHOUT_SECTION[profile.name]
    return understood(profile.name)[1] or None


@asynccontextmanager
async def playing(profile: ClientProfile, daemon: ScriptedDaemonProcess) -> AsyncIterator[PlayedClient]:
    """The client, before its first message; it ends as LSP has it, with nothing that it could not match."""
    environment = {**os.environ, **daemon.environment}
    async with (
        asyncio.timeout(60),
        ProcessEditor([str(daemon.command), "lsp"], environment) as editor,
    ):
        yield PlayedClient(profile, editor, options_of(profile))
        await editor.request("shutdown")
        editor.notify("exit")
        assert await editor.exit_code() == 0
        assert editor.unmatched == []


def text_at(daemon: ScriptedDaemonProcess) -> str:
    """The document as the daemon has it."""
    text = ""
    for message in daemon.received():
        if message["type"] == "opendocument":
            text = message["text"]
        elif message["type"] == "changedocument":
            for edit in message["edits"]:
                text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    return text


@pytest.mark.parametrize("profile", CLIENTS, ids=lambda profile: profile.name)
async def test_a_suggestion_is_asked_for_and_taken(
    profile: ClientProfile, daemon: ScriptedDaemonProcess
) -> None:
    """Behind characters of all widths, in the client's units and line ends; both sides have it whole (ux-9..ux-11)."""
    async with playing(profile, daemon) as client:
        capabilities = (await client.initialize())["capabilities"]
        assert capabilities["positionEncoding"] == profile.encoding
        assert ("completionProvider" in capabilities) == (profile.asks == "textDocument/completion")
        client.go_on()
        client.open("é你🤗🇨🇳\né你🤗🇨🇳 ")
        client.type("def add")
        item = await client.suggested()
        client.accept(item)
        if profile.runs_commands:
            await client.run_command(item)
        expected = f"é你🤗🇨🇳\né你🤗🇨🇳 def add{GHOST}"
        assert client.text == expected.replace("\n", profile.eol)
        await client.editor.request("draftwire/status")
        assert client.editor.received("window/showMessage") == []
    daemon.wait_for("goodbye")
    assert text_at(daemon) == expected
    assert [one["length"] for one in daemon.received("accepted")] == [len(GHOST)], "once, by whichever way"
    settings = [one["settings"] for one in daemon.received() if one["type"] in ("hello", "configure")]
    assert settings == [{}] * len(settings)


@pytest.mark.parametrize("name", ["JetBrains IDEs", "Kakoune"])
async def test_it_may_ask_before_it_says_that_it_is_initialised(
    name: str, daemon: ScriptedDaemonProcess
) -> None:
    """It is answered, and told nothing that it has not asked for."""
    async with playing(BY_NAME[name], daemon) as client:
        await client.initialize()
        client.open("")
        client.type("def add")
        item = await client.suggested()
        assert client.editor.notifications == []
        client.go_on()
        client.accept(item)
        assert client.text == f"def add{GHOST}", "a file without a line end gets LF"


async def test_a_list_that_was_not_asked_for_is_not_there(daemon: ScriptedDaemonProcess) -> None:
    """A client with ghost text would show the suggestion twice."""
    async with playing(BY_NAME["Helix"], daemon) as client:
        client.options = {}
        capabilities = (await client.initialize())["capabilities"]
        assert "completionProvider" not in capabilities
        client.go_on()
        client.open("")
        with pytest.raises(ResponseError) as caught:
            await client.suggested()
        assert caught.value.code == -32601


async def test_a_list_in_a_file_that_is_not_open_is_empty(daemon: ScriptedDaemonProcess) -> None:
    """As it is for ghost text."""
    async with playing(BY_NAME["Helix"], daemon) as client:
        await client.initialize()
        client.go_on()
        where = {"textDocument": {"uri": "file:///other"}, "position": {"line": 0, "character": 0}}
        answer = await client.editor.request("textDocument/completion", where)
        assert answer == {"isIncomplete": False, "items": []}


async def test_a_client_of_copilots_server(daemon: ScriptedDaemonProcess) -> None:
    """It says which document has the focus, takes a word, and is told the state in Copilot's words."""
    async with playing(COPILOT, daemon) as client:
        await client.initialize()
        client.go_on()
        client.open("")
        client.editor.notify("textDocument/didFocus", {"textDocument": {"uri": URI}})
        client.type("def add")
        item = await client.suggested()
        status = await client.editor.wait_for("didChangeStatus", lambda told: told["kind"] == "Normal")
        assert set(status) == {"kind", "busy", "message"}
        client.editor.notify("textDocument/didShowCompletion", {"item": item})
        client.type("(a")
        client.editor.notify("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": 2})
        rest = await client.suggested()
        assert rest["insertText"] == GHOST.removeprefix("(a")
        client.accept(rest)
        await client.run_command(rest)
        assert client.text == f"def add{GHOST}"
    daemon.wait_for("goodbye")
    accepted = [(one["length"], one["kind"]) for one in daemon.received("accepted")]
    assert accepted == [(2, "partial"), (len(GHOST), "all")]


@pytest.mark.parametrize("client", DOCUMENTED)
async def test_the_document_starts_the_bridge(client: str) -> None:
    """Each configuration can be read, and runs `draftwire lsp`."""
    command, _ = understood(client)
    assert command == ["draftwire", "lsp"]


async def test_every_client_of_the_document_is_played() -> None:
    """Or is known to have no setup."""
    assert set(sections()) - set(DOCUMENTED) == {"Zed", "Any other client"}
