"""The documents the editor has open, kept as the daemon wants them: LF text, code point offsets, small edits.

The bridge's own store, in place of pygls' (which splits lines at characters that LSP does not count as line
ends, and walks the whole document on each key). Positions are converted here, once. Knows neither editor nor
daemon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.api.messages import MAX_TEXT, Edit, OpenDocument
from daemon.api.text import SURROUNDINGS_RADIUS, hash_of_sides
from lsp_bridge.lines import Lines, content_length, end_of, split_lines, with_lf
from lsp_bridge.positions import PositionEncoding, clean, index_of_units, units_of

NO_VERSION = -(2**31)
"""Stands for a document version the client did not give (null in old clients)."""

_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Change:
    """One content change: replace from (line, character) to (line, character) in the client's units by
    `text`.

    Without a range, `text` is the whole document.
    """

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in one version of a document: all that answering a request there needs to remember."""

    document: str
    version: int
    offset: int
    """Code points from the start of the LF text."""
    line: int
    character: int
    """In the client's units, clamped to the line."""
    before: str
    after: str
    """Up to SURROUNDINGS_RADIUS code points of LF text on either side."""
    eol: str
    """What ends lines here."""

    @property
    def surroundings(self) -> int:
        """`daemon.api.text.surroundings_hash` of the document at the offset."""
        return hash_of_sides(self.before, self.after)


class Document:
    """One open document."""

    def __init__(self, uri: str, language: str, version: int, text: str, encoding: PositionEncoding) -> None:
        self.uri = uri
        self.language = language
        self.version = 0 if version == NO_VERSION else version
        self.last_edit_end = 0
        """LF offset of the end of the newest edit: where a user who types is."""
        self.encoding = encoding
        self._lines = Lines(clean(text))

    @property
    def length(self) -> int:
        """Code points of the LF text."""
        return self._lines.length

    @property
    def text(self) -> str:
        """The LF text."""
        return with_lf(self._lines.raw)

    @property
    def raw(self) -> str:
        """The text with the editor's line ends."""
        return self._lines.raw

    def slice(self, start: int, end: int) -> str:
        """The LF text between two offsets, clamped."""
        return self._lines.slice(start, end)

    def opening(self) -> OpenDocument:
        """The message that gives the daemon this document as it is now."""
        return OpenDocument(self.uri, self.language[:100], self.version, self.text)

    def change(self, version: int, changes: Sequence[Change]) -> list[Edit]:
        """Apply one didChange, in order; the same as edits of the LF text."""
        self.version = self.version + 1 if version == NO_VERSION else version
        edits = [edit for change in changes if (edit := self._apply(change)) is not None]
        if edits:
            self.last_edit_end = edits[-1].start + len(edits[-1].text)
        return edits

    def cursor(self, line: int, character: int) -> Cursor:
        """The place of a client's position; one outside the document counts as the nearest inside."""
        line, index = self._clamp((line, character))
        return self._cursor_in_line(line, index)

    def cursor_at(self, offset: int) -> Cursor:
        """The place of an LF offset, clamped."""
        return self._cursor_in_line(*self._lines.locate(offset))

    def position(self, line: int, index: int) -> tuple[int, int]:
        """The client's position of a code point: line and index in it, both from 0, clamped to the document."""
        if line >= len(self._lines):
            return self.line_end(len(self._lines) - 1)
        raw = self._lines[line]
        index = min(max(index, 0), content_length(raw))
        return line, units_of(raw[:index], self.encoding)

    def line_end(self, line: int) -> tuple[int, int]:
        """The client's position of the end of a line, before what ends it."""
        return self.position(line, content_length(self._lines[line]))

    def _cursor_in_line(self, line: int, index: int) -> Cursor:
        offset = self._lines.offset_of(line) + index
        return Cursor(
            document=self.uri,
            version=self.version,
            offset=offset,
            line=line,
            character=units_of(self._lines[line][:index], self.encoding),
            before=self.slice(offset - min(offset, SURROUNDINGS_RADIUS), offset),
            after=self.slice(offset, offset + SURROUNDINGS_RADIUS),
            eol=end_of(self._lines[line]) or (end_of(self._lines[line - 1]) if line else "") or "\n",
        )

    def _clamp(self, position: tuple[int, int]) -> tuple[int, int]:
        """A client's position as (line, index in code points), inside the document and before the line's
        end."""
        line, character = position
        last = len(self._lines) - 1
        if line > last:
            return last, content_length(self._lines[last])
        raw = self._lines[line]
        return line, min(index_of_units(raw, character, self.encoding), content_length(raw))

    def _apply(self, change: Change) -> Edit | None:
        text = clean(change.text)
        if change.start is None or change.end is None:
            return self._replace_all(text)
        start, end = sorted((self._clamp(change.start), self._clamp(change.end)))
        return self._replace(start, end, text)

    def _replace_all(self, text: str) -> Edit | None:
        before = self.text
        self._lines = Lines(text)
        return _difference(before, self.text, 0)

    def _replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> Edit | None:
        """Replace between two (line, index) places; splits and joins `\\r\\n` as a plain string would."""
        first, last = start[0], end[0]
        head, tail = self._lines[first][: start[1]], self._lines[last][end[1] :]
        if not head and first and (text or tail).startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1  # the line before ends in the first half of what now is one line end
            head = self._lines[first]
        joins = first < start[0] or (text.endswith("\r") and tail.startswith("\n"))
        start_offset = self._lines.offset_of(start[0]) + start[1]
        end_offset = start_offset if start == end else self._lines.offset_of(last) + end[1]
        if joins:
            before = self._region(first, last)
            new = split_lines(head + text + tail)
            if end_of(tail):
                new.pop()  # the empty line behind the region's own end is the line that follows
            self._lines.splice(first, last, new)
            return _difference(before, with_lf("".join(new)), self._lines.offset_of(first))
        new = split_lines(text)  # and not the line around it, which may be a megabyte
        new[0] = head + new[0]
        new[-1] += tail
        self._lines.splice(first, last, new)
        return Edit(start_offset, end_offset, with_lf(text))

    def _region(self, first: int, last: int) -> str:
        return with_lf("".join(self._lines[line] for line in range(first, last + 1)))


def _difference(before: str, after: str, offset: int) -> Edit | None:
    """The smallest edit that makes `before` into `after`, both at `offset`; None if they are equal."""
    if before == after:
        return None
    shorter = min(len(before), len(after))
    head = _common_head(before, after, shorter)
    tail = _common_tail(before, after, shorter - head)
    return Edit(offset + head, offset + len(before) - tail, after[head : len(after) - tail])


def _common_head(a: str, b: str, limit: int) -> int:
    at = 0
    while at < limit and a[at : at + _CHUNK] == b[at : at + _CHUNK]:
        at += _CHUNK
    while at < limit and a[at] == b[at]:
        at += 1
    return min(at, limit)


def _common_tail(a: str, b: str, limit: int) -> int:
    at = 0
    while (
        at + _CHUNK <= limit
        and a[len(a) - at - _CHUNK : len(a) - at] == b[len(b) - at - _CHUNK : len(b) - at]
    ):
        at += _CHUNK
    while at < limit and a[-1 - at] == b[-1 - at]:
        at += 1
    return at


class Documents:
    """All open documents, and those that can't be completed, with the reason."""

    def __init__(self, encoding: PositionEncoding) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}
        self.unusable: dict[str, str] = {}
        """URI -> why nothing is offered there until it is opened again."""

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def get(self, uri: str) -> Document | None:
        """The document, or None if it isn't open or can't be used."""
        return self._open.get(uri)

    def open(self, uri: str, language: str, version: int, text: str) -> Document | None:
        """Take a document in; None if it is too large."""
        if len(text) > 2 * MAX_TEXT:  # even if every line end is two characters
            self.refuse(uri, "file_too_large")
            return None
        self.unusable.pop(uri, None)
        document = Document(uri, language, version, text, self.encoding)
        self._open[uri] = document
        return self._kept(document)

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> tuple[Document, list[Edit]] | None:
        """Apply a didChange; None if the document can't be used."""
        document = self._open.get(uri)
        if document is None:
            return None
        edits = document.change(version, changes)
        return (document, edits) if self._kept(document) else None

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._open.pop(uri, None)
        self.unusable.pop(uri, None)

    def refuse(self, uri: str, reason: str) -> None:
        """Offer nothing in this document any more: it is too large, or its text is no longer known."""
        self._open.pop(uri, None)
        self.unusable[uri] = reason

    def _kept(self, document: Document) -> Document | None:
        if document.length <= MAX_TEXT:
            return document
        self.refuse(document.uri, "file_too_large")
        return None
