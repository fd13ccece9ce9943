"""Token healing under a grammar: a cursor inside what the model would make one token.

The prompt then ends with a token cut short, and the model has hardly seen that. So the last tokens of the prompt are
dropped, state and model both stand before their bytes (`pending`), and what comes next must begin with these: a token
that goes on from them, or one that they go on from, and so on until they are used up. After that a healed state is the
state it wraps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grammars.engine import TokenTable
from grammars.interface import CursorState, Mode, Rejection, Unconstrained
from grammars.pieces import agrees, common_beginning


@dataclass(frozen=True, slots=True)
class _Push:
    """What one push found."""

    pending: bytes
    """Before it."""
    is_inner: bool
    """The inner state was pushed too; else the push did not agree with the pending bytes."""


class Healed:
    """A CursorState that stands before `pending`: bytes of the text that the next tokens must begin with.

    `state` stands there too, and belongs to this one from now on. No text ends before its pending bytes.
    """

    __slots__ = ("_pending", "_pushes", "_state", "_table")

    def __init__(self, state: CursorState, pending: bytes, table: TokenTable) -> None:
        self._state = state
        self._pending = pending
        self._table = table
        self._pushes: list[_Push] = []

    @property
    def mode(self) -> Mode:
        """The inner state's; unmasked after a push that contradicts the text."""
        if self._is_off:
            return Mode("unmasked", "a token was taken that does not go on from the text before the cursor")
        return self._state.mode

    @property
    def pending(self) -> bytes:
        """What is left of the bytes that must come next."""
        return self._pending

    def advance(self, text: bytes) -> CursorState | Rejection:
        """The state after `text`, which begins with the pending bytes or is a beginning of them."""
        if self._is_off:
            return Unconstrained(self._table.n_vocab, self.mode.reason)
        agreed = common_beginning(text, self._pending)
        if agreed < min(len(text), len(self._pending)):
            return Rejection(agreed)
        after = self._state.advance(text)
        rest = self._pending[len(text) :]
        return Healed(after, rest, self._table) if rest and not isinstance(after, Rejection) else after

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The first candidate that agrees with the pending bytes and is legal."""
        if self._is_off:
            return 0 if len(candidates) else None
        if not self._pending:
            return self._state.first_legal(candidates)
        for index, candidate in enumerate(candidates):
            if self._agrees(int(candidate)) and self._state.first_legal((int(candidate),)) == 0:
                return index
        return None

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], read-only. While bytes are pending it is made of the few tokens that agree with them."""
        if not self._pending and not self._is_off:
            return self._state.mask()
        mask = np.full(self._table.n_vocab, self._is_off)
        if not self._is_off:
            agreeing = self._table.pieces.agreeing(self._pending)
            mask[[token for token in agreeing if self._state.first_legal((token,)) == 0]] = True
        mask.flags.writeable = False
        return mask

    def push(self, token: int) -> bool:
        """Go on by one token. Raises ValueError for an id that is not in the vocabulary."""
        if not 0 <= token < self._table.n_vocab:
            raise ValueError(f"token {token} is not in a vocabulary of {self._table.n_vocab}")
        is_inner = not self._is_off and (not self._pending or self._agrees(token))
        self._pushes.append(_Push(self._pending, is_inner))
        if not is_inner:
            return False
        self._pending = self._pending[len(self._table.token_bytes[token]) :]
        return self._state.push(token)

    def extend(self, text: bytes) -> int:
        """Go on by as much of `text` as is allowed and agrees with the pending bytes."""
        is_inner = not self._is_off
        self._pushes.append(_Push(self._pending, is_inner))
        if not is_inner:
            return len(text)
        agreed = common_beginning(text, self._pending)
        taken = self._state.extend(text if agreed == len(self._pending) else text[:agreed])
        self._pending = self._pending[taken:]
        return taken

    def pop(self, count: int) -> None:
        """Take back `count` pushes. Raises ValueError if fewer have been made."""
        if not 0 <= count <= len(self._pushes):
            raise ValueError(f"{count} pushes to take back of {len(self._pushes)} made")
        if not count:
            return
        undone = self._pushes[-count:]
        del self._pushes[-count:]
        self._state.pop(sum(push.is_inner for push in undone))
        self._pending = undone[0].pending

    def tokens(self, text: bytes) -> list[int]:
        """As the inner state has them."""
        return self._state.tokens(text)

    def fits(self, suffix: Sequence[int]) -> int:
        """How many tokens of `suffix` can follow the pending bytes."""
        if self._is_off:
            return len(suffix)
        whole = self._state.extend(self._pending) == len(self._pending)
        count = self._state.fits(suffix) if whole else 0
        self._state.pop(1)
        return count

    def is_complete(self) -> bool:
        """Whether the text may end after the pending bytes."""
        if self._is_off:
            return True
        whole = self._state.extend(self._pending) == len(self._pending)
        complete = whole and self._state.is_complete()
        self._state.pop(1)
        return complete

    @property
    def _is_off(self) -> bool:
        return bool(self._pushes) and not self._pushes[-1].is_inner

    def _agrees(self, token: int) -> bool:
        return agrees(self._table.token_bytes[token], self._pending)
