"""The state at a cursor in an island: masked inside, free once what closes the island has come.

What closes it belongs to the host's text. So a token that holds it is legal if what stands before the close is legal
and may end there, though the island's grammar knows nothing of it; and so is one that begins the close, where that
is a fixed text. Works on any CursorState of the island's grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grammars.engine import TokenTable
from grammars.interface import DEPARTED, CursorState, Mode, Rejection, Unconstrained

OUTSIDE: Final = "outside the island"
LOOK_BACK: Final = 64
"""Bytes before the cursor that the close may have begun in."""


class Closer:
    """What closes an island: `close` as in `grammars.islands.Island`. Texts may begin and end inside characters."""

    def __init__(self, close: str) -> None:
        self._pattern = re.compile(close, re.MULTILINE)
        self.text: Final = _fixed_text(close).encode()
        """Where it is a fixed text: that. Else empty, and only a whole close is seen."""
        self.bytes: Final = frozenset(_fixed_text(close.removeprefix("^").removesuffix("$")).encode())
        """One of these is in every piece of text that a close, or the beginning of one, ends in; empty: not known."""

    def may_end_in(self, piece: bytes) -> bool:
        """A quick look whether a close, or the beginning of one, can end in this piece at all."""
        return not self.bytes or not self.bytes.isdisjoint(piece)

    def find(self, text: bytes, end_after: int) -> int | None:
        """Where the first close that ends after `end_after` begins."""
        characters = _decoded(text)
        for match in self._pattern.finditer(characters):
            if _encoded_length(characters[: match.end()]) > end_after:
                return _encoded_length(characters[: match.start()])
        return None

    def begun(self, text: bytes) -> int | None:
        """Where a close that `text` ends within begins."""
        longest = min(len(text), len(self.text) - 1)
        ends = (n for n in range(longest, 0, -1) if text.endswith(self.text[:n]))
        return next((len(text) - n for n in ends), None)

    def find_after(self, before: bytes, text: bytes) -> int | None:
        """Where in `text`, which stands after `before`, the first close begins; 0 if it had begun already."""
        start = self.find(before + text, len(before))
        return None if start is None else max(0, start - len(before))

    def begun_after(self, before: bytes, text: bytes) -> int | None:
        """As `find_after`, for a close that `text` ends within."""
        start = self.begun(before + text)
        return None if start is None else max(0, start - len(before))


class _Kind(Enum):
    """What a push did."""

    INSIDE = "the island goes on"
    CLOSING = "the close has begun"
    CLOSED = "the island is over"
    OFF = "not allowed"


@dataclass(frozen=True, slots=True)
class _Push:
    kind: _Kind
    text: bytes
    token: int | None
    """None: pushed as text."""


class IslandState:
    """A CursorState that wraps one of the island's grammar, which belongs to it from now on.

    `before`: the island's text before the cursor, or its last 64 bytes.
    """

    __slots__ = ("_before", "_closer", "_closing", "_inner", "_pushes", "_table")

    def __init__(self, inner: CursorState, closer: Closer, before: bytes, table: TokenTable) -> None:
        self._inner = inner
        self._closer = closer
        self._before = before[-LOOK_BACK:]
        self._table = table
        self._closing = table.pieces.containing(closer.bytes)
        """Tokens that a close may end in, by a quick look; found where a state is made, not where a draft waits."""
        self._pushes: list[_Push] = []

    @property
    def mode(self) -> Mode:
        """The inner state's; unmasked after the close, and after a push that was not allowed."""
        match self._kind:
            case _Kind.CLOSED:
                return Mode("unmasked", OUTSIDE)
            case _Kind.OFF:
                return Mode("unmasked", DEPARTED)
            case _:
                return self._inner.mode

    def advance(self, text: bytes) -> CursorState | Rejection:
        """The state after `text`; one that allows everything, if the island is over then."""
        if self._allows_all:
            return Unconstrained(self._table.n_vocab, self.mode.reason)
        written = self._written
        start = self._closer.find(written + text, len(written))
        if start is None:
            after = self._inner.advance(text)
            if isinstance(after, Rejection):
                return after
            return IslandState(after, self._closer, written + text, self._table)
        if self._may_end_at(start, text):
            return Unconstrained(self._table.n_vocab, OUTSIDE)
        return Rejection(max(0, start - len(written)))

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The index of the first candidate that goes on with the island or closes it."""
        for index, candidate in enumerate(candidates):
            if self._kind_of(int(candidate)) is not _Kind.OFF or self._allows_all:
                return index
        return None

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], read-only; dearer than the inner one: what may close the island is looked at one by one.

        Where the close has no fixed text at all (`Closer.bytes`), the tokens that close are not in it.
        """
        if self._allows_all:
            mask = np.ones(self._table.n_vocab, dtype=np.bool_)
        else:
            is_closing = self._kind is _Kind.CLOSING
            mask = np.zeros(self._table.n_vocab, dtype=np.bool_) if is_closing else self._inner.mask().copy()
            for token in self._tokens_that_may_close():
                mask[token] = self._kind_of(token) is not _Kind.OFF
        mask.flags.writeable = False
        return mask

    def push(self, token: int) -> bool:
        """Go on in place by one token. Raises ValueError for an id that is not in the vocabulary."""
        if not 0 <= token < self._table.n_vocab:
            raise ValueError(f"token {token} is not in a vocabulary of {self._table.n_vocab}")
        kind = self._kind if self._allows_all else self._kind_of(token)
        if kind is _Kind.INSIDE:
            self._inner.push(token)
        self._pushes.append(_Push(kind, self._table.token_bytes[token], token))
        return kind is not _Kind.OFF

    def extend(self, text: bytes) -> int:
        """Go on in place by as much of `text` as is allowed: of the island, what closes it, and what follows."""
        if self._allows_all:
            self._pushes.append(_Push(self._kind, text, None))
            return len(text)
        written = self._written
        start = self._closer.find(written + text, len(written))
        if start is not None and self._may_end_at(start, text):
            return self._pushed_text(_Kind.CLOSED, text)
        inside = text if start is None else text[: max(0, start - len(written))]
        if self._kind is not _Kind.CLOSING:
            taken = self._inner.extend(inside)
            if taken == len(text):
                return self._pushed_text(_Kind.INSIDE, text)
            self._inner.pop(1)
        begun = self._closer.begun(written + text) if start is None else None
        if begun is not None and self._may_end_at(begun, text):
            return self._pushed_text(_Kind.CLOSING, text)
        if self._kind is _Kind.CLOSING:
            return self._pushed_text(_Kind.CLOSING, b"")
        return self._pushed_text(_Kind.INSIDE, text[: self._inner.extend(inside)])

    def pop(self, count: int) -> None:
        """Take back `count` pushes. Raises ValueError if fewer have been made."""
        if not 0 <= count <= len(self._pushes):
            raise ValueError(f"{count} pushes to take back of {len(self._pushes)} made")
        kept = len(self._pushes) - count
        self._inner.pop(sum(push.kind is _Kind.INSIDE for push in self._pushes[kept:]))
        del self._pushes[kept:]

    def tokens(self, text: bytes) -> list[int]:
        """As the inner state has them."""
        return self._inner.tokens(text)

    def fits(self, suffix: Sequence[int]) -> int:
        """How many tokens of `suffix`, which is text of the island, can follow here."""
        if self._allows_all:
            return len(suffix)
        return 0 if self._kind is _Kind.CLOSING else self._inner.fits(suffix)

    def is_complete(self) -> bool:
        """Whether the island's text may end here, or has."""
        return self._allows_all or (self._kind is not _Kind.CLOSING and self._inner.is_complete())

    def _pushed_text(self, kind: _Kind, text: bytes) -> int:
        self._pushes.append(_Push(kind, text, None))
        return len(text)

    @property
    def _kind(self) -> _Kind:
        return self._pushes[-1].kind if self._pushes else _Kind.INSIDE

    @property
    def _allows_all(self) -> bool:
        return self._kind in (_Kind.CLOSED, _Kind.OFF)

    @property
    def _written(self) -> bytes:
        """What the close may have begun in, and all that was pushed."""
        return self._before + b"".join(push.text for push in self._pushes)

    def _kind_of(self, token: int) -> _Kind:
        """What a push of this token would do."""
        is_closing = self._kind is _Kind.CLOSING
        piece = self._table.token_bytes[token]
        if not piece or not self._closer.may_end_in(piece):
            return _Kind.OFF if is_closing or self._inner.first_legal((token,)) is None else _Kind.INSIDE
        written = self._written
        start = self._closer.find(written + piece, len(written))
        if start is not None:
            return _Kind.CLOSED if self._may_end_at(start, piece) else _Kind.OFF
        if not is_closing and self._inner.first_legal((token,)) == 0:
            return _Kind.INSIDE
        start = self._closer.begun(written + piece)
        return _Kind.CLOSING if start is not None and self._may_end_at(start, piece) else _Kind.OFF

    def _may_end_at(self, start: int, text: bytes) -> bool:
        """Whether the island may end at `start`, in bytes of `_written` and then `text`.

        Always, where that is before the cursor: what stands there is the user's.
        """
        if start < len(self._before):
            return True
        undone, kept = 0, len(self._written)
        while kept > start:
            undone += 1
            kept -= len(self._pushes[-undone].text)
        again = self._pushes[len(self._pushes) - undone :]
        inside = [push for push in again if push.kind is _Kind.INSIDE]
        self._inner.pop(len(inside))
        rest = (b"".join(push.text for push in again) + text)[: start - kept]
        may = self._inner.extend(rest) == len(rest) and self._inner.is_complete()
        self._inner.pop(1)
        for push in inside:
            if push.token is None:
                self._inner.extend(push.text)
            else:
                self._inner.push(push.token)
        return may

    def _tokens_that_may_close(self) -> Iterator[int]:
        """Tokens after which a close, or the beginning of one, may have come."""
        written = self._written
        for token in self._closing:
            text = written + self._table.token_bytes[token]
            if self._closer.begun(text) is not None or self._closer.find(text, len(written)) is not None:
                yield token


def _decoded(text: bytes) -> str:
    """Parts of characters at the ends, and what is no UTF-8, become something that no pattern means."""
    return text.decode(errors="surrogateescape")


def _encoded_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="surrogateescape"))


_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}


def _fixed_text(pattern: str) -> str:
    """The one text that a regular expression matches; empty if it has operators."""
    is_fixed = re.fullmatch(r"(?:\\[^\w\s]|\\[nrt]|[^\\.^$*+?{}\[\]|()])*", pattern) is not None
    return re.sub(r"\\(.)", lambda escape: _ESCAPED.get(escape[1], escape[1]), pattern) if is_fixed else ""
