"""Items that a client takes and does not tell of: known by the text, which has one whole all of a sudden.

Some clients run no command of an item. One that does may tell before its text comes, or after: what was told of is not
seen again, and what was seen not told of. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.api.messages import Edit, SuggestionId
from lsp_bridge.documents import Cursor, Document
from lsp_bridge.recall import Offer

REMEMBERED = 64
A_KEY = 1
"""Code points: what comes one by one is typed, and the daemon's to count."""


@dataclass(frozen=True, slots=True)
class Given:
    """An item that a client was given."""

    suggestion: SuggestionId
    offset: int
    """Of its document's LF text."""
    text: str
    """LF."""
    length: int
    """Code points of the suggestion up to the end of the item."""


class Taken:
    """Those of one editor."""

    def __init__(self) -> None:
        self._given: dict[str, list[Given]] = {}
        """The newest answer of each document."""
        self._told: deque[SuggestionId] = deque(maxlen=REMEMBERED)
        self._seen: deque[SuggestionId] = deque(maxlen=REMEMBERED)

    def give(self, cursor: Cursor, offers: Sequence[Offer]) -> None:
        """These are what the client has for this document from now on."""
        self._given[cursor.document] = [
            Given(one.suggestion.id, cursor.offset, one.text, len(one.suggestion.text)) for one in offers
        ]

    def forget(self, document: str) -> None:
        """A document is closed."""
        self._given.pop(document, None)

    def told(self, suggestion: SuggestionId) -> bool:
        """The client says that it took the suggestion, or a part of it; False if all of it was seen already."""
        self._told.append(suggestion)
        return suggestion not in self._seen

    def seen(self, document: Document, edits: Sequence[Edit]) -> Given | None:
        """The item that the last of these edits, which the document has, has put in; None if it is none, or told of."""
        if not edits or len(edits[-1].text) - (edits[-1].end - edits[-1].start) <= A_KEY:
            return None
        end = edits[-1].start + len(edits[-1].text)
        for one in self._given.get(document.uri, ()):
            if one.offset + len(one.text) != end or document.slice(one.offset, end) != one.text:
                continue
            if one.suggestion not in self._told and one.suggestion not in self._seen:
                self._seen.append(one.suggestion)
                return one
        return None
