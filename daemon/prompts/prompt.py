"""From a place in a document to the token ids that both models continue. Pure, but for what its windows remember.

    start ids | prefix                                    a model that knows no fill-in-the-middle
    start ids | marks and prefix and suffix, as the model was trained (`fim.py`)

Both ends read these ids as they are: the verifier gets no text, and needs to know nothing of layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.documents import LINE_REACH, Place
from daemon.prompts.blocks import CHARACTERS_PER_TOKEN, Tokenize
from daemon.prompts.fim import Layout
from daemon.prompts.masked_places import MaskedPlaces
from daemon.prompts.prefix_window import PrefixWindow
from daemon.prompts.suffix_window import SuffixWindow

_LEAST_ROOM: Final = 64
"""In a smaller window there is no room for a suffix."""


class Prompt:
    """Builds the prompts of one document session."""

    def __init__(
        self,
        tokenize: Tokenize,
        *,
        window_tokens: int,
        splits_at_lines: bool,
        start: Sequence[int] = (),
        layout: Layout | None = None,
    ) -> None:
        """`start`: ids every prompt begins with. ValueError if they leave no room in the window."""
        self.window_tokens = window_tokens
        self.start = tuple(start)
        self.layout = layout
        self._tokenize = tokenize
        room = window_tokens - len(start)
        if room < 1:
            raise ValueError(
                f"a window of {window_tokens} tokens has no room after {len(start)} to start with"
            )
        self._prefix_only = PrefixWindow(tokenize, room=room, splits_at_lines=splits_at_lines)
        self._masked = MaskedPlaces()
        self._reach = (room * CHARACTERS_PER_TOKEN, 0)
        """Characters that may be read before the cursor, and after it."""
        self._filling = (
            _Filling(tokenize, layout, room=room, splits_at_lines=splits_at_lines)
            if layout is not None and room >= _LEAST_ROOM
            else None
        )
        if self._filling is not None:
            before, _ = self._reach
            self._reach = (before, LINE_REACH + self._filling.suffix_room * CHARACTERS_PER_TOKEN)

    def ids(self, place: Place) -> list[int]:
        """The prompt at `place`: at most `window_tokens` ids, never empty."""
        place = self._masked.masked(place, *self._reach)
        filling = None if self._filling is None else self._filling.ids(place)
        ids = self._prefix_only.ids(place) if filling is None else filling
        return [*self.start, *ids] or self._tokenize("\n")


class _Filling:
    """The two windows, and how they stand to each other."""

    def __init__(self, tokenize: Tokenize, layout: Layout, *, room: int, splits_at_lines: bool) -> None:
        self.suffix_room = layout.suffix_room(room)
        self._layout = layout
        self._suffix = SuffixWindow(tokenize, room=self.suffix_room)
        self._prefix = PrefixWindow(
            tokenize, room=room - self.suffix_room - layout.n_marks, splits_at_lines=splits_at_lines
        )

    def ids(self, place: Place) -> list[int] | None:
        """None where nothing stands after the cursor: there the text is continued."""
        suffix = self._suffix.ids(place)
        return self._layout.arrange(self._prefix.ids(place), suffix) if suffix else None
