"""The text before the cursor as token ids: a window whose start moves in jumps, tokenised incrementally. Pure.

The ids before the cursor stay the same from key to key, so that the KV caches of both ends survive. For tokenisers
whose text can't be cut into blocks (`blocks.py`) the window is tokenised whole.

A text that ends in a tab or a line end is tokenised as if a word stood behind it, for one will: byte-level BPE models
have seen a tab before a word as a token of its own, and go on from "line end and tab" in one with another tab.
"""

from __future__ import annotations

from typing import Final

from daemon.documents import Place
from daemon.prompts.blocks import CHARACTERS_PER_TOKEN, Blocks, Tokenize

_LANDMARK: Final = 64
_BEFORE_WORDS: Final = ("\t", "\n")
"""White space that is no part of the next word's token, as a space is (`healing.py`)."""
_WORD: Final = "x"


class PrefixWindow:
    """The window of one document; remembers the ids of blocks, and where it starts."""

    def __init__(self, tokenize: Tokenize, *, room: int, splits_at_lines: bool) -> None:
        """`room`: tokens it holds at most."""
        self._tokenize = tokenize
        self._room = room
        self._splits_at_lines = splits_at_lines
        self._blocks = Blocks(tokenize, room)
        self._offset = 0
        """Where the window starts in the document ..."""
        self._landmark = ""
        """... and what stood there."""

    def ids(self, place: Place) -> list[int]:
        """The ids of the text that ends at the cursor, at most `room` of them; none before any text."""
        ids = self._from_offset(place)
        if ids is None:
            self._jump(place)
            ids = self._ids(place.document.text[self._offset : place.offset])
        return ids[-self._room :]

    def _from_offset(self, place: Place) -> list[int] | None:
        """The ids from the window's start on; None if it has to move."""
        text, offset = place.document.text, self._offset
        in_reach = offset <= place.offset <= offset + self._room * CHARACTERS_PER_TOKEN
        if not in_reach or not text.startswith(self._landmark, offset):
            return None
        ids = self._ids(text[offset : place.offset])
        enough = offset == 0 or len(ids) >= self._room // 4
        return ids if enough and len(ids) <= self._room else None

    def _jump(self, place: Place) -> None:
        """Let the window start at the block from which on half of its room is filled."""
        text, first = place.document.text, max(0, place.offset - self._room * CHARACTERS_PER_TOKEN)
        offset, filled = place.offset, 0
        for block in reversed(self._blocks.split(text[first : place.offset])):
            offset -= len(block)
            filled += len(self._blocks.ids_of(block))
            if filled >= self._room // 2:
                break
        self._offset = offset
        self._landmark = text[offset : min(offset + _LANDMARK, place.offset)]

    def _ids(self, text: str) -> list[int]:
        if text.endswith(_BEFORE_WORDS):
            *ids, last = self._whole(text + _WORD)
            if [last] == self._tokenize(_WORD):
                return ids
        return self._whole(text)

    def _whole(self, text: str) -> list[int]:
        if self._splits_at_lines:
            return self._blocks.ids(text)
        return self._tokenize(text) if text else []
