"""The state at a cursor: which tokens may come next, asked one by one of a recogniser that stands there.

No mask is computed unless it is asked for: a draft's best token is nearly always legal, and to ask about one costs a
microsecond, whatever the size of the vocabulary. This module does not know how the cursor was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grammars.engine import TokenTable
from grammars.interface import DEPARTED, Mode, Recogniser, RecogniserFailed, Rejection, Stale

Expected = Callable[[bytes], tuple[str, ...]]
"""The terminals that could come after the state's own text and then these bytes."""


@dataclass(frozen=True, slots=True)
class _Push:
    """What one push did."""

    consumed: int
    """Tokens that the recogniser went on by."""
    stop: bool = False
    illegal: bool = False
    """From here on everything is allowed."""


_STOP: Final = _Push(0, stop=True)
_ILLEGAL: Final = _Push(0, illegal=True)
_ONE: Final = _Push(1)


class GrammarState:
    """A CursorState on a recogniser.

    The recogniser may be a document's, which lends it until it is asked for another state: this one then raises Stale,
    whatever it is asked. If the engine fails, the state is unmasked from then on, and says why.
    """

    __slots__ = ("_expected", "_failure", "_mode", "_pushes", "_recogniser", "_stale", "_table")

    def __init__(
        self,
        recogniser: Recogniser,
        table: TokenTable,
        mode: Mode | None = None,
        expected: Expected | None = None,
    ) -> None:
        self._recogniser = recogniser
        self._table = table
        self._mode = mode or Mode("masked")
        self._expected = expected
        self._pushes: list[_Push] = []
        self._failure = ""
        self._stale = False

    @property
    def mode(self) -> Mode:
        """Unmasked after an illegal push and after a failure of the engine; else as at the cursor."""
        self._require_fresh()
        if self._failure:
            return Mode("unmasked", f"the grammar is too much for the engine here: {self._failure}")
        if self._is_off:
            return Mode("unmasked", DEPARTED)
        return self._mode

    def advance(self, text: bytes) -> GrammarState | Rejection:
        """The state after `text`, on a recogniser of its own: some milliseconds after 20 kB of text."""
        self._require_fresh()
        after = GrammarState(self._recogniser, self._table, self.mode, self._expected)
        if self._failure or self._is_off:
            after._failure, after._pushes = self._failure, self._pushes[-1:]
            return after
        if self._is_stopped and text:
            return Rejection(0)
        try:
            after._recogniser = self._recogniser.copy()
            consumed = consume_bytes(after._recogniser, self._table, text)
        except RecogniserFailed as error:
            after._failure = str(error)
            return after
        if consumed.length < len(text):
            expected = self._expected(text[: consumed.length]) if self._expected and not self._pushes else ()
            return Rejection(consumed.length, expected)
        return after

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The index of the first legal candidate: about a microsecond for each that is tried."""
        self._require_fresh()
        last = self._pushes[-1] if self._pushes else _ONE
        if last.illegal or self._failure:
            return 0 if len(candidates) else None
        if last.stop:
            return None
        try:
            for index, candidate in enumerate(candidates):
                if self._may_come(int(candidate)):
                    return index
        except RecogniserFailed as error:
            self._failure = str(error)
            return 0
        return None

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], read-only; up to some milliseconds. All true where the state is unmasked."""
        self._require_fresh()
        mask = np.zeros(self._table.n_vocab, dtype=np.bool_) if self._is_stopped else self._open_mask()
        mask.flags.writeable = False
        return mask

    def push(self, token: int) -> bool:
        """Go on in place by one token. Raises ValueError for an id that is not in the vocabulary."""
        self._require_fresh()
        if not 0 <= token < self._table.n_vocab:
            raise ValueError(f"token {token} is not in a vocabulary of {self._table.n_vocab}")
        push = self._pushed(token)
        self._pushes.append(push)
        return not push.illegal or bool(self._failure)

    def extend(self, text: bytes) -> int:
        """Go on in place by as much of `text` as is allowed; how many bytes those were. Counts as one push."""
        self._require_fresh()
        taken, push = len(text), _Push(0, illegal=self._is_off)
        if self._is_stopped:
            taken, push = 0, _STOP
        elif not self._allows_all:
            try:
                consumed = consume_bytes(self._recogniser, self._table, text)
                taken, push = consumed.length, _Push(consumed.tokens)
            except RecogniserFailed as error:
                self._failure = str(error)
        self._pushes.append(push)
        return taken

    def pop(self, count: int) -> None:
        """Take back `count` pushes; some microseconds. Raises ValueError if fewer have been made."""
        self._require_fresh()
        if not 0 <= count <= len(self._pushes):
            raise ValueError(f"{count} pushes to take back of {len(self._pushes)} made")
        kept = len(self._pushes) - count
        consumed = sum(push.consumed for push in self._pushes[kept:])
        del self._pushes[kept:]
        if not self._failure:
            self._recogniser.rollback(consumed)

    def tokens(self, text: bytes) -> list[int]:
        """`text` in the engine's ids."""
        return self._table.greedy(text)

    def fits(self, suffix: Sequence[int]) -> int:
        """How many tokens of `suffix`, ids of the model or of `tokens`, can follow here."""
        self._require_fresh()
        if self._allows_all:
            return len(suffix)
        if self._is_stopped:
            return 0
        try:
            return self._recogniser.valid(list(suffix))
        except RecogniserFailed as error:
            self._failure = str(error)
            return len(suffix)

    def is_complete(self) -> bool:
        """Whether the text may end here."""
        self._require_fresh()
        if self._allows_all or self._is_stopped:
            return True
        try:
            return self._recogniser.accepting()
        except RecogniserFailed as error:
            self._failure = str(error)
            return True

    def retire(self) -> bool:
        """Give the recogniser back as it was lent, and be stale. False if it has failed and is of no use any more."""
        if not self._stale:
            self.pop(len(self._pushes))
            self._stale = True
        return not self._failure

    @property
    def _is_off(self) -> bool:
        """Off the grammar: an illegal token was pushed."""
        return bool(self._pushes) and self._pushes[-1].illegal

    @property
    def _is_stopped(self) -> bool:
        return bool(self._pushes) and self._pushes[-1].stop

    @property
    def _allows_all(self) -> bool:
        return bool(self._failure) or self._is_off

    def _require_fresh(self) -> None:
        if self._stale:
            raise Stale("the document has moved on since this state was asked for")

    def _may_come(self, token: int) -> bool:
        if token in self._table.stop_ids:
            return self._recogniser.accepting()
        return token not in self._table.control_ids and self._recogniser.valid((token,)) == 1

    def _open_mask(self) -> NDArray[np.bool_]:
        """The mask of a text that has not been stopped."""
        if not self._allows_all:
            try:
                mask = self._recogniser.mask()
                mask[list(self._table.stop_ids)] = self._recogniser.accepting()
                return mask
            except RecogniserFailed as error:
                self._failure = str(error)
        return np.ones(self._table.n_vocab, dtype=np.bool_)

    def _pushed(self, token: int) -> _Push:
        if self._allows_all or self._is_stopped:
            return _ILLEGAL
        try:
            if token in self._table.stop_ids:
                return _STOP if self._recogniser.accepting() else _ILLEGAL
            if token not in self._table.control_ids and self._recogniser.consume((token,)):
                return _ONE
        except RecogniserFailed as error:
            self._failure = str(error)
        return _ILLEGAL


@dataclass(frozen=True, slots=True)
class Consumed:
    """How far a recogniser went."""

    length: int
    """Bytes."""
    tokens: int
    """To roll back, to undo it."""


def consume_bytes(recogniser: Recogniser, table: TokenTable, data: bytes) -> Consumed:
    """Follow `data` to the last byte that is allowed: by tokens, and in the first illegal one byte by byte."""
    tokens = table.greedy(data)
    taken = recogniser.consume(tokens)
    if taken == len(tokens):
        return Consumed(len(data), taken)
    singles = recogniser.consume(table.single_bytes(tokens[taken]))
    return Consumed(sum(map(table.length, tokens[:taken])) + singles, taken + singles)
