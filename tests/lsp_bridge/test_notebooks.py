"""Notebooks: cells are completed with the cells before them as context, at the cell's own positions (ux-37)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.api.messages import (
    ChangeDocument,
    ClientMessage,
    CloseDocument,
    Complete,
    Completions,
    Edit,
    GrammarProblem,
    GrammarState,
    OpenDocument,
    Suggestion,
    SuggestionUpdate,
)
from daemon.api.paths import RuntimePaths
from daemon.api.text import surroundings_hash
from lsp_bridge import notebooks as notebooks_module
from lsp_bridge.documents import Change, Document, Documents
from lsp_bridge.notebooks import Notebooks
from tests.fakes.daemon import ScriptedDaemon, nothing
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import InProcessEditor, ResponseError, replace
from tests.lsp_bridge.conftest import connected, drafting_daemon

BOOK = "file:///work/book.ipynb"
TEXT = f"{BOOK}#python"
"""What the daemon knows the cells by."""
ONE, TWO, THREE, NOTE = (f"notebook-cell:/work/book.ipynb#{name}" for name in ("one", "two", "three", "note"))


# --- the joined text, without an editor


class Book:
    """A notebook over a document store, and a daemon that does as it is told."""

    def __init__(self) -> None:
        self.documents = Documents("utf-16")
        self.notebooks = Notebooks(self.documents.get)
        self.texts: dict[str, tuple[int, str]] = {}

    def put(self, cell: str, text: str, language: str = "python") -> str:
        self.documents.open(cell, language, 1, text)
        return cell

    def arrange(self, *cells: str, fresh: Sequence[str] = ()) -> None:
        self.hear(self.notebooks.arrange(BOOK, cells, fresh))

    def edit(self, cell: str, *changes: Change) -> None:
        document = self.document(cell)
        changed = self.documents.change(cell, document.version + 1, changes)
        assert changed is not None
        self.hear(self.notebooks.to_daemon(ChangeDocument(cell, document.version, changed[1])))

    def document(self, cell: str) -> Document:
        document = self.documents.get(cell)
        assert document is not None
        return document

    def hear(self, messages: Sequence[ClientMessage]) -> None:
        for message in messages:
            if isinstance(message, OpenDocument):
                self.texts[message.document] = (message.version, message.text)
            elif isinstance(message, ChangeDocument):
                version, text = self.texts[message.document]
                assert message.version > version
                for edit in message.edits:
                    text = text[: edit.start] + edit.text + text[edit.end :]
                self.texts[message.document] = (message.version, text)
            elif isinstance(message, CloseDocument):
                del self.texts[message.document]


def test_the_cells_of_a_language_are_one_text() -> None:
    """In their order; what people write between them is a text of its own."""
    book = Book()
    book.put(ONE, "a = 1\r\nb = 2")
    book.put(NOTE, "# Title", "markdown")
    book.put(TWO, "c")
    book.arrange(ONE, NOTE, TWO)
    assert book.texts == {TEXT: (1, "a = 1\nb = 2\n\nc"), f"{BOOK}#markdown": (1, "# Title")}
    book.arrange(TWO, NOTE, ONE)
    assert book.texts[TEXT] == (2, "c\n\na = 1\nb = 2")
    assert book.texts[f"{BOOK}#markdown"][0] == 1, "what has not changed is not sent"
    book.arrange(TWO, ONE)
    assert set(book.texts) == {TEXT}
    book.hear(book.notebooks.close(BOOK))
    assert book.texts == {}
    assert not book.notebooks.is_open(BOOK)


def test_a_key_in_a_cell_is_one_small_edit() -> None:
    """Wherever the cell is; nothing of the other cells is sent."""
    book = Book()
    book.arrange(book.put(ONE, "a"), book.put(TWO, "b"))
    changed = book.documents.change(TWO, 2, [Change("x", (0, 1), (0, 1))])
    assert changed is not None
    assert book.notebooks.to_daemon(ChangeDocument(TWO, 2, changed[1])) == [
        ChangeDocument(TEXT, 2, [Edit(4, 4, "x")])
    ]


def test_other_documents_pass_as_they_are() -> None:
    """With a notebook open and without."""
    book = Book()
    for _ in range(2):
        opening = OpenDocument("file:///a.py", "python", 1, "x")
        update = SuggestionUpdate("file:///a.py#x", 1, 0, "extended", Suggestion(1, "y", 0, True, "draft"))
        assert book.notebooks.to_daemon(opening) == [opening]
        assert book.notebooks.to_daemon(ChangeDocument("file:///a.py", 2, [])) == [
            ChangeDocument("file:///a.py", 2, [])
        ]
        assert book.notebooks.to_daemon(CloseDocument("file:///a.py")) == [CloseDocument("file:///a.py")]
        assert book.notebooks.to_daemon(Complete(1, "x", 1, 0)) == [Complete(1, "x", 1, 0)]
        assert book.notebooks.update(update) == update
        plain = Document("file:///a.py", "x", 1, "y", "utf-16")
        assert plain.opening() in book.notebooks.openings([plain, *book.documents])
        assert book.notebooks.place(plain.cursor(0, 1)) is None
        book.arrange(book.put(ONE, "a"))


def test_a_cell_opened_again_or_closed_changes_the_text() -> None:
    """Whatever notification says so; also if its language has become another."""
    book = Book()
    book.arrange(book.put(ONE, "a"), book.put(TWO, "b"))
    book.put(TWO, "c")
    book.hear(book.notebooks.to_daemon(book.document(TWO).opening()))
    assert book.texts[TEXT] == (2, "a\n\nc")
    book.put(TWO, "c", "sql")
    book.hear(book.notebooks.to_daemon(book.document(TWO).opening()))
    assert book.texts == {TEXT: (3, "a"), f"{BOOK}#sql": (1, "c")}
    book.documents.close(ONE)
    book.hear(book.notebooks.to_daemon(CloseDocument(ONE)))
    assert book.texts == {f"{BOOK}#sql": (1, "c")}
    assert book.notebooks.cells_of(TEXT) == []
    assert book.notebooks.cells(BOOK) == [ONE, TWO]


def test_a_text_that_is_too_large_is_taken_away_until_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell alone would do; the daemon takes no longer text than MAX_TEXT."""
    monkeypatch.setattr(notebooks_module, "MAX_TEXT", 8)
    book = Book()
    book.arrange(book.put(ONE, "abc"), book.put(TWO, "def"))
    assert book.texts[TEXT] == (1, "abc\n\ndef")
    book.edit(TWO, Change("g", (0, 3), (0, 3)))
    assert book.texts == {}
    book.edit(TWO, Change("h", (0, 4), (0, 4)))
    assert list(book.notebooks.openings(book.documents)) == []
    book.edit(TWO, Change("", (0, 1), (0, 5)))
    assert book.texts[TEXT][1] == "abc\n\nd"


def test_an_answer_for_another_text_stays_one() -> None:
    """Else a suggestion could stand where it does not belong (ux-8)."""
    book = Book()
    book.arrange(book.put(ONE, "a"), book.put(TWO, "b"))
    cursor = book.document(TWO).cursor(0, 1)
    place = book.notebooks.place(cursor)
    assert place is not None
    assert (place.document, place.version, place.offset) == (TEXT, 1, 4)
    right = Completions(7, TEXT, 1, 4, surroundings_hash("a\n\nb", 4), [])
    answered = place.answer(right)
    assert (answered.document, answered.version, answered.offset) == (TWO, 1, 1)
    assert answered.surroundings == cursor.surroundings
    wrong = Completions(7, TEXT, 1, 4, surroundings_hash("a\n\nc", 4), [])
    assert place.answer(wrong).surroundings != cursor.surroundings


def update(version: int, offset: int) -> SuggestionUpdate:
    return SuggestionUpdate(TEXT, version, offset, "extended", Suggestion(1, "x", 0, False, "draft"))


def test_updates_for_an_older_version() -> None:
    """They can be placed while the user goes on in one cell, and not once another has been edited."""
    book = Book()
    book.arrange(book.put(ONE, "a"), book.put(TWO, "b"))
    now = book.notebooks.update(update(1, 4))
    assert now is not None
    assert (now.document, now.version, now.offset) == (TWO, 1, 1)
    book.edit(TWO, Change("x", (0, 1), (0, 1)))
    book.edit(TWO, Change("", (0, 0), (0, 2)))
    older = book.notebooks.update(update(2, 5))
    assert older is not None
    assert (older.document, older.offset) == (TWO, 2)
    assert older.version != book.document(TWO).version
    assert book.notebooks.update(update(2, 1)) is None, "before the cell: it was for another"
    book.edit(ONE, Change("y", (0, 0), (0, 0)))
    assert book.notebooks.update(update(2, 5)) is None


CELL = st.sampled_from([ONE, TWO, THREE, NOTE])
WORDS = st.text(st.sampled_from("ab\r\n 你🤗"), max_size=8)
PLACE = st.tuples(st.integers(0, 3), st.integers(0, 6))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("arrange"), st.lists(CELL, unique=True, max_size=4)),
        st.tuples(st.just("edit"), CELL, PLACE, PLACE, WORDS),
        st.tuples(st.just("put"), CELL, WORDS, st.sampled_from(["python", "markdown"])),
        st.tuples(st.just("close"), CELL),
    ),
    max_size=12,
)


@given(STEPS, st.data())
@settings(max_examples=150)
def test_the_daemon_has_what_the_editor_has(steps: list[tuple[Any, ...]], data: st.DataObject) -> None:
    """Against a naive join after every step; each place in a cell is that place in the text, and back."""
    book = Book()
    order: list[str] = []
    for name, *given_ in steps:
        if name == "arrange":
            order = given_[0]
            book.arrange(*order)
        elif name == "put":
            cell, text, language = given_
            book.put(cell, text, language)
            if cell in order:
                book.hear(book.notebooks.to_daemon(book.document(cell).opening()))
        elif name == "close":
            book.documents.close(given_[0])
            if given_[0] in order:
                book.hear(book.notebooks.to_daemon(CloseDocument(given_[0])))
        elif book.documents.get(given_[0]) is not None and given_[0] in order:
            cell, start, end, text = given_
            book.edit(cell, Change(text, start, end))
        check(book, order, data)


def check(book: Book, order: Sequence[str], data: st.DataObject) -> None:
    cells = [document for cell in order if (document := book.documents.get(cell)) is not None]
    naive: dict[str, str] = {}
    for document in cells:
        before = naive.get(f"{BOOK}#{document.language}")
        naive[f"{BOOK}#{document.language}"] = (
            document.text if before is None else f"{before}\n\n{document.text}"
        )
    assert {name: text for name, (_, text) in book.texts.items()} == naive
    assert {one.document: one.text for one in book.notebooks.openings(cells)} == naive
    book.texts |= {
        one.document: (one.version, one.text) for one in book.notebooks.openings(cells)
    }  # it was told anew
    for document in cells:
        cursor = document.cursor(*data.draw(PLACE))
        place = book.notebooks.place(cursor)
        assert place is not None
        version, text = book.texts[place.document]
        assert place.version == version
        assert text[: place.offset].endswith(document.text[: cursor.offset])
        assert text[place.offset :].startswith(document.text[cursor.offset :])
        assert place.surroundings == surroundings_hash(text, place.offset)
        suggestion = Suggestion(1, "x", 0, True, "draft")
        back = book.notebooks.update(
            SuggestionUpdate(place.document, version, place.offset, "extended", suggestion)
        )
        assert back is not None
        assert (back.document, back.version, back.offset) == (document.uri, document.version, cursor.offset)


# --- as an editor meets it


@pytest_asyncio.fixture
async def daemon(paths: RuntimePaths) -> AsyncIterator[ScriptedDaemon]:
    """A daemon that knows what `load` is if a cell before says so."""

    def answer(text: str, offset: int) -> list[Suggestion | str]:
        before = text[:offset]
        return ["load(x)\n"] if "def load" in before and before.endswith("y = ") else []

    async with ScriptedDaemon(paths, answer) as scripted:
        yield scripted


@pytest_asyncio.fixture
async def editor(paths: RuntimePaths, daemon: ScriptedDaemon) -> AsyncIterator[InProcessEditor]:
    async with connected(paths) as editor:
        yield editor


def cell(uri: str, kind: int = 2) -> dict[str, Any]:
    return {"kind": kind, "document": uri}


def item(uri: str, text: str, language: str = "python") -> dict[str, Any]:
    return {"uri": uri, "languageId": language, "version": 1, "text": text}


def open_book(editor: InProcessEditor, *items: dict[str, Any], uri: str = BOOK) -> None:
    cells = [cell(one["uri"], 1 if one["languageId"] == "markdown" else 2) for one in items]
    notebook = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": cells}
    editor.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": items})


def change_book(editor: InProcessEditor, **cells: Any) -> None:
    params = {"notebookDocument": {"uri": BOOK, "version": 2}, "change": {"cells": cells}}
    editor.notify("notebookDocument/didChange", params)


def typed(uri: str, version: int, *changes: dict[str, Any]) -> dict[str, Any]:
    return {"document": {"uri": uri, "version": version}, "changes": changes}


@pytest.mark.asyncio
async def test_ux_37_a_cell_is_completed_from_the_cells_before_it(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """At its own UTF-16 position, with its own line ends; what is told of it names the cell."""
    open_book(
        editor, item(ONE, "def load(x):\r\n    '🤗'"), item(NOTE, "# y", "markdown"), item(TWO, "# 🤗\r\ny =")
    )
    change_book(editor, textContent=[typed(TWO, 2, replace((1, 3), (1, 3), " "))])
    (found,) = await editor.inline(1, 4, TWO)
    assert found["insertText"] == "load(x)\r\n"
    assert found["range"]["start"] == {"line": 1, "character": 4}
    _, _, detail = found["command"]["arguments"]
    assert (detail["uri"], detail["version"]) == (TWO, 2)
    assert detail["surroundings"] == surroundings_hash("# 🤗\ny = ", 8)
    text = "def load(x):\n    '🤗'\n\n# 🤗\ny = "
    assert daemon.text(TEXT) == text
    assert daemon.of_type(Complete)[0].offset == len(text)
    assert len(daemon.of_type(ChangeDocument)) == 1
    change_book(editor, textContent=[typed(TWO, 3, replace((1, 4), (1, 4), "lo"))])
    (found,) = await editor.inline(1, 6, TWO)
    assert found["insertText"] == "ad(x)\r\n"
    assert len(daemon.of_type(Complete)) == 1, "typing along is answered from memory (ux-3)"


@pytest.mark.asyncio
async def test_cells_come_go_and_move(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """What is left of the notebook is what the daemon has; a closed cell is offered nothing."""
    open_book(editor, item(ONE, "def load(x): ..."), item(TWO, "y = "))
    assert len(await editor.inline(0, 4, TWO)) == 1
    swapped = {"start": 0, "deleteCount": 2, "cells": [cell(TWO), cell(ONE)]}
    change_book(editor, structure={"array": swapped})
    assert await editor.inline(0, 4, TWO, kind=1) == [], "load is defined behind it now"
    assert daemon.text(TEXT) == "y = \n\ndef load(x): ..."
    added = {"start": 2, "deleteCount": 0, "cells": [cell(THREE)]}
    change_book(editor, structure={"array": added, "didOpen": [item(THREE, "y = ")]})
    assert len(await editor.inline(0, 4, THREE)) == 1
    gone = {"start": 1, "deleteCount": 1}
    change_book(editor, structure={"array": gone, "didClose": [{"uri": ONE}]})
    assert await editor.inline(0, 4, THREE, kind=1) == []
    assert await editor.inline(0, 4, ONE) == []
    assert daemon.text(TEXT) == "y = \n\ny = "
    change_book(editor, structure={"array": {"start": 0, "deleteCount": 2}})
    added = {"start": 0, "deleteCount": 0, "cells": [cell(ONE)]}
    change_book(editor, structure={"array": added, "didOpen": [item(ONE, "def load(x): y = ")]})
    assert len(await editor.inline(0, 17, ONE)) == 1, "a notebook may be empty for a while"
    again = {"start": 0, "deleteCount": 1, "cells": [cell(ONE)]}
    opened = [item(ONE, "y = ")]
    change_book(editor, structure={"array": again, "didOpen": opened, "didClose": [{"uri": ONE}]})
    assert await editor.inline(0, 4, ONE) == []
    assert daemon.text(TEXT) == "y = "
    params = {"notebookDocument": {"uri": BOOK}, "cellTextDocuments": [{"uri": ONE}]}
    editor.notify("notebookDocument/didClose", params)
    editor.notify("notebookDocument/didClose", params)
    assert await editor.inline(0, 4, ONE) == []
    assert daemon.connections[0].documents == {}


@pytest.mark.asyncio
async def test_updates_reach_the_cell(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Also while the user types along; those for what is closed say nothing."""
    open_book(editor, item(ONE, "def load(x): ..."), item(TWO, "y = "))
    (found,) = await editor.inline(0, 4, TWO)
    identifier = found["command"]["arguments"][0]
    more = Suggestion(identifier, "load(x)\nz", 4, True, "target")
    at = len("def load(x): ...\n\ny = ")
    daemon.push(SuggestionUpdate(TEXT, 1, at, "extended", more))
    told = await editor.wait_for("draftwire/suggestion")
    assert (told["uri"], told["version"], told["text"]) == (TWO, 1, "load(x)\nz")
    assert told["position"] == {"line": 0, "character": 4}
    change_book(editor, textContent=[typed(TWO, 2, replace((0, 4), (0, 4), "lo"))])
    daemon.push(SuggestionUpdate(TEXT, 1, at, "verified", more))
    daemon.push(
        SuggestionUpdate(TEXT, 2, at + 2, "verified", Suggestion(identifier, "ad(x)\nz", 7, True, "target"))
    )
    told = await editor.wait_for("draftwire/suggestion", lambda one: one["verifiedLength"] == 7)
    assert (told["uri"], told["text"], told["position"]["character"]) == (TWO, "ad(x)\nz", 6)


@pytest.mark.asyncio
async def test_another_daemon_gets_the_notebook_as_it_is(
    paths: RuntimePaths, editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """As any document; and a daemon whose copy differs is given ours (ux-8)."""
    open_book(editor, item(ONE, "def load(x): ..."), item(TWO, "y ="))
    change_book(editor, textContent=[typed(TWO, 2, replace((0, 3), (0, 3), " "))])
    await daemon.wait_for(ChangeDocument)
    await daemon.die()
    async with ScriptedDaemon(paths, daemon.answer) as other:
        await other.wait_for(OpenDocument)
        assert other.text(TEXT) == "def load(x): ...\n\ny = "
        version = other.of_type(OpenDocument)[0].version
        other.connections[0].documents[TEXT] = (version, "def load(x): ..\n\n(y = ")
        await editor.wait_for("draftwire/status", lambda status: status["daemon"] != "connected")
        assert await editor.inline(0, 4, TWO) == []
        await other.wait_for(OpenDocument, 2)
        assert len(await editor.inline(0, 4, TWO)) == 1


@pytest.mark.asyncio
async def test_what_is_told_of_a_notebooks_grammar(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """It is in the status under the text's name, and ends with the notebook."""
    open_book(editor, item(ONE, "x"))
    await daemon.wait_for(OpenDocument)
    daemon.push(GrammarState(TEXT, "masked by python", [GrammarProblem("p", "look at it")]))
    await editor.wait_for("draftwire/status", lambda status: status["grammars"] == {TEXT: "masked by python"})
    editor.notify("notebookDocument/didClose", {"notebookDocument": {"uri": BOOK}, "cellTextDocuments": []})
    assert (await editor.request("draftwire/status"))["grammars"] == {}


@pytest.mark.asyncio
async def test_what_another_grammar_may_forbid_is_recalled_in_no_cell(
    editor: InProcessEditor, daemon: ScriptedDaemon
) -> None:
    """The daemon names the text that they are to it (ux-16)."""
    open_book(editor, item(ONE, "def load(x): y = "))
    assert len(await editor.inline(0, 17, ONE)) == 1
    daemon.push(GrammarState(TEXT, "masked by python"))
    await editor.wait_for("draftwire/status", lambda status: status["grammars"])
    daemon.answer = nothing
    assert await editor.inline(0, 17, ONE) == []


@pytest.mark.asyncio
async def test_notebooks_that_are_hard_to_take(editor: InProcessEditor, daemon: ScriptedDaemon) -> None:
    """Where the bridge can no longer know what is in the cells, nothing is offered until they are opened again."""
    long = "file:///" + "a" * 8190
    open_book(editor, item(ONE, "def load(x): y = "), uri=long)
    assert await editor.inline(0, 17, ONE) == []
    change_book(editor, textContent=[typed(ONE, 2, replace((0, 0), (0, 0), "x"))])
    for wrong in (
        {"structure": {"array": {"start": 1, "deleteCount": 1}}},
        {"structure": {"array": {"start": "x", "deleteCount": 1}}},
        {"textContent": [{"document": {"uri": ONE, "version": 2}, "changes": [{"text": 3}]}]},
    ):
        open_book(editor, item(ONE, "def load(x): y = "))
        assert len(await editor.inline(0, 17, ONE)) == 1
        change_book(editor, **wrong)
        assert await editor.inline(0, 17, ONE) == []
        assert daemon.connections[0].documents == {}
    editor.notify("notebookDocument/didOpen", {"notebookDocument": 7})
    params = {"notebookDocument": {"uri": BOOK, "version": 2}, "change": {"metadata": {}}}
    editor.notify("notebookDocument/didChange", params)
    with pytest.raises(ResponseError):
        await editor.request("notebookDocument/didOpen", {})
    assert await editor.inline(0, 17, ONE) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("known", [True, False])
async def test_it_is_advertised_to_editors_with_notebooks(
    paths: RuntimePaths, daemon: ScriptedDaemon, known: bool
) -> None:
    async with InProcessEditor(paths) as editor:
        of_notebooks = {"notebookDocument": {"synchronization": {}}} if known else {}
        await editor.initialize(capabilities={"general": {"positionEncodings": ["utf-16"]}, **of_notebooks})
        selector = {"notebookSelector": [{"notebook": "*"}]}
        assert editor.capabilities.get("notebookDocumentSync") == (selector if known else None)


@pytest.mark.asyncio
async def test_ux_37_with_a_daemon_and_its_draft(paths: RuntimePaths) -> None:
    """The model reads the cells before: it knows by heart what follows both."""
    source = "def load(x):\n    return x\n\ny = load(1)\n"
    async with drafting_daemon(paths, FakeEngine(following(source))), connected(paths) as editor:
        open_book(editor, item(ONE, "def load(x):\n    return x"), item(TWO, "y ="))
        change_book(editor, textContent=[typed(TWO, 2, replace((0, 3), (0, 3), " "))])
        async with asyncio.timeout(20):
            while [one["insertText"] for one in await editor.inline(0, 4, TWO)] != ["load(1)"]:
                await asyncio.sleep(0.01)
