"""Exact laws by enumeration: every region of every uniform is visited once and weighted by its size.

A law is a dict from emitted tokens to probability. A round's law comes from calling the real acceptance
function at one point of each region on which it is constant; that the regions end where these helpers think
is proved separately (test_acceptance.py, thresholds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from speculation.acceptance import (
    Outcome,
    accept_probability,
    block_accept_probabilities,
    block_chain,
    block_weights,
    ratio_chain,
    residual,
)
from speculation.messages import SparseQ
from speculation.sparse import dense, q_of, quantise
from tests.speculation.toy_models import Path, ToyModel

Law = dict[Path, float]
RoundLaw = Callable[[Path], Law]
Chain = Callable[[Sequence[int], Sequence[SparseQ], NDArray[np.float64], Sequence[float], float], Outcome]


def add(law: Law, tokens: Path, mass: float) -> None:
    if mass:
        law[tokens] = law.get(tokens, 0.0) + mass


def joint_law(round_law: RoundLaw, length: int, start: Path = ()) -> Law:
    """The law of the first `length` tokens that rounds emit one after the other, from the path `start`."""
    done: Law = {}
    growing: Law = {(): 1.0}
    while growing:
        path, mass = growing.popitem()
        for tokens, share in round_law(start + path).items():
            longer = (path + tokens)[:length]
            add(done if len(longer) == length else growing, longer, mass * share)
    return done


def target_law(target: ToyModel, length: int, start: Path = ()) -> Law:
    """What the target alone emits, one token at a time."""
    return joint_law(
        lambda path: {(t,): float(m) for t, m in enumerate(target.probs(path)) if m}, length, start
    )


def total_error(law: Law, other: Law) -> float:
    """The sum of absolute differences (twice the total variation distance)."""
    return sum(abs(law.get(tokens, 0.0) - other.get(tokens, 0.0)) for tokens in law.keys() | other.keys())


def drafts(draft: ToyModel, path: Path, gamma: int, support: int = 64) -> Iterator[tuple[Path, float]]:
    """Every draft of `gamma` tokens with its probability under the quantised q."""
    if gamma == 0:
        yield (), 1.0
        return
    q = draft.q(path, support)
    for token, weight in zip(q.ids, q.weights, strict=True):
        for rest, mass in drafts(draft, (*path, token), gamma - 1, support):
            yield (token, *rest), mass * weight / 65536


def regions(thresholds: Sequence[float]) -> list[tuple[float, float]]:
    """(a point inside, size) for each non-empty interval that `thresholds` cut (0, 1) into."""
    cuts = [0.0, *sorted(thresholds), 1.0]
    return [((low + high) / 2, high - low) for low, high in pairwise(cuts) if high > low]


def cdf_regions(row: NDArray[np.float64]) -> list[tuple[float, float]]:
    """The regions of the uniform that inverts the CDF of `row`; tiny overshoots of the sum over 1 are cut."""
    return regions([min(1.0, float(c)) for c in np.cumsum(row / row.sum())[:-1]])


def chain_outcomes(
    chain: Chain, path_draft: Path, q: Sequence[SparseQ], p: NDArray[np.float64]
) -> Iterator[tuple[Path, float]]:
    """Emitted tokens and probability for each outcome of one ratio or block round, given the draft."""
    if chain is block_chain:
        weights = block_weights(path_draft, q, p)
        accept = block_accept_probabilities(weights, q, p)
    else:
        weights = [1.0] * (len(path_draft) + 1)
        accept = [
            accept_probability(float(p[i, token]), q_of(q[i], token)) for i, token in enumerate(path_draft)
        ]
    for point in product(*(regions([a]) for a in accept)):
        accept_u = [u for u, _ in point]
        size = float(np.prod([s for _, s in point]))
        accepted = chain(path_draft, q, p, accept_u, 0.5).accepted
        whole = accepted == len(path_draft)
        row = p[-1] if whole else residual(p[accepted], q[accepted], weights[accepted])
        for next_u, share in cdf_regions(row):
            outcome = chain(path_draft, q, p, accept_u, next_u)
            assert outcome.accepted == accepted
            yield (*path_draft[:accepted], outcome.next_id), size * share


def chain_round(chain: Chain, draft: ToyModel, target: ToyModel, gamma: int, support: int = 64) -> RoundLaw:
    """One ratio or block round; the law is remembered per Markov state."""
    remembered: dict[Path, Law] = {}
    order = max(draft.order, target.order)

    def round_law(path: Path) -> Law:
        state = path[-order:]
        if state not in remembered:
            law: Law = {}
            for tokens, mass in drafts(draft, state, gamma, support):
                q = draft.q_rows(state, tokens, support)
                for emitted, share in chain_outcomes(chain, tokens, q, target.rows(state, tokens)):
                    add(law, emitted, mass * share)
            remembered[state] = law
        return remembered[state]

    return round_law


class Quantised(ToyModel):
    """A tier that emits from its own quantised law, so that it can draft for the next tier."""

    def probs(self, path: Sequence[int]) -> NDArray[np.float64]:
        return dense(self.q_unrounded(path), self.n_vocab)

    def q_unrounded(self, path: Sequence[int]) -> SparseQ:
        return quantise(np.arange(self.n_vocab), super().probs(path))

    def q(self, path: Sequence[int], support: int = 64) -> SparseQ:
        return self.q_unrounded(path)


def cascade_round(
    chain: Chain,
    edge: ToyModel,
    mid: Quantised,
    top: ToyModel,
    gamma: int,
    *,
    forward_correction: bool = True,
    claim: ToyModel | None = None,
) -> RoundLaw:
    """Edge drafts, mid verifies, and what mid emitted is the draft the top verifies against mid's own law.

    The two keyword arguments make the biased variants: forward the accepted prefix alone, or claim to the top
    that the tokens were drawn from another model's q.
    """
    remembered: dict[Path, Law] = {}

    def round_law(path: Path) -> Law:
        state = path[-1:]
        if state not in remembered:
            law: Law = {}
            for tokens, mass in drafts(edge, state, gamma):
                q = edge.q_rows(state, tokens)
                for emitted, share in chain_outcomes(ratio_chain, tokens, q, mid.rows(state, tokens)):
                    forwarded = emitted if forward_correction else emitted[:-1]
                    claimed = (claim or mid).q_rows(state, forwarded)
                    for final, part in chain_outcomes(chain, forwarded, claimed, top.rows(state, forwarded)):
                        add(law, final, mass * share * part)
            remembered[state] = law
        return remembered[state]

    return round_law
