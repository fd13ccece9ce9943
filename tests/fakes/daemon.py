"""A daemon that says what a test told it to, over the real local API.

In a test: `async with ScriptedDaemon(paths, answer) as daemon`. As a process, for editors: `python -m
tests.fakes.daemon --script FILE.json [--record FILE.jsonl] [--runtime-dir DIR] [--with-stdin]`, where the
script is {"rules": [{"before": "def add", "suggestions": [{"text": "(a, b):", "verified": 3}], "delay_ms": 0,
"updates": [{"kind": "extended", "text": "(a, b):\\n    return", "verified": 3, "after_ms": 200}]}], "status":
{...}}. The first rule whose `before` ends the text before the cursor answers; one with no suggestions may have
a `reason`, one that is for `once` answers no second time, and after one with a `grammar`, {"line": "masked by x",
"problems": [{"about": "x", "text": "..."}]}, that is told of the document. The process writes "ready" to stdout.
"""

# ruff: noqa: T201 - the record and the word "ready" are printed

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import itertools
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

import msgspec

from daemon.api.framing import BadMessage, FrameTooLarge, encode, for_daemon
from daemon.api.messages import (
    API_VERSION,
    Cancel,
    ChangeDocument,
    CheckGrammar,
    ClientMessage,
    CloseDocument,
    Complete,
    Completions,
    DaemonMessage,
    Failed,
    GetStats,
    GetStatus,
    GrammarFinding,
    GrammarFindings,
    GrammarState,
    Hello,
    NothingReason,
    OpenDocument,
    Shutdown,
    Stats,
    Status,
    Suggestion,
    SuggestionUpdate,
    Welcome,
)
from daemon.api.paths import Endpoint, RuntimePaths, runtime_paths, write_endpoint
from daemon.api.start import EXIT_ALREADY_RUNNING
from daemon.api.text import surroundings_hash

Answer = Callable[[str, int], Sequence[Suggestion | str]]
"""(document text, offset) -> what to suggest there, best first; a str is a complete provisional draft."""
Received = TypeVar("Received")

READY = Status(draft="ready", link="off", message="local drafts only", draft_model="scripted")


def nothing(text: str, offset: int) -> Sequence[Suggestion | str]:
    """The answer of a daemon that never has anything to show."""
    return []


@dataclass(eq=False)
class Connection:
    """One client: its documents, and what it still waits for."""

    writer: asyncio.StreamWriter
    documents: dict[str, tuple[int, str]] = field(default_factory=dict)
    answering: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    checking: dict[int, asyncio.Task[None]] = field(default_factory=dict)

    def send(self, message: DaemonMessage) -> None:
        self.writer.write(encode(message))


class ScriptedDaemon:
    """Speaks the local API on `paths`; answers with `answer`; remembers all it received, in order.

    `find`: what is wrong with a grammar file, by its URI and text; or a whole answer, whose number is set right.
    `hold`: clear it, and requests wait until it is set. `refuse`: a Failed to answer the next Hellos with.
    `refuse_settings`: the names
    of settings that no Hello may hold. `silent`: requests are never answered. `reason`: given with an empty answer.
    `grammar`: given with every answer.
    """

    def __init__(self, paths: RuntimePaths, answer: Answer = nothing, *, status: Status = READY) -> None:
        self.paths = paths
        self.answer = answer
        self.status = status
        self.find: Callable[[str, str], Sequence[GrammarFinding] | GrammarFindings] = lambda uri, text: []
        self.stats: dict[str, Any] = {}
        self.reason: NothingReason = "empty_draft"
        self.grammar = ""
        self.api = API_VERSION
        self.refuse: Failed | None = None
        self.refuse_settings: set[str] = set()
        self.silent = False
        self.hold = asyncio.Event()
        self.hold.set()
        self.received: list[ClientMessage] = []
        self.connections: list[Connection] = []
        self.on_answer: Callable[[Connection, Complete, Completions], None] | None = None
        self.record: TextIO | None = None
        self._dead = False
        self._token = ""
        self._arrived = asyncio.Condition()
        self._ids = itertools.count(1)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> ScriptedDaemon:
        self.paths.prepare()
        if self.paths.transport == "unix":
            self.paths.socket.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, str(self.paths.socket))
            self.paths.socket.chmod(0o600)
        else:
            self._token = secrets.token_urlsafe(16)
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            port = self._server.sockets[0].getsockname()[1]
            write_endpoint(self.paths, Endpoint(port, self._token))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.die()

    async def die(self) -> None:
        """End as a killed process does: every connection cut, nothing said."""
        assert self._server is not None
        self._dead = True
        if self.paths.transport == "unix":
            self.paths.socket.unlink(missing_ok=True)
        for _ in range(5):  # asyncio leaks a connection that it was about to hand over when closed
            await asyncio.sleep(0)
        self._server.close()
        for connection in self.connections:
            connection.writer.transport.abort()
        while self._tasks:
            tasks = set(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await self._server.wait_closed()

    def push(self, message: SuggestionUpdate | GrammarState | Status | Failed) -> None:
        """Send a message nobody asked for to every client."""
        for connection in self.connections:
            connection.send(message)

    def of_type(self, kind: type[Received]) -> list[Received]:
        """What was received of this type, in order."""
        return [message for message in self.received if isinstance(message, kind)]

    async def wait_for(self, kind: type[Received], count: int = 1) -> list[Received]:
        """Wait until `count` messages of this type have come; all of them so far."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.of_type(kind)) >= count)
        return self.of_type(kind)

    async def wait_connections(self, count: int) -> None:
        """Wait until exactly `count` clients are connected and greeted."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.connections) == count)

    def text(self, document: str) -> str:
        """The document's text as the newest connection that has it made it."""
        return next(c.documents[document][1] for c in reversed(self.connections) if document in c.documents)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._dead:  # accepted just before
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        connection = Connection(writer)
        try:
            await self._converse(reader, connection)
        except (OSError, FrameTooLarge, asyncio.CancelledError):
            pass  # as a real one: the client is gone or talks nonsense
        finally:
            for answering in (*connection.answering.values(), *connection.checking.values()):
                answering.cancel()
            async with self._arrived:
                if connection in self.connections:
                    self.connections.remove(connection)
                self._arrived.notify_all()
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, connection: Connection) -> None:
        frames = for_daemon()
        while data := await reader.read(1 << 16):
            frames.feed(data)
            while True:
                try:
                    message = frames.next_message()
                except BadMessage as error:
                    connection.send(Failed("bad_message", str(error)))
                    continue
                if message is None:
                    break
                async with self._arrived:
                    self.received.append(message)
                    if self.record is not None:
                        print(json.dumps(msgspec.to_builtins(message)), file=self.record, flush=True)
                    over = self._take(connection, message)
                    self._arrived.notify_all()
                if over:
                    return

    def _take(self, connection: Connection, message: ClientMessage) -> bool:
        """Act on one message; True if the connection is to end."""
        if isinstance(message, Hello):
            return self._greet(connection, message)
        if isinstance(message, OpenDocument):
            connection.documents[message.document] = (message.version, message.text)
        elif isinstance(message, ChangeDocument):
            _, text = connection.documents[message.document]
            for edit in message.edits:
                assert edit.start <= edit.end <= len(text), "an edit outside the document"
                text = text[: edit.start] + edit.text + text[edit.end :]
            connection.documents[message.document] = (message.version, text)
        elif isinstance(message, CloseDocument):
            del connection.documents[message.document]
        elif isinstance(message, Complete):
            self._start_answer(connection, message)
        elif isinstance(message, Cancel):
            if answering := connection.answering.pop(message.request, None):
                answering.cancel()
                connection.send(Completions(message.request, "", 0, 0, 0, [], "cancelled"))
            elif checking := connection.checking.pop(message.request, None):
                checking.cancel()
                connection.send(GrammarFindings(message.request, [], "cancelled"))
        elif isinstance(message, CheckGrammar):
            assert not connection.checking, "a second check while one is under way"
            self._start_check(connection, message)
        elif isinstance(message, GetStatus):
            connection.send(msgspec.structs.replace(self.status, request=message.request))
        elif isinstance(message, GetStats):
            values = {"suggestions": len(self.of_type(Complete)), **self.stats}
            connection.send(Stats(message.request, values))
        return isinstance(message, Shutdown)

    def _greet(self, connection: Connection, hello: Hello) -> bool:
        refusal = self.refuse
        if hello.token != self._token:
            refusal = Failed("unauthorized", "the token is not this run's; connect again")
        if bad := sorted(self.refuse_settings & hello.settings.keys()):
            refusal = Failed("bad_setting", f"unknown settings: {bad}", settings=bad)
        if refusal is not None:
            connection.send(refusal)
            return True
        connection.send(Welcome(self.api, self.status.version, os.getpid(), "scripted"))
        connection.send(self.status)
        self.connections.append(connection)
        return False

    def _start_answer(self, connection: Connection, ask: Complete) -> None:
        if self.silent:
            return
        if ask.document not in connection.documents:
            connection.send(Failed("unknown_document", "open the document first", ask.request))
            return
        version, text = connection.documents[ask.document]
        assert ask.version == version, "a request for a version the daemon does not have"
        assert ask.offset <= len(text), "a request outside the document"
        task = asyncio.create_task(self._answer_when_let(connection, ask, text))
        connection.answering[ask.request] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def reason_at(self, text: str, offset: int) -> NothingReason:
        """Why an answer is empty."""
        return self.reason

    async def _answer_when_let(self, connection: Connection, ask: Complete, text: str) -> None:
        await self.hold.wait()
        del connection.answering[ask.request]
        suggestions = [self._suggestion(given) for given in self.answer(text, ask.offset)]
        surroundings = surroundings_hash(text, ask.offset)
        reason = None if suggestions else self.reason_at(text, ask.offset)
        answer = Completions(
            ask.request,
            ask.document,
            ask.version,
            ask.offset,
            surroundings,
            suggestions,
            reason,
            grammar=self.grammar,
        )
        connection.send(answer)
        if self.on_answer is not None:
            self.on_answer(connection, ask, answer)

    def _start_check(self, connection: Connection, ask: CheckGrammar) -> None:
        task = asyncio.create_task(self._check_when_let(connection, ask))
        connection.checking[ask.request] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check_when_let(self, connection: Connection, ask: CheckGrammar) -> None:
        await self.hold.wait()
        del connection.checking[ask.request]
        found = self.find(ask.document, ask.text)
        if not isinstance(found, GrammarFindings):
            found = GrammarFindings(ask.request, list(found))
        connection.send(msgspec.structs.replace(found, request=ask.request))

    def _suggestion(self, given: Suggestion | str) -> Suggestion:
        if isinstance(given, str):
            return Suggestion(next(self._ids), given, verified=0, complete=True, source="draft")
        return given


class Rule(msgspec.Struct, forbid_unknown_fields=True):
    """One answer of a script file; see the module's docstring."""

    before: str
    suggestions: list[dict[str, Any]]
    updates: list[dict[str, Any]] = []
    delay_ms: int = 0
    reason: NothingReason = "empty_draft"
    once: bool = False
    grammar: dict[str, Any] = {}


class Script(msgspec.Struct, forbid_unknown_fields=True):
    rules: list[Rule]
    status: dict[str, Any] = {}


class FileScriptedDaemon(ScriptedDaemon):
    """Answers from a script file."""

    def __init__(self, paths: RuntimePaths, script: Script) -> None:
        status = msgspec.convert({**msgspec.to_builtins(READY), **script.status}, Status)
        super().__init__(paths, self._from_rules, status=status)
        self._script = script
        self.on_answer = self._start_updates

    def _rule(self, before: str) -> Rule | None:
        return next((rule for rule in self._script.rules if before.endswith(rule.before)), None)

    def reason_at(self, text: str, offset: int) -> NothingReason:
        rule = self._rule(text[:offset])
        return rule.reason if rule else self.reason

    def _from_rules(self, text: str, offset: int) -> Sequence[Suggestion | str]:
        rule = self._rule(text[:offset])
        defaults = {"verified": 0, "complete": True, "source": "draft"}
        given = rule.suggestions if rule else []
        return [msgspec.convert({"id": next(self._ids), **defaults, **one}, Suggestion) for one in given]

    async def _answer_when_let(self, connection: Connection, ask: Complete, text: str) -> None:
        rule = self._rule(text[: ask.offset])
        if rule and rule.delay_ms:
            await asyncio.sleep(rule.delay_ms / 1000)
        await super()._answer_when_let(connection, ask, text)
        if rule and rule.once:
            self._script.rules.remove(rule)
        if rule and rule.grammar:
            connection.send(msgspec.convert({"document": ask.document, **rule.grammar}, GrammarState))

    def _start_updates(self, connection: Connection, ask: Complete, answer: Completions) -> None:
        rule = self._rule(connection.documents[ask.document][1][: ask.offset])
        if rule and rule.updates and answer.suggestions:
            task = asyncio.create_task(self._send_updates(connection, answer, rule.updates))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _send_updates(
        self, connection: Connection, answer: Completions, updates: list[dict[str, Any]]
    ) -> None:
        for update in updates:
            fields = dict(update)
            await asyncio.sleep(fields.pop("after_ms", 0) / 1000)
            kind = fields.pop("kind")
            suggestion = msgspec.convert({**msgspec.to_builtins(answer.suggestions[0]), **fields}, Suggestion)
            connection.send(
                SuggestionUpdate(answer.document, answer.version, answer.offset, kind, suggestion)
            )


async def _run(script: Script, paths: RuntimePaths, record: TextIO | None, *, with_stdin: bool) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, over.set)
    if with_stdin:
        loop.add_reader(sys.stdin, over.set)
    async with FileScriptedDaemon(paths, script) as daemon:
        daemon.record = record
        print("ready", flush=True)
        shutdown = asyncio.create_task(daemon.wait_for(Shutdown))
        ended = asyncio.create_task(over.wait())
        await asyncio.wait({shutdown, ended}, return_when=asyncio.FIRST_COMPLETED)
        shutdown.cancel()
        ended.cancel()


def main() -> int:
    parser = argparse.ArgumentParser(description="A daemon that answers from a script, for tests of editors.")
    parser.add_argument("--script", required=True)
    parser.add_argument("--record", help="append all received messages here, one JSON object a line")
    parser.add_argument("--runtime-dir", help="default: as the daemon itself")
    parser.add_argument(
        "--with-stdin", action="store_true", help="end when standard input has something or ends"
    )
    arguments = parser.parse_args()
    script = msgspec.json.decode(Path(arguments.script).read_bytes(), type=Script)
    paths = runtime_paths(Path(arguments.runtime_dir) if arguments.runtime_dir else None)
    paths.prepare()
    with contextlib.ExitStack() as files:
        lock = files.enter_context(paths.lock.open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return EXIT_ALREADY_RUNNING
        record = files.enter_context(Path(arguments.record).open("a")) if arguments.record else None
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run(script, paths, record, with_stdin=arguments.with_stdin))
    return 0


if __name__ == "__main__":
    sys.exit(main())
