"""Random conversations: exactly one response per request, the daemon's text is the editor's, what is marked is what
is wrong in that text, and nothing dies."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.api.messages import GrammarFinding, Suggestion, SuggestionUpdate
from daemon.api.paths import runtime_paths
from lsp_bridge.lines import with_lf
from lsp_bridge.positions import units_of
from tests.fakes.daemon import ScriptedDaemon
from tests.fakes.lsp_editor import URI, InProcessEditor, ResponseError, replace

TEXT = st.text(st.sampled_from("ab\r\n\r\n é你🤗\x0c\u2028\ud800"), max_size=12)
PLACE = st.tuples(st.integers(0, 5), st.integers(0, 12))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), TEXT),
        st.tuples(st.just("change"), PLACE, PLACE, TEXT),
        st.tuples(st.just("whole"), TEXT),
        st.tuples(st.just("ask"), PLACE, st.sampled_from([0, 1, 2])),
        st.tuples(st.just("cancel")),
        st.tuples(st.just("close")),
        st.tuples(st.just("hold"), st.booleans()),
        st.tuples(st.just("push"), st.integers(1, 4), TEXT, st.integers(0, 12), st.integers(0, 5)),
        st.tuples(st.just("die")),
        st.tuples(st.just("turns"), st.integers(1, 6)),
    ),
    max_size=25,
)
FILE = "file:///work/.draftwire/grammars/a.bnf"
"""Conversations are about a grammar file: it is completed as any other, and checked."""
SHOWN = "textDocument/publishDiagnostics"
FEW = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])


def each_b(uri: str, text: str) -> list[GrammarFinding]:
    """What is wrong with a text: every b."""
    return [
        GrammarFinding("error", "b", "a b", "", number, column, number, column + 1)
        for number, line in enumerate(text.split("\n"), start=1)
        for column, character in enumerate(line, start=1)
        if character == "b"
    ]


class Conversation:
    """An editor, a bridge and a daemon on one loop; and what the document must be."""

    def __init__(self, directory: Path) -> None:
        self.paths = runtime_paths(directory / "run")
        self.requests: list[asyncio.Future[Any]] = []
        self.is_open = False
        self.daemon: ScriptedDaemon
        self.editor: InProcessEditor

    def answer(self, text: str, offset: int) -> list[Suggestion | str]:
        return ["ab\nba"] if offset % 3 else []

    async def start_daemon(self) -> None:
        self.daemon = await ScriptedDaemon(self.paths, self.answer).__aenter__()
        self.daemon.find = each_b

    async def step(self, name: str, *given: Any) -> None:
        editor = self.editor
        if name == "open":
            editor.open(given[0], FILE)
            self.is_open = True
        elif name == "change" and self.is_open:
            editor.change(replace(*given), uri=FILE)
        elif name == "whole" and self.is_open:
            editor.change({"text": given[0]}, uri=FILE)
        elif name == "ask":
            (line, character), kind = given
            self.requests.append(editor.start_inline(line, character, FILE, kind=kind))
        elif name == "cancel" and self.requests:
            editor.cancel(self.requests[-1])
        elif name == "close":
            editor.notify("textDocument/didClose", {"textDocument": {"uri": FILE}})
            self.is_open = False
        elif name == "hold":
            (self.daemon.hold.clear if given[0] else self.daemon.hold.set)()
        elif name == "push":
            identifier, text, offset, version = given
            text = text.replace("\ud800", "").replace("\r", "")
            new = Suggestion(identifier, text, 1, False, "draft")
            self.daemon.push(SuggestionUpdate(FILE, version, offset, "extended", new))
        elif name == "die":
            await self.daemon.die()
            await self.start_daemon()
        elif name == "turns":
            for _ in range(given[0]):
                await asyncio.sleep(0)

    async def check(self) -> None:
        """Every request answered once; the text at the daemon that of the bridge."""
        self.daemon.hold.set()
        await self.editor.request("draftwire/status")
        for request in self.requests:
            answer = (await asyncio.gather(request, return_exceptions=True))[0]
            if isinstance(answer, ResponseError):
                assert answer.code == -32800
            else:
                assert not isinstance(answer, BaseException)
                assert isinstance(answer["items"], list)
        assert self.editor.unmatched == []
        document = self.editor.bridge.documents.get(FILE)
        assert (document is not None) == self.is_open
        await self.daemon.wait_connections(1)
        await self.editor.request("draftwire/status")
        if document is not None:
            text = self.daemon.text(FILE)
            assert text == document.text == with_lf(document.raw)
        await self.check_marks("" if document is None else document.text)

    def marks(self) -> list[tuple[int, int]]:
        """Where the editor shows something now: line and character."""
        shown = self.editor.received(SHOWN)
        starts = [one["range"]["start"] for one in shown[-1]["diagnostics"]] if shown else []
        return [(start["line"], start["character"]) for start in starts]

    async def check_marks(self, text: str) -> None:
        """Sooner or later every b is marked, and nothing else; of a closed file nothing at once."""
        encoding = self.editor.bridge.documents.encoding
        wrong = [
            (number, units_of(line[:index], encoding))
            for number, line in enumerate(text.split("\n"))
            for index, character in enumerate(line)
            if character == "b"
        ]
        if self.marks() != wrong:
            assert self.is_open
            await self.editor.wait_for(SHOWN, lambda _: self.marks() == wrong)


class KeepRecords(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.ERROR)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


@contextmanager
def unhandled_errors_raised() -> Iterator[None]:
    """What asyncio would only log is an error here: the scripted daemon's own checks among it."""
    records: list[logging.LogRecord] = []
    handler = KeepRecords(records)
    logging.getLogger("asyncio").addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger("asyncio").removeHandler(handler)
    assert [record.getMessage() for record in records] == []


async def converse(steps: list[tuple[Any, ...]], encoding: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        conversation = Conversation(Path(directory))
        await conversation.start_daemon()
        async with InProcessEditor(conversation.paths) as editor:
            conversation.editor = editor
            await editor.initialize(encoding)
            for step in steps:
                await conversation.step(*step)
            await conversation.check()
        await conversation.daemon.die()


@FEW
@given(steps=STEPS, encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_random_conversations(steps: list[tuple[Any, ...]], encoding: str) -> None:
    """Edits, requests, cancels, updates and daemons that die, in any order."""
    with unhandled_errors_raised():
        asyncio.run(asyncio.wait_for(converse(steps, encoding), 30))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "initialized",
        "shutdown",
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "notebookDocument/didOpen",
        "notebookDocument/didChange",
        "notebookDocument/didClose",
        "textDocument/inlineCompletion",
        "textDocument/completion",
        "textDocument/didShowCompletion",
        "textDocument/didPartiallyAcceptCompletion",
        "workspace/executeCommand",
        "workspace/didChangeConfiguration",
        "$/cancelRequest",
        "$/setTrace",
        "draftwire/status",
        "draftwire/stats",
        "nosuch/method",
    ]
)
CELLS = st.lists(
    st.sampled_from([URI, "cell:1", "cell:2"]).map(lambda uri: {"kind": 2, "document": uri}), max_size=3
)
TEXTS = st.lists(
    st.sampled_from([URI, "cell:1", "cell:2"]).map(
        lambda uri: {"uri": uri, "languageId": "x", "version": 1, "text": "ab"}
    ),
    max_size=3,
)
CELL_CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "structure": st.fixed_dictionaries(
            {
                "array": st.fixed_dictionaries(
                    {"start": st.integers(0, 3), "deleteCount": st.integers(0, 2), "cells": CELLS}
                )
            },
            optional={"didOpen": TEXTS, "didClose": TEXTS | JSON},
        ),
        "textContent": JSON
        | st.just([{"document": {"uri": "cell:1", "version": 2}, "changes": [{"text": "a"}]}]),
    },
)
PARAMS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "textDocument": JSON | st.just({"uri": URI, "version": 2}),
        "position": JSON | st.just({"line": 0, "character": 1}),
        "context": JSON | st.just({"triggerKind": 1}),
        "notebookDocument": JSON
        | CELLS.map(lambda cells: {"uri": "n", "notebookType": "x", "version": 1, "cells": cells}),
        "cellTextDocuments": JSON | TEXTS,
        "change": JSON | CELL_CHANGES.map(lambda cells: {"cells": cells}),
        "contentChanges": JSON | st.just([{"text": "a"}]),
        "item": JSON,
        "settings": JSON,
        "id": JSON,
        "command": st.just("draftwire.accepted") | JSON,
        "arguments": JSON,
        "jsonrpc": JSON,
    },
)
MESSAGES = st.lists(st.tuples(METHODS, PARAMS, st.booleans()), max_size=8)


async def send_all(messages: list[tuple[str, Any, bool]], junk: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with InProcessEditor(runtime_paths(Path(directory) / "run")) as editor:
            await editor.initialize()
            editor.open("ab")
            waiting = []
            for method, params, is_request in messages:
                if method == "shutdown":
                    continue
                if is_request:
                    waiting.append(editor.start(method, params))
                else:
                    editor.notify(method, params)
            for body in junk:
                editor.send_body(body)
            assert await editor.request("draftwire/status")
            for result in await asyncio.gather(*waiting, return_exceptions=True):
                assert not isinstance(result, Exception) or isinstance(result, ResponseError)


@FEW
@given(
    messages=MESSAGES,
    junk=st.lists(st.binary(max_size=30) | JSON.map(lambda j: json.dumps(j).encode()), max_size=3),
)
def test_random_messages(messages: list[tuple[str, Any, bool]], junk: list[bytes]) -> None:
    """Any method with any parameters, and bodies that are none: each request is answered, and once."""
    asyncio.run(asyncio.wait_for(send_all(messages, junk), 30))
