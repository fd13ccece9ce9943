"""What the draft loop needs of a grammar: where the cursor stands in it, and which tokens may come next.

A grammar constrains the draft only; the target keeps its own distribution. This module does not know what a
grammar is made of, only what can be asked at a cursor. `Unconstrained` answers where there is no grammar.
`Recogniser` is what an engine has to offer; `grammars/engine.py` holds the one there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

ModeKind = Literal["masked", "resynced", "unmasked"]
DEPARTED: Final = "a token that the grammar does not allow was taken"
"""Why a state is unmasked that was not before: what was written (the target may) departs from the grammar."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How much a state knows. Only "masked" comes without a reason."""

    kind: ModeKind
    """masked: the whole text before the cursor was followed; resynced: the text has errors, and was followed
    again from a boundary after them; unmasked: everything is allowed."""
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.kind == "masked") == bool(self.reason):
            raise ValueError(
                f"mode {self.kind} with reason {self.reason!r}: only masked goes without a reason"
            )


@dataclass(frozen=True, slots=True)
class Rejection:
    """Text that the grammar does not allow."""

    position: int
    """Bytes of the text that were still allowed; the byte there was not."""
    expected: tuple[str, ...] = ()
    """Terminals that could have stood there, by the grammar's own names."""


class RecogniserFailed(Exception):
    """The engine gave up on a text (a limit, or a fault of its own); this recogniser can't be used any more."""


class Stale(Exception):
    """A state was asked after its document had moved on: ask the document for a new one."""


class Recogniser(Protocol):
    """An engine standing somewhere in a text, moved in place by tokens of its own (`TokenTable.greedy`).

    Every method may raise RecogniserFailed, and does so for ever after the first time.
    """

    def consume(self, tokens: Sequence[int]) -> int:
        """Go on by as many of `tokens` as are allowed, from the first on; how many those were."""
        ...

    def consume_pieces(self, pieces: Sequence[Sequence[int]]) -> int:
        """Go on by as many of `pieces` as are allowed from end to end, from the first on; how many those were.

        For a long text: faster than `consume`, but for a copy that is made first.
        """
        ...

    def valid(self, tokens: Sequence[int]) -> int:
        """How many `consume` would take; the place stays as it is."""
        ...

    def rollback(self, count: int) -> None:
        """Take back the last `count` tokens consumed."""
        ...

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], fresh: which tokens `consume` would take. Stop and control tokens: never."""
        ...

    def accepting(self) -> bool:
        """Whether the text may end here."""
        ...

    def copy(self) -> Recogniser:
        """One that stands at the same place and moves by itself."""
        ...


class CursorState(Protocol):
    """A place in a text of the grammar. Token ids are those of the draft model's vocabulary."""

    @property
    def mode(self) -> Mode:
        """What the answers below rest on."""
        ...

    def advance(self, text: bytes) -> CursorState | Rejection:
        """The state after `text` (UTF-8, may end inside a character); this state stays as it is."""
        ...

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The index in `candidates` (token ids, best first) of the first that may come next, if any may."""
        ...

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], read-only: which tokens may come next. Much dearer than `first_legal`."""
        ...

    def push(self, token: int) -> bool:
        """Go on in place by one token. False if it may not come here: unmasked, then, until it is popped.

        Raises ValueError for an id that is not in the vocabulary.
        """
        ...

    def extend(self, text: bytes) -> int:
        """Go on in place by as much of `text` as is allowed; how many bytes those were.

        Counts as one push, even if it was none of them. The bytes need not be whole characters.
        """
        ...

    def pop(self, count: int) -> None:
        """Take back the last `count` pushes; every answer is then as it was before them.

        Raises ValueError if fewer have been made.
        """
        ...

    def tokens(self, text: bytes) -> list[int]:
        """`text` in tokens to ask `fits` about, not as the model would cut it; good for any state of the grammar."""
        ...

    def fits(self, suffix: Sequence[int]) -> int:
        """How many tokens of `suffix` (the text after the cursor), from its first on, can follow here."""
        ...

    def is_complete(self) -> bool:
        """Whether the text may end here."""
        ...


class Unconstrained:
    """The CursorState that allows everything, and says why."""

    __slots__ = ("_mask", "_pushed", "mode")

    def __init__(self, n_vocab: int, reason: str) -> None:
        self.mode = Mode("unmasked", reason)
        self._mask = np.ones(n_vocab, dtype=np.bool_)
        self._mask.flags.writeable = False
        self._pushed = 0

    def advance(self, text: bytes) -> Unconstrained:
        """A state like this one: any text is allowed."""
        return Unconstrained(len(self._mask), self.mode.reason)

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The first candidate, if there is one."""
        return 0 if len(candidates) else None

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab], all true."""
        return self._mask

    def push(self, token: int) -> bool:
        """True. Raises ValueError for an id that is not in the vocabulary."""
        if not 0 <= token < len(self._mask):
            raise ValueError(f"token {token} is not in a vocabulary of {len(self._mask)}")
        self._pushed += 1
        return True

    def extend(self, text: bytes) -> int:
        """All of it."""
        self._pushed += 1
        return len(text)

    def pop(self, count: int) -> None:
        """Take back `count` pushes. Raises ValueError if fewer have been made."""
        if not 0 <= count <= self._pushed:
            raise ValueError(f"{count} pushes to take back of {self._pushed} made")
        self._pushed -= count

    def tokens(self, text: bytes) -> list[int]:
        """The values of the bytes: only their number counts here."""
        return list(text)

    def fits(self, suffix: Sequence[int]) -> int:
        """All of it."""
        return len(suffix)

    def is_complete(self) -> bool:
        """True: any text may end anywhere."""
        return True
