"""The language server of one editor: its state, and what the daemon pushes on its way to the editor.

The methods themselves are one small file each in `lsp_bridge/methods/`; they work on immutable cursors and
answer exactly once. Knows no model, no socket and no verifier.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from daemon.api.client import Pushed
from daemon.api.messages import (
    ClientMessage,
    CloseDocument,
    Completions,
    GrammarState,
    OpenDocument,
    Status,
    SuggestionUpdate,
    Trigger,
)
from lsp_bridge.documents import Cursor, Documents
from lsp_bridge.grammar_checks import GrammarChecks
from lsp_bridge.left_out import LeftOut
from lsp_bridge.methods import (
    acceptance,
    completion,
    configuration,
    inline_completion,
    lifecycle,
    notebook_sync,
    questions,
    text_sync,
)
from lsp_bridge.newest import NewestRequests
from lsp_bridge.notebooks import Notebooks
from lsp_bridge.options import ClientOptions
from lsp_bridge.protocol import BridgeProtocol, converter
from lsp_bridge.recall import Recall
from lsp_bridge.session import Connect, DaemonSession, SessionState
from lsp_bridge.status import copilot_params, status_params
from lsp_bridge.taken import Taken
from lsp_bridge.updates import suggestion_params
from lsp_bridge.versions import other_version

log = logging.getLogger(__name__)


class BridgeServer(LanguageServer):
    """Feed it by `protocol.receive`; it writes with the writer given to `protocol.set_writer`."""

    protocol: BridgeProtocol

    def __init__(
        self, version: str, connect: Connect, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        super().__init__(
            "draftwire",
            version,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=notebook_sync.ALL_NOTEBOOKS,
            protocol_cls=BridgeProtocol,
            converter_factory=converter,
        )
        self.documents = Documents("utf-16")
        self.notebooks = Notebooks(lambda uri: self.documents.get(uri))
        self.recalls: dict[str, Recall] = {}
        self.taken = Taken()
        self.left_out = LeftOut()
        self.newest = NewestRequests()
        self.options = ClientOptions()
        self.client_name = "unknown editor"
        self.ready_for_notifications = False
        self.session = DaemonSession(
            connect,
            documents=lambda: self.notebooks.openings(self.documents),
            on_push=self._on_push,
            on_state=self._on_session_state,
            on_problem=self._tell_once,
            sleep=sleep,
        )
        self.grammar_checks = GrammarChecks(
            self.session.check_grammar, self.text_document_publish_diagnostics, sleep=sleep
        )
        self.exit_code: asyncio.Future[int] | None = None
        """Set when the editor says `exit`; made by who runs the server."""
        self._session_task: asyncio.Task[None] | None = None
        self._daemon_status: Status | None = None
        self._other_version = ""
        """What to tell of the daemon's, if it is not this bridge's."""
        self._grammars: dict[str, GrammarState] = {}
        """How those of the open documents fare, by URI."""
        self._published: dict[str, Any] | None = None
        self._warned: set[str] = set()
        for methods in (
            lifecycle,
            text_sync,
            notebook_sync,
            inline_completion,
            acceptance,
            questions,
            configuration,
        ):
            methods.register(self)

    def start_session(self) -> None:
        """Begin to look for the daemon, in the background."""
        self._session_task = asyncio.create_task(self.session.run(), name="daemon session")

    async def close(self) -> None:
        """End the connection to the daemon, and what waits for it. Documents go with the connection."""
        await self.grammar_checks.close()
        if self._session_task is not None:
            self._session_task.cancel()
            await asyncio.wait({self._session_task})

    def offer_completion_list(self) -> None:
        """Advertise `textDocument/completion` too; only before the answer to `initialize`."""
        completion.register(self)

    def stop(self, code: int) -> None:
        """End the process with this code, soon."""
        if self.exit_code is not None and not self.exit_code.done():
            self.exit_code.set_result(code)

    def send(self, message: ClientMessage) -> None:
        """Tell the daemon, which knows the cells of a notebook as one text."""
        if isinstance(message, OpenDocument | CloseDocument):
            self.left_out.forget(message.document)
        for one in self.notebooks.to_daemon(message):
            self.session.send(one)
            if isinstance(one, CloseDocument):
                self.forget_grammars(one.document)

    async def complete(self, cursor: Cursor, trigger: Trigger) -> Completions | None:
        """Ask the daemon what to show at the cursor; None without an answer."""
        place = self.notebooks.place(cursor)
        asked = place or cursor
        answer = await self.session.complete(asked.document, asked.version, asked.offset, trigger)
        if answer is None:
            return None
        is_open = self.documents.get(cursor.document) is not None
        if is_open and self.left_out.note(cursor.document, answer.reason):
            self.publish_status()
        return answer if place is None else place.answer(answer)

    def refuse_document(self, uri: str, reason: str) -> None:
        """Offer nothing in this document, or in the cells of this notebook, until it is opened again."""
        if self.notebooks.is_open(uri):
            notebook_sync.close(self, uri)
        known = self.documents.get(uri) is not None
        self.documents.refuse(uri, reason)
        if known:
            text_sync.forget(self, uri)
        log.warning("nothing is offered in one document until it is opened again: %s", reason)

    def status(self) -> dict[str, Any]:
        """The status as the editor is told it."""
        return status_params(
            self.session.state, self._daemon_status, self._grammars, self.left_out.why, self._other_version
        )

    def note_status(self, status: Status) -> None:
        """Take in the daemon's status; the editor is told if that changes what it was told last."""
        self._daemon_status = status
        self._other_version = other_version(self.version or "", status.version)
        self.grammar_checks.user_folder_known(status.grammars_folder, self.documents)
        self.publish_status()

    def forget_grammars(self, uri: str) -> None:
        """A document is closed: its grammars are of no interest any more, nor is it as a grammar."""
        self.grammar_checks.closed(uri)
        if self._grammars.pop(uri, None) is not None:
            self.publish_status()

    def publish_status(self) -> None:
        """Tell the editor the status, if it may be told and it is news."""
        status = self.status()
        if not self.ready_for_notifications or status == self._published:
            return
        self._published = status
        if self.options.notifications:
            self.protocol.notify("draftwire/status", status)
        if self.options.copilot_dialect:
            self.protocol.notify("didChangeStatus", copilot_params(status))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """To the log; pygls would open a window for each (ux-45). A method we do not know is no error of ours."""
        level = logging.DEBUG if isinstance(error, JsonRpcMethodNotFound) else logging.ERROR
        log.log(level, "%s: %s", getattr(source, "__name__", source), error)

    def _on_session_state(self, state: SessionState) -> None:
        if state.phase == "connected":
            self.grammar_checks.all_anew(self.documents)
        else:
            self._daemon_status = None
            self._grammars.clear()
            self.left_out.why.clear()
        self.publish_status()

    def _on_push(self, message: Pushed) -> None:
        if isinstance(message, Status):
            self.note_status(message)
        elif isinstance(message, SuggestionUpdate):
            self._on_update(message)
        elif isinstance(message, GrammarState):
            self._on_grammar_state(message)
        else:  # a mistake of the bridge's own, of no use to the user
            log.warning("the daemon: %s: %s", message.code, message.message)

    def _on_update(self, update: SuggestionUpdate) -> None:
        known = self.notebooks.update(update)
        document = None if known is None else self.documents.get(known.document)
        if known is None or document is None:
            return
        update = known
        recall = self.recalls.setdefault(update.document, Recall())
        params = suggestion_params(update, document, recall)
        if params is not None and self.options.notifications and self.ready_for_notifications:
            # An answer made just before is still on its way out, and says less: it must come first (ux-22).
            asyncio.get_running_loop().call_soon(self.protocol.notify, "draftwire/suggestion", params)

    def _on_grammar_state(self, state: GrammarState) -> None:
        is_open = self.documents.get(state.document) is not None
        documents = [state.document] if is_open else self.notebooks.cells_of(state.document)
        if not documents:
            return
        for uri in documents:
            self.recalls.pop(uri, None)  # the grammar as it is now may forbid what was suggested
        self._grammars[state.document] = state
        name = unquote(state.document.rpartition("/")[2])
        for problem in state.problems:
            self._tell_once(f"Draftwire, grammar of {name}: {problem.text}", about=problem.about)
        self.publish_status()

    def _tell_once(self, problem: str, *, about: str = "") -> None:
        """Show the user what only they can mend, the first time it is met (ux-45).

        `about`: what tells one matter from another, if not the words.
        """
        matter = about or problem
        if matter not in self._warned:
            self._warned.add(matter)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, problem))
