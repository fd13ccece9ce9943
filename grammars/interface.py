"""What the draft loop needs of a grammar: where the cursor stands in it, and which tokens may come next.

A grammar constrains the draft only; the target keeps its own distribution. This module does not know what a
grammar is made of, only what can be asked at a cursor. `Unconstrained` answers where there is no grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

ModeKind = Literal["masked", "resynced", "unmasked"]


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

    def pop(self, count: int) -> None:
        """Take back the last `count` pushed tokens; every answer is then as it was before them.

        Raises ValueError if fewer have been pushed.
        """
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

    def pop(self, count: int) -> None:
        """Take back `count` tokens. Raises ValueError if fewer have been pushed."""
        if not 0 <= count <= self._pushed:
            raise ValueError(f"{count} tokens to take back of {self._pushed} pushed")
        self._pushed -= count

    def fits(self, suffix: Sequence[int]) -> int:
        """All of it."""
        return len(suffix)

    def is_complete(self) -> bool:
        """True: any text may end anywhere."""
        return True
