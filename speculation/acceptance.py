"""Which draft tokens stand, and what the target says next: match, ratio and block verification of a chain.

Math on scalars and rows. Uniforms are parameters, so the exact law of every function can be computed; nothing
here draws. Notation: draft tokens d_0..d_{g-1}; q[i] the quantised law d_i was drawn from; p[i] the target's
law after d_0..d_{i-1}, so p has g + 1 rows. Uniforms lie in (0, 1) and a test `u < a` succeeds with
probability a. Trees are in `speculation.tree`; where p comes from, this module does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speculation.messages import SparseQ
from speculation.sparse import WEIGHT_TOTAL, q_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The first `accepted` draft tokens stand, then comes `next_id`: the correction or the bonus token."""

    accepted: int
    next_id: int


def match_chain(draft: Sequence[int], drawn: Sequence[int]) -> Outcome:
    """Match mode: accept draft tokens up to the first that differs from the target's own draw.

    `drawn[i]` is the target's draw after d_0..d_{i-1}; len(drawn) == len(draft) + 1. Every emitted token is
    one of the target's draws, so the draft can't bias it (drafter-invariant sampling, Daliri et al. 2024).
    """
    if len(drawn) != len(draft) + 1:
        raise ValueError(f"{len(draft)} draft tokens need {len(draft) + 1} draws, not {len(drawn)}")
    for index, (token, target) in enumerate(zip(draft, drawn, strict=False)):
        if token != target:
            return Outcome(index, target)
    return Outcome(len(draft), drawn[-1])


def ratio_chain(
    draft: Sequence[int],
    q: Sequence[SparseQ],
    p: NDArray[np.float64],
    accept_u: Sequence[float],
    next_u: float,
) -> Outcome:
    """Ratio mode: rejection sampling token by token (Leviathan et al. 2023, algorithm 1).

    Shapes: draft, q and accept_u [g], p [g + 1, V]; `next_u` picks the correction or bonus token. Raises
    ValueError on other shapes, or if a draft token can't have come from its q.
    """
    _check_shapes(draft, q, p, accept_u)
    for index, token in enumerate(draft):
        if not accept_u[index] < accept_probability(float(p[index, token]), q_of(q[index], token)):
            return Outcome(index, invert_cdf(residual(p[index], q[index]), next_u))
    return Outcome(len(draft), invert_cdf(p[-1], next_u))


def block_chain(
    draft: Sequence[int],
    q: Sequence[SparseQ],
    p: NDArray[np.float64],
    accept_u: Sequence[float],
    next_u: float,
) -> Outcome:
    """Block mode: block verification (Sun et al. 2024, algorithm 2); accepts at least as many as ratio mode.

    Shapes and errors as in `ratio_chain`. Every uniform is looked at and the last success counts, so the
    block can only be judged as a whole, and none of its uniforms may be used again.
    """
    _check_shapes(draft, q, p, accept_u)
    weights = block_weights(draft, q, p)
    accept = block_accept_probabilities(weights, q, p)
    accepted = max((index + 1 for index, a in enumerate(accept) if accept_u[index] < a), default=0)
    if accepted == len(draft):
        return Outcome(accepted, invert_cdf(p[-1], next_u))
    return Outcome(accepted, invert_cdf(residual(p[accepted], q[accepted], weights[accepted]), next_u))


def accept_probability(p_token: float, q_token: float) -> float:
    """min(1, p / q) for a token drawn from q."""
    return min(1.0, _likelihood_ratio(p_token, q_token))


def block_weights(draft: Sequence[int], q: Sequence[SparseQ], p: NDArray[np.float64]) -> list[float]:
    """w_0 = 1, w_i = min(1, w_{i-1} * p_i(d_i) / q_i(d_i)); shape [g + 1]."""
    weights = [1.0]
    for index, token in enumerate(draft):
        ratio = _likelihood_ratio(float(p[index, token]), q_of(q[index], token))
        weights.append(min(1.0, weights[-1] * ratio))
    return weights


def _likelihood_ratio(p_token: float, q_token: float) -> float:
    if not q_token > 0:
        raise ValueError("the draft token has no probability under its own q: it was not drawn from it")
    return p_token / q_token


def block_accept_probabilities(
    weights: Sequence[float], q: Sequence[SparseQ], p: NDArray[np.float64]
) -> list[float]:
    """The probability that each prefix d_0..d_i passes its own test, given the block; shape [g]."""
    inner = [
        _prefix_probability(weight, p_next, q_next)
        for weight, p_next, q_next in zip(weights[1:-1], p[1:-1], q[1:], strict=True)
    ]
    return [*inner, weights[-1]] if q else []


def _prefix_probability(weight: float, p_next: NDArray[np.float64], q_next: SparseQ) -> float:
    """m / (m + 1 - w) with m = sum max(0, w p - q) over the next position; 1 where both vanish."""
    mass = residual_mass(p_next, q_next, weight)
    rest = mass + (1.0 - weight)  # in this order: exactly `mass`, hence exactly 1, where the weight is 1
    return mass / rest if rest > 0 else 1.0


def residual_mass(p: NDArray[np.float64], q: SparseQ, weight: float = 1.0) -> float:
    """The sum over x of max(0, weight * p(x) - q(x)); at weight 1 the probability of a reject."""
    return float(_unnormalised_residual(p, q, weight).sum())


def residual(p: NDArray[np.float64], q: SparseQ, weight: float = 1.0) -> NDArray[np.float64]:
    """norm(max(0, weight * p - q)), shape [V] -> [V]; p itself if nothing is left of it.

    Outside q's support it has the shape of p. Nothing is left only when p = q up to rounding, and then a
    reject has probability zero.
    """
    rest = _unnormalised_residual(p, q, weight)
    total = float(rest.sum())
    return rest / total if total > 0 else p


def _unnormalised_residual(p: NDArray[np.float64], q: SparseQ, weight: float) -> NDArray[np.float64]:
    rest = weight * p
    rest[q.ids] = np.maximum(0.0, rest[q.ids] - np.asarray(q.weights, dtype=np.float64) / WEIGHT_TOTAL)
    return rest


def invert_cdf(probs: NDArray[np.float64], u: float) -> int:
    """The token that `u` in (0, 1) selects from a row of masses of any positive sum; never one of mass 0."""
    cumulative = np.cumsum(probs)
    index = int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))
    return min(index, int(np.flatnonzero(probs)[-1]))


def _check_shapes(
    draft: Sequence[int], q: Sequence[SparseQ], p: NDArray[np.float64], accept_u: Sequence[float]
) -> None:
    if not len(draft) == len(q) == len(accept_u) == p.shape[0] - 1:
        raise ValueError(
            f"{len(draft)} draft tokens need as many q ({len(q)}) and uniforms ({len(accept_u)}) "
            f"and one more row of p ({p.shape[0]})"
        )
