"""The grammar files among the open documents: each is checked a moment after it has changed, and its findings shown.

Who writes a grammar sees its errors where they are, before the file is saved. One check at a time; a text that has
changed again meanwhile is not waited for. Knows neither the daemon nor the editor: both are functions here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Final

from lsprotocol import types

from daemon.api.files import document_path, is_grammar_file
from daemon.api.messages import MAX_GRAMMAR, GrammarFindings
from lsp_bridge.documents import Document
from lsp_bridge.grammar_diagnostics import diagnostics_of

SETTLE_S: Final = 0.3
"""How long a text has to stay as it is before it is checked."""
RETRY_S: Final = 5.0
"""After the daemon's machine had no time."""

Check = Callable[[str, str], Awaitable[GrammarFindings | None]]
"""(URI, text) -> what was found; None if nobody can tell."""
Publish = Callable[[types.PublishDiagnosticsParams], None]


class GrammarChecks:
    """One editor's. What was shown stays while nothing newer is known, without a daemon, say."""

    def __init__(
        self,
        check: Check,
        publish: Publish,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._check = check
        self._publish = publish
        self._sleep = sleep
        self._user_folder: Path | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By URI, for each open grammar file; many have ended."""
        self._marked: set[str] = set()
        """Where the editor shows something."""
        self._turn = asyncio.Lock()

    def opened(self, document: Document) -> None:
        """A document is open, with this text."""
        path = document_path(document.uri)
        if path is not None and is_grammar_file(path, self._user_folder):
            self._begin(document)
        else:
            self.closed(document.uri)

    def changed(self, document: Document) -> None:
        """A document has another text."""
        if document.uri in self._tasks:
            self._begin(document)

    def closed(self, uri: str) -> None:
        """A document is no longer open, or no longer known: nothing is shown there."""
        if (task := self._tasks.pop(uri, None)) is not None:
            task.cancel()
            self._show(uri, None, [])

    def all_anew(self, documents: Iterable[Document]) -> None:
        """Another daemon, or other settings: all may be otherwise."""
        for document in documents:
            self.opened(document)

    def user_folder_known(self, folder: str, documents: Iterable[Document]) -> None:
        """Where the user's own grammars lie; empty: unknown."""
        known = Path(folder) if folder else None
        if known != self._user_folder:
            self._user_folder = known
            self.all_anew(documents)

    async def close(self) -> None:
        """End what is under way."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _begin(self, document: Document) -> None:
        if (before := self._tasks.get(document.uri)) is not None:
            before.cancel()
        self._tasks[document.uri] = asyncio.create_task(self._look_into(document), name="grammar check")

    async def _look_into(self, document: Document) -> None:
        """Until something is known of the text as it is now; any change to it cancels this task."""
        await self._sleep(SETTLE_S)
        while (answer := await self._findings(document)) is not None and answer.reason == "busy":
            await self._sleep(RETRY_S)
        if answer is None or answer.reason in ("cancelled", "superseded"):
            return
        self._show(document.uri, document.version, diagnostics_of(answer.findings, document))

    async def _findings(self, document: Document) -> GrammarFindings | None:
        if document.length > MAX_GRAMMAR:
            return GrammarFindings(0, [])
        async with self._turn:
            return await self._check(document.uri, document.text)

    def _show(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if not found and uri not in self._marked:
            return
        (self._marked.add if found else self._marked.discard)(uri)
        self._publish(types.PublishDiagnosticsParams(uri, found, version))
