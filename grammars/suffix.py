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
"""So many tokens of the suffix tell nearly as good as all of it, in microseconds."""
FAR_BYTES: Final = 2000
"""So many tell where a block was left open, or a word was taken for a name that is none: in a millisecond."""
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

    __slots__ = ("far", "is_blank", "is_short", "line", "nonsense", "text", "window")

    def __init__(
        self, tokenise: Callable[[bytes], list[int]], text: bytes, *, tokens: int = WINDOW_TOKENS
    ) -> None:
        """`tokenise`: a state's `tokens`, or what it calls."""
        self.text = text
        self.far = tokenise(text[:FAR_BYTES])
        beginning = text[: tokens * _BYTES_PER_TOKEN]
        self.window = tokenise(beginning)[:tokens]
        self.is_short = beginning == text and len(self.window) < tokens
        """The window is all of it."""
        self.is_blank = not text.strip()
        line, _, _ = beginning.partition(b"\n")
        self.line = tokenise(line)[:tokens] if line.strip() else []
        """What stands after the cursor on its line."""
        self.nonsense = tokenise(NONSENSE)


@dataclass(frozen=True, slots=True)
class Outset:
    """A place where a text begins that is put before a suffix, without that text."""

    is_free: bool
    """Everything can follow: in a comment or a string, or where nothing is masked."""
    is_swallowed: bool
    """The suffix, or its line, is the inside of a comment or a string that began before it."""
    is_followed: bool
    """All of the suffix's window can follow."""

    @classmethod
    def at(cls, state: CursorState, suffix: Suffix, *, looks_after: bool = True) -> Outset:
        """The place where the state stands. `looks_after`: find out whether it is followed, which is dear."""
        is_free = takes_nonsense(state, suffix)
        is_swallowed = is_free and _is_swallowed(state, suffix)
        is_followed = looks_after and state.fits(suffix.window) == len(suffix.window)
        return cls(is_free, is_swallowed, is_followed)


def longest_fit(
    state: CursorState,
    text: bytes,
    cuts: Sequence[int],
    suffix: Suffix | bytes,
    *,
    outset: Outset | None = None,
    before: bytes = b"",
) -> Fit:
    """The longest of `cuts` (bytes of `text`; 0 is always among them) that the suffix fits best after.

    Cuts beyond where `text` stops being legal don't count. A suffix that could follow here is viable after the cut,
    too, as far as it was. The state is afterwards as it was before.

    Of a text that grows, only what is new need be looked at: `before` is then what the state has been taken on by since
    the `outset`.
    """
    suffix = Suffix(state.tokens, suffix) if isinstance(suffix, bytes) else suffix
    if outset is None:
        outset = Outset.at(state, suffix, looks_after=any(left in text for left, _ in _BRACKETS))
    legal = _extend_through(state, text, sorted({0, *cuts}))
    best = Fit(0, whole=False, accepted=-1)
    for cut in reversed(legal):
        accepted = state.fits(suffix.window)
        whole = accepted == len(suffix.window) and _follows(state, suffix, outset, before + text[:cut])
        if (whole, accepted) > (best.whole, best.accepted):
            best = Fit(cut, whole, accepted)
        state.pop(1)
        if best.whole:
            state.pop(legal.index(cut))
            break
    return best


def takes_nonsense(state: CursorState, suffix: Suffix, after: Sequence[int] = ()) -> bool:
    """Whether everything can stand there (`after` these tokens): in a comment, a string, or where nothing is masked."""
    tokens = [*after, *suffix.nonsense]
    return state.fits(tokens) == len(tokens)


def reach(state: CursorState, suffix: Suffix) -> int:
    """How far the suffix can follow: so many of its `far` tokens, and one more if the text may end after it.

    To compare places with each other; no further than the window where that tells all.
    """
    if suffix.is_blank or len(suffix.far) <= len(suffix.window):
        return 0
    followed = state.fits(suffix.far)
    is_all = len(suffix.text) <= FAR_BYTES and followed == len(suffix.far)
    return followed + (is_all and _may_end_after(state, suffix))


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


def _follows(state: CursorState, suffix: Suffix, outset: Outset, kept: bytes) -> bool:
    """Whether the suffix follows in earnest where the state stands, `kept` after the outset: all of the window can."""
    if suffix.is_blank:
        return True
    if suffix.is_short and not _may_end_after(state, suffix):
        return False
    written = kept.partition(b"\n")[2] if outset.is_free else kept
    """Brackets in a comment are none; it may go on to the end of its line."""
    if outset.is_followed and _leaves_open(written):
        return False
    return outset.is_swallowed or not _is_swallowed(state, suffix)


def _may_end_after(state: CursorState, suffix: Suffix) -> bool:
    """Whether the text may end after the suffix."""
    complete = state.extend(suffix.text) == len(suffix.text) and state.is_complete()
    state.pop(1)
    return complete


def _is_swallowed(state: CursorState, suffix: Suffix) -> bool:
    """The suffix, or its line, is taken for the inside of a string or a comment that was left open."""
    return takes_nonsense(state, suffix) and (
        takes_nonsense(state, suffix, suffix.window)
        or (bool(suffix.line) and takes_nonsense(state, suffix, suffix.line))
    )


def _leaves_open(text: bytes) -> bool:
    """A bracket is opened and not closed. Where the suffix followed without, its other half is not there.

    That may show only at the end of the file, far behind every window. Brackets in quotes don't count.
    """
    bare = _QUOTED.sub(b"", text)
    return any(bare.count(left) > bare.count(right) for left, right in _BRACKETS)
