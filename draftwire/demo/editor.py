"""An editor without a window: a real LSP client that types, asks for ghost text, and notes when it came.

It does what VS Code and Neovim do with the bridge: didOpen, an incremental didChange a key, inlineCompletion
requests that a newer key cancels, and `draftwire/suggestion` updates. It draws nothing; `seen` is called whenever
the ghost text at the cursor changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from draftwire.demo.script import LANGUAGE
from lsp_bridge.positions import index_of_units, units_of

URI = "file:///draftwire-demo/{name}"
ENCODING: Final = "utf-16"
"""What positions count in; every server can do this one."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """Ghost text at the cursor; its first `verified` characters are the target's own."""

    text: str
    verified: int
    complete: bool


@dataclass(slots=True)
class Suggested:
    """One suggestion that was shown: where, its newest text, and how long after the key it came."""

    before: str
    """The buffer up to the cursor when it was first shown."""
    ghost: Ghost
    key_to_ghost_ms: float | None
    """None: it was asked for, not typed for."""
    fresh: bool = False
    """It begins where the cursor is: it is not the rest of what was known before."""
    start: int = 0
    """How many characters stood before the cursor when the document was opened."""
    after: str = ""
    """The buffer after the cursor."""


@dataclass(slots=True)
class Session:
    """What happened while typing."""

    keys: int = 0
    nothing: int = 0
    suggested: list[Suggested] = field(default_factory=list)
    typed_along: dict[int, Suggested] = field(default_factory=dict)
    """By a suggestion's id, what was known of it after the user had typed along: all of its text, where it began."""


class Editor:
    """A client of one bridge. Use `running_editor`."""

    def __init__(self, client: LanguageClient, seen: Callable[[str, Ghost | None], None]) -> None:
        self.session = Session()
        self.status: dict[str, Any] = {}
        self.buffer = ""
        """The document up to the cursor."""
        self._after = ""
        self._start = 0
        self._client = client
        self._seen = seen
        self._uri = ""
        self._version = 0
        self._documents = 0
        self._request: asyncio.Task[None] | None = None
        self._request_id = 0
        self._shown: Suggested | None = None
        self._shown_id: int | None = None
        self._begun: dict[int, Suggested] = {}
        """Suggestions of this document by their ids, as they were first shown."""
        self._unanswered_since: float | None = None
        """When the newest key was pressed, if its answer was empty."""
        self._changed = asyncio.Event()

    async def until_status(self, wanted: Callable[[dict[str, Any]], bool], timeout_s: float) -> None:
        """Wait for a status that is `wanted`; TimeoutError after `timeout_s`."""
        async with asyncio.timeout(timeout_s):
            while not wanted(self.status):
                self._changed.clear()
                await self._changed.wait()

    def open(self, text: str, after: str = "", *, uri: str = "", language: str = LANGUAGE) -> None:
        """A document with this text before the cursor and `after` behind it; a new one, unless `uri` names it."""
        self.close()
        self._begun.clear()
        self._documents += 1
        self._version = 1
        self.buffer, self._after, self._start = text, after, len(text)
        self._uri = uri or URI.format(name=f"{self._documents}.py")
        item = lsp.TextDocumentItem(self._uri, language, self._version, text + after)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def close(self) -> None:
        """Close the document, if one is open."""
        self._cancel_request()
        self._shown = None
        if self._uri:
            identifier = lsp.TextDocumentIdentifier(self._uri)
            self._client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))
            self._uri = ""

    def press(self, key: str) -> None:
        """Type a character at the cursor and ask for ghost text; the clock starts here."""
        pressed = time.perf_counter()
        self.session.keys += 1
        at = self._cursor()
        self.buffer += key
        self._version += 1
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(at, at), text=key)
        identifier = lsp.VersionedTextDocumentIdentifier(self._version, self._uri)
        self._client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
        self._ask(pressed)

    def invoke(self) -> None:
        """Ask for ghost text at the cursor without typing."""
        self._ask(None)

    async def answered(self) -> None:
        """Wait for the answer to the newest key."""
        if self._request is not None:
            await asyncio.gather(self._request, return_exceptions=True)

    async def answered_within(self, timeout_s: float) -> None:
        """Wait for the answer to the newest key, at most `timeout_s`."""
        if self._request is not None:
            await asyncio.wait([self._request], timeout=timeout_s)

    async def settled(self, timeout_s: float) -> None:
        """Wait until what is shown is complete, at most `timeout_s`."""
        await self.answered()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._shown is not None and not self._shown.ghost.complete:
                    self._changed.clear()
                    await self._changed.wait()

    def _ask(self, pressed: float | None) -> None:
        self._cancel_request()
        self._request_id += 1
        self._request = asyncio.create_task(self._complete(pressed, self._version))

    def _cancel_request(self) -> None:
        """Tell the server that an older request is of no use; its answer is awaited all the same, and dropped."""
        if self._request is not None and not self._request.done():
            self._client.protocol.notify(lsp.CANCEL_REQUEST, lsp.CancelParams(self._request_id))

    async def _complete(self, pressed: float | None, version: int) -> None:
        kinds = lsp.InlineCompletionTriggerKind
        params = lsp.InlineCompletionParams(
            context=lsp.InlineCompletionContext(kinds.Invoked if pressed is None else kinds.Automatic),
            text_document=lsp.TextDocumentIdentifier(self._uri),
            position=self._cursor(),
        )
        method = lsp.TEXT_DOCUMENT_INLINE_COMPLETION
        try:
            answer = await self._client.protocol.send_request_async(method, params, self._request_id)
        except JsonRpcException:  # cancelled, or the server's error: no ghost text for this key
            return
        if version != self._version:
            return
        items = answer.items if isinstance(answer, lsp.InlineCompletionList) else answer or []
        self._unanswered_since = None
        if not items:
            self.session.nothing += 1
            self._unanswered_since = pressed
            self._show_nothing()
            return
        item = items[0]
        number, details = suggestion_of(item)
        complete = details.get("complete", False)
        ghost = _ghost(str(item.insert_text), details.get("verifiedLength", 0), complete=complete)
        fresh = details.get("source") != "recall" and details.get("typed") == 0
        waited_ms = None if pressed is None else (time.perf_counter() - pressed) * 1000
        self._show(ghost, number, waited_ms, fresh=fresh)

    def _show(self, ghost: Ghost, number: int | None, key_to_ghost_ms: float | None, *, fresh: bool) -> None:
        self._shown = Suggested(self.buffer, ghost, key_to_ghost_ms, fresh, self._start, self._after)
        self._shown_id = number
        if fresh and number is not None:
            self._begun[number] = self._shown
        self.session.suggested.append(self._shown)
        self._tell(ghost)

    def _show_nothing(self) -> None:
        self._shown = None
        self._tell(None)

    def updated(self, params: Mapping[str, Any]) -> None:
        """The bridge says that a suggestion was extended, verified, corrected or withdrawn."""
        shown = self._shown
        if shown is None and params["kind"] == "extended" and params["version"] == self._version:
            self._show_late(params)
            return
        if shown is None or params["id"] != self._shown_id or params["version"] != self._version:
            return
        if params["kind"] == "withdrawn":
            self._show_nothing()
            return
        ghost = _ghost(params["text"], params["verifiedLength"], complete=params["complete"])
        if shown.before == self.buffer:
            shown.ghost = ghost
        else:  # typed along since: the rest of what was shown, at another place
            self._shown = Suggested(self.buffer, ghost, None)
        self._note_typed_along(params["id"], ghost)
        self._tell(ghost)

    def _note_typed_along(self, number: int, rest: Ghost) -> None:
        """What is the target's own behind the typed part of a suggestion is so from where it began."""
        begun = self._begun.get(number)
        typed = "" if begun is None else self.buffer[len(begun.before) :]
        if begun is None or not typed or not rest.verified:
            return
        whole = Ghost(typed + rest.text, len(typed) + rest.verified, rest.complete)
        self.session.typed_along[number] = replace(begun, ghost=whole)

    def _show_late(self, params: Mapping[str, Any]) -> None:
        """The first text for a place comes after an empty answer."""
        pressed = self._unanswered_since
        waited_ms = None if pressed is None else (time.perf_counter() - pressed) * 1000
        ghost = _ghost(params["text"], params["verifiedLength"], complete=params["complete"])
        self._show(ghost, params["id"], waited_ms, fresh=True)

    def status_changed(self, params: Mapping[str, Any]) -> None:
        self.status = dict(params)
        self._changed.set()

    def _tell(self, ghost: Ghost | None) -> None:
        self._changed.set()
        self._seen(self.buffer, ghost)

    def _cursor(self) -> lsp.Position:
        line = self.buffer[self.buffer.rfind("\n") + 1 :]
        return lsp.Position(self.buffer.count("\n"), units_of(line, ENCODING))


def _ghost(text: str, verified_units: int, *, complete: bool) -> Ghost:
    return Ghost(text, index_of_units(text, verified_units, ENCODING), complete)


def suggestion_of(item: lsp.InlineCompletionItem) -> tuple[int | None, dict[str, Any]]:
    """The suggestion's id and what the bridge says of it, from the arguments of the item's accept command."""
    arguments = (item.command.arguments if item.command is not None else None) or []
    if len(arguments) < 3:
        return None, {}
    return arguments[0], _plain(arguments[2])


@contextlib.asynccontextmanager
async def running_editor(
    environment: Mapping[str, str], seen: Callable[[str, Ghost | None], None]
) -> AsyncIterator[Editor]:
    """An editor with a bridge of its own (`draftwire lsp`), shut down at the end."""
    client = LanguageClient("draftwire-demo", "1")
    editor = Editor(client, seen)

    @client.feature("draftwire/suggestion")  # type: ignore[untyped-decorator]  # pygls is not typed here
    def _updated(params: Any) -> None:
        editor.updated(_plain(params))

    @client.feature("draftwire/status")  # type: ignore[untyped-decorator]
    def _status(params: Any) -> None:
        editor.status_changed(_plain(params))

    await client.start_io(sys.executable, "-m", "draftwire", "lsp", env=dict(environment))
    try:
        capabilities = lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                inline_completion=lsp.InlineCompletionClientCapabilities()
            ),
            general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf16]),
        )
        await client.initialize_async(lsp.InitializeParams(capabilities=capabilities))
        client.initialized(lsp.InitializedParams())
        yield editor
    finally:
        editor.close()
        with contextlib.suppress(TimeoutError, RuntimeError):
            async with asyncio.timeout(10):
                await client.shutdown_async(None)
                client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]


def _plain(params: Any) -> dict[str, Any]:
    """The parameters of a custom notification as a dict (pygls gives objects with attributes)."""
    if isinstance(params, Mapping):
        return dict(params)
    if hasattr(params, "_asdict"):
        return dict(params._asdict())
    return dict(vars(params))
