"""Known-biased variants of speculative decoding, which the enumeration must find to be wrong.

Each is a mistake found in public systems. If one of them passed, the exactness tests would prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from speculation.acceptance import (
    accept_probability,
    block_accept_probabilities,
    block_weights,
    invert_cdf,
    match_chain,
    ratio_chain,
    residual,
)
from speculation.messages import SparseQ
from speculation.sampling import Sampling
from speculation.sparse import dense, q_of, quantise
from tests.speculation.exact_laws import (
    Law,
    Quantised,
    RoundLaw,
    add,
    cascade_round,
    chain_outcomes,
    chain_round,
    drafts,
    joint_law,
    regions,
    target_law,
    total_error,
)
from tests.speculation.toy_models import Path, ToyModel

MIN_DISTANCE = 1e-3
"""Total variation that a biased variant must exceed; the sound ones stay below 1e-12."""

SAMPLING = Sampling(1.0)
DRAFT = ToyModel(3, 1, SAMPLING)
TARGET = ToyModel(3, 2, SAMPLING)
LENGTH = 3


def renormalised_top_k_sent(path: Path) -> Law:
    """The draft samples from its full q but sends q renormalised over its top 2 (a token outside passes)."""
    law: Law = {}
    p = TARGET.probs(path)
    for (token,), mass in drafts(DRAFT, path, 1):
        sent = DRAFT.q(path, support=2)
        q_token = q_of(sent, token)
        accept = accept_probability(float(p[token]), q_token) if q_token else 1.0
        add(law, (token,), mass * accept)
        add_row(law, (), residual(p, sent), mass * (1 - accept))
    return law


def sampled_token_dropped(path: Path) -> Law:
    """A token that was already drawn is not sent, because it was improbable."""
    law: Law = {}
    for tokens, mass in drafts(DRAFT, path, 2):
        kept = 0
        while kept < 2 and q_of(DRAFT.q(path + tokens[:kept]), tokens[kept]) > 0.3:
            kept += 1
        sent = tokens[:kept]
        for emitted, share in chain_outcomes(
            ratio_chain, sent, DRAFT.q_rows(path, sent), TARGET.rows(path, sent)
        ):
            add(law, emitted, mass * share)
    return law


def longest_of_two(path: Path) -> Law:
    """Two independent drafts are verified, and the one with the longer accepted prefix is kept."""
    outcomes: list[tuple[Path, float]] = []
    for tokens, mass in drafts(DRAFT, path, 2):
        rows = DRAFT.q_rows(path, tokens), TARGET.rows(path, tokens)
        outcomes += [(e, mass * share) for e, share in chain_outcomes(ratio_chain, tokens, *rows)]
    law: Law = {}
    for (first, mass), (second, other) in product(outcomes, repeat=2):
        add(law, second if len(second) > len(first) else first, mass * other)
    return law


def fresh_draw_on_mismatch(path: Path) -> Law:
    """Match mode, but a mismatch emits a new draw instead of the one that mismatched."""
    law: Law = {}
    p = TARGET.probs(path)
    for (token,), mass in drafts(DRAFT, path, 1):
        for drawn in range(TARGET.n_vocab):
            share = mass * float(p[drawn])
            if match_chain([token], [drawn, 0]).accepted:
                add(law, (drawn,), share)
            else:
                add_row(law, (), p, share)
    return law


def same_seed_at_every_position(path: Path) -> Law:
    """The fan-out prompts of one round are all sampled with the same uniform."""
    law: Law = {}
    for tokens, mass in drafts(DRAFT, path, 2):
        rows = TARGET.rows(path, tokens)
        for u, size in regions(np.cumsum(rows, axis=1)[:, :-1].ravel().tolist()):
            outcome = match_chain(tokens, [invert_cdf(row, u) for row in rows])
            add(law, (*tokens[: outcome.accepted], outcome.next_id), mass * size)
    return law


def top_k_children_with_a_softmax_ratio(path: Path) -> Law:
    """The two best children are not drawn, yet tested against q as if they had been."""
    law: Law = {}
    p, q = TARGET.probs(path), DRAFT.probs(path)
    left = 1.0
    for child in np.argsort(-q)[:2].tolist():
        accept = min(1.0, float(p[child] / q[child]))
        add(law, (child,), left * accept)
        left *= 1 - accept
        p = normalised(np.maximum(p - q, 0.0))
        q = normalised(np.where(np.arange(len(q)) == child, 0.0, q))
    add_row(law, (), p, left)
    return law


def shared_noise_in_a_ratio_test(path: Path) -> Law:
    """The residual is drawn with the uniform that drew the draft token."""
    law: Law = {}
    p, sent = TARGET.probs(path), DRAFT.q(path)
    q, rest = dense(sent, 3), residual(p, sent)
    for u, size in regions([*np.cumsum(q)[:-1], *np.cumsum(rest)[:-1]]):
        token = invert_cdf(q, u)
        accept = accept_probability(float(p[token]), q_of(sent, token))
        add(law, (token,), size * accept)
        add(law, (invert_cdf(rest, u),), size * (1 - accept))
    return law


def add_row(law: Law, before: Path, row: NDArray[np.float64], mass: float) -> None:
    for token, share in enumerate(row.tolist()):
        add(law, (*before, token), mass * share)


def normalised(row: NDArray[np.float64]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = row / row.sum()
    return total


EDGE, MID = DRAFT, Quantised(3, 5, SAMPLING)
VARIANTS: dict[str, RoundLaw] = {
    "full q sampled, renormalised top-k sent": renormalised_top_k_sent,
    "sampled low-confidence token dropped": sampled_token_dropped,
    "best of n by longest prefix": longest_of_two,
    "fresh draw on mismatch": fresh_draw_on_mismatch,
    "same seed at every fan-out position": same_seed_at_every_position,
    "deterministic top-k children, softmax ratio": top_k_children_with_a_softmax_ratio,
    "top tier uses the edge's q": cascade_round(ratio_chain, EDGE, MID, TARGET, 2, claim=EDGE),
    "only the accepted prefix goes to the next tier": cascade_round(
        ratio_chain, EDGE, MID, TARGET, 2, forward_correction=False
    ),
    "draft's noise reused in a ratio test": shared_noise_in_a_ratio_test,
}


@pytest.mark.parametrize("round_law", VARIANTS.values(), ids=VARIANTS.keys())
def test_biased_variant_is_found_to_be_wrong(round_law: RoundLaw) -> None:
    law = joint_law(round_law, LENGTH)
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-12)
    assert total_error(law, target_law(TARGET, LENGTH)) / 2 > MIN_DISTANCE


SOUND: dict[str, Callable[[], RoundLaw]] = {
    "ratio": lambda: chain_round(ratio_chain, DRAFT, TARGET, 2),
    "ratio, q of two tokens": lambda: chain_round(ratio_chain, DRAFT, TARGET, 2, support=2),
    "cascade": lambda: cascade_round(ratio_chain, EDGE, MID, TARGET, 2),
}


@pytest.mark.parametrize("make", SOUND.values(), ids=SOUND.keys())
def test_the_sound_variant_beside_them_is_not(make: Callable[[], RoundLaw]) -> None:
    """The same models, the same length: what the controls get wrong is not the machinery."""
    assert total_error(joint_law(make(), LENGTH), target_law(TARGET, LENGTH)) < 1e-12


def two_block_rounds(*, reuse: bool) -> Law:
    """A block of 2, then a block of 1; `reuse` tests the second with the uniform the first left unused.

    That is what keying block uniforms by the token's own position would do (see speculation.prf).
    """
    law: Law = {}
    for tokens, mass in drafts(DRAFT, (), 2):
        q, p = DRAFT.q_rows((), tokens), TARGET.rows((), tokens)
        weights = block_weights(tokens, q, p)
        first, second = block_accept_probabilities(weights, q, p)
        add_row(law, tokens, p[2], mass * second)
        add_row(law, tokens[:1], residual(p[1], q[1], weights[1]), mass * first * (1 - second))
        for token, share in enumerate(residual(p[0], q[0]).tolist()):
            stopped = mass * (1 - first) * (1 - second) * share
            second_block(law, (token,), stopped, low=second if reuse else 0.0)
    return law


def second_block(law: Law, path: Path, mass: float, *, low: float) -> None:
    """A block of one token whose test uniform is uniform on (low, 1)."""
    p, q = TARGET.probs(path), DRAFT.q(path)
    for (token,), share in drafts(DRAFT, path, 1):
        accept = accept_probability(float(p[token]), q_of(q, token))
        passed = max(0.0, accept - low) / (1 - low) if low < 1 else 0.0
        add(law, (*path, token), mass * share * passed)
        add_row(law, path, residual(p, q), mass * share * (1 - passed))


@pytest.mark.parametrize("reuse", [False, True])
def test_a_block_rounds_uniforms_may_not_serve_again(reuse: bool) -> None:
    law: Law = {}
    for tokens, mass in two_block_rounds(reuse=reuse).items():
        for rest, share in target_law(TARGET, 3 - len(tokens), tokens).items():
            add(law, tokens + rest, mass * share)
    error = total_error(law, target_law(TARGET, 3))
    assert error / 2 > MIN_DISTANCE if reuse else error < 1e-12


def test_quantised_q_differs_from_the_unrounded_one() -> None:
    """The ratio against the unrounded probabilities is biased too: by little, but far above 1e-12."""
    p, unrounded = TARGET.probs(()), DRAFT.probs(())
    sent: SparseQ = quantise(np.arange(3), unrounded)
    law: Law = {}
    rest = normalised(np.maximum(p - unrounded, 0.0))
    for token, weight in enumerate(dense(sent, 3).tolist()):
        accept = accept_probability(float(p[token]), float(unrounded[token]))
        add(law, (token,), weight * accept)
        add_row(law, (), rest, weight * (1 - accept))
    assert total_error(law, target_law(TARGET, 1)) > 1e-7
