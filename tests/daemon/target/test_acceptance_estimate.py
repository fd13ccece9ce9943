"""The estimate of acceptance: bounded, falling with entropy, and true to what it saw."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.target.acceptance_estimate import (
    ADAEDL_PRIOR,
    RANGES_NATS,
    AcceptanceEstimate,
    adaedl_bound,
    falling,
)

ENTROPIES = [0.0, 0.01, 0.06, 0.2, 0.4, 0.65, 1.0, 1.4, 2.0, 2.6, 3.5]
"""One in each range."""


def taught(truth: dict[float, float], tokens: int, estimate: AcceptanceEstimate) -> AcceptanceEstimate:
    """An estimate that saw `tokens` tokens at random entropies, accepted as often as `truth` has it."""
    random = Random(1)
    for _ in range(tokens):
        entropy = random.choice(list(truth))
        estimate.observe(entropy, accepted=random.random() < truth[entropy])
    return estimate


@pytest.mark.parametrize("prior", [ADAEDL_PRIOR, (0.5,) * 11, (0.05,) * 11])
def test_it_converges_to_the_true_acceptance(prior: tuple[float, ...]) -> None:
    truth = {0.06: 0.95, 0.4: 0.8, 1.0: 0.7, 2.0: 0.4}
    estimate = taught(truth, 4000, AcceptanceEstimate(prior))
    for entropy, rate in truth.items():
        assert estimate.rate(entropy) == pytest.approx(rate, abs=0.1)


def test_it_follows_a_target_that_changes() -> None:
    estimate = taught({1.0: 0.9}, 1000, AcceptanceEstimate())
    assert taught({1.0: 0.2}, 600, estimate).rate(1.0) == pytest.approx(0.2, abs=0.1)


def test_before_anything_is_seen_it_is_the_prior_range_by_range() -> None:
    estimate = AcceptanceEstimate()
    assert [estimate.rate(entropy) for entropy in ENTROPIES] == sorted(
        (estimate.rate(entropy) for entropy in ENTROPIES), reverse=True
    )
    assert estimate.rate(0.0) == pytest.approx(adaedl_bound(0.0))
    assert estimate.rate(0.8) == estimate.rate(0.51) > estimate.rate(0.81)


@given(
    st.lists(st.tuples(st.floats(0, 12), st.booleans()), max_size=60),
    st.floats(1e-9, 12),
    st.floats(1e-9, 12),
)
def test_it_is_bounded_and_never_rises_with_entropy(
    seen: list[tuple[float, bool]], one: float, other: float
) -> None:
    estimate = AcceptanceEstimate()
    for entropy, accepted in seen:
        estimate.observe(entropy, accepted=accepted)
    low, high = sorted((one, other))
    assert 0 < estimate.rate(high) <= estimate.rate(low) < 1
    chain = estimate.survival([one, other])
    assert chain == pytest.approx([estimate.rate(one), estimate.rate(one) * estimate.rate(other)])


def test_what_was_not_drawn_is_judged_by_itself() -> None:
    """Tokens taken from a text are wrong; sure ones of the model are right all the same."""
    estimate = taught({0.0: 0.1, 0.01: 1.0}, 600, AcceptanceEstimate())
    assert estimate.rate(0.0) < 0.2
    assert estimate.rate(0.01) > 0.95


def test_one_estimate_may_be_the_prior_of_another() -> None:
    everything = taught({0.4: 0.3}, 600, AcceptanceEstimate())
    new = AcceptanceEstimate(everything.rates())
    assert new.rate(0.4) == pytest.approx(everything.rate(0.4))
    taught({0.4: 1.0}, 200, new)
    assert new.rate(0.4) > 0.9 > everything.rate(0.4)


def test_no_token_has_no_chance() -> None:
    assert AcceptanceEstimate().survival([]) == []


@pytest.mark.parametrize("entropy", [0.0, 1e-9, 0.5, 3.0, 100.0])
def test_the_bound_is_a_probability(entropy: float) -> None:
    assert 0 < adaedl_bound(entropy) < 1


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ([], [], []),
        ([0.9, 0.5, 0.1], [1, 1, 1], [0.9, 0.5, 0.1]),
        ([0.1, 0.9], [1, 1], [0.5, 0.5]),
        ([0.1, 0.9], [3, 1], [0.3, 0.3]),
        ([0.8, 0.2, 0.4, 0.9], [1, 1, 1, 2], [0.8, 0.6, 0.6, 0.6]),
        ([0.2, 0.4, 0.9, 0.1], [1, 1, 1, 1], [0.5, 0.5, 0.5, 0.1]),
    ],
)
def test_neighbours_that_rise_are_pooled(
    values: list[float], weights: list[float], expected: list[float]
) -> None:
    assert falling(values, weights) == pytest.approx(expected)


def test_every_range_has_an_entropy_here() -> None:
    """The tests above see all ranges."""
    assert len(ENTROPIES) == len(RANGES_NATS) + 1
