"""From a row of logits to the target's distribution p, and to the target's own draw from it in match mode.

The order is temperature, top-k, then top-p over what top-k kept; temperature 0 is the one-hot argmax. Every
tie goes to the lower id, so the result is a function of the logits alone. Logits are read as float32 and
all arithmetic after that is float64. Where logits come from, and what a grammar masks (a masked logit is
-inf), this module does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speculation.prf import gumbel


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the target samples. ValueError if a parameter is out of range."""

    temperature: float
    top_p: float = 1.0
    top_k: int = 0
    """0: no top-k."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature is {self.temperature}, must be finite and not negative")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}, must be above 0 and at most 1")
        if self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k}, must be 0 (off) or more")


GREEDY = Sampling(temperature=0.0)


def target_probs(logits: NDArray[np.float32], sampling: Sampling) -> NDArray[np.float64]:
    """The target's distribution p, shape [V] -> [V]; zero outside what top-k and top-p keep.

    Raises ValueError if a logit is NaN or +inf, or all are -inf.
    """
    _check(logits)
    probs = np.zeros(logits.shape[0], dtype=np.float64)
    kept = _kept(logits, np.arange(logits.shape[0]), sampling)
    scaled = logits[kept].astype(np.float64) / (sampling.temperature or 1.0)
    mass = np.exp(scaled - scaled.max())
    probs[kept] = mass / mass.sum()
    return probs


def draw(
    logits: NDArray[np.float32],
    sampling: Sampling,
    seed: int,
    position: int,
    ids: NDArray[np.int64] | None = None,
) -> int:
    """The target's token at `position`: argmax over the kept ids of logits / T + Gumbel(seed, position, id).

    `logits` has shape [V]; or `ids` [k] names the tokens that `logits` [k] belong to. Top-k and top-p then
    work on those k alone: that is exact if the subset holds all of the top-k, or if neither is set and the
    subset holds the winner. The law over random seeds is `target_probs` (Gumbel-max). Errors as there.
    """
    _check(logits)
    names = np.arange(logits.shape[0]) if ids is None else ids
    kept = _kept(logits, names, sampling)
    if sampling.temperature == 0:
        return int(names[kept[0]])
    scores = _scores(logits[kept], names[kept], sampling, seed, position)
    return int(names[kept][scores == scores.max()].min())


def ranked(
    logits: NDArray[np.float32], sampling: Sampling, seed: int, position: int, ids: NDArray[np.int64]
) -> NDArray[np.intp]:
    """The order in which `draw` would take the tokens `ids` [k] if those before them were forbidden: indices of them.

    The first is `draw`'s own. The first that a rule allows is the draw from p restricted to what the rule allows
    and normalised again: the largest of the same scores over a smaller set (Gumbel-max). Tokens that top-k and
    top-p cut come after those they keep, by the same scores; those with logits of -inf not at all. Parameters and
    errors as in `draw`.
    """
    _check(logits)
    finite = np.flatnonzero(logits > -np.inf)
    scores = _scores(logits[finite], ids[finite], sampling, seed, position)
    cut = np.ones(logits.shape[0], dtype=np.bool_)
    cut[_kept(logits, ids, sampling)] = False
    return finite[np.lexsort((ids[finite], -scores, cut[finite]))]


def _scores(
    logits: NDArray[np.float32], ids: NDArray[np.int64], sampling: Sampling, seed: int, position: int
) -> NDArray[np.float64]:
    """What a draw takes the largest of: logits / T + Gumbel(seed, position, id); at temperature 0 the logits."""
    if sampling.temperature == 0:
        return logits.astype(np.float64)
    noise: NDArray[np.float64] = gumbel(seed, position, ids)
    return logits.astype(np.float64) / sampling.temperature + noise


def _check(logits: NDArray[np.float32]) -> None:
    if logits.ndim != 1 or logits.shape[0] == 0 or not np.isfinite(logits.max()):
        raise ValueError("logits must be one row without NaN or +inf, and not all -inf")


def _kept(logits: NDArray[np.float32], ids: NDArray[np.int64], sampling: Sampling) -> NDArray[np.intp]:
    """Indices that survive temperature 0, top-k and top-p; in no particular order where nothing is cut."""
    if sampling.temperature == 0:
        return _best(logits, ids, 1)
    kept = np.flatnonzero(logits > -np.inf)
    if 0 < sampling.top_k < kept.shape[0]:
        kept = kept[_best(logits[kept], ids[kept], sampling.top_k)]
    if sampling.top_p < 1:
        kept = kept[
            _nucleus(logits[kept].astype(np.float64) / sampling.temperature, ids[kept], sampling.top_p)
        ]
    return kept


def _best(values: NDArray[np.floating], ids: NDArray[np.int64], count: int) -> NDArray[np.intp]:
    """Indices of the `count` highest values, best first, the lower id first on ties; no full sort."""
    size = values.shape[0]
    floor = np.partition(values, size - count)[size - count] if count < size else -np.inf
    pool = np.flatnonzero(values >= floor)
    return pool[np.lexsort((ids[pool], -values[pool]))[:count]]


def _nucleus(scaled: NDArray[np.float64], ids: NDArray[np.int64], top_p: float) -> NDArray[np.intp]:
    """Indices of the fewest best tokens that reach `top_p` of the mass; ranks no more than it must."""
    top = scaled.max()
    needed = top_p * np.exp(scaled - top).sum()
    count = _FIRST_RANKED
    while True:
        ranked = _best(scaled, ids, count)
        reached = np.cumsum(np.exp(scaled[ranked] - top))
        if reached[-1] >= needed or count >= scaled.shape[0]:
            return ranked[: int(np.searchsorted(reached, needed, side="left")) + 1]
        count *= 8


_FIRST_RANKED = 256
"""Tokens ranked at first for top-p; most nuclei are smaller. The result does not depend on it."""
