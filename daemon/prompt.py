"""From a place in a document to the draft model's token ids: the window, and incremental tokenisation.

The text before the cursor is cut into blocks where no token of a byte-level BPE model spans, and where the split on
either side does not depend on the other: between a letter or digit and a line end (or, in a long block, white space
or punctuation), and before a flush-left line whose predecessor ends in no white space. The ids of the blocks, one after
another, are then the ids of the whole, and a key changes the last block only; ids of blocks seen before are
remembered. (A long run without such a place is cut anyway: its ids are no less valid, but may differ from those of
the whole.) For other tokenisers the window is tokenised whole.

The window's start moves in jumps, so that the ids before the cursor stay the same from key to key and the KV
caches of both ends survive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from daemon.documents import Place

Tokenize = Callable[[str], list[int]]

_BLOCK_START: Final = re.compile(r"(?<=[^\W_])(?=\n)|(?<=\S\n)(?=\S)")
_CUT: Final = re.compile(r".*[^\W_](?=[\s!-&(-/:-@\[-`{-~，。、；：（）])", re.DOTALL)
"""Up to the last place where a long block may be cut. Not before an apostrophe: some patterns join it to the word."""
_SHORTEST_LIMIT: Final = 16
_CHARACTERS_PER_TOKEN: Final = 12
"""More than any text needs on average: text further back than this, times the window, is not looked at."""
_LANDMARK: Final = 64


class Prompt:
    """Builds prompts for one document session; remembers the ids of blocks, and where the window starts."""

    def __init__(
        self, tokenize: Tokenize, *, window_tokens: int, splits_at_lines: bool, start: Sequence[int] = ()
    ) -> None:
        """`start`: ids every prompt begins with. ValueError if they leave no room in the window."""
        self.window_tokens = window_tokens
        self._tokenize = tokenize
        self._room = window_tokens - len(start)
        if self._room < 1:
            raise ValueError(
                f"a window of {window_tokens} tokens has no room after {len(start)} to start with"
            )
        self._splits_at_lines = splits_at_lines
        self.start = tuple(start)
        self._longest_block = max(self._room // 8, _SHORTEST_LIMIT)
        """Characters. A character takes four tokens at most, so that a block fills half of a window at most."""
        self._known: dict[str, list[int]] = {}
        """Ids by block, of the prompt before this one."""
        self._offset = 0
        """Where the window starts in the document ..."""
        self._landmark = ""
        """... and what stood there."""

    def ids(self, place: Place) -> list[int]:
        """Token ids of the text before the cursor, at most `window_tokens` of them, never empty."""
        ids = self._from_offset(place)
        if ids is None:
            self._jump(place)
            ids = self._ids(place.document.text[self._offset : place.offset])
        return [*self.start, *ids[-self._room :]] or self._tokenize("\n")

    def _from_offset(self, place: Place) -> list[int] | None:
        """The ids from the window's start on; None if it has to move."""
        text, offset = place.document.text, self._offset
        in_reach = offset <= place.offset <= offset + self._room * _CHARACTERS_PER_TOKEN
        if not in_reach or not text.startswith(self._landmark, offset):
            return None
        ids = self._ids(text[offset : place.offset])
        enough = offset == 0 or len(ids) >= self._room // 4
        return ids if enough and len(ids) <= self._room else None

    def _jump(self, place: Place) -> None:
        """Let the window start at the block from which on half of its room is filled."""
        text, first = place.document.text, max(0, place.offset - self._room * _CHARACTERS_PER_TOKEN)
        offset, filled = place.offset, 0
        for block in reversed(self._blocks(text[first : place.offset])):
            offset -= len(block)
            filled += len(self._block_ids(block))
            if filled >= self._room // 2:
                break
        self._offset = offset
        self._landmark = text[offset : min(offset + _LANDMARK, place.offset)]

    def _ids(self, text: str) -> list[int]:
        if not self._splits_at_lines:
            self._known = {}
            return self._tokenize(text) if text else []
        by_block = [(block, self._block_ids(block)) for block in self._blocks(text)]
        self._known = dict(by_block)
        return [token for _, ids in by_block for token in ids]

    def _block_ids(self, block: str) -> list[int]:
        ids = self._known.get(block)
        if ids is None:
            ids = self._known[block] = self._tokenize(block)
        return ids

    def _blocks(self, text: str) -> list[str]:
        """The text in pieces, none empty. Text added at its end moves no cut that was there."""
        return [
            piece
            for block in _BLOCK_START.split(text)
            if block
            for piece in _pieces(block, self._longest_block)
        ]


def _pieces(block: str, longest: int) -> list[str]:
    """A block in pieces of at most `longest` characters, cut where no token spans if there is such a place."""
    pieces: list[str] = []
    start = 0
    while len(block) - start > longest:
        safe = _CUT.match(block, start, start + longest)
        end = safe.end() if safe else start + longest
        pieces.append(block[start:end])
        start = end
    pieces.append(block[start:])
    return pieces
