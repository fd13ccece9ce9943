"""The draft's distribution q as it crosses the wire: at most 64 ids with integer weights that sum to 2**16.

Order matters for exactness: mask, temperature, truncate, quantise, and only then sample, from exactly these
integers. Both ends then hold the same q, and q is by construction the law the draft token was drawn from
(facts: quantise-then-sample; sampling first and truncating after is biased).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from speculation.messages import MAX_SUPPORT, SparseQ

WEIGHT_TOTAL = 1 << 16


def quantise(ids: NDArray[np.integer], probs: NDArray[np.floating]) -> SparseQ:
    """The quantised q of candidates whose mask and temperature are already applied.

    `ids` and `probs` have shape [k]; `probs` need not be normalised. Keeps the 64 most probable (lower id
    first on ties), rounds by largest remainder so that the weights sum to 2**16, and drops what rounds to
    zero. The result stands in descending probability. Raises ValueError on no mass, negative or non-finite
    mass, or a repeated id.
    """
    p = np.asarray(probs, dtype=np.float64)
    if p.shape != ids.shape or p.ndim != 1:
        raise ValueError(f"ids {ids.shape} and probs {p.shape} must be two rows of one length")
    if len(np.unique(ids)) != len(ids):
        raise ValueError("an id occurs twice")
    if not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
        raise ValueError("probabilities must be finite, not negative, and not all zero")
    best = np.lexsort((ids, -p))[:MAX_SUPPORT]
    weights = _largest_remainder(p[best] / p[best].sum())
    kept = weights > 0
    return SparseQ(ids=ids[best][kept].tolist(), weights=weights[kept].tolist())


def _largest_remainder(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers that sum to 2**16, each within 1 of p * 2**16; the earlier entry first on equal remainders."""
    scaled = p * WEIGHT_TOTAL
    weights = np.floor(scaled).astype(np.int64)
    short = WEIGHT_TOTAL - int(weights.sum())
    weights[np.argsort(weights - scaled, kind="stable")[:short]] += 1
    return weights


def sample(q: SparseQ, u: float) -> int:
    """The token that uniform `u` in [0, 1) selects: the first whose cumulative weight exceeds u * 2**16."""
    mark = int(u * WEIGHT_TOTAL)
    cumulative = 0
    for token, weight in zip(q.ids, q.weights, strict=True):
        cumulative += weight
        if cumulative > mark:
            return token
    raise ValueError(f"u={u} is not below 1, or q sums to {cumulative} instead of {WEIGHT_TOTAL}")


def q_of(q: SparseQ, token: int) -> float:
    """The probability of `token` under q, exact in float64; 0 outside its support."""
    return q.weights[q.ids.index(token)] / WEIGHT_TOTAL if token in q.ids else 0.0


def dense(q: SparseQ, n_vocab: int) -> NDArray[np.float64]:
    """q as a row of shape [n_vocab].

    A mid tier that drafts for a top tier must itself emit from this row, not from its unrounded p, because
    the top tests against the quantised law.
    """
    row = np.zeros(n_vocab, dtype=np.float64)
    row[q.ids] = np.asarray(q.weights, dtype=np.float64) / WEIGHT_TOTAL
    return row
