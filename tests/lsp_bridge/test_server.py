"""The bridge as an editor meets it: one conversation per test, a scripted daemon behind it (ux-2,
ux-8..ux-11)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from daemon.api.errors import DaemonMisconfigured
from daemon.api.messages import (
    Accepted,
    Cancel,
    ChangeDocument,
    CheckGrammar,
    CloseDocument,
    Complete,
    Configure,
    Failed,
    GrammarFinding,
    GrammarFindings,
    GrammarProblem,
    GrammarState,
    Hello,
    OpenDocument,
    Shown,
    Suggestion,
    SuggestionUpdate,
)
from daemon.api.paths import RuntimePaths
from daemon.api.reasons import in_words
from daemon.api.text import surroundings_hash
from daemon.version import VERSION
from lsp_bridge import documents as documents_module
from lsp_bridge import protocol as protocol_module
from lsp_bridge.methods import inline_completion
from lsp_bridge.positions import units_of
from tests.fakes.daemon import READY, ScriptedDaemon, nothing
from tests.fakes.lsp_editor import URI, InProcessEditor, ResponseError, replace
from tests.lsp_bridge.conftest import connected

pytestmark = pytest.mark.asyncio
ENCODINGS = ["utf-8", "utf-16", "utf-32"]


@pytest_asyncio.fixture
async def daemon(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    """A daemon that says `ghost()` after `def ` and nothing elsewhere."""

    def answer(text: str, offset: int) -> list[Suggestion | str]:
        return ["ghost(x):\n    return x"] if text[:offset].endswith("def ") else []

    async with ScriptedDaemon(paths, answer) as scripted:
        yield scripted


@pytest_asyncio.fixture
async def editor(paths: RuntimePaths, daemon: ScriptedDaemon) -> AsyncIterator[InProcessEditor]:
    """A UTF-16 editor that is connected."""
    async with connected(paths) as editor:
        yield editor


# Initialize ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_capabilities(paths: RuntimePaths, daemon: ScriptedDaemon, encoding: str) -> None:
    """Inline completion is advertised (the first of pygls' traps), with the client's encoding; a list is
    not."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize(encoding, clientInfo={"name": "ed", "version": "7"})
        assert editor.capabilities["positionEncoding"] == encoding
        assert editor.capabilities["inlineCompletionProvider"] == {}
        assert editor.capabilities["textDocumentSync"]["change"] == 2
        assert editor.capabilities["executeCommandProvider"]["commands"] == ["draftwire.accepted"]
        assert "completionProvider" not in editor.capabilities
        await editor.connected()
        assert daemon.of_type(Hello)[0].client == "ed 7"


@pytest.mark.parametrize("offered", [None, "utf-7"])
async def test_utf16_where_nothing_is_agreed(
    paths: RuntimePaths, daemon: ScriptedDaemon, offered: str | None
) -> None:
    """As the protocol says."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize(offered)
        assert editor.bridge.documents.encoding == "utf-16"


async def test_initialize_does_not_wait_for_a_daemon(paths: RuntimePaths) -> None:
    """With none to be had it is answered, requests get an empty list, and the status says why."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize()
        status = await editor.wait_for("draftwire/status", lambda s: s["daemon"] == "unavailable")
        assert (status["kind"], status["reason"]) == ("Error", "daemon_unavailable")
        assert "draftwire daemon start" in status["message"]
        editor.open("def ")
        assert await editor.inline(0, 4) == []
        with pytest.raises(ResponseError, match="daemon"):
            await editor.request("draftwire/stats")


async def test_an_initialize_with_nonsense_in_it_still_works(
    paths: RuntimePaths, daemon: ScriptedDaemon
) -> None:
    """Capabilities that lsprotocol can't read cost those capabilities, not the server."""
    async with InProcessEditor(paths) as editor:
        capabilities = {"general": {"positionEncodings": ["utf-8", 3]}, "textDocument": {"hover": 7}}
        params = {"processId": "x", "clientInfo": {"name": "odd"}, "capabilities": capabilities}
        await editor.request("initialize", params)
        assert editor.bridge.documents.encoding == "utf-8"
        assert editor.bridge.client_name == "odd"


@pytest.mark.parametrize("name", ["visual-studio-code", "neovim", "emacs"])
async def test_capabilities_of_real_editors_are_read_whole(
    paths: RuntimePaths, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way out for unreadable ones is not taken."""
    monkeypatch.delattr(protocol_module, "_essential")
    async with InProcessEditor(paths) as editor:
        capabilities = default_converter().unstructure(client_capabilities(name))  # type: ignore[no-untyped-call]
        await editor.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})


# Positions and line ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("before", ["", "é", "你好", "🤗", "🇨🇳🇫🇷", "a\x0cb\u2028"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
async def test_positions_and_line_ends(
    paths: RuntimePaths, daemon: ScriptedDaemon, encoding: str, before: str, eol: str
) -> None:
    """Offsets are code points of LF text; the item is at the cursor, with the file's line ends (ux-10,
    ux-11)."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize(encoding)
        await editor.connected()
        editor.open(f"first{eol}{before}{eol}last")
        start = units_of(before, encoding)  # type: ignore[arg-type]
        editor.type(1, start, "def ")
        (item,) = await editor.inline(1, start + 4)
        place = {"line": 1, "character": start + 4}
        assert item["insertText"] == f"ghost(x):{eol}    return x"
        assert item["range"] == {"start": place, "end": place}
        ask = daemon.of_type(Complete)[0]
        text = f"first\n{before}def \nlast"
        assert daemon.text(URI) == text
        assert ask.offset == len(f"first\n{before}def ")
        assert (ask.version, ask.trigger, ask.wait) == (2, "automatic", "first")
        identifier, length, detail = item["command"]["arguments"]
        assert item["command"]["command"] == "draftwire.accepted"
        assert (identifier, length) == (1, len("ghost(x):\n    return x"))
        assert detail["version"] == 2
        assert detail["surroundings"] == surroundings_hash(text, ask.offset)


async def test_edits_reach_the_daemon_without_a_request(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """Work starts on didChange (ux-2); several changes of one notification stay one message."""
    editor.open("ab\r\ncd\r\n")
    editor.change(replace((0, 2), (1, 0), ""), replace((0, 4), (0, 4), "🤗\r\n"))
    (changed,) = await daemon.wait_for(ChangeDocument)
    assert [(e.start, e.end, e.text) for e in changed.edits] == [(2, 3, ""), (4, 4, "🤗\n")]
    assert daemon.text(URI) == "abcd🤗\n\n"
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    await daemon.wait_for(CloseDocument)
    assert await editor.inline(0, 0) == []


async def test_positions_past_the_end_are_clamped(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Past the line's end is the line's end, past the last line the end of the document."""
    editor.open("def \r\nx")
    (item,) = await editor.inline(0, 999)
    assert item["range"]["start"] == {"line": 0, "character": 4}
    await editor.inline(99, 3)
    assert daemon.of_type(Complete)[-1].offset == 6


# Answers ----------------------------------------------------------------------------------------------------


async def test_nothing_is_an_empty_list(editor: InProcessEditor) -> None:
    """Never null; also for a document nobody opened."""
    editor.open("x")
    assert await editor.start_inline(0, 1) == {"items": []}
    assert await editor.start_inline(0, 0, "file:///unknown") == {"items": []}


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 99])
async def test_trigger_kinds(editor: InProcessEditor, daemon: ScriptedDaemon, kind: int) -> None:
    """Unknown kinds count as automatic (the third of pygls' traps)."""
    editor.open("def ")
    assert len(await editor.inline(0, 4, kind=kind)) == 1
    assert daemon.of_type(Complete)[0].trigger == ("invoked" if kind == 1 else "automatic")


async def test_cancelling_reaches_the_daemon(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """The request is answered once, as cancelled; the daemon is told; the next one works."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    (ask,) = await daemon.wait_for(Complete)
    editor.cancel(request)
    with pytest.raises(ResponseError) as caught:
        await request
    assert caught.value.code == -32800
    (cancelled,) = await daemon.wait_for(Cancel)
    assert cancelled.request == ask.request
    daemon.hold.set()
    assert len(await editor.inline(0, 4)) == 1


async def test_a_request_goes_out_before_the_change_that_follows_it(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """Else the daemon would be asked for a version it has left (the scripted one cuts the connection then)."""
    editor.open("def ")
    request = editor.start_inline(0, 4)
    editor.type(0, 4, "g")
    assert [item["insertText"] for item in (await request)["items"]] == ["host(x):\n    return x"]
    kinds = [type(message) for message in daemon.received[-2:]]
    assert kinds == [Complete, ChangeDocument]


async def test_the_newest_request_wins(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """An older request of the document is answered empty at once; another document's is left alone (ux-5)."""
    daemon.hold.clear()
    editor.open("def ", uri="file:///other")
    other = editor.start_inline(0, 4, "file:///other")
    editor.open("def ")
    older = editor.start_inline(0, 4)
    await daemon.wait_for(Complete, 2)
    newer = editor.start_inline(0, 4)
    assert (await older)["items"] == []
    await daemon.wait_for(Cancel)
    daemon.hold.set()
    assert len((await newer)["items"]) == 1
    assert len((await other)["items"]) == 1


async def test_an_answer_for_a_text_that_is_gone_is_dropped(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """The user typed something else while the daemon worked (ux-8)."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    editor.type(0, 4, "z")
    await daemon.wait_for(ChangeDocument)
    daemon.hold.set()
    assert (await request)["items"] == []


async def test_an_answer_moves_along_with_what_was_typed(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """The user typed the suggestion's beginning meanwhile: the rest of it is offered where the cursor now
    is."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    editor.type(0, 4, "gh")
    await daemon.wait_for(ChangeDocument)
    daemon.hold.set()
    (item,) = (await request)["items"]
    assert item["insertText"] == "ost(x):\n    return x"
    assert item["range"]["start"] == {"line": 0, "character": 6}
    assert item["command"]["arguments"][1:] == [
        len("ghost(x):\n    return x"),
        {
            "uri": URI,
            "version": 2,
            "surroundings": surroundings_hash("def gh", 6),
            "typed": 2,
            "verifiedLength": 0,
            "complete": True,
            "source": "draft",
        },
    ]


async def test_type_through_and_backspace_ask_nobody(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Known text is answered from memory, and comes back on backspace (ux-3, ux-25); other text asks
    again."""
    editor.open("def ")
    await editor.inline(0, 4)
    editor.type(0, 4, "gho")
    (item,) = await editor.inline(0, 7)
    assert item["insertText"] == "st(x):\n    return x"
    editor.change(replace((0, 5), (0, 7), ""))
    (item,) = await editor.inline(0, 5)
    assert item["insertText"] == "host(x):\n    return x"
    assert len(daemon.of_type(Complete)) == 1
    await editor.inline(0, 5, kind=1)
    assert len(daemon.of_type(Complete)) == 2
    editor.type(0, 5, "!")
    assert await editor.inline(0, 6) == []
    assert len(daemon.of_type(Complete)) == 3


async def test_a_daemon_with_another_text_is_given_ours(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """An answer whose surroundings are not the editor's is dropped, and the document sent again (ux-8)."""
    editor.open("def ")
    await daemon.wait_for(OpenDocument)
    daemon.connections[0].documents[URI] = (1, "def other text")
    assert await editor.inline(0, 4) == []
    await daemon.wait_for(OpenDocument, 2)
    assert len(await editor.inline(0, 4)) == 1


async def test_suggestions_beside_the_completion_list(editor: InProcessEditor) -> None:
    """Only what goes on from the selected entry of the editor's own list is offered (ux-20)."""
    editor.open("def ")
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    chosen = {"range": span, "text": "def gho"}
    assert len(await editor.inline(0, 4, selectedCompletionInfo=chosen)) == 1
    chosen["text"] = "default"
    assert await editor.inline(0, 4, selectedCompletionInfo=chosen) == []


# Documents that are hard to take --------------------------------------------------------------------------


async def test_lone_surrogates(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Half a pair in JSON becomes U+FFFD and shifts nothing."""
    editor.open("\ud800 def ")
    assert len(await editor.inline(0, 6)) == 1
    assert daemon.text(URI) == "\ufffd def "


async def test_invalid_utf8(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """A request is refused by its id; a document whose text can't be known is left alone until it is
    reopened."""
    editor.open("def ")
    place = b'"position":{"line":0,"character":4},"context":{"triggerKind":2}'
    editor.send_body(
        b'{"jsonrpc":"2.0","id":"r","method":"textDocument/inlineCompletion",'
        b'"params":{"textDocument":{"uri":"\xff"},' + place + b"}}"
    )
    (answer,) = await editor.wait_unmatched(1)
    assert (answer["id"], answer["error"]["code"]) == ("r", -32602)
    editor.unmatched.clear()
    editor.send_body(
        b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"'
        + URI.encode()
        + b'","version":2},"contentChanges":[{"text":"\xffdef "}]}}'
    )
    assert await editor.inline(0, 4) == []
    await daemon.wait_for(CloseDocument)
    editor.open("def ")
    assert len(await editor.inline(0, 4)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"range": {"start": {"line": -1, "character": 0}}, "text": "x"},
        {"range": {"start": {"line": 0, "character": 0.5}, "end": {"line": 0, "character": 1}}, "text": "x"},
        {"text": ["x"]},
        {"text": None},
        {},
        None,
    ],
)
async def test_a_change_that_cannot_be_read_ends_offering(
    editor: InProcessEditor, daemon: ScriptedDaemon, change: Any
) -> None:
    """After it the text is unknown; anything offered could land in the wrong place."""
    editor.open("def ")
    editor.change(change)
    assert await editor.inline(0, 4) == []
    await daemon.wait_for(CloseDocument)


async def test_missing_versions(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """null versions count up from 0."""
    editor.open("def", version=None)
    editor.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": URI, "version": None},
            "contentChanges": [replace((0, 3), (0, 3), " ")],
        },
    )
    (item,) = await editor.inline(0, 4)
    assert item["command"]["arguments"][2]["version"] == 1


async def test_documents_over_the_limit(
    editor: InProcessEditor, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are never sent; one that grows over it is closed at the daemon; smaller and reopened it works."""
    monkeypatch.setattr(documents_module, "MAX_TEXT", 10)
    editor.open("x" * 11)
    assert await editor.inline(0, 4) == []
    assert daemon.of_type(OpenDocument) == []
    editor.open("def ")
    assert len(await editor.inline(0, 4)) == 1
    editor.type(0, 0, "1234567")
    assert await editor.inline(0, 4) == []
    await daemon.wait_for(CloseDocument)


@pytest.mark.parametrize("uri", ["u" * 9000, "file:///\ud800"])
async def test_uris_the_daemon_cannot_take(editor: InProcessEditor, daemon: ScriptedDaemon, uri: str) -> None:
    """Nothing is offered there and nothing breaks."""
    editor.open("def ", uri=uri)
    editor.type(0, 4, "x", uri=uri)
    assert await editor.inline(0, 4, uri=uri) == []
    assert daemon.of_type(OpenDocument) == []


async def test_an_open_document_reopened_too_large(
    editor: InProcessEditor, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is closed at the daemon."""
    editor.open("def ")
    await daemon.wait_for(OpenDocument)
    monkeypatch.setattr(documents_module, "MAX_TEXT", 10)
    editor.open("x" * 11)
    await daemon.wait_for(CloseDocument)
    editor.type(0, 0, "ignored")
    assert await editor.inline(0, 4) == []


async def test_a_document_closed_under_a_request(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """The request is answered empty, at once."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert (await request)["items"] == []
    await daemon.wait_for(CloseDocument)


async def test_text_taken_away_under_a_request(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Erased to before the cursor asked about: nothing fits there."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    editor.change(replace((0, 1), (0, 4), ""))
    await daemon.wait_for(ChangeDocument)
    daemon.hold.set()
    assert (await request)["items"] == []


# The protocol's own rules ---------------------------------------------------------------------------------

MALFORMED = [
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b"[1]", -32600),
    (b'"text"', -32600),
    (b'{"jsonrpc":"1.0","id":5,"method":"x"}', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600),
    (b'{"jsonrpc":"2.0","id":[1],"method":"shutdown"}', -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"shutdown"}', -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":7}', -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"capabilities":{}}}', -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":"textDocument/inlineCompletion"}', -32602),
    (b'{"jsonrpc":"2.0","id":5,"method":"textDocument/inlineCompletion","params":[]}', -32602),
    (b'{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":{"command":"nosuch"}}', -32602),
    (b'{"jsonrpc":"2.0","id":5,"method":"nosuch/method","params":{}}', -32601),
    (b'{"jsonrpc":"2.0","id":5,"method":"$/cancelRequest","params":{"id":[]}}', -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":"textDocument/didClose","params":{}}', -32600),
    (b"[" * 100_000, -32700),
]


@pytest.mark.parametrize(
    ("body", "code"), MALFORMED, ids=[body[:60].decode("latin-1") for body, _ in MALFORMED]
)
async def test_malformed_messages_are_answered(editor: InProcessEditor, body: bytes, code: int) -> None:
    """Each gets one error, under its id if it has one, and the conversation goes on."""
    editor.send_body(body)
    (answer,) = await editor.wait_unmatched(1)
    assert answer["error"]["code"] == code
    assert answer["id"] == (5 if b'"id":5' in body else None)
    editor.unmatched.clear()
    editor.open("def ")
    assert len(await editor.inline(0, 4)) == 1


async def test_methods_we_do_not_know_are_no_error_in_the_log(
    editor: InProcessEditor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "lsp_bridge")
    with pytest.raises(ResponseError, match="Method Not Found"):
        await editor.request(
            "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        )
    ours = [record for record in caplog.records if record.name.startswith("lsp_bridge")]
    assert ["textDocument/hover" in record.getMessage() for record in ours] == [True]
    assert ours[0].levelno == logging.DEBUG


@pytest.mark.parametrize(
    "arguments", [[], [1], ["x", 1], [1, -1], [1, 2, 3], [1, 2, {"kind": "nosuch"}], [2**60, 1]]
)
async def test_wrong_arguments_of_the_command(editor: InProcessEditor, arguments: list[Any]) -> None:
    """They are refused with the right form in the text."""
    with pytest.raises(ResponseError, match=r"draftwire\.accepted takes") as caught:
        await editor.request(
            "workspace/executeCommand", {"command": "draftwire.accepted", "arguments": arguments}
        )
    assert caught.value.code == -32602


async def test_requests_out_of_order(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    """Before initialize and after shutdown they are refused; exit ends with the right code."""
    async with InProcessEditor(paths) as editor:
        with pytest.raises(ResponseError) as caught:
            await editor.inline(0, 0)
        assert caught.value.code == -32002
        editor.open("before initialize, ignored")
        await editor.initialize()
        assert await editor.inline(0, 0) == []
        assert await editor.request("shutdown") is None
        with pytest.raises(ResponseError) as caught:
            await editor.inline(0, 0)
        assert caught.value.code == -32600
        editor.notify("exit")
        assert editor.bridge.exit_code is not None
        assert await editor.bridge.exit_code == 0


async def test_shutdown_answers_what_is_under_way(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """A waiting request is answered, and once."""
    daemon.hold.clear()
    editor.open("def ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    assert await editor.request("shutdown") is None
    with pytest.raises(ResponseError):
        await request


# Accepting -------------------------------------------------------------------------------------------------


async def test_showing_and_accepting(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Copilot's dialect and the item's command reach the daemon in code points of LF text."""
    daemon.answer = lambda text, offset: ["🤗a\nbc"]
    editor.open("x\r\n")
    (item,) = await editor.inline(1, 0)
    assert item["insertText"] == "🤗a\r\nbc"
    editor.notify("textDocument/didShowCompletion", {"item": item})
    editor.notify(
        "textDocument/didPartiallyAcceptCompletion",
        {"item": item, "acceptedLength": units_of("🤗a\r\n", "utf-16")},
    )
    editor.notify("textDocument/didFocus", {"textDocument": {"uri": URI}})
    command = {"command": item["command"]["command"], "arguments": item["command"]["arguments"]}
    assert await editor.request("workspace/executeCommand", command) is None
    accepted = await daemon.wait_for(Accepted, 2)
    assert daemon.of_type(Shown) == [Shown(1)]
    assert accepted == [Accepted(1, 3, "partial"), Accepted(1, 5, "all")]


async def test_accepting_the_rest_after_typing(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Lengths count from the suggestion's start, not the item's."""
    editor.open("def ")
    await editor.inline(0, 4)
    editor.type(0, 4, "gho")
    (item,) = await editor.inline(0, 7)
    editor.notify("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": 2})
    assert await daemon.wait_for(Accepted) == [Accepted(1, 5, "partial")]


@pytest.mark.parametrize("params", [None, {}, [], {"item": {}}, {"item": {"command": {"arguments": ["x"]}}}])
async def test_items_that_are_not_ours(editor: InProcessEditor, daemon: ScriptedDaemon, params: Any) -> None:
    """Ignored."""
    editor.notify("textDocument/didShowCompletion", params)
    editor.notify("textDocument/didPartiallyAcceptCompletion", params)
    await editor.request("draftwire/status")
    assert (daemon.of_type(Shown), daemon.of_type(Accepted)) == ([], [])


# Updates and status ----------------------------------------------------------------------------------------


async def test_an_extended_suggestion(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """The editor is told the whole new text, and later answers from memory have it."""
    daemon.answer = lambda text, offset: [Suggestion(9, "🤗\n", 0, False, "draft")]
    editor.open("x\r\n")
    await editor.inline(1, 0)
    daemon.push(SuggestionUpdate(URI, 1, 2, "extended", Suggestion(9, "🤗\nok", 3, True, "target")))
    told = await editor.wait_for("draftwire/suggestion")
    assert told == {
        "uri": URI,
        "version": 1,
        "position": {"line": 1, "character": 0},
        "kind": "extended",
        "id": 9,
        "text": "🤗\r\nok",
        "verifiedLength": 5,
        "complete": True,
        "surroundings": surroundings_hash("x\n", 2),
    }
    editor.type(1, 0, "🤗\r\n")
    (item,) = await editor.inline(2, 0)
    assert (item["insertText"], item["command"]["arguments"][2]["verifiedLength"]) == ("ok", 1)
    assert len(daemon.of_type(Complete)) == 1


async def test_an_update_for_an_older_version(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """It is moved along with what was typed, or dropped if something else was."""
    editor.open("def ")
    await editor.inline(0, 4)
    editor.type(0, 4, "gh")
    await daemon.wait_for(ChangeDocument)
    new = Suggestion(1, "ghost(x, y)", 2, True, "target")
    daemon.push(SuggestionUpdate(URI, 1, 4, "corrected", new))
    told = await editor.wait_for("draftwire/suggestion")
    assert (told["version"], told["position"], told["text"]) == (2, {"line": 0, "character": 6}, "ost(x, y)")
    editor.type(0, 6, "!")
    await daemon.wait_for(ChangeDocument, 2)
    daemon.push(SuggestionUpdate(URI, 1, 4, "verified", new))
    daemon.push(SuggestionUpdate(URI, 1, 4, "withdrawn", new))
    await editor.wait_for("draftwire/suggestion", lambda s: s["kind"] == "withdrawn")
    assert [told["kind"] for told in editor.received("draftwire/suggestion")] == ["corrected", "withdrawn"]


async def test_updates_for_unknown_documents(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """They say nothing to the editor."""
    daemon.push(SuggestionUpdate("file:///no", 1, 4, "extended", Suggestion(1, "x", 0, True, "draft")))
    daemon.push(msgspec.structs.replace(READY, message="later"))
    await editor.wait_for("draftwire/status", lambda s: s["message"] == "later")
    assert editor.received("draftwire/suggestion") == []


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        ({"draft": "loading"}, "Inactive", "draft_loading"),
        ({"draft": "failed"}, "Error", "draft_failed"),
        ({"link": "connecting"}, "Normal", "verifier_connecting"),
        ({"link": "online"}, "Normal", ""),
        ({"link": "offline", "link_reason": "no route"}, "Warning", "verifier_offline"),
        ({"link": "refused"}, "Warning", "verifier_refused"),
        ({"link": "slow"}, "Warning", "verifier_slow"),
    ],
)
async def test_status(
    editor: InProcessEditor, daemon: ScriptedDaemon, change: dict[str, str], kind: str, reason: str
) -> None:
    """Every change is pushed with a typed reason, and can be asked for (ux-23)."""
    daemon.status = msgspec.structs.replace(READY, **change, message="new")
    daemon.push(daemon.status)
    told = await editor.wait_for("draftwire/status", lambda s: s["message"] == "new")
    assert (told["kind"], told["reason"], told["daemon"]) == (kind, reason, "connected")
    assert told["linkReason"] == change.get("link_reason", "")
    assert await editor.request("draftwire/status") == told
    assert editor.received("didChangeStatus") == []


async def test_a_daemon_of_another_version_is_told_of_in_the_status_alone(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """With what to do. A model that is not there is told of first, and a verifier afterwards."""
    for change, reason in [
        ({"version": "0.0.1"}, "other_version"),
        ({"version": "0.0.1", "link": "offline"}, "other_version"),
        ({"version": "0.0.1", "draft": "failed"}, "draft_failed"),
        ({"version": VERSION, "link": "offline"}, "verifier_offline"),
    ]:
        daemon.status = msgspec.structs.replace(READY, **change)
        told = await editor.request("draftwire/status")
        assert (told["reason"], told["version"]) == (reason, change["version"])
        assert editor.received("draftwire/status")[-1] == told
        if reason == "other_version":
            assert told["kind"] == "Warning"
            assert told["message"].startswith(
                f"the daemon is version 0.0.1, this editor's bridge {VERSION}: run"
            )
            assert "draftwire daemon stop" in told["message"]
    assert editor.received("window/showMessage") == []


async def test_stats(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """They come from the daemon, all that it counts and traces of grammars included; reasons also in words."""
    daemon.stats = {
        "grammar": {"searches": 3, "requests": {"masked": 2, "unmasked: 状态": 1}},
        "last_requests": [
            {"document": "a.sql", "grammar": "resynced: line 3", "reason": None},
            {"document": "b.sql", "grammar": "", "reason": "mid_word"},
        ],
    }
    whys = ("", "the cursor is inside a word, or before one")
    last = [{**one, "why": why} for one, why in zip(daemon.stats["last_requests"], whys, strict=True)]
    expected = {"suggestions": 0, **daemon.stats, "last_requests": last}
    assert await editor.request("draftwire/stats", {}) == expected


async def test_asking_a_daemon_that_dies(
    editor: InProcessEditor, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status says what is known; statistics are an error that says why."""
    connection = daemon.connections[0]
    monkeypatch.setattr(connection, "send", lambda _: connection.writer.transport.abort())
    with pytest.raises(ResponseError, match="daemon"):
        await editor.request("draftwire/stats")
    assert (await editor.request("draftwire/status"))["daemon"] in ("starting", "connected")


async def test_copilot_dialect_and_silence(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    """didChangeStatus is for those who ask; our own notifications can be turned off."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize(initializationOptions={"copilotDialect": True, "notifications": False})
        told = await editor.wait_for("didChangeStatus", lambda s: s["kind"] == "Normal")
        assert told == {"kind": "Normal", "busy": False, "message": "local drafts only"}
        assert editor.received("draftwire/status") == []


async def test_settings(paths: RuntimePaths, daemon: ScriptedDaemon) -> None:
    """initializationOptions go with the handshake, changes follow, a refused one is shown once (ux-33,
    ux-45)."""
    async with InProcessEditor(paths) as editor:
        options = {"settings": {"display": {"policy": "verified"}, "draft.model": "m", "x": None}}
        await editor.initialize(initializationOptions=options)
        await editor.connected()
        assert daemon.of_type(Hello)[0].settings == {"display.policy": "verified", "draft.model": "m"}
        changed = {
            "settings": {"draftwire": {"display": {"policy": "optimistic", "x": 1}}, "other": 1},
        }
        editor.notify("workspace/didChangeConfiguration", changed)
        sent = (await daemon.wait_for(Configure))[-1].settings
        assert sent == {"display.policy": "optimistic", "display.x": 1}
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        for _ in range(2):
            daemon.push(Failed("bad_setting", "no display.x", settings=["display.x"]))
        daemon.push(Failed("internal", "not for the user"))
        daemon.push(msgspec.structs.replace(READY, message="later"))
        told = await editor.wait_for("draftwire/status", lambda s: s["reason"] == "bad_setting")
        assert (told["kind"], told["message"]) == ("Warning", "settings left out: no display.x")
        said = {"type": 2, "message": "Draftwire leaves out settings it can't use: no display.x"}
        assert editor.received("window/showMessage") == [said]
        sent = (await daemon.wait_for(Configure, 2))[-1].settings
        assert sent == {"display.policy": "optimistic"}
        editor.notify("workspace/didChangeConfiguration", {"settings": {"display.policy": "verified"}})
        await editor.wait_for("draftwire/status", lambda s: (s["reason"], s["message"]) == ("", "later"))


async def test_a_setting_refused_at_the_handshake_is_left_out_and_the_rest_kept(
    paths: RuntimePaths, daemon: ScriptedDaemon
) -> None:
    """Completion goes on, the user is told once, the status keeps saying it (ux-45)."""
    daemon.refuse_settings = {"completion.enbled"}
    options = {"settings": {"completion": {"enbled": True, "max_lines": 3}}}
    async with InProcessEditor(paths) as editor:
        await editor.initialize(initializationOptions=options)
        await editor.connected()
        assert daemon.of_type(Hello)[-1].settings == {"completion.max_lines": 3}
        editor.open("def ")
        assert await editor.inline(0, 4)
        told = await editor.request("draftwire/status")
        assert (told["kind"], told["reason"]) == ("Warning", "bad_setting")
        assert "completion.enbled" in told["message"]
        assert len(editor.received("window/showMessage")) == 1
        assert editor.received("window/showMessage")[0]["type"] == 2


async def test_a_broken_configuration_file_is_shown_once(
    paths: RuntimePaths, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However often the daemon is started in vain; the log says it once too."""
    tries = asyncio.Semaphore(0)

    async def connect(*_: Any, **__: Any) -> Any:
        tries.release()
        raise DaemonMisconfigured('/c.toml:2: unknown setting "draft.x"')

    async with InProcessEditor(paths) as editor:
        monkeypatch.setattr(editor.bridge.session, "_connect", connect)
        await editor.initialize()
        for _ in range(4):
            await tries.acquire()
        told = await editor.request("draftwire/status")
        assert (told["kind"], told["reason"]) == ("Error", "daemon_unavailable")
        said = 'Draftwire can\'t start: /c.toml:2: unknown setting "draft.x"'
        assert editor.received("window/showMessage") == [{"type": 2, "message": said}]
    assert caplog.text.count("no daemon: /c.toml:2") == 1


# The completion list ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_completion_list(paths: RuntimePaths, daemon: ScriptedDaemon, encoding: str) -> None:
    """For those who ask: one item that replaces the word before the cursor by itself and the rest."""
    daemon.answer = lambda text, offset: ["st(x):\n    return x"]
    async with InProcessEditor(paths) as editor:
        await editor.initialize(encoding, initializationOptions={"completionList": True})
        assert "completionProvider" in editor.capabilities
        await editor.connected()
        editor.open("def 你gho\r\n")
        end = units_of("def 你gho", encoding)  # type: ignore[arg-type]
        params = {
            "textDocument": {"uri": URI},
            "position": {"line": 0, "character": end},
            "context": {"triggerKind": 77},
        }
        result = await editor.request("textDocument/completion", params)
        (item,) = result["items"]
        assert result["isIncomplete"]
        assert item["textEdit"] == {
            "newText": "你ghost(x):\r\n    return x",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": end}},
        }
        assert (item["filterText"], item["label"]) == ("你ghost(x):", "你ghost(x):…")
        params["textDocument"] = {"uri": "file:///unknown"}
        assert (await editor.request("textDocument/completion", params))["items"] == []


async def test_no_completion_list_unasked(editor: InProcessEditor) -> None:
    """The method is unknown then."""
    with pytest.raises(ResponseError) as caught:
        await editor.request("textDocument/completion", {})
    assert caught.value.code in (-32601, -32602)


# The daemon dies -------------------------------------------------------------------------------------------


async def test_a_daemon_that_dies_mid_request(
    paths: RuntimePaths, daemon: ScriptedDaemon, editor: InProcessEditor
) -> None:
    """The request is answered empty, the status says so; the next daemon gets all documents as they now
    are."""
    daemon.hold.clear()
    editor.open("de")
    editor.open("other", uri="file:///b")
    editor.type(0, 2, "f ")
    request = editor.start_inline(0, 4)
    await daemon.wait_for(Complete)
    await daemon.die()
    assert (await request)["items"] == []
    await editor.wait_for("draftwire/status", lambda s: s["daemon"] == "starting")
    assert await editor.inline(0, 4) == []
    editor.type(0, 0, " ")
    async with ScriptedDaemon(paths, daemon.answer) as second:
        opened = await second.wait_for(OpenDocument, 2)
        assert {(one.document, one.text) for one in opened} >= {("file:///b", "other")}
        await second.wait_connections(1)
        assert len(await editor.inline(0, 5)) == 1
        assert second.text(URI) == " def "
        await asyncio.wait_for(editor.request("draftwire/status"), 5)


# Grammars -----------------------------------------------------------------------------------------------------

GRAMMAR = "file:///work/.draftwire/grammars/%E7%8A%B6%E6%80%81.bnf"
SHOWN = "textDocument/publishDiagnostics"


def find_bad(uri: str, text: str) -> list[GrammarFinding]:
    """An error wherever a text says 坏."""
    return [
        GrammarFinding("error", "bad", "坏 is bad", "mend it", number, at + 1, number, at + 2)
        for number, line in enumerate(text.split("\n"), start=1)
        if (at := line.find("坏")) >= 0
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_errors_in_a_grammar_file_are_diagnostics(
    paths: RuntimePaths, daemon: ScriptedDaemon, encoding: str
) -> None:
    """Of the text in the editor, at its positions; gone when it is mended."""
    daemon.find = find_bad
    async with InProcessEditor(paths) as editor:
        await editor.initialize(encoding)
        await editor.connected()
        editor.open("<状>\r\n🤗坏", GRAMMAR)
        told = await editor.wait_for(SHOWN)
        start, end = units_of("🤗", encoding), units_of("🤗坏", encoding)  # type: ignore[arg-type]
        assert told == {
            "uri": GRAMMAR,
            "version": 1,
            "diagnostics": [
                {
                    "range": {"start": {"line": 1, "character": start}, "end": {"line": 1, "character": end}},
                    "severity": 1,
                    "code": "bad",
                    "source": "draftwire",
                    "message": "坏 is bad; mend it",
                }
            ],
        }
        assert daemon.of_type(CheckGrammar)[0].text == "<状>\n🤗坏"
        editor.change(replace((1, start), (1, end), "好"), uri=GRAMMAR)
        mended = await editor.wait_for(SHOWN, lambda one: one["version"] == 2)
        assert mended["diagnostics"] == []


async def test_a_grammar_file_that_is_closed_has_no_diagnostics(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """Nor one whose text is no longer known."""
    daemon.find = find_bad
    editor.open("坏", GRAMMAR)
    await editor.wait_for(SHOWN)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": GRAMMAR}})
    await editor.wait_for(SHOWN, lambda one: not one["diagnostics"])
    editor.open("坏", GRAMMAR, version=7)
    await editor.wait_for(SHOWN, lambda one: one.get("version") == 7)
    editor.change({"text": ["no text"]}, uri=GRAMMAR)
    await editor.request("draftwire/status")
    assert [len(one["diagnostics"]) for one in editor.received(SHOWN)] == [1, 0, 1, 0]


async def test_a_check_under_way_is_cancelled_by_a_change(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """The scripted daemon takes one at a time only."""
    daemon.find = find_bad
    daemon.hold.clear()
    editor.open("坏", GRAMMAR)
    [ask] = await daemon.wait_for(CheckGrammar)
    editor.type(0, 0, "坏坏", GRAMMAR)
    assert await daemon.wait_for(Cancel) == [Cancel(ask.request)]
    await daemon.wait_for(CheckGrammar, 2)
    daemon.hold.set()
    assert (await editor.wait_for(SHOWN))["version"] == 2
    assert len(editor.received(SHOWN)) == 1


async def test_diagnostics_outlive_the_daemon_and_are_made_anew_by_the_next(
    paths: RuntimePaths, daemon: ScriptedDaemon, editor: InProcessEditor
) -> None:
    daemon.find = find_bad
    editor.open("坏", GRAMMAR)
    await editor.wait_for(SHOWN)
    await daemon.die()
    await editor.wait_for("draftwire/status", lambda s: s["daemon"] == "unavailable")
    assert len(editor.received(SHOWN)) == 1
    async with ScriptedDaemon(paths) as second:
        await second.wait_for(CheckGrammar)
        await editor.wait_for(SHOWN, lambda one: not one["diagnostics"])


async def test_grammars_in_the_users_folder(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """The daemon says where that is."""
    daemon.find = find_bad
    editor.open("坏", "file:///home/me/mine/a.lark")
    daemon.push(msgspec.structs.replace(READY, grammars_folder="/home/me/mine"))
    await editor.wait_for(SHOWN)


async def test_settings_may_switch_grammars_off(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    daemon.find = find_bad
    editor.open("坏", GRAMMAR)
    await editor.wait_for(SHOWN)
    daemon.find = lambda uri, text: GrammarFindings(0, [], "disabled")
    editor.notify("workspace/didChangeConfiguration", {"settings": {"grammars": {"enabled": False}}})
    await editor.wait_for(SHOWN, lambda one: not one["diagnostics"])


async def test_a_grammar_that_waits_for_the_user_is_told_once(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """In a window once a matter, however often its words change; then in the status (ux-45)."""
    other = "file:///work/b%20c.sql"
    editor.open("x")
    editor.open("x", other)
    await daemon.wait_for(OpenDocument, 2)
    untrusted = GrammarProblem("ws", "not trusted: run draftwire grammar trust /work")
    daemon.push(GrammarState(URI, "not trusted", [untrusted]))
    daemon.push(GrammarState(other, "not trusted", [untrusted]))
    for line in (3, 4):
        refused = GrammarProblem("/g/sql.bnf", f"refused: sql.bnf: line {line}: no")
        daemon.push(GrammarState(other, "masked by sql; ...", [refused]))
    daemon.push(GrammarState("file:///not/open", "z", [GrammarProblem("z", "z")]))
    told = await editor.wait_for("draftwire/status", lambda s: len(s["grammars"]) == 2)
    assert (told["kind"], told["reason"]) == ("Warning", "grammar_unused")
    assert told["message"] == f"grammar {untrusted.text}"
    await editor.wait_for("draftwire/status", lambda s: s["grammars"].get(other) == "masked by sql; ...")
    told = await editor.request("draftwire/status")
    assert told["grammars"] == {URI: "not trusted", other: "masked by sql; ..."}
    assert [one["message"] for one in editor.received("window/showMessage")] == [
        f"Draftwire, grammar of a.py: {untrusted.text}",
        "Draftwire, grammar of b c.sql: refused: sql.bnf: line 3: no",
    ]
    daemon.push(GrammarState(URI, "", []))
    told = await editor.wait_for("draftwire/status", lambda s: URI not in s["grammars"] and s["grammars"])
    assert told["message"] == "grammar refused: sql.bnf: line 4: no"
    editor.notify("textDocument/didClose", {"textDocument": {"uri": other}})
    told = await editor.request("draftwire/status")
    assert (told["kind"], told["reason"], told["grammars"]) == ("Normal", "", {})


async def test_what_another_grammar_may_forbid_is_not_recalled(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """Of its document alone (ux-16)."""
    other = "file:///work/other.py"
    for uri in (URI, other):
        editor.open("def ", uri)
        assert await editor.inline(0, 4, uri) != []
    daemon.push(GrammarState(URI, "masked by x"))
    await editor.wait_for("draftwire/status", lambda s: s["grammars"])
    daemon.answer = nothing
    assert await editor.inline(0, 4) == []
    assert await editor.inline(0, 4, other) != []


async def test_what_was_told_of_grammars_ends_with_the_daemon(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    editor.open("x")
    await daemon.wait_for(OpenDocument)
    daemon.push(GrammarState(URI, "masked by x"))
    await editor.wait_for("draftwire/status", lambda s: s["grammars"])
    await daemon.die()
    told = await editor.wait_for("draftwire/status", lambda s: s["daemon"] == "unavailable")
    assert told["grammars"] == {}


async def test_the_status_tells_of_documents_left_out(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """As soon as an answer has said so, until one says otherwise, or the document or the daemon is gone (ux-44)."""
    daemon.reason = "ignored_file"
    editor.open("x")
    assert await editor.inline(0, 1) == []
    told = await editor.wait_for("draftwire/status", lambda s: s["leftOut"])
    assert (told["kind"], told["leftOut"]) == ("Normal", {URI: in_words("ignored_file")})
    editor.open("def ", "file:///b.py")
    assert await editor.inline(0, 4, "file:///b.py") != []
    assert (await editor.request("draftwire/status"))["leftOut"] == {URI: in_words("ignored_file")}
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert (await editor.request("draftwire/status"))["leftOut"] == {}


async def test_an_answer_is_out_before_the_news_that_came_after_it(
    editor: InProcessEditor, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the shorter text that it has would take the place of a longer one on the screen (ux-22)."""
    editor.open("def ")
    (item,) = await editor.inline(0, 4)
    number = item["command"]["arguments"][0]
    longer = Suggestion(number, "host(x):\n    return x + 1", 0, True, "draft")
    offers_at, take, taken = inline_completion.offers_at, editor._take, []

    async def with_news(server: Any, *asked: Any) -> Any:
        found = await offers_at(server, *asked)
        news = SuggestionUpdate(URI, 2, 5, "extended", longer)
        asyncio.get_running_loop().call_soon(server._on_push, news)
        return found

    def note(message: dict[str, Any]) -> None:
        taken.append(message.get("method", "answer"))
        take(message)

    monkeypatch.setattr(inline_completion, "offers_at", with_news)
    monkeypatch.setattr(editor, "_take", note)
    editor.type(0, 4, "g")
    (item,) = await editor.inline(0, 5)
    assert item["insertText"] == "host(x):\n    return x"
    told = await editor.wait_for("draftwire/suggestion")
    assert told["text"] == longer.text
    assert taken == ["answer", "draftwire/suggestion"]
