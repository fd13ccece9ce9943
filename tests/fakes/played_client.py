"""A client of some profile with one document, over a real connection. Its text is its own affair, and naive."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from tests.fakes.checked_editor import UNIT_BYTES
from tests.fakes.client_profiles import ClientProfile
from tests.fakes.lsp_editor import Editor, Json

URI: Final = "file:///work/a.py"


class PlayedClient:
    """Send `initialize`, then `go_on`, then do what a user does."""

    def __init__(self, profile: ClientProfile, editor: Editor, options: Json | None) -> None:
        self.text = ""
        self.profile = profile
        self.editor = editor
        self.options = options
        self._version = 0

    async def initialize(self) -> Json:
        """What the server says of itself."""
        params = {"processId": None, **self.profile.initialize}
        if self.options is not None:
            params["initializationOptions"] = self.options
        result: Json = await self.editor.request("initialize", params)
        return result

    def go_on(self) -> None:
        """What it says when `initialize` is answered."""
        for method, params in self.profile.next:
            again = params is None and method != "initialized"
            self.editor.notify(method, {"settings": self.options} if again else params)

    def open(self, text: str) -> None:
        self.text = text.replace("\n", self.profile.eol)
        item = {"uri": URI, "languageId": "python", "version": 0, "text": self.text}
        self.editor.notify("textDocument/didOpen", {"textDocument": item})

    def type(self, text: str) -> None:
        """At the end, key by key."""
        for key in text:
            self._change((len(self.text), len(self.text), key))

    async def suggested(self) -> Json:
        """The item it is offered at the end of its text, asking until there is one."""
        while not (items := await self._ask()):
            await asyncio.sleep(0.05)
        (item,) = items
        return item

    def accept(self, item: Json) -> None:
        """Put the item into the text, and tell of it if this client does."""
        if self.profile.asks == "textDocument/inlineCompletion":
            where, new = item["range"], item["insertText"]
        else:
            where, new = item["textEdit"]["range"], item["textEdit"]["newText"]
        start, end = self._offset(where["start"]), self._offset(where["end"])
        if self.profile.eol == "\n":
            new = new.replace("\r", "")
        match self.profile.accepting:
            case "one edit":
                self._change((start, end, new))
            case "two edits":
                self._change((start, end, ""), (start, start, new))
            case "by what was shown":
                shown = item["label"].removeprefix(self.text[start:end])
                self._change(
                    (end, end, shown), (end, end + len(shown), ""), (start, end, ""), (start, start, new)
                )

    async def run_command(self, item: Json) -> None:
        command = {name: item["command"][name] for name in ("command", "arguments")}
        await self.editor.request("workspace/executeCommand", command)

    async def _ask(self) -> list[Json]:
        where = {"textDocument": {"uri": URI}, "position": self._position(len(self.text))}
        context = {"context": self.profile.context} if self.profile.context else {}
        result = await self.editor.request(self.profile.asks, where | context | self.profile.more)
        return result["items"]  # type: ignore[no-any-return]

    def _change(self, *edits: tuple[int, int, str]) -> None:
        changes: list[Json] = []
        for start, end, new in edits:
            where = {"start": self._position(start), "end": self._position(end)}
            changes.append({"range": where, "text": new})
            self.text = self.text[:start] + new + self.text[end:]
        self._version += 1
        document = {"uri": URI, "version": self._version if self.profile.versions else None}
        if self.profile.whole_texts:
            changes = [{"text": self.text}]
        self.editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _position(self, offset: int) -> Json:
        before = re.split("\r\n|\r|\n", self.text[:offset])
        name, size = UNIT_BYTES[self.profile.encoding]
        return {"line": len(before) - 1, "character": len(before[-1].encode(name)) // size}

    def _offset(self, position: Json) -> int:
        lines = re.split("(?<=\n)", self.text)
        name, size = UNIT_BYTES[self.profile.encoding]
        before = lines[position["line"]].encode(name)[: position["character"] * size].decode(name)
        return len("".join(lines[: position["line"]])) + len(before)
