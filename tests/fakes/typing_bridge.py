"""A bridge for a typing editor that answers at once, with what `ghost` makes of the text before the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from benchmarks.typing.lsp import OnResult
from daemon.api.text import hash_of_sides
from lsp_bridge.documents import Change, Document


class AnsweringBridge:
    """Keeps the documents as the real one would, and holds every answer for the text as it is."""

    def __init__(self, ghost: Callable[[str], str]) -> None:
        self.documents: dict[str, Document] = {}
        self.closed: dict[str, str] = {}
        """The text that each document was closed with."""
        self.accepted: list[Any] = []
        self.errors = 0
        self._ghost = ghost
        self._requests = 0

    def check(self) -> None:
        """It never ends by itself."""

    def notify(self, method: str, params: Any) -> float:
        if method == "textDocument/didOpen":
            item = params["textDocument"]
            self.documents[item["uri"]] = Document(item["uri"], item["languageId"], 1, item["text"], "utf-16")
        elif method == "textDocument/didChange":
            document = self.documents[params["textDocument"]["uri"]]
            change = params["contentChanges"][0]
            start, end = change["range"]["start"], change["range"]["end"]
            edit = Change(
                change["text"], (start["line"], start["character"]), (end["line"], end["character"])
            )
            document.change(params["textDocument"]["version"], [edit])
        elif method == "textDocument/didClose":
            uri = params["textDocument"]["uri"]
            self.closed[uri] = self.documents.pop(uri).text
        return asyncio.get_running_loop().time()

    def request(self, method: str, params: Any, on_result: OnResult) -> int:
        self._requests += 1
        if method == "workspace/executeCommand":
            self.accepted.append(params["arguments"])
            return self._requests
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, lambda result: on_result(result, loop.time()), self._answer(params))
        return self._requests

    def cancel(self, identifier: int) -> None:
        """Too late: it is answered all the same, and the editor drops it."""

    def _answer(self, params: Any) -> dict[str, Any]:
        document, at = self.documents[params["textDocument"]["uri"]], params["position"]
        cursor = document.cursor(at["line"], at["character"])
        text = self._ghost(document.text[: cursor.offset])
        detail = {
            "version": document.version,
            "surroundings": hash_of_sides(cursor.before, cursor.after),
            "typed": 0,
            "verifiedLength": len(text),
            "complete": True,
            "source": "draft",
        }
        command = {"arguments": [self._requests, len(text), detail]}
        item = {"insertText": text, "range": {"start": at, "end": at}, "command": command}
        return {"items": [item] if text else []}
