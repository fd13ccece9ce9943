"""An editor that keeps its own text, naively, and holds whatever it is told to draw against that text (ux-8).

Its document is one string with its own line ends; places are offsets in it. What comes must be for a version that was,
at a place of that version where the text around has the hash it says. Each character that would be drawn must be what
the one model behind the daemon says there, `says` (text before the cursor, LF) -> how it goes on; or what stood, at
some time, behind the same REPEATED characters: a daemon drafts from the texts that it has seen, too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from daemon.api.text import surroundings_hash
from tests.fakes.lsp_editor import URI, Editor, Json, ResponseError

UNIT_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
ANSWER_S = 30.0
REPEATED = 4


def lf(text: str) -> str:
    """The text with LF line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Drawn:
    """What an editor would draw: `text` (LF) behind `before` (LF)."""

    version: int
    before: str
    text: str


class CheckedEditor:
    """One document of one editor that is connected."""

    def __init__(
        self, editor: Editor, says: Callable[[str], str], *, encoding: str = "utf-16", uri: str = URI
    ) -> None:
        self.text = ""
        self.version = 0
        self.drawn: list[Drawn] = []
        self.cancelled = 0
        """Requests that were answered as cancelled."""
        self.editor = editor
        self._says = says
        self._encoding = encoding
        self._uri = uri
        self._texts: dict[int, str] = {}
        self._stood = ""
        """All that was in the document, at any time."""
        self._asked: list[asyncio.Future[Any]] = []
        self._read = 0
        """Notifications looked at."""

    # --- what the user does

    def open(self, text: str, *, version: int = 1) -> None:
        item = {"uri": self._uri, "languageId": "python", "version": version, "text": text}
        self.editor.notify("textDocument/didOpen", {"textDocument": item})
        self.text, self.version = text, version
        self._texts = {}
        self._note()

    def edit(self, *edits: tuple[int, int, str]) -> None:
        """One didChange of these edits (start, end, new text), each in the text that the one before made."""
        changes = []
        for start, end, new in edits:
            where = {"start": self.position(start), "end": self.position(end)}
            changes.append({"range": where, "text": new})
            self.text = self.text[:start] + new + self.text[end:]
        self._change(changes)

    def type(self, text: str) -> None:
        """At the end."""
        self.edit((len(self.text), len(self.text), text))

    def rub(self, count: int = 1) -> None:
        """Backspace at the end."""
        self.edit((len(self.text) - count, len(self.text), ""))

    def replace_all(self, text: str) -> None:
        """A didChange without a range."""
        self.text = text
        self._change([{"text": text}])

    def close(self) -> None:
        self.editor.notify("textDocument/didClose", {"textDocument": {"uri": self._uri}})

    def ask(self, offset: int | None = None, **context: Any) -> asyncio.Future[Any]:
        """Ask for ghost text there, or at the end; `answered` looks at what comes."""
        at = self.position(len(self.text) if offset is None else offset)
        request: asyncio.Future[Any] = self.editor.start_inline(
            at["line"], at["character"], self._uri, **context
        )
        self._asked.append(request)
        return request

    async def answered(self) -> list[Drawn]:
        """Wait for all answers; look at them and at the updates. What is for the text as it is now."""
        async with asyncio.timeout(ANSWER_S):
            await asyncio.gather(*self._asked, return_exceptions=True)
        for request in self._asked:
            assert not request.cancelled()
            error = request.exception()
            if error is not None:
                assert isinstance(error, ResponseError)
                assert error.code == -32800, error
                self.cancelled += 1
                continue
            for item in request.result()["items"]:
                self._take_item(item)
        self._asked.clear()
        self._take_updates()
        assert self.editor.unmatched == []
        return [one for one in self.drawn if one.version == self.version]

    async def ghost(self, offset: int | None = None) -> str:
        """What is drawn there now, by asking."""
        self.drawn.clear()
        self.ask(offset)
        before = lf(self.text[: len(self.text) if offset is None else offset])
        return next((one.text for one in await self.answered() if one.before == before), "")

    # --- positions, as LSP defines them

    def position(self, offset: int, text: str | None = None) -> Json:
        """The position of an offset."""
        before = (self.text if text is None else text)[:offset]
        lines = re.split("\r\n|\r|\n", before)
        codec, size = UNIT_BYTES[self._encoding]
        return {"line": len(lines) - 1, "character": len(lines[-1].encode(codec)) // size}

    def _change(self, changes: list[Json]) -> None:
        self.version += 1
        self._note()
        document = {"uri": self._uri, "version": self.version}
        self.editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _note(self) -> None:
        self._texts[self.version] = self.text
        self._stood += f"\0{lf(self.text)}"

    # --- what would be drawn

    def _take_item(self, item: Json) -> None:
        _, _, detail = item["command"]["arguments"]
        assert item["range"]["start"] == item["range"]["end"]
        self._check(detail, item["range"]["start"], item["insertText"])

    def _take_updates(self) -> None:
        for message in self.editor.notifications[self._read :]:
            params = message["params"]
            ours = message["method"] == "draftwire/suggestion" and params["uri"] == self._uri
            if ours and params["kind"] != "withdrawn":
                self._check(params, params["position"], params["text"])
        self._read = len(self.editor.notifications)

    def _check(self, detail: Json, at: Json, text: str) -> None:
        """By version and hash (ux-8), and by what is said there."""
        assert detail["uri"] == self._uri
        whole = self._texts[detail["version"]]
        offset = next(o for o in range(len(whole) + 1) if self.position(o, whole) == at)
        before = lf(whole[:offset])
        assert detail["surroundings"] == surroundings_hash(before + lf(whole[offset:]), len(before))
        for length, character in enumerate(lf(text)):
            known = before + lf(text)[:length]
            repeats = known[-REPEATED:] + character in self._stood
            assert repeats or self._says(known).startswith(character), (before[-80:], text)
        self.drawn.append(Drawn(detail["version"], before, lf(text)))
