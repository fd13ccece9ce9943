"""Chain acceptance: tables, every reject index, and that uniforms turn at exactly the named probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.acceptance import (
    Outcome,
    accept_probability,
    block_accept_probabilities,
    block_chain,
    block_weights,
    invert_cdf,
    match_chain,
    ratio_chain,
    residual,
    residual_mass,
)
from speculation.messages import SparseQ
from speculation.sampling import Sampling
from speculation.sparse import q_of
from tests.speculation.exact_laws import Chain
from tests.speculation.toy_models import ToyModel

TOP = 1 - 2.0**-53
Q = SparseQ([0, 2], [49152, 16384])
P = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize(
    ("draft", "drawn", "expected"),
    [
        ([], [4], Outcome(0, 4)),
        ([1, 2, 3], [1, 2, 3, 4], Outcome(3, 4)),
        ([1, 2, 3], [9, 2, 3, 4], Outcome(0, 9)),
        ([1, 2, 3], [1, 9, 3, 4], Outcome(1, 9)),
        ([1, 2, 3], [1, 2, 9, 4], Outcome(2, 9)),
        ([1, 1], [1, 2, 1], Outcome(1, 2)),
    ],
)
def test_match_chain(draft: list[int], drawn: list[int], expected: Outcome) -> None:
    assert match_chain(draft, drawn) == expected


def test_match_chain_needs_one_more_draw() -> None:
    with pytest.raises(ValueError, match="2 draft tokens need 3 draws, not 2"):
        match_chain([1, 2], [1, 2])


def test_accept_probability() -> None:
    assert accept_probability(0.5, 0.75) == pytest.approx(2 / 3)
    assert accept_probability(0.5, 0.25) == 1.0
    assert accept_probability(0.0, 0.25) == 0.0
    for q in (0.0, float("nan")):
        with pytest.raises(ValueError, match="was not drawn from it"):
            accept_probability(0.5, q)


def test_residual_is_p_outside_the_support() -> None:
    """max(0, p - q) = [0, .3, 0], [.5, .3, .2] being p and [.75, 0, .25] q."""
    assert residual(P, Q).tolist() == [0, 1, 0]
    assert residual_mass(P, Q) == 0.3
    assert residual(P, SparseQ([0], [16384 * 4])).tolist() == pytest.approx([0, 0.6, 0.4])
    assert residual_mass(P, SparseQ([2], [65536]), 0.5) == pytest.approx(0.4)
    assert P.tolist() == [0.5, 0.3, 0.2]


def test_residual_of_nothing_is_p() -> None:
    p = np.array([0.75, 0.0, 0.25])
    assert residual(p, Q) is p
    assert residual_mass(p, Q) == 0.0


def test_reject_mass_is_one_minus_the_overlap() -> None:
    overlap = sum(min(float(P[token]), q_of(Q, token)) for token in Q.ids)
    assert residual_mass(P, Q) == pytest.approx(1 - overlap, abs=1e-15)


@pytest.mark.parametrize(
    ("masses", "u", "token"),
    [
        ([0.0, 0.5, 0.0, 0.5, 0.0], 2.0**-53, 1),
        ([0.0, 0.5, 0.0, 0.5, 0.0], np.nextafter(0.5, 0), 1),
        ([0.0, 0.5, 0.0, 0.5, 0.0], 0.5, 3),
        ([0.0, 0.5, 0.0, 0.5, 0.0], TOP, 3),
        ([0.1, 0.1, 0.1, 0.0], TOP, 2),
        ([3.0, 1.0], 0.74, 0),
        ([3.0, 1.0], 0.76, 1),
        ([5e-324, 0.0], TOP, 0),
    ],
)
def test_invert_cdf(masses: list[float], u: float, token: int) -> None:
    assert invert_cdf(np.array(masses), u) == token


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9).filter(any), st.floats(2.0**-53, TOP))
def test_invert_cdf_never_picks_a_token_without_mass(masses: list[float], u: float) -> None:
    assert masses[invert_cdf(np.array(masses), u)] > 0


DRAFT_MODEL = ToyModel(3, 1, Sampling(1.0), order=2)
TARGET_MODEL = ToyModel(3, 2, Sampling(1.0), order=2)


def named_probabilities(
    chain: Chain, draft: Sequence[int], q: Sequence[SparseQ], p: np.ndarray
) -> tuple[list[float], list[np.ndarray]]:
    """What the named functions say: the accept probabilities, and the row the next token comes from."""
    weights = block_weights(draft, q, p) if chain is block_chain else [1.0] * (len(draft) + 1)
    if chain is block_chain:
        accept = block_accept_probabilities(weights, q, p)
    else:
        accept = [accept_probability(float(p[i, t]), q_of(q[i], t)) for i, t in enumerate(draft)]
    return accept, [*(residual(p[i], q[i], weights[i]) for i in range(len(draft))), p[-1]]


def expected_accepted(chain: Chain, passed: Sequence[bool]) -> int:
    """Ratio stops at the first failure, block goes by the last success."""
    if chain is block_chain:
        return max((i + 1 for i, ok in enumerate(passed) if ok), default=0)
    return next((i for i, ok in enumerate(passed) if not ok), len(passed))


@pytest.mark.parametrize("gamma", [1, 2, 3])
@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_thresholds_are_exactly_the_named_probabilities(chain: Chain, gamma: int) -> None:
    """Each test turns between a and the float below it; each next token within 1e-9 of its cumulative mass.

    With this, the laws that test_exactness.py gets from one point per region hold for every uniform.
    """
    seen = {
        accepted for draft in product(range(3), repeat=gamma) for accepted in check_thresholds(chain, draft)
    }
    assert seen == set(range(gamma + 1))


def check_thresholds(chain: Chain, draft: tuple[int, ...]) -> Iterator[int]:
    """Call `chain` at the corners of every region; yields the accepted lengths met."""
    q, p = DRAFT_MODEL.q_rows((), draft), TARGET_MODEL.rows((), draft)
    accept, next_rows = named_probabilities(chain, draft, q, p)
    for passed in product([True, False], repeat=len(draft)):
        if any(a == (0.0 if ok else 1.0) for ok, a in zip(passed, accept, strict=True)):
            continue
        corners = [
            (2.0**-53, float(np.nextafter(a, 0))) if ok else (a or 2.0**-53, TOP)
            for ok, a in zip(passed, accept, strict=True)
        ]
        accepted = expected_accepted(chain, passed)
        yield accepted
        row = next_rows[accepted]
        cumulative = np.cumsum(row)
        for accept_u, token in product(product(*corners), np.flatnonzero(row).tolist()):
            for share in (1e-9, 1 - 1e-9):
                next_u = (cumulative[token] - (1 - share) * row[token]) / cumulative[-1]
                assert chain(draft, q, p, accept_u, next_u) == Outcome(accepted, token)


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
@pytest.mark.parametrize("reject_at", [0, 1, 2, 3])
def test_every_reject_index(chain: Chain, reject_at: int) -> None:
    """p is one-hot on the draft up to the reject, and there on another token."""
    draft = [2, 0, 1]
    target = [2, 0, 1, 3]
    if reject_at < 3:
        target[reject_at] = 3
    q = [SparseQ([token, 3], [40000, 25536]) for token in draft]
    p = np.eye(4)[target]
    assert chain(draft, q, p, [0.5, 0.5, 0.5], 0.5) == Outcome(reject_at, 3)


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_no_draft_emits_from_p(chain: Chain) -> None:
    assert chain([], [], P[None], [], 0.6) == Outcome(0, 1)


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_a_token_outside_its_q_is_refused(chain: Chain) -> None:
    with pytest.raises(ValueError, match="was not drawn from it"):
        chain([1], [Q], np.stack([P, P]), [0.5], 0.5)


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
@pytest.mark.parametrize(("n_q", "n_p", "n_u"), [(1, 3, 2), (2, 2, 2), (2, 3, 1), (2, 4, 2)])
def test_shapes_must_fit(chain: Chain, n_q: int, n_p: int, n_u: int) -> None:
    with pytest.raises(ValueError, match="2 draft tokens need as many q"):
        chain([0, 2], [Q] * n_q, np.stack([P] * n_p), [0.5] * n_u, 0.5)


def test_block_weights_and_probabilities_by_hand() -> None:
    """Two tokens, on paper: w1 = .5/.75; h1 = m/(m + 1 - w1), m = sum max(0, w1 p - q); h2 = w2."""
    q, p = [Q, Q], np.stack([P, P, P])
    w1 = 0.5 / 0.75
    w2 = w1 * 0.2 / 0.25
    assert block_weights([0, 2], q, p) == pytest.approx([1.0, w1, w2])
    m = w1 * 0.3
    assert block_accept_probabilities([1.0, w1, w2], q, p) == pytest.approx([m / (m + 1 - w1), w2])


def test_block_probability_where_everything_vanishes() -> None:
    """w = 1 and p = q at the next position: 0 / 0, and the prefix stands."""
    p = np.array([0.75, 0.0, 0.25])
    assert block_accept_probabilities([1.0, 1.0, 1.0], [Q, Q], np.stack([p, p, p])) == [1.0, 1.0]
