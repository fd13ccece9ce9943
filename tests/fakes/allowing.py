"""A grammar without a grammar: the same tokens are allowed everywhere, no others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from grammars.interface import Unconstrained


class Allowing(Unconstrained):
    """A CursorState that no push changes."""

    __slots__ = ("_allowed",)

    def __init__(self, n_vocab: int, allowed: Collection[int]) -> None:
        super().__init__(n_vocab, "for a test")
        self._allowed = frozenset(allowed)

    def first_legal(self, candidates: Sequence[int]) -> int | None:
        """The first that is allowed."""
        return next((index for index, one in enumerate(candidates) if one in self._allowed), None)

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab]."""
        mask = np.zeros(len(super().mask()), dtype=np.bool_)
        mask[list(self._allowed)] = True
        return mask

    def push(self, token: int) -> bool:
        """Whether it is allowed."""
        super().push(token)
        return token in self._allowed

    def fits(self, suffix: Sequence[int]) -> int:
        """How many from the first on are allowed."""
        return next((count for count, one in enumerate(suffix) if one not in self._allowed), len(suffix))
