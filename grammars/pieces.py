"""The vocabulary as a sorted list of byte strings: which tokens agree with bytes that must come next. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

import numpy as np


def agrees(piece: bytes, pending: bytes) -> bool:
    """Whether a token's text and the bytes that must come next are one the beginning of the other."""
    return bool(piece) and (piece.startswith(pending) or pending.startswith(piece))


def common_beginning(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    length = min(len(one), len(other))
    return next((n for n in range(length) if one[n] != other[n]), length)


class PieceIndex:
    """Tokens by their bytes; those that stand for no text are left out."""

    def __init__(self, token_bytes: Sequence[bytes]) -> None:
        self._ids = sorted(
            (token for token, piece in enumerate(token_bytes) if piece), key=token_bytes.__getitem__
        )
        self._pieces = [token_bytes[token] for token in self._ids]
        self._containing: dict[frozenset[int], list[int]] = {}

    def agreeing(self, pending: bytes) -> list[int]:
        """The tokens that agree with `pending`, which is not empty; some microseconds."""
        found = self._ids[bisect_left(self._pieces, pending) : self._after(pending)]
        for length in range(1, len(pending)):
            found += self._equal(pending[:length])
        return found

    def join_words(self, blank: bytes) -> bool:
        """Whether a blank and the word after it are one token in many cases: there is one that begins so."""
        return bisect_left(self._pieces, blank + b"a") < bisect_left(self._pieces, blank + b"{")

    def containing(self, values: Collection[int]) -> Sequence[int]:
        """The tokens that have one of these bytes in them, ascending. Some milliseconds; the second time, nothing."""
        key = frozenset(values)
        if key not in self._containing:
            self._containing[key] = self._found_containing(key)
        return self._containing[key]

    def _found_containing(self, values: Collection[int]) -> list[int]:
        wanted = np.zeros(256, np.bool_)
        wanted[list(values)] = True
        hits = np.flatnonzero(wanted[np.frombuffer(b"".join(self._pieces), np.uint8)])
        ends = np.cumsum([len(piece) for piece in self._pieces])
        found = np.unique(np.searchsorted(ends, hits, side="right"))
        return sorted(self._ids[index] for index in found)

    def _equal(self, piece: bytes) -> list[int]:
        first = last = bisect_left(self._pieces, piece)
        while last < len(self._pieces) and self._pieces[last] == piece:
            last += 1
        return self._ids[first:last]

    def _after(self, beginning: bytes) -> int:
        """Where the pieces that begin so end."""
        stem = beginning.rstrip(b"\xff")
        if not stem:
            return len(self._pieces)
        return bisect_left(self._pieces, stem[:-1] + bytes([stem[-1] + 1]))
