"""An editor without a window at a real bridge: it does what it is told, shows what it is told, and notes both.

One didChange a key, then the request for ghost text, as editors with a trigger of their own do; an older request is
cancelled. What is shown moves along when it is typed along, without waiting for the answer. Every answer is held
against the text it says it is for. What to type is `typist.py`'s.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.typing.events import Display, Event, Key, KeyKind, Misplaced, Opened
from benchmarks.typing.lsp import Bridge
from benchmarks.typing.typist import Action, Go, Press, Rub, Take
from daemon.api.text import SURROUNDINGS_RADIUS, hash_of_sides
from lsp_bridge.items import ACCEPTED_COMMAND
from lsp_bridge.positions import index_of_units, units_of

AUTOMATIC: Final = 2
"""LSP 3.18, InlineCompletionTriggerKind."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is shown at the cursor."""

    number: int
    """The suggestion's id."""
    text: str
    verified: int
    typed: int
    """Characters of the suggestion that stand before the cursor."""
    since: float


class Editor:
    """One editor with one document at a time."""

    def __init__(self, *, keeps_text: bool) -> None:
        """`keeps_text`: each key is noted with the text around it."""
        self.events: list[Event] = []
        self.status: dict[str, Any] = {}
        self.ghost: Ghost | None = None
        self.keys = 0
        self._keeps_text = keeps_text
        self._bridge: Bridge | None = None
        self._uri = ""
        self._version = 0
        self._before = self._after = ""
        self._language = ""
        self._asked: int | None = None
        self._asks = 0
        """Changes with each request and each cancellation: who asked under another number is not answered."""
        self._changed = asyncio.Event()

    # --- the conversation

    def attach(self, bridge: Bridge) -> None:
        """Talk to this bridge."""
        self._bridge = bridge

    def notified(self, method: str, params: Any, now: float) -> None:
        """The bridge says something by itself."""
        if method == "draftwire/status":
            self.status = params
            self._changed.set()
        elif method == "draftwire/suggestion":
            self._updated(params, now)

    async def until_status(self, *, timeout_s: float, **wanted: str) -> None:
        """Wait for a status with these values; TimeoutError."""
        try:
            async with asyncio.timeout(timeout_s):
                while any(self.status.get(name) != value for name, value in wanted.items()):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            said = self.status.get("message") or self.status
            raise TimeoutError(f"not {wanted} after {timeout_s:g} s; the status says: {said}") from None

    # --- what the user does

    def open(self, path: Path, language: str, text: str, cursor: int) -> None:
        """Open a document, with the cursor there."""
        self._uri, self._version, self._language = path.as_uri(), 1, language
        self._before, self._after = text[:cursor], text[cursor:]
        item = {"uri": self._uri, "languageId": language, "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": item})
        self._arrive()

    def close(self) -> None:
        """Close the document."""
        self._cancel()
        self.ghost = None
        self._tell("textDocument/didClose", {"textDocument": {"uri": self._uri}})

    def do(self, action: Action) -> None:
        """Carry out what the typist does; all but moving the cursor is a key."""
        match action:
            case Press(text):
                self._insert(text, "type")
            case Rub():
                self._rub()
            case Take(kind, length):
                self._take(kind, length)
            case Go(offset):
                whole = self._before + self._after
                self._before, self._after = whole[:offset], whole[offset:]
                self._cancel()
                self._arrive()

    def _insert(self, text: str, kind: KeyKind) -> None:
        ghost, self.ghost = self.ghost, None
        if ghost is not None and ghost.text.startswith(text) and ghost.text != text:
            left = ghost.text[len(text) :]
            verified = max(0, ghost.verified - len(text))
            self.ghost = replace(ghost, text=left, verified=verified, typed=ghost.typed + len(text))
        at = self._position()
        self._before += text
        self._change({"start": at, "end": at}, text, kind)

    def _rub(self) -> None:
        end = self._position()
        self._before = self._before[:-1]
        self.ghost = None
        self._change({"start": self._position(), "end": end}, "", "backspace")

    def _take(self, kind: KeyKind, length: int) -> None:
        ghost = self.ghost
        assert ghost is not None, "something is shown"
        self._insert(ghost.text[:length], kind)
        arguments = [ghost.number, ghost.typed + length, {"typed": ghost.typed, "kind": kind}]
        command = {"command": ACCEPTED_COMMAND, "arguments": arguments}
        self._connected.request("workspace/executeCommand", command, lambda result, now: None)

    def _change(self, where: dict[str, Any], text: str, kind: KeyKind) -> None:
        self._cancel()
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        change = {"textDocument": document, "contentChanges": [{"range": where, "text": text}]}
        written = self._tell("textDocument/didChange", change)
        self.keys += 1
        self.events.append(
            Key(written, kind, text, (self._before, self._after) if self._keeps_text else None)
        )
        self._ask()

    # --- what is shown

    def _ask(self) -> None:
        self._asks += 1
        number = self._asks

        def take(result: Any, now: float) -> None:
            if number == self._asks:
                self._answered(result, now)

        params = {
            "textDocument": {"uri": self._uri},
            "position": self._position(),
            "context": {"triggerKind": AUTOMATIC},
        }
        self._asked = self._connected.request("textDocument/inlineCompletion", params, take)

    def _cancel(self) -> None:
        self._asks += 1
        if self._asked is not None:
            self._connected.cancel(self._asked)
            self._asked = None

    def _answered(self, result: Any, now: float) -> None:
        items = result["items"] if isinstance(result, dict) else result or []
        if not items:
            self._show(None, Display(now, "", 0, True, "answer"))
            return
        item = items[0]
        number, _, detail = item["command"]["arguments"]
        if not self._is_for_here(detail["version"], detail["surroundings"], item["range"]["end"], now):
            return
        text, verified = item["insertText"], detail["verifiedLength"]
        ghost = Ghost(number, text, index_of_units(text, verified, "utf-16"), detail["typed"], now)
        recalled = detail["source"] == "recall" or detail["typed"] > 0
        self._show(ghost, Display(now, text, ghost.verified, detail["complete"], "answer", recalled=recalled))
        if not recalled:
            self._tell("textDocument/didShowCompletion", {"item": item})

    def _updated(self, params: dict[str, Any], now: float) -> None:
        """What is shown has changed; or there is text now where the answer had none in time."""
        if params["uri"] != self._uri or params["version"] != self._version:
            return
        ghost = self.ghost
        if ghost is None and params["kind"] == "extended":  # the first text, after an empty answer
            ghost = Ghost(params["id"], "", 0, 0, now)
        if ghost is None or params["id"] != ghost.number:
            return
        if not self._is_for_here(params["version"], params["surroundings"], params["position"], now):
            return
        text = params["text"]
        verified = index_of_units(text, params["verifiedLength"], "utf-16")
        new = replace(ghost, text=text, verified=verified, since=now)
        shown = None if params["kind"] == "withdrawn" else new
        self._show(shown, Display(now, text, verified, params["complete"], params["kind"]))

    def _is_for_here(self, version: int, surroundings: int, position: dict[str, int], now: float) -> bool:
        """Whether what came is for the place where the cursor is; noted if it is for another text than it says."""
        before, after = self._sides_at(position)
        text_fits = surroundings == hash_of_sides(before[-SURROUNDINGS_RADIUS:], after[:SURROUNDINGS_RADIUS])
        if version != self._version or not text_fits:
            what = f"for version {version}, here {self._version}; the text around {position} {text_fits=}"
            self.events.append(Misplaced(now, what))
            return False
        return position == self._position()  # the cursor may have been moved meanwhile, which nobody is told

    def _sides_at(self, position: dict[str, int]) -> tuple[str, str]:
        """The text before and after a place in the document."""
        if position == self._position():
            return self._before, self._after
        text = self._before + self._after
        lines = text.split("\n")[: position["line"] + 1]
        column = index_of_units(lines[-1], position["character"], "utf-16")
        offset = sum(len(line) + 1 for line in lines[:-1]) + column
        return text[:offset], text[offset:]

    def _show(self, ghost: Ghost | None, display: Display) -> None:
        before = self.ghost
        if ghost is not None and before is not None and ghost.text.startswith(before.text):
            ghost = replace(ghost, since=before.since)  # what stood there already has been read
        self.ghost = ghost
        self.events.append(display)

    def _arrive(self) -> None:
        self.ghost = None
        self.events.append(Opened(asyncio.get_running_loop().time(), self._language))

    def _position(self) -> dict[str, int]:
        line = self._before[self._before.rfind("\n") + 1 :]
        return {"line": self._before.count("\n"), "character": units_of(line, "utf-16")}

    def _tell(self, method: str, params: Any) -> float:
        return self._connected.notify(method, params)

    @property
    def _connected(self) -> Bridge:
        assert self._bridge is not None, "attached"
        return self._bridge
