"""Tiny conditional-table language models whose laws can be enumerated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from speculation.messages import SparseQ
from speculation.sampling import Sampling, target_probs
from speculation.sparse import quantise

Path = tuple[int, ...]


@dataclass
class ToyModel:
    """Logits are a fixed pseudo-random function of the last `order` tokens; never two equal in a row."""

    n_vocab: int
    name: int
    sampling: Sampling
    order: int = 1
    spread: float = 1.0
    masked: frozenset[tuple[int, int]] = frozenset()
    """(last token, token) pairs a grammar forbids; last token -1 stands for the empty path."""
    _rows: dict[Path, NDArray[np.float32]] = field(default_factory=dict)

    def logits(self, path: Sequence[int]) -> NDArray[np.float32]:
        state = tuple(path[-self.order :])
        if state not in self._rows:
            generator = np.random.default_rng([self.name, len(state), *state])
            row = (self.spread * generator.normal(size=self.n_vocab)).astype(np.float32)
            last = state[-1] if state else -1
            row[[token for token in range(self.n_vocab) if (last, token) in self.masked]] = -np.inf
            self._rows[state] = row
        return self._rows[state]

    def probs(self, path: Sequence[int]) -> NDArray[np.float64]:
        return target_probs(self.logits(path), self.sampling)

    def q(self, path: Sequence[int], support: int = 64) -> SparseQ:
        probs = self.probs(path)
        best = np.argsort(-probs, kind="stable")[:support]
        return quantise(best, probs[best])

    def rows(self, path: Path, draft: Sequence[int]) -> NDArray[np.float64]:
        """p after each prefix of `draft`, shape [g + 1, V]."""
        return np.stack([self.probs(path + tuple(draft[:i])) for i in range(len(draft) + 1)])

    def q_rows(self, path: Path, draft: Sequence[int], support: int = 64) -> list[SparseQ]:
        return [self.q(path + tuple(draft[:i]), support) for i in range(len(draft))]
