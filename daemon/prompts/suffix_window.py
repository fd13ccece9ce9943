"""The text after the cursor as token ids: a window that stays as it is while the user types before it. Pure.

In suffix-first order everything stands after these ids, so a change of one costs a whole prompt. The window therefore
begins at the cursor only where something stands there that is not on its way anyway: what an editor has put behind the
cursor by itself (closing brackets and quotes, blanks) comes and goes with each bracket that is typed; it is left out,
and the filters keep a suggestion from repeating it. And where nothing but such characters follows to the document's
end, there is no suffix at all: a file that is being written is continued, not filled in.

It ends with a whole block, mostly a line, and what stands after it never matters.
"""

from __future__ import annotations

import re
from typing import Final

from daemon.documents import Place
from daemon.prompts.blocks import CHARACTERS_PER_TOKEN, Blocks, Tokenize

_CLOSES_ONLY: Final = re.compile("[\\s)\\]}>）］｝」』】》〉”\"'`;,]*")


class SuffixWindow:
    """The window of one document; remembers its ids."""

    def __init__(self, tokenize: Tokenize, *, room: int) -> None:
        """`room`: tokens it holds at most."""
        self._room = room
        self._blocks = Blocks(tokenize, room)
        self._text = ""
        self._ids: list[int] = []

    def ids(self, place: Place) -> list[int]:
        """The ids of the text from the cursor on, at most `room` of them; none where it would say nothing."""
        start = _start(place)
        text = place.document.text[start : start + self._room * CHARACTERS_PER_TOKEN]
        if text != self._text:
            self._text, self._ids = text, self._first_blocks(text)
        return self._ids

    def _first_blocks(self, text: str) -> list[int]:
        """The ids of as many whole blocks as there is room for, and of a part of the first at least."""
        if _CLOSES_ONLY.fullmatch(text):
            return []
        length = n_ids = 0
        for block in self._blocks.split(text):
            n_ids += len(self._blocks.ids_of(block))
            if length and n_ids > self._room:
                break
            length += len(block)
        return self._blocks.ids(text[:length])[: self._room]


def _start(place: Place) -> int:
    """The cursor, or the end of its line where only what closes stands after it."""
    after = place.line_after
    return place.offset + len(after) if _CLOSES_ONLY.fullmatch(after) else place.offset
