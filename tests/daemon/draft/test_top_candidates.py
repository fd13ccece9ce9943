"""The best candidates of a row, against a full sort in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from daemon.draft.top_candidates import check_allowed, entropy_of_logits, top_candidates


def reference(logits: NDArray[np.float32], count: int) -> list[int]:
    """Ids by falling logit, the lower id first among equals, without minus infinity."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    return [i for i in order[:count] if logits[i] > -np.inf]


@pytest.mark.parametrize(
    "n_vocab", [1, 2, 63, 64, 65, 300, 4096, 8191, 8192, 8193, 12_287, 12_288, 49_152, 151_936]
)
def test_any_vocabulary_size(n_vocab: int) -> None:
    logits = np.random.default_rng(n_vocab).standard_normal(n_vocab).astype(np.float32)
    found = top_candidates(logits)
    assert found.ids.tolist() == reference(logits, 64)
    assert found.logits.tolist() == logits[found.ids].tolist()
    assert found.ids.dtype == np.dtype(np.int32)
    assert found.logits.dtype == np.dtype(np.float32)


@given(
    arrays(np.float32, st.integers(1, 2500), elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0])),
    st.integers(1, 70),
)
def test_ties_stand_in_id_order(logits: NDArray[np.float32], count: int) -> None:
    if np.isfinite(logits).any():
        assert top_candidates(logits, count).ids.tolist() == reference(logits, count)
    else:
        with pytest.raises(ValueError):
            top_candidates(logits, count)


@given(
    st.integers(8192, 40_000),
    st.integers(0, 2**32 - 1),
    st.lists(
        st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False) | st.just(-np.inf),
        min_size=1,
        max_size=40,
    ),
    st.floats(0, 1),
    st.integers(1, 512),
)
def test_ties_in_a_large_vocabulary(
    n_vocab: int, seed: int, levels: list[float], rare: float, count: int
) -> None:
    """Few values in any arrangement; all but the first may be rare, or in one place."""
    random = np.random.default_rng(seed)
    logits = np.full(n_vocab, levels[0], np.float32)
    changed = random.random(n_vocab) < rare**4
    logits[changed] = random.choice(np.array(levels, np.float32), changed.sum())
    start = int(random.integers(n_vocab))
    logits[start : start + 100] = levels[-1]
    order = np.lexsort((np.arange(n_vocab), -logits))[:count]
    expected = order[logits[order] > -np.inf]
    if expected.size:
        assert top_candidates(logits, count).ids.tolist() == expected.tolist()
    else:
        with pytest.raises(ValueError, match="not numbers"):
            top_candidates(logits, count)


def test_all_equal_logits_give_the_first_ids() -> None:
    found = top_candidates(np.zeros(49152, np.float32))
    assert found.ids.tolist() == list(range(64))
    assert found.entropy == pytest.approx(np.log(64))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("at", [0, 700, 4096, 9999, -1])
@pytest.mark.parametrize("n_vocab", [1300, 701, 8192, 10_000, 49_152])
def test_logits_that_are_no_numbers_are_refused(value: float, at: int, n_vocab: int) -> None:
    logits = np.zeros(n_vocab, np.float32)
    logits[min(at, n_vocab - 1)] = value
    logits[1] = -np.inf
    with pytest.raises(ValueError, match="not numbers"):
        top_candidates(logits)


def test_the_row_is_left_as_it_was() -> None:
    """It is llama.cpp's own buffer."""
    for size in (600, 6000, 20_000):
        logits = np.random.default_rng(1).standard_normal(size).astype(np.float32)
        before = logits.copy()
        top_candidates(logits)
        assert (logits == before).all()


def test_few_finite_logits_of_many_are_all_there_is() -> None:
    """As where a mask allows little."""
    for size in (600, 8192, 9000):
        logits = np.full(size, -np.inf, np.float32)
        logits[[3, size - 1]] = 1, 2
        assert top_candidates(logits).ids.tolist() == [size - 1, 3]


def test_a_mask_leaves_a_choice_among_the_vocabulary() -> None:
    check_allowed(None, 3)
    check_allowed(np.array([False, True, False]), 3)
    with pytest.raises(ValueError, match="no token is allowed"):
        check_allowed(np.zeros(3, np.bool_), 3)
    for wrong in (np.ones(2, np.bool_), np.ones(3, np.uint8)):
        with pytest.raises(ValueError, match=r"must be bool\[3\]"):
            check_allowed(wrong, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("logits", "nats"),
    [([3.0], 0.0), ([1.0, 1.0], np.log(2)), ([0.0, -100.0], 0.0), ([1000.0, 1000.0, 1000.0], np.log(3))],
)
def test_entropy(logits: list[float], nats: float) -> None:
    assert entropy_of_logits(np.array(logits, np.float32)) == pytest.approx(nats, abs=1e-9)
