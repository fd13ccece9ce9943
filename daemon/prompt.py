"""From a place in a document to the draft model's token ids: the window, and incremental tokenisation.

The text before the cursor is cut into blocks that start at a flush-left line (a line whose first character is no
white space). Byte-level BPE pre-tokenisers never join text across such a line start, so the ids of the blocks,
one after another, are the ids of the whole; a key changes the last block only. Blocks already tokenised are
remembered. For other tokenisers the text of the window is tokenised whole.

The window's start moves in jumps, so that the ids before the cursor stay the same from key to key and the KV
caches of both ends survive.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence

from daemon.documents import Place

Tokenize = Callable[[str], list[int]]

_BLOCK_START = re.compile(r"(?<=\n)(?=\S)")
_MAX_BLOCK_CHARACTERS = 4096
_REMEMBERED_BLOCKS = 512
_CHARACTERS_PER_TOKEN = 12
"""More than any text needs on average; bounds how far back from the cursor text is looked at."""


class Prompt:
    """Builds prompts for one document session; remembers blocks and where the window starts."""

    def __init__(
        self, tokenize: Tokenize, *, window_tokens: int, splits_at_lines: bool, start: Sequence[int] = ()
    ) -> None:
        self._tokenize = tokenize
        self._window_tokens = window_tokens
        self._splits_at_lines = splits_at_lines
        self._start = list(start)
        self._blocks: OrderedDict[str, list[int]] = OrderedDict()
        self._first_block: str | None = None
        """The first block of the window last used: where the window starts, as long as it can."""

    def ids(self, place: Place) -> list[int]:
        """Token ids of the text before the cursor, at most `window_tokens` of them, never empty."""
        blocks = self._split(self._reachable_text(place))
        tokenised = [(block, self._block_ids(block)) for block in blocks]
        tokenised = self._window(tokenised)
        ids = [token for _, block_ids in tokenised for token in block_ids]
        room = self._window_tokens - len(self._start)
        return self._start + ids[-room:] or self._tokenize("\n")

    def _reachable_text(self, place: Place) -> str:
        reach = self._window_tokens * _CHARACTERS_PER_TOKEN
        start = max(0, place.offset - reach)
        if start:
            # Quantised, so that the first block does not change from key to key.
            start -= start % reach
        return place.document.text[start : place.offset]

    def _split(self, text: str) -> list[str]:
        if not self._splits_at_lines:
            return [text]
        blocks: list[str] = []
        for block in _BLOCK_START.split(text):
            blocks.extend(_cut_long(block))
        return blocks

    def _block_ids(self, block: str) -> list[int]:
        known = self._blocks.get(block)
        if known is None:
            known = self._tokenize(block)
            self._blocks[block] = known
            if len(self._blocks) > _REMEMBERED_BLOCKS:
                self._blocks.popitem(last=False)
        else:
            self._blocks.move_to_end(block)
        return known

    def _window(self, blocks: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
        """The last blocks that fit; the start jumps forward to half a window when they do not fit any more."""
        kept = self._from_first_block(blocks)
        if _length(kept) > self._window_tokens:
            while len(kept) > 1 and _length(kept) > self._window_tokens // 2:
                kept = kept[1:]
            self._first_block = kept[0][0] if len(kept) > 1 else None
        return kept

    def _from_first_block(self, blocks: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
        if self._first_block is not None:
            for index in range(len(blocks) - 1, -1, -1):
                if blocks[index][0] == self._first_block:
                    return blocks[index:]
        self._first_block = None
        return blocks


def _length(blocks: list[tuple[str, list[int]]]) -> int:
    return sum(len(ids) for _, ids in blocks)


def _cut_long(block: str) -> list[str]:
    """A block in pieces of bounded size, cut after line ends where there are any, so that a key stays cheap."""
    if len(block) <= _MAX_BLOCK_CHARACTERS:
        return [block]
    pieces: list[str] = []
    start = 0
    while len(block) - start > _MAX_BLOCK_CHARACTERS:
        limit = start + _MAX_BLOCK_CHARACTERS
        cut = block.rfind("\n", start + 1, limit) + 1 or limit
        pieces.append(block[start:cut])
        start = cut
    pieces.append(block[start:])
    return pieces
