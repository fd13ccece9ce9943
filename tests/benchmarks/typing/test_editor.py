"""What the editor sends for what the user does, and what it shows of what it is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks.typing.editor import Editor
from benchmarks.typing.events import Display, Key, Misplaced, Opened
from benchmarks.typing.lsp import Bridge, OnResult
from benchmarks.typing.typist import Go, Press, Rub, Take
from daemon.api.text import hash_of_sides

PATH = Path("/project/a.py")


class FakeBridge:
    """Notes what is sent; `answer` answers the newest request."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.cancelled: list[int] = []
        self._waiting: list[OnResult] = []

    def notify(self, method: str, params: Any) -> float:
        self.sent.append((method, params))
        return 1.0

    def request(self, method: str, params: Any, on_result: OnResult) -> int:
        self.sent.append((method, params))
        self._waiting.append(on_result)
        return len(self._waiting) - 1

    def cancel(self, identifier: int) -> None:
        self.cancelled.append(identifier)

    def answer(self, result: Any, *, request: int = -1) -> None:
        self._waiting[request](result, 2.0)

    def last(self, method: str) -> Any:
        return [params for sent, params in self.sent if sent == method][-1]


class Desk:
    """An editor with "before|after" open."""

    def __init__(self, before: str = "x = ", after: str = "\ny\n") -> None:
        self.bridge = FakeBridge()
        self.editor = Editor(keeps_text=True)
        self.editor.attach(cast(Bridge, self.bridge))
        self.before, self.after = before, after
        self.version = 1
        self.editor.open(PATH, "python", before + after, len(before))

    def do(self, action: Any, *, before: str) -> None:
        """The text before the cursor is `before` afterwards."""
        self.editor.do(action)
        self.before = before
        self.version += 1

    def place(self) -> dict[str, int]:
        line = self.before.rpartition("\n")[2]
        return {"line": self.before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def item(self, text: str, **other: Any) -> dict[str, Any]:
        detail = {
            "version": self.version,
            "surroundings": hash_of_sides(self.before[-64:], self.after[:64]),
            "typed": 0,
            "verifiedLength": 0,
            "complete": False,
            "source": "draft",
        } | other
        command = {"command": "draftwire.accepted", "arguments": [7, detail["typed"] + len(text), detail]}
        return {"insertText": text, "range": {"start": self.place(), "end": self.place()}, "command": command}

    def update(self, kind: str, text: str, **other: Any) -> dict[str, Any]:
        return {
            "uri": PATH.as_uri(),
            "version": self.version,
            "surroundings": hash_of_sides(self.before[-64:], self.after[:64]),
            "position": self.place(),
            "kind": kind,
            "id": 7,
            "text": text,
            "verifiedLength": 0,
            "complete": False,
        } | other

    def tell(self, params: dict[str, Any]) -> None:
        self.editor.notified("draftwire/suggestion", params, 3.0)


@pytest.mark.asyncio
async def test_a_key_is_sent_and_asked_about_at_once() -> None:
    desk = Desk("x = 🤗", "\ny\n")
    desk.do(Press("\n    "), before="x = 🤗\n    ")
    opened, changed, asked = desk.bridge.sent
    assert opened[1]["textDocument"] == {
        "uri": PATH.as_uri(),
        "languageId": "python",
        "version": 1,
        "text": "x = 🤗\ny\n",
    }
    assert changed == (
        "textDocument/didChange",
        {
            "textDocument": {"uri": PATH.as_uri(), "version": 2},
            "contentChanges": [
                {
                    "range": {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 6}},
                    "text": "\n    ",
                }
            ],
        },
    )
    assert asked[0] == "textDocument/inlineCompletion"
    assert asked[1]["position"] == desk.place() == {"line": 1, "character": 4}
    assert desk.editor.keys == 1
    arrived, pressed = desk.editor.events
    assert isinstance(arrived, Opened)
    assert pressed == Key(1.0, "type", "\n    ", ("x = 🤗\n    ", "\ny\n"))


@pytest.mark.asyncio
async def test_an_answer_is_shown_and_said_to_have_been() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    item = desk.item("oo🤗()", verifiedLength=4)
    desk.bridge.answer({"items": [item]})
    assert desk.editor.ghost is not None
    assert (desk.editor.ghost.text, desk.editor.ghost.verified) == ("oo🤗()", 3)
    assert desk.editor.events[-1] == Display(2.0, "oo🤗()", 3, False, "answer", recalled=False)
    assert desk.bridge.last("textDocument/didShowCompletion") == {"item": item}


@pytest.mark.parametrize("result", [None, [], {"items": []}])
@pytest.mark.asyncio
async def test_an_empty_answer_shows_nothing(result: Any) -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo")]})
    desk.do(Press("o"), before="x = fo")
    desk.bridge.answer(result)
    assert desk.editor.ghost is None
    assert desk.editor.events[-1] == Display(2.0, "", 0, True, "answer")


@pytest.mark.asyncio
async def test_typing_along_moves_the_ghost_text_and_anything_else_clears_it() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo()", verifiedLength=3)]})
    desk.do(Press("o"), before="x = fo")
    ghost = desk.editor.ghost
    assert ghost is not None
    assert (ghost.text, ghost.verified, ghost.typed) == ("o()", 2, 1)
    desk.do(Rub(), before="x = f")
    assert desk.editor.ghost is None
    assert desk.bridge.last("textDocument/didChange")["contentChanges"] == [
        {"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 6}}, "text": ""}
    ]
    desk.bridge.answer({"items": [desk.item("oo()", source="recall")]})
    assert cast(Display, desk.editor.events[-1]).recalled
    desk.do(Press("X"), before="x = fX")
    assert desk.editor.ghost is None
    assert cast(Key, desk.editor.events[-1]).text == "X"


@pytest.mark.asyncio
async def test_accepting_a_part_inserts_it_keeps_the_rest_and_reports() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo bar", typed=2)]})
    desk.do(Take("word", 2), before="x = foo")
    assert desk.editor.ghost is not None
    assert desk.editor.ghost.text == " bar"
    assert desk.bridge.last("workspace/executeCommand") == {
        "command": "draftwire.accepted",
        "arguments": [7, 4, {"typed": 2, "kind": "word"}],
    }
    assert desk.bridge.last("textDocument/didChange")["contentChanges"][0]["text"] == "oo"
    desk.do(Take("all", 4), before="x = foo bar")
    assert desk.editor.ghost is None
    assert desk.bridge.last("workspace/executeCommand")["arguments"] == [7, 8, {"typed": 4, "kind": "all"}]
    assert desk.editor.keys == 3


@pytest.mark.asyncio
async def test_an_older_request_is_cancelled_and_its_answer_dropped() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    late = desk.item("oo")
    desk.do(Press("g"), before="x = fg")
    assert desk.bridge.cancelled == [0]
    desk.bridge.answer({"items": [late]}, request=0)
    assert desk.editor.ghost is None
    assert not any(isinstance(event, Display | Misplaced) for event in desk.editor.events)


@pytest.mark.parametrize("wrong", [{"version": 7}, {"surroundings": 1}])
@pytest.mark.asyncio
async def test_what_is_for_another_text_than_it_says_is_noted_and_not_shown(wrong: dict[str, int]) -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo", **wrong)]})
    assert desk.editor.ghost is None
    assert isinstance(desk.editor.events[-1], Misplaced)


@pytest.mark.asyncio
async def test_what_is_for_where_the_cursor_was_is_not_shown_and_no_error() -> None:
    """Nobody tells the bridge that the cursor has moved."""
    desk = Desk("x = 1\ny🤗 = ", "\nz\n")
    desk.do(Press("f"), before="x = 1\ny🤗 = f")
    answer, update = {"items": [desk.item("oo")]}, desk.update("extended", "oo")
    desk.editor.do(Go(0))
    known = list(desk.editor.events)
    desk.bridge.answer(answer)
    desk.tell(update)
    assert desk.editor.ghost is None
    assert desk.editor.events == known
    desk.tell({**update, "surroundings": 1})
    assert isinstance(desk.editor.events[-1], Misplaced)


@pytest.mark.asyncio
async def test_updates_of_what_is_shown() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo")]})
    desk.tell(desk.update("extended", "oo()", verifiedLength=2))
    assert desk.editor.ghost is not None
    assert (desk.editor.ghost.text, desk.editor.ghost.since) == ("oo()", 2.0)
    desk.tell(desk.update("corrected", "og()"))
    assert (desk.editor.ghost.text, desk.editor.ghost.since) == ("og()", 3.0)
    desk.tell(desk.update("withdrawn", ""))
    assert desk.editor.ghost is None
    causes = [event.cause for event in desk.editor.events if isinstance(event, Display)]
    assert causes == ["answer", "extended", "corrected", "withdrawn"]


@pytest.mark.asyncio
async def test_the_first_text_may_come_as_an_update() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": []})
    desk.tell(desk.update("verified", "oo", id=9))
    assert desk.editor.ghost is None
    desk.tell(desk.update("extended", "oo", id=9))
    assert desk.editor.ghost is not None
    assert (desk.editor.ghost.number, desk.editor.ghost.text, desk.editor.ghost.since) == (9, "oo", 3.0)
    desk.do(Take("all", 2), before="x = foo")
    assert desk.bridge.last("workspace/executeCommand")["arguments"] == [9, 2, {"typed": 0, "kind": "all"}]


@pytest.mark.parametrize("other", [{"id": 8}, {"version": 1}, {"uri": "file:///other.py"}])
@pytest.mark.asyncio
async def test_updates_of_anything_else_are_not_for_the_screen(other: dict[str, Any]) -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo")]})
    known = list(desk.editor.events)
    desk.tell(desk.update("corrected", "xx", **other))
    assert desk.editor.events == known


@pytest.mark.asyncio
async def test_going_elsewhere_and_closing() -> None:
    desk = Desk()
    desk.do(Press("f"), before="x = f")
    desk.bridge.answer({"items": [desk.item("oo")]})
    desk.editor.do(Go(0))
    assert desk.editor.ghost is None
    assert isinstance(desk.editor.events[-1], Opened)
    desk.editor.do(Press("#"))
    assert desk.bridge.last("textDocument/didChange")["contentChanges"][0]["range"]["start"] == {
        "line": 0,
        "character": 0,
    }
    desk.editor.close()
    assert desk.bridge.last("textDocument/didClose") == {"textDocument": {"uri": PATH.as_uri()}}
    assert desk.editor.keys == 2


@pytest.mark.asyncio
async def test_waiting_for_a_status() -> None:
    editor = Editor(keeps_text=False)
    editor.notified("draftwire/status", {"draft": "loading", "message": "loading the model"}, 0.0)
    with pytest.raises(TimeoutError, match="loading the model"):
        await editor.until_status(timeout_s=0.01, draft="ready")
    waiting = asyncio.create_task(editor.until_status(timeout_s=20, draft="ready"))
    await asyncio.sleep(0)
    editor.notified("draftwire/status", {"draft": "ready"}, 0.0)
    await waiting
