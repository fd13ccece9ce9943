"""How much of a suggestion leaves the text after the cursor as viable as it was.

A suggestion may be legal where it stands and still break what follows. So the longest beginning of it is kept after
which the most of the suffix's next tokens can follow: "whole" when all of a window can. With nothing but white space
after the cursor the text is still being written: any legal suggestion is whole. Knows a cursor state and bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


class Suffix:
    """The text after the cursor, cut into tokens once: good for any state of the grammar."""

    __slots__ = ("is_blank", "is_short", "line", "nonsense", "text", "window")

    def __init__(
        self, tokenise: Callable[[bytes], list[int]], text: bytes, *, tokens: int = WINDOW_TOKENS
    ) -> None:
        """`tokenise`: a state's `tokens`, or what it calls."""
        self.text = text
        beginning = text[: tokens * _BYTES_PER_TOKEN]
        self.window = tokenise(beginning)[:tokens]
        self.is_short = beginning == text and len(self.window) < tokens
        """The window is all of it."""
        self.is_blank = not text.strip()
        line, _, _ = beginning.partition(b"\n")
        self.line = tokenise(line)[:tokens] if line.strip() else []
        """What stands after the cursor on its line."""
        self.nonsense = tokenise(NONSENSE)


def longest_fit(state: CursorState, text: bytes, cuts: Sequence[int], suffix: Suffix | bytes) -> Fit:
    """The longest of `cuts` (bytes of `text`; 0 is always among them) that the suffix fits best after.

    Cuts beyond where `text` stops being legal don't count. A suffix that could follow here is viable after the cut,
    too, as far as it was. The state is afterwards as it was before.
    """
    suffix = Suffix(state.tokens, suffix) if isinstance(suffix, bytes) else suffix
    after = _After(state, suffix, text)
    legal = _extend_through(state, text, sorted({0, *cuts}))
    best = Fit(0, whole=False, accepted=-1)
    for cut in reversed(legal):
        accepted = after.accepted()
        whole = accepted == len(suffix.window) and after.follows(text[:cut])
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


class _After:
    """The suffix after a state that moves along `text`. Made where that begins."""

    def __init__(self, state: CursorState, suffix: Suffix, text: bytes) -> None:
        self._state = state
        self._suffix = suffix
        self._is_free = self._takes_nonsense()
        """Everything can follow from the start: in a comment, or where nothing is masked."""
        self._followed_before = any(left in text for left, _ in _BRACKETS) and self._is_whole(self.accepted())
        """The window can follow without the text: asked only where that matters, for it is dear."""

    def accepted(self) -> int:
        """Tokens of the window that can follow where the state stands."""
        return self._state.fits(self._suffix.window)

    def _is_whole(self, accepted: int) -> bool:
        return accepted == len(self._suffix.window)

    def follows(self, kept: bytes) -> bool:
        """Whether it follows in earnest where the state stands, after `kept`: all of the window can."""
        if self._is_free or self._suffix.is_blank:
            return True
        if self._suffix.is_short and not self._ends():
            return False
        return not (self._followed_before and _leaves_open(kept)) and not self._is_swallowed()

    def _takes_nonsense(self) -> bool:
        return self._state.fits(self._suffix.nonsense) == len(self._suffix.nonsense)

    def _ends(self) -> bool:
        """Whether the text may end after the suffix."""
        text = self._suffix.text
        complete = self._state.extend(text) == len(text) and self._state.is_complete()
        self._state.pop(1)
        return complete

    def _is_swallowed(self) -> bool:
        """The suffix, or its line, is taken for the inside of a string or a comment that was left open."""
        return self._takes_nonsense() and (
            self._takes_nonsense_after(self._suffix.window)
            or (bool(self._suffix.line) and self._takes_nonsense_after(self._suffix.line))
        )

    def _takes_nonsense_after(self, tokens: list[int]) -> bool:
        and_nonsense = [*tokens, *self._suffix.nonsense]
        return self._state.fits(and_nonsense) == len(and_nonsense)


def _leaves_open(text: bytes) -> bool:
    """A bracket is opened and not closed. Where the suffix followed without, its other half is not there.

    That may show only at the end of the file, far behind every window. Brackets in quotes don't count.
    """
    bare = _QUOTED.sub(b"", text)
    return any(bare.count(left) > bare.count(right) for left, right in _BRACKETS)
