"""A document as models may read it: with what looks like a key masked (`key_shapes.py`), around one place. Pure.

Each masked character stands for one: offsets, lines and the window's edges are the document's. Whether a character is
masked depends on the text around it alone, not on where the window begins or ends, so that prompts begin as they did
at the key before. Lines that have not changed are not searched again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from daemon.documents import Place, line_end, line_start
from daemon.prompts.key_shapes import (
    BLOCK_BEGIN,
    BLOCK_END,
    LONGEST_BEGUN,
    MASK,
    begun,
    masked_blocks,
    masked_in_line,
)

MARGIN: Final = 512
"""Characters beyond what is read that are looked at, and then up to the line's end."""
BLOCK_REACH: Final = 16_384
"""Characters before them in which the beginning of a block is sought; keys are shorter."""
NAME_REACH: Final = 128
"""Of the line before one, so much of its end may say what stands on it."""


class MaskedPlaces:
    """Of one document; remembers its lines, and the place it was last asked about."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], str] = {}
        """By the end of the line before it and the line: the line masked."""
        self._last: tuple[Place, int, int, Place] | None = None

    def masked(self, place: Place, before: int, after: int) -> Place:
        """The place in the document masked, at least in so many characters before it and after it.

        What is being written at the place and will be a key is masked up to it.
        """
        if self._last is not None:
            known, known_before, known_after, found = self._last
            same = known.document is place.document and known.offset == place.offset
            if same and (known_before, known_after) == (before, after):
                return found
        found = self._find(place, before, after)
        self._last = (place, before, after, found)
        return found

    def is_within(self, place: Place) -> bool:
        """Whether the text that ends at the place ends with a key, or with the beginning of one."""
        masked = self.masked(place, LONGEST_BEGUN, 0)
        at = place.offset - 1
        return at >= 0 and masked.document.text[at] != place.document.text[at]

    def _find(self, place: Place, before: int, after: int) -> Place:
        text, offset = place.document.text, place.offset
        first = _first(text, max(0, offset - before - MARGIN))
        end = line_end(text, min(len(text), offset + after + MARGIN))
        raw = text[first:end]
        masked = self._by_line(masked_blocks(raw))
        here = offset - first
        line = masked.rfind("\n", 0, here) + 1
        start = begun(masked[max(line, here - LONGEST_BEGUN) : here])
        if start is not None:
            start += max(line, here - LONGEST_BEGUN)
            masked = f"{masked[:start]}{MASK * (here - start)}{masked[here:]}"
        if masked == raw:
            return place
        whole = f"{text[:first]}{masked}{text[end:]}"
        return Place(replace(place.document, text=whole), offset)

    def _by_line(self, text: str) -> str:
        lines: list[str] = []
        known: dict[tuple[str, str], str] = {}
        above = ""
        for line in text.split("\n"):
            if not line or line.isspace():
                lines.append(line)
                continue
            key = (above, line)
            if key not in known:
                found = self._lines.get(key)
                known[key] = masked_in_line(f"{above}\n{line}")[len(above) + 1 :] if found is None else found
            lines.append(known[key])
            above = line[-NAME_REACH:]
        self._lines = known
        return "\n".join(lines)


def _first(text: str, at: int) -> int:
    """Where to begin to search: at a line's start, with the line above it; or at a block's that is open there."""
    block = text.rfind(BLOCK_BEGIN, max(0, at - BLOCK_REACH), at)
    if block >= 0 and text.find(BLOCK_END, block, at) < 0:
        at = block
    return line_start(text, max(0, line_start(text, at) - 1))
