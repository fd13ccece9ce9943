"""Text cut into blocks that can be tokenised one by one, so that a key costs the tokens of one block. Pure.

Blocks begin where no token of a byte-level BPE model spans, and where the split on either side does not depend on the
other: between a letter or digit and a line end (or, in a long block, white space or punctuation), and before a
flush-left line whose predecessor ends in no white space. The ids of the blocks, one after another, are then the ids of
the whole. (A long run without such a place is cut anyway: its ids are no less valid, but may differ from those of the
whole.)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Tokenize = Callable[[str], list[int]]

CHARACTERS_PER_TOKEN: Final = 12
"""More than any text needs on average: text further off than this, times the tokens there is room for, is not read."""
_BLOCK_START: Final = re.compile(r"(?<=[^\W_])(?=\n)|(?<=\S\n)(?=\S)")
_CUT: Final = re.compile(r".*[^\W_](?=[\s!-&(-/:-@\[-`{-~，。、；：（）])", re.DOTALL)
"""Up to the last place where a long block may be cut. Not before an apostrophe: some patterns join it to the word."""
_SHORTEST_LIMIT: Final = 16


class Blocks:
    """Cuts for a window with room for `room` tokens, and remembers the ids of the blocks it was last asked for."""

    def __init__(self, tokenize: Tokenize, room: int) -> None:
        self._tokenize = tokenize
        self._longest = max(room // 8, _SHORTEST_LIMIT)
        """Characters. A character takes four tokens at most, so that a block fills half of a window at most."""
        self._known: dict[str, list[int]] = {}

    def split(self, text: str) -> list[str]:
        """The text in pieces, none empty. Text added at its end moves no cut that was there."""
        return [
            piece for block in _BLOCK_START.split(text) if block for piece in _pieces(block, self._longest)
        ]

    def ids_of(self, block: str) -> list[int]:
        """The ids of one block."""
        ids = self._known.get(block)
        if ids is None:
            ids = self._known[block] = self._tokenize(block)
        return ids

    def ids(self, text: str) -> list[int]:
        """The ids of the whole text; blocks that are not in it are forgotten."""
        by_block = [(block, self.ids_of(block)) for block in self.split(text)]
        self._known = dict(by_block)
        return [token for _, ids in by_block for token in ids]


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
