"""Quantised q: sums exactly, stays close, and is sampled by integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.messages import MAX_SUPPORT, SparseQ
from speculation.sparse import WEIGHT_TOTAL, dense, q_of, quantise, sample


@pytest.mark.parametrize(
    ("ids", "probs", "expected"),
    [
        ([7], [0.3], SparseQ([7], [65536])),
        ([3, 9], [0.25, 0.75], SparseQ([9, 3], [49152, 16384])),
        ([9, 3, 5], [1.0, 1.0, 1.0], SparseQ([3, 5, 9], [21846, 21845, 21845])),
        ([1, 2, 3], [0.5, 0.0, 0.5], SparseQ([1, 3], [32768, 32768])),
        ([1, 2], [1.0, 1e-9], SparseQ([1], [65536])),
        ([1, 2, 3], [1.0, 0.4 / 65536, 0.4 / 65536], SparseQ([1, 2], [65535, 1])),
        ([1, 2, 3], [1.0, 0.8 / 65536, 0.7 / 65536], SparseQ([1, 2, 3], [65534, 1, 1])),
    ],
)
def test_quantise(ids: list[int], probs: list[float], expected: SparseQ) -> None:
    """Best first, lower id first on ties, largest remainder, zero weights dropped."""
    assert quantise(np.array(ids), np.array(probs)) == expected


def test_quantise_keeps_the_best_64() -> None:
    q = quantise(np.arange(100), np.arange(1.0, 101.0))
    assert q.ids == list(range(99, 35, -1))
    assert len(q.ids) == MAX_SUPPORT


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=120).filter(lambda p: sum(p) > 0))
def test_quantised_weights_sum_exactly_and_stay_within_one_step(probs: list[float]) -> None:
    row = np.array(probs)
    q = quantise(np.arange(len(row)), row)
    assert sum(q.weights) == WEIGHT_TOTAL
    assert min(q.weights) > 0
    best = np.lexsort((np.arange(len(row)), -row))[:MAX_SUPPORT]
    exact = dict(zip(best.tolist(), (row[best] / row[best].sum()).tolist(), strict=True))
    assert all(abs(q_of(q, token) - share) < 1.001 / WEIGHT_TOTAL for token, share in exact.items())


@pytest.mark.parametrize(
    ("ids", "probs", "reason"),
    [
        ([1, 1], [0.5, 0.5], "an id occurs twice"),
        ([1, 2], [0.5], "two rows of one length"),
        ([[1]], [[0.5]], "two rows of one length"),
        ([1], [float("nan")], "finite"),
        ([1, 2], [float("inf"), 1.0], "finite"),
        ([1, 2], [1.5, -0.5], "not negative"),
        ([1, 2], [0.0, 0.0], "not all zero"),
        ([], [], "not all zero"),
    ],
)
def test_quantise_refuses_what_is_no_distribution(ids: list[int], probs: list[float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        quantise(np.array(ids, dtype=np.int64), np.array(probs))


def test_sample_turns_at_exactly_the_cumulative_weights() -> None:
    q = SparseQ([8, 2, 5], [32768, 32767, 1])
    turns = [0.0, 0.5, 65535 / 65536]
    for token, at in zip(q.ids, turns, strict=True):
        assert sample(q, at) == token
    assert [sample(q, np.nextafter(at, 0)) for at in turns[1:]] == [8, 2]
    assert sample(q, 1 - 2.0**-53) == 5


def test_sample_refuses_a_uniform_of_one() -> None:
    with pytest.raises(ValueError, match=r"u=1.0 is not below 1"):
        sample(SparseQ([1], [65536]), 1.0)


def test_probability_of_a_token() -> None:
    q = SparseQ([8, 2], [65535, 1])
    assert (q_of(q, 8), q_of(q, 2), q_of(q, 3)) == (65535 / 65536, 2.0**-16, 0.0)
    assert dense(q, 9).tolist() == [0, 0, 2.0**-16, 0, 0, 0, 0, 0, 65535 / 65536]
