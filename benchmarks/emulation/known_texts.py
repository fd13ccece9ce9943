"""Texts known by heart: what follows, in them, the text before a cursor.

Bytes only; tokens are `oracle_target.py`'s. The answer depends on nothing but the last `TAIL_BYTES` before the cursor.
"""

from __future__ import annotations

from collections.abc import Sequence

TAIL_BYTES = 256
"""Looked at before the cursor; two places in the texts that are alike for so long are taken for one, the first."""
LEAST_BYTES = 3
"""A tail shorter than this says nothing of where in the texts the cursor is."""
_EDGE = b"\0"
"""Stands where each text begins and ends."""


class KnownTexts:
    """Raises ValueError if there are none, or one has a NUL in it."""

    def __init__(self, texts: Sequence[str]) -> None:
        if not texts or any("\0" in text for text in texts):
            raise ValueError("give at least one text to know, and none with NUL characters")
        self._all = _EDGE + _EDGE.join(text.encode() for text in texts) + _EDGE

    def rest(self, before: bytes) -> bytes:
        """What the text goes on with, to its end, where the longest tail of `before` is first found.

        Nothing at the end of a text, and where fewer than LEAST_BYTES are known. A `before` shorter than TAIL_BYTES
        may be all there is before the cursor: it is first looked for where a text begins.
        """
        tail = before[-TAIL_BYTES:] if len(before) >= TAIL_BYTES else _EDGE + before
        place = self._after(tail)
        return b"" if place is None else self._from(place)

    def elsewhere(self, number: int) -> bytes:
        """What stands at some place of the texts, behind white space if there is any: `number` chooses which."""
        place = number % len(self._all)
        stop = self._all.find(b" ", place)
        return self._from(place if stop < 0 else stop)

    def _from(self, place: int) -> bytes:
        return self._all[place : self._all.find(_EDGE, place)]

    def _after(self, tail: bytes) -> int | None:
        """Where the longest known tail of `tail` ends. What holds a known text is known no longer than the text is."""
        known, unknown, place = 0, len(tail) + 1, None
        length = len(tail)
        while unknown - known > 1:
            at = self._all.find(tail[len(tail) - length :])
            if at >= 0:
                known, place = length, at + length
            else:
                unknown = length
            length = (known + unknown) // 2
        return place if known >= min(LEAST_BYTES, len(tail)) else None
