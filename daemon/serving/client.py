"""One connection to the daemon: its documents, its settings, its requests under way.

What it sends comes in as messages, what it gets goes out through `push`. A client's documents are its own: two
editors with the same file open do not share a completer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from daemon.api.messages import (
    Accepted,
    Cancel,
    ChangeDocument,
    CheckGrammar,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    DaemonMessage,
    Failed,
    GetStats,
    GetStatus,
    GrammarState,
    NothingReason,
    OpenDocument,
    ServedMessage,
    Shown,
    Stats,
    SuggestionUpdate,
    Trigger,
)
from daemon.api.text import surroundings_hash
from daemon.completion import Answer, Completer
from daemon.completion_settings import Settings
from daemon.documents import BadEdit, Document, Place, cursor_after
from daemon.gate import refusal, refusal_at
from daemon.grammars.checks import GrammarChecks
from daemon.grammars.document_grammar import Islands, LoadedGrammar
from daemon.grammars.legality import Legality
from daemon.grammars.messages import state_of
from daemon.screen.display import Display
from daemon.screen.merge import Timing
from daemon.serving.ignored_documents import IgnoredDocuments
from daemon.serving.service import Service
from daemon.serving.trail import Trail
from daemon.settings.config import ConfigError, with_overrides
from daemon.statistics import Request

log = logging.getLogger(__name__)

IGNORED_S = 0.25
"""The longest that a request waits until it is known whether git ignores its document."""
GRAMMARS_S = 5.0
"""The longest that a request which is not an editor's waits for grammars."""

Push = Callable[[DaemonMessage], None]


class Client:
    """One connection: its documents, its settings, its requests under way."""

    def __init__(self, service: Service, name: str, push: Push, settings: dict[str, Any]) -> None:
        """Raises ConfigError if a setting is wrong."""
        self.name = name
        self.push = push
        self.documents: dict[str, tuple[Document, Completer]] = {}
        self._service = service
        self._config = with_overrides(service.config, settings)
        self._requests: dict[int, asyncio.Task[None]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        """Documents that are being closed."""
        self._checks = GrammarChecks(service.grammars, push)
        self._told_of_grammars: dict[str, tuple[GrammarState, LoadedGrammar | None, Islands]] = {}
        """By document, what was told last, and of which grammars."""
        self._trail = Trail(service.statistics, lambda: service.clock())
        self._ignored = IgnoredDocuments(service.clock, self._ignored_or_not)
        self._held_back: tuple[str, int] | None = None
        """The document that the user is in, and the cursor, as long as it is not known whether git ignores it."""
        service.clients.add(self)

    def take(self, message: ServedMessage) -> None:
        """Act on one message. What takes time runs on; its answer comes through `push`."""
        match message:
            case OpenDocument():
                self._open(message)
            case ChangeDocument():
                self._change(message)
            case CloseDocument():
                self._close_document(message.document)
            case Complete():
                self._begin_request(message)
            case Cancel():
                self._cancel_request(message.request)
            case Shown():
                self._service.statistics.shown += 1
            case Accepted():
                self._accepted(message)
            case Configure():
                self._configure(message.settings)
            case CheckGrammar():
                self._begin_check(message)
            case GetStatus():
                self._begin_status(message.request)
            case GetStats():
                self.push(Stats(message.request, self._service.snapshot()))

    async def close(self) -> None:
        """The connection is gone: stop its work, free what it held."""
        self._service.clients.discard(self)
        for task in self._requests.values():
            task.cancel()
        for name in list(self.documents):
            self._close_document(name)
        await self._checks.close()
        await asyncio.gather(*self._requests.values(), *self._closing, return_exceptions=True)

    # --- documents

    def _open(self, message: OpenDocument) -> None:
        document = Document(message.document, message.language, message.version, message.text)
        known = self.documents.get(message.document)
        completer = known[1] if known is not None else self._new_completer(document)
        self.documents[message.document] = (document, completer)
        self._forget_held_back(document.name)
        self._ignored.look(document.name)
        self._trail.opened(document, readable=self._is_readable(document))
        completer.opened(document, self._settings(document))
        self._use_grammars(document, completer)

    def _change(self, message: ChangeDocument) -> None:
        self._service.statistics.keys += 1
        known = self.documents.get(message.document)
        if known is None:
            self.push(Failed("unknown_document", f"{message.document} is not open; open it first"))
            return
        before, completer = known
        try:
            document = before.edited(message.edits, message.version)
        except BadEdit as error:
            self._close_document(message.document)
            self.push(Failed("bad_offset", str(error)))
            return
        self.documents[message.document] = (document, completer)
        self._ignored.look(document.name)
        cursor = cursor_after(message.edits)
        self._trail.edited(
            before, message.edits, Place(document, cursor or 0), readable=self._is_readable(document)
        )
        self._is_in(message.document)
        if cursor is not None and self._ignored.holds(document.name) is None:
            self._held_back = (document.name, cursor)
        self._service.grammars.of(document, self._config.grammars)  # looks at their files now and then
        drafts = cursor is not None and self._may_draft(Place(document, cursor))
        completer.edited(document, cursor if drafts else None)

    def _is_readable(self, document: Document) -> bool:
        """A document that may not be read for completions is not read for those of others either."""
        return self._refusal(document, "invoked") is None

    def left_out(self) -> dict[str, NothingReason]:
        """By file name, the open documents that are not completed whatever is asked, and why."""
        reasons = {name: self._refusal(document, "invoked") for name, (document, _) in self.documents.items()}
        return {name.rpartition("/")[2]: reason for name, reason in reasons.items() if reason is not None}

    def _refusal(self, document: Document, trigger: Trigger) -> NothingReason | None:
        return refusal(self._config, document, trigger, git_ignores=self._ignored.holds(document.name))

    def _may_draft(self, place: Place) -> bool:
        """Whether a key that leaves the cursor there is drafted from unasked."""
        refused = self._refusal(place.document, "automatic")
        return refused is None and refusal_at(self._config, place, "automatic") is None

    def _ignored_or_not(self, name: str) -> None:
        """It is known now whether git ignores the document, or that has changed."""
        document, completer = self.documents[name]
        cursor = self._held_back[1] if self._held_back is not None and self._held_back[0] == name else None
        self._trail.visited(Place(document, cursor or 0), readable=self._is_readable(document))
        if self._ignored.holds(name):  # neither end keeps what it has read
            self._end(completer)
            completer = self._new_completer(document)
            self.documents[name] = (document, completer)
            completer.opened(document, self._settings(document))
            self._use_grammars(document, completer)
            return
        completer.configure(self._settings(document))
        if cursor is not None and self._may_draft(Place(document, cursor)):
            completer.edited(document, cursor)

    def _accepted(self, message: Accepted) -> None:
        if self._trail.was_typed(message.suggestion):
            return
        self._service.statistics.was_accepted(message.kind, message.length)
        for document, _ in self.documents.values():
            self._trail.accepted(message.suggestion, message.length, document)

    def count_kept(self) -> None:
        """Accepted text whose time is over: count what is still there."""
        self._trail.look()

    def _is_in(self, name: str) -> None:
        """The user is in this document, and so in none of the others."""
        self._held_back = None
        for other, (_, completer) in self.documents.items():
            if other != name:
                completer.left()

    def _close_document(self, name: str) -> None:
        known = self.documents.pop(name, None)
        self._told_of_grammars.pop(name, None)
        self._trail.closed(name)
        self._ignored.forget(name)
        self._forget_held_back(name)
        if known is not None:
            self._end(known[1])

    def _forget_held_back(self, name: str) -> None:
        """The cursor was in a text that the document has no more."""
        if self._held_back is not None and self._held_back[0] == name:
            self._held_back = None

    def _end(self, completer: Completer) -> None:
        task = asyncio.get_running_loop().create_task(completer.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _new_completer(self, document: Document) -> Completer:
        service = self._service
        timing = Timing(
            self._config.display.settling_ms / 1000, self._config.display.update_interval_ms / 1000
        )
        return Completer(
            next(service.session_numbers),
            self._settings(document),
            service.worker,
            service.link,
            service.statistics,
            Display(service.suggestion_numbers, self._push_update, timing),
            Legality(service.grammar_worker, service.clock),
            service.clock,
            self._trail.texts,
        )

    def _push_update(self, update: SuggestionUpdate) -> None:
        self.push(update)
        self._trail.updated(update)

    def _settings(self, document: Document) -> Settings:
        config = self._config
        return Settings(
            completion=config.completion_for(document.language),
            display=config.display,
            window_tokens=config.draft.window_tokens,
            drafting=config.draft.enabled,
            deadline_s=config.verifier.deadline_ms / 1000,
            exemplar=config.grammars.exemplar,
            other_files_tokens=config.draft.other_files_tokens,
            exclude=config.files.exclude,
            ahead=config.draft.ahead and self._refusal(document, "automatic") is None,
        )

    def _configure(self, settings: dict[str, Any]) -> None:
        try:
            self._config = with_overrides(self._service.config, settings)
        except ConfigError as error:
            self.push(Failed("bad_setting", str(error), settings=error.keys))
            return
        for document, completer in self.documents.values():
            if not self._is_readable(document):
                self._trail.texts.closed(document.name)
            completer.configure(self._settings(document))
            self._use_grammars(document, completer)

    # --- grammars

    def grammars_changed(self, documents: Iterable[str]) -> None:
        """The store knows others for documents of these names."""
        for name in documents:
            if name in self.documents:
                self._use_grammars(*self.documents[name])

    def _use_grammars(self, document: Document, completer: Completer) -> None:
        grammar = self._service.grammars.of(document, self._config.grammars)
        is_free = completer.use_grammar(grammar)
        cursor = completer.where()
        if is_free and cursor is not None and self._may_draft(cursor):
            completer.edited(document, cursor.offset)
        state = state_of(document.name, grammar)
        now = state, grammar.whole, grammar.islands
        if now != self._told_of_grammars.get(document.name, (GrammarState(document.name, ""), None, ())):
            self._told_of_grammars[document.name] = now
            self.push(state)

    def _begin_check(self, message: CheckGrammar) -> None:
        if not self._is_taken(message.request):
            self._checks.begin(message, enabled=self._config.grammars.enabled)

    # --- requests

    def _begin_status(self, request: int) -> None:
        """It speaks of grammar files: they are looked at first."""
        if self._is_taken(request):
            return
        look = asyncio.get_running_loop().create_task(self._service.grammars.look())
        self._requests[request] = look
        look.add_done_callback(lambda _: self._tell_status(request))

    def _tell_status(self, request: int) -> None:
        self._requests.pop(request, None)
        self.push(msgspec.structs.replace(self._service.status(), request=request))

    def _begin_request(self, message: Complete) -> None:
        if self._is_taken(message.request):
            return
        started = self._service.clock()
        task = asyncio.get_running_loop().create_task(self._complete(message, started))
        self._requests[message.request] = task
        task.add_done_callback(lambda done: self._request_ended(message, done, started))

    def _is_taken(self, request: int) -> bool:
        """Whether a request has the number of one that is under way; it is answered so then."""
        taken = request in self._requests or request in self._checks
        if taken:
            self.push(Failed("bad_message", f"request {request} is under way already", request))
        return taken

    def _request_ended(self, message: Complete, task: asyncio.Task[None], started: float) -> None:
        """A cancelled request is answered here: it may have been cancelled before it began."""
        self._requests.pop(message.request, None)
        if task.cancelled():
            self._reply(message, Answer([], "cancelled"), started)

    def _cancel_request(self, request: int) -> None:
        self._checks.cancel(request)
        task = self._requests.get(request)
        if task is not None:
            task.cancel()

    async def _complete(self, message: Complete, started: float) -> None:
        """Answer a request, whatever happens. The answer goes out before any update of what it shows."""
        try:
            answer = await self._answer(message)
        except Exception:
            log.exception("a completion failed")
            answer = Answer([], "internal_error")
        self._reply(message, answer, started)

    def _reply(self, message: Complete, answer: Answer, started: float) -> None:
        document, _ = self.documents.get(message.document, (None, None))
        self.push(
            Completions(
                message.request,
                message.document,
                message.version,
                message.offset,
                surroundings_hash(document.text, message.offset) if document is not None else 0,
                answer.suggestions,
                answer.reason,
                answer.grammar,
            )
        )
        since_key = self._trail.answered(message, answer.suggestions, too_late=answer.reason == "timeout")
        self._service.statistics.answered(
            Request(
                document=message.document.rpartition("/")[2],
                language=document.language if document is not None else "",
                seconds=self._service.clock() - started,
                shown=len(answer.suggestions[0].text) if answer.suggestions else 0,
                reason=answer.reason,
                source=answer.source,
                grammar=answer.grammar,
            ),
            since_key,
        )

    async def _answer(self, message: Complete) -> Answer:
        await self._ignored_known(message.document)
        if message.wait != "first":
            await self._grammars_known()
        known = self.documents.get(message.document)
        if known is None:
            return Answer([], "no_document")
        document, completer = known
        if document.version != message.version or message.offset > len(document.text):
            return Answer([], "stale_version")
        place = Place(document, message.offset)
        refused = self._refusal(document, message.trigger) or refusal_at(self._config, place, message.trigger)
        if refused is not None:
            return Answer([], refused)
        self._is_in(message.document)
        self._trail.visited(place, readable=True)
        another = message.trigger == "invoked" and message.wait == "first"
        return await completer.complete(place, message.wait, another=another)

    async def _ignored_known(self, name: str) -> None:
        if self._ignored.holds(name) is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(IGNORED_S):
                    await self._ignored.known(name)

    async def _grammars_known(self) -> None:
        """Who waits for a whole text waits for a grammar that is being looked for, compiled or loaded, too."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRAMMARS_S):
                await self._service.grammars.idle()
