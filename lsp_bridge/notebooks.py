"""Notebooks: to the editor each cell is a document of its own, to the daemon the cells of a language are one text.

So a cell is completed with the cells before it as its context, and what it would repeat of the next one is cut off,
by the rules that hold in any file (ux-37). This is where messages go from the one reading to the other: offsets and
versions of a cell <-> those of the joined text. Pure: knows the cells' documents and the daemon's messages, neither
the editor nor positions in lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from daemon.api.messages import (
    MAX_TEXT,
    ChangeDocument,
    ClientMessage,
    CloseDocument,
    Completions,
    Edit,
    OpenDocument,
    SuggestionUpdate,
)
from daemon.api.text import SURROUNDINGS_RADIUS, surroundings_hash
from lsp_bridge.documents import Cursor, Document

SEPARATOR = "\n\n"
"""Between two cells of a text."""
MAX_LANGUAGE = 100


@dataclass(slots=True)
class _Text:
    """The cells of one language of a notebook, joined in their order."""

    name: str
    """Of the daemon's document."""
    language: str
    cells: list[str] = field(default_factory=list)
    version: int = 0
    edited: str = ""
    """The cell that was edited last, and the version since which no other has been."""
    edited_since: int = 0
    is_open: bool = False
    """At the daemon: a text over MAX_TEXT is not."""


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cursor in a cell, as the place in the joined text that the daemon is asked about."""

    cursor: Cursor
    document: str
    version: int
    offset: int
    surroundings: int

    def answer(self, given: Completions) -> Completions:
        """The daemon's answer as one for the cell. If it is for another text, its surroundings say so as before."""
        fits = (given.surroundings, given.offset) == (self.surroundings, self.offset)
        return replace(
            given,
            document=self.cursor.document,
            version=self.cursor.version,
            offset=self.cursor.offset,
            surroundings=self.cursor.surroundings if fits else given.surroundings,
        )


class Notebooks:
    """Those that are open. `document`: an open cell by its URI, or None."""

    def __init__(self, document: Callable[[str], Document | None]) -> None:
        self._document = document
        self._cells: dict[str, list[str]] = {}
        """Notebook -> all its cells, in their order."""
        self._texts: dict[str, dict[str, _Text]] = {}
        """Notebook -> language -> text."""
        self._text_of: dict[str, _Text] = {}
        """Cell -> the text it is in."""

    def cells(self, notebook: str) -> list[str]:
        """The cells of an open notebook; of any other none."""
        return list(self._cells.get(notebook, ()))

    def cells_of(self, name: str) -> list[str]:
        """The cells of the text that the daemon knows by this name; none if it knows no such text of a notebook."""
        texts = (text for by_language in self._texts.values() for text in by_language.values())
        return next((list(text.cells) for text in texts if text.name == name), [])

    def arrange(self, notebook: str, cells: Sequence[str], fresh: Iterable[str] = ()) -> list[ClientMessage]:
        """The notebook has these cells now, `fresh` of them with a text of which nobody was told.

        The daemon's texts are opened anew where they have become others.
        """
        for cell in self._cells.pop(notebook, ()):
            self._text_of.pop(cell, None)
        before, languages = self._texts.pop(notebook, {}), self._by_language(cells)
        new, changed = set(fresh), []
        texts: dict[str, _Text] = {}
        for language, members in languages.items():
            name = f"{notebook}#{language}"
            text = before.pop(language) if language in before else _Text(name, language)
            texts[language] = text
            if text.cells != members or new & set(members):
                text.cells = members
                changed.append(text)
            self._text_of |= dict.fromkeys(members, text)
        self._cells[notebook], self._texts[notebook] = list(cells), texts
        gone: list[ClientMessage] = [CloseDocument(text.name) for text in before.values() if text.is_open]
        return [*gone, *(message for text in changed for message in self._opening(text))]

    def close(self, notebook: str) -> list[ClientMessage]:
        """The notebook is open no longer."""
        messages = self.arrange(notebook, ())
        del self._cells[notebook], self._texts[notebook]
        return messages

    def is_open(self, notebook: str) -> bool:
        return notebook in self._cells

    def to_daemon(self, message: ClientMessage) -> list[ClientMessage]:
        """A message about a document of the editor's, as the daemon is to get it. The cell has changed already."""
        if not isinstance(message, OpenDocument | ChangeDocument | CloseDocument):
            return [message]
        text = self._text_of.get(message.document)
        if isinstance(message, ChangeDocument):
            return [message] if text is None else self._edited(text, message)
        notebook = next((name for name, cells in self._cells.items() if message.document in cells), None)
        if notebook is None:
            return [message]
        return self.arrange(notebook, self._cells[notebook], {message.document})

    def openings(self, documents: Iterable[Document]) -> Iterator[OpenDocument]:
        """What gives a daemon that knows nothing all of these documents, in its own reading."""
        for document in documents:
            text = self._text_of.get(document.uri)
            if text is None:
                yield document.opening()
            elif text.cells[0] == document.uri:
                yield from (one for one in self._opening(text) if isinstance(one, OpenDocument))

    def place(self, cursor: Cursor) -> CellPlace | None:
        """Where the daemon is to be asked; None if the cursor is in no cell."""
        text = self._text_of.get(cursor.document)
        if text is None:
            return None
        offset = self._start(text, cursor.document) + cursor.offset
        first = max(0, offset - SURROUNDINGS_RADIUS)
        around = self._slice(text, first, offset + SURROUNDINGS_RADIUS)
        return CellPlace(cursor, text.name, text.version, offset, surroundings_hash(around, offset - first))

    def update(self, update: SuggestionUpdate) -> SuggestionUpdate | None:
        """The daemon's change to a suggestion as one in a cell; None if it can't be told any more where that is.

        It can for the newest version, and for those since which no other cell was edited than the last one.
        """
        notebook, _, language = update.document.rpartition("#")
        text = self._texts.get(notebook, {}).get(language)
        if text is None:
            return update
        current = update.version == text.version
        if not current and update.version < text.edited_since:
            return None
        cell = self._cell_at(text, update.offset) if current else text.edited
        document = self._document(cell)
        offset = update.offset - self._start(text, cell)
        if document is None or offset < 0:
            return None
        version = document.version if current else document.version - 1
        return replace(update, document=cell, version=version, offset=offset)

    def _by_language(self, cells: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for cell in dict.fromkeys(cells):
            if (document := self._document(cell)) is not None:
                found.setdefault(document.language[:MAX_LANGUAGE], []).append(cell)
        return found

    def _edited(self, text: _Text, message: ChangeDocument) -> list[ClientMessage]:
        if not text.is_open or self._length(text) > MAX_TEXT:
            return self._opening(text)
        text.version += 1
        if text.edited != message.document:
            text.edited, text.edited_since = message.document, text.version
        start = self._start(text, message.document)
        edits = [Edit(start + edit.start, start + edit.end, edit.text) for edit in message.edits]
        return [ChangeDocument(text.name, text.version, edits)]

    def _opening(self, text: _Text) -> list[ClientMessage]:
        """What gives the daemon the whole text as it is now, or takes it away if it has become too large."""
        text.version += 1
        text.edited, text.edited_since = "", text.version
        was_open, text.is_open = text.is_open, self._length(text) <= MAX_TEXT
        if text.is_open:
            return [OpenDocument(text.name, text.language, text.version, self._slice(text, 0, MAX_TEXT))]
        return [CloseDocument(text.name)] if was_open else []

    def _extents(self, text: _Text) -> Iterator[tuple[Document, int]]:
        """Each cell and where it starts."""
        start = 0
        for cell in text.cells:
            if (document := self._document(cell)) is not None:
                yield document, start
                start += document.length + len(SEPARATOR)

    def _start(self, text: _Text, cell: str) -> int:
        return next((start for document, start in self._extents(text) if document.uri == cell), 0)

    def _length(self, text: _Text) -> int:
        return max((start + document.length for document, start in self._extents(text)), default=0)

    def _cell_at(self, text: _Text, offset: int) -> str:
        """The last cell that does not start behind the offset."""
        cells = [document.uri for document, start in self._extents(text) if start <= offset]
        return cells[-1] if cells else ""

    def _slice(self, text: _Text, start: int, end: int) -> str:
        """The joined text between two offsets, clamped; cells outside are not read."""
        pieces: list[str] = []
        for document, first in self._extents(text):
            behind = first + document.length
            if first:
                pieces.append(
                    SEPARATOR[max(0, start - first + len(SEPARATOR)) : max(0, end - first + len(SEPARATOR))]
                )
            if first < end and start < behind:
                pieces.append(document.slice(max(0, start - first), end - first))
        return "".join(pieces)
