"""How much of a suggestion leaves the text after the cursor as viable as it was.

A suggestion may be legal where it stands and still break what follows. So the longest beginning of it is kept after
which the most of the suffix's next tokens can follow: "whole" when all of a window can. With nothing but white space
after the cursor the text is still being written: any legal suggestion is whole. Knows a cursor state and bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from grammars.interface import CursorState
from grammars.resync import NONSENSE

WINDOW_TOKENS: Final = 64
"""So many tokens of the suffix tell as good as all of it, in microseconds."""
_BYTES_PER_TOKEN: Final = 8
_BRACKETS: Final = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_QUOTED: Final = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'")


@dataclass(frozen=True, slots=True)
class Fit:
    """What is to be shown of a text."""

    cut: int
    """Its first bytes."""
    whole: bool
    """The suffix follows as far as was looked; where it is shorter than that, the text may end after it."""
    accepted: int
    """Tokens of the suffix's window that can follow."""


def longest_fit(
    state: CursorState, text: bytes, cuts: Sequence[int], suffix: bytes, *, tokens: int = WINDOW_TOKENS
) -> Fit:
    """The longest of `cuts` (bytes of `text`; 0 and all of it are always among them) that the suffix fits best after.

    Cuts beyond where `text` stops being legal don't count. A suffix that could follow here is viable after the cut,
    too, as far as it was. The state is afterwards as it was before.
    """
    after = _After(state, suffix, tokens)
    legal = _extend_through(state, text, sorted({0, len(text), *cuts}))
    best = Fit(0, whole=False, accepted=-1)
    for cut in reversed(legal):
        accepted = state.fits(after.window)
        whole = accepted == len(after.window) and after.follows(text[:cut])
        if (whole, accepted) > (best.whole, best.accepted):
            best = Fit(cut, whole, accepted)
        state.pop(1)
        if best.whole:
            state.pop(legal.index(cut))
            break
    return best


def _extend_through(state: CursorState, text: bytes, cuts: Sequence[int]) -> list[int]:
    """Push the pieces between the cuts, one each, to the last cut that is legal; the cuts that are."""
    legal: list[int] = []
    reached = 0
    for cut in cuts:
        if state.extend(text[reached:cut]) < cut - reached:
            state.pop(1)
            break
        legal.append(cut)
        reached = cut
    return legal


@dataclass(slots=True)
class _After:
    """The suffix, and what a state stands before that it is to follow. Made where the text begins."""

    state: CursorState
    suffix: bytes
    tokens: int
    window: list[int] = field(init=False)
    _is_short: bool = field(init=False)
    """The window is all of it."""
    _nonsense: list[int] = field(init=False)
    _is_free: bool = field(init=False)
    """Everything can follow from the start: in a comment, or where nothing is masked."""
    _follows_already: bool = field(init=False)
    """The window can follow from the start."""

    def __post_init__(self) -> None:
        looked_at = self.suffix[: self.tokens * _BYTES_PER_TOKEN]
        self.window = self.state.tokens(looked_at)[: self.tokens]
        self._is_short = looked_at == self.suffix and len(self.window) < self.tokens
        self._nonsense = self.state.tokens(NONSENSE)
        self._is_free = self._takes_nonsense()
        self._follows_already = self.state.fits(self.window) == len(self.window)

    def follows(self, kept: bytes) -> bool:
        """Whether it follows in earnest where the state stands, after `kept`: all of the window can."""
        if self._is_free or not self.suffix.strip():
            return True
        if self._is_short and not self._ends():
            return False
        return not (self._follows_already and _leaves_open(kept)) and not self._is_swallowed()

    def _takes_nonsense(self) -> bool:
        return self.state.fits(self._nonsense) == len(self._nonsense)

    def _ends(self) -> bool:
        """Whether the text may end after the suffix."""
        complete = self.state.extend(self.suffix) == len(self.suffix) and self.state.is_complete()
        self.state.pop(1)
        return complete

    def _is_swallowed(self) -> bool:
        """The suffix is taken for the inside of a string or a comment that was left open."""
        if not self._takes_nonsense():
            return False
        self.state.extend(self.suffix[: self.tokens * _BYTES_PER_TOKEN])
        swallowed = self._takes_nonsense()
        self.state.pop(1)
        return swallowed


def _leaves_open(text: bytes) -> bool:
    """A bracket is opened and not closed. Where the suffix followed without, its other half is not there.

    That may show only at the end of the file, far behind every window. Brackets in quotes don't count.
    """
    bare = _QUOTED.sub(b"", text)
    return any(bare.count(left) > bare.count(right) for left, right in _BRACKETS)
