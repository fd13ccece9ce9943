"""Documents as the daemon sees them: immutable snapshots of LF-normalised Unicode text.

Knows nothing of files or editors; a client opened the document and sends its edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from daemon.api.messages import MAX_TEXT, Edit

LINE_REACH: Final = 4096
_FIRST_CJK: Final = 0x2E80
"""More of a line than so many characters on either side of the cursor is not looked at."""


class BadEdit(ValueError):
    """An edit does not fit the document; the client must open the document again."""


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document. Offsets count code points."""

    name: str
    """The URI the editor gave."""
    language: str
    version: int
    text: str
    n_bytes: int = field(default=-1, compare=False)
    """The length of the text in UTF-8. It is counted where it is not given."""

    def __post_init__(self) -> None:
        if self.n_bytes < 0:
            object.__setattr__(self, "n_bytes", utf8_length(self.text))

    def edited(self, edits: Sequence[Edit], version: int) -> Document:
        """The document after `edits`, each applied to the result of the one before. Raises BadEdit."""
        text, n_bytes = self.text, self.n_bytes
        for edit in edits:
            if not 0 <= edit.start <= edit.end <= len(text):
                raise BadEdit(
                    f"edit [{edit.start}, {edit.end}) is outside the document of {len(text)} characters; "
                    "open the document again"
                )
            n_bytes += utf8_length(edit.text) - utf8_length(text[edit.start : edit.end])
            text = "".join((text[: edit.start], edit.text, text[edit.end :]))
        if len(text) > MAX_TEXT:
            raise BadEdit(f"the document would have {len(text)} characters, more than {MAX_TEXT}")
        return replace(self, version=version, text=text, n_bytes=n_bytes)


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in one version of a document: where a continuation begins."""

    document: Document
    offset: int

    @property
    def characters_after(self) -> int:
        """How many characters stand after the cursor."""
        return len(self.document.text) - self.offset

    @property
    def line_before(self) -> str:
        """The cursor's line up to the cursor, the last LINE_REACH characters of it."""
        text, reach = self.document.text, max(0, self.offset - LINE_REACH)
        return text[max(text.rfind("\n", reach, self.offset) + 1, reach) : self.offset]

    @property
    def line_after(self) -> str:
        """The cursor's line from the cursor on, without its line end; the first LINE_REACH characters of it."""
        text, reach = self.document.text, self.offset + LINE_REACH
        end = text.find("\n", self.offset, reach)
        return text[self.offset : reach if end < 0 else end]


def line_start(text: str, at: int) -> int:
    """Where the line begins that `at` is in; `at` itself if that is more than LINE_REACH before it."""
    start = text.rfind("\n", max(0, at - LINE_REACH - 1), at) + 1
    return start if start or at <= LINE_REACH else at


def line_end(text: str, at: int) -> int:
    """Where the line ends that `at` is in; `at` itself if that is more than LINE_REACH behind it."""
    end = text.find("\n", at, at + LINE_REACH + 1)
    if end >= 0:
        return end
    return len(text) if len(text) - at <= LINE_REACH else at


def utf8_length(text: str) -> int:
    """Bytes of the text in UTF-8; of ASCII without a look at it."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def cursor_after(edits: Sequence[Edit]) -> int | None:
    """Where the cursor most likely stands after a change: the end of its last edit; None for a change of nothing."""
    if not edits:
        return None
    return edits[-1].start + len(edits[-1].text)


def is_word(character: str) -> bool:
    """Whether it belongs to a word that is told from others by spaces: CJK (Korean too) does not."""
    return character != "" and (character.isalnum() or character == "_") and ord(character) < _FIRST_CJK


def without_last_word(text: str) -> str:
    """The text up to the word that it ends in; all of it if it ends otherwise."""
    end = len(text)
    while end and is_word(text[end - 1]):
        end -= 1
    return text[:end]
