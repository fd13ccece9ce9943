"""p from logits, and the target's draw: truncation, ties, temperature 0, gathered subsets, bad rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from speculation.prf import gumbel
from speculation.sampling import GREEDY, Sampling, draw, ranked, target_probs

INF = float("inf")


def row(*logits: float) -> NDArray[np.float32]:
    return np.array(logits, dtype=np.float32)


def logs(*probs: float) -> NDArray[np.float32]:
    return row(*np.log(probs))


@pytest.mark.parametrize(
    ("logits", "sampling", "expected"),
    [
        (row(1, 3, 2), GREEDY, [0, 1, 0]),
        (row(3, 1, 3), GREEDY, [1, 0, 0]),
        (row(-INF, -5, -INF), GREEDY, [0, 1, 0]),
        (row(0, 0, 0, 0), Sampling(1.0), [0.25] * 4),
        (row(0, 0, -INF, 0), Sampling(0.5), [1 / 3, 1 / 3, 0, 1 / 3]),
        (row(0, 0, 0, 0), Sampling(1.0, top_k=2), [0.5, 0.5, 0, 0]),
        (row(0, 1, 0, 0), Sampling(1e-3, top_k=3), [0, 1, 0, 0]),
        (row(0, 0, -INF), Sampling(1.0, top_k=3), [0.5, 0.5, 0]),
        (row(0, 0, 0, 0), Sampling(1.0, top_p=0.5), [0.5, 0.5, 0, 0]),
        (row(0, 0, 0, 0), Sampling(1.0, top_p=0.51), [1 / 3, 1 / 3, 1 / 3, 0]),
        (row(0, 0, 0, 0), Sampling(1.0, top_p=1e-9), [1, 0, 0, 0]),
        (row(0, 0, 0, 0), Sampling(1.0, top_k=2, top_p=0.6), [0.5, 0.5, 0, 0]),
        (logs(0.1, 0.6, 0.3), Sampling(1.0, top_p=0.7), [0, 2 / 3, 1 / 3]),
        (logs(0.1, 0.6, 0.3), Sampling(1.0), [0.1, 0.6, 0.3]),
        (logs(0.2, 0.8), Sampling(0.5), [0.04 / 0.68, 0.64 / 0.68]),
        (logs(0.2, 0.8), Sampling(2.0), [1 / 3, 2 / 3]),
        (row(0, 3e38, -3e38), Sampling(0.5), [0, 1, 0]),
    ],
)
def test_target_probs(logits: np.ndarray, sampling: Sampling, expected: list[float]) -> None:
    p = target_probs(logits, sampling)
    assert p.dtype == np.float64
    assert p == pytest.approx(expected, abs=1e-7)
    assert p.sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("bad", [row(), row(0, float("nan")), row(0, INF), row(-INF, -INF), row(0, 1)[None]])
@pytest.mark.parametrize("sampling", [GREEDY, Sampling(1.0)])
def test_rows_that_are_no_logits_are_refused(bad: np.ndarray, sampling: Sampling) -> None:
    with pytest.raises(ValueError, match="logits must be one row"):
        target_probs(bad, sampling)
    with pytest.raises(ValueError, match="logits must be one row"):
        draw(bad, sampling, 0, 0)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": INF}, "temperature"),
        ({"temperature": 1.0, "top_p": 0.0}, "top_p"),
        ({"temperature": 1.0, "top_p": 1.1}, "top_p"),
        ({"temperature": 1.0, "top_k": -1}, "top_k"),
    ],
)
def test_sampling_parameters_are_checked(values: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Sampling(**values)  # type: ignore[arg-type]


def naive_probs(logits: NDArray[np.float32], sampling: Sampling) -> NDArray[np.float64]:
    """Sort everything, then cut: what `target_probs` must equal without sorting everything."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[: sampling.top_k or None]
    scaled = [float(logits[i]) / sampling.temperature for i in order]
    mass = [math.exp(x - scaled[0]) for x in scaled]
    size = next(n for n in range(1, len(mass) + 1) if sum(mass[:n]) >= sampling.top_p * sum(mass) - 1e-12)
    p = np.zeros(len(logits))
    p[order[:size]] = np.array(mass[:size]) / sum(mass[:size])
    return p


@pytest.mark.parametrize(
    "sampling",
    [Sampling(1.0, 0.9), Sampling(0.4, 0.5), Sampling(1.0, 0.999, 700), Sampling(2.0, top_k=9)],
    ids=str,
)
@pytest.mark.parametrize("spread", [0.0, 0.1, 3.0])
def test_truncation_of_a_wide_row_equals_a_full_sort(sampling: Sampling, spread: float) -> None:
    """A flat row needs a nucleus of hundreds; rounded logits make ties at every cut."""
    logits = np.round(np.random.default_rng(5).normal(size=1000) * spread, 1).astype(np.float32)
    assert target_probs(logits, sampling) == pytest.approx(naive_probs(logits, sampling), abs=1e-12)


def test_greedy_draw_takes_the_lowest_id_on_ties() -> None:
    assert draw(row(1, 3, 3), GREEDY, seed=1, position=1) == 1
    assert draw(row(3, 3), GREEDY, 1, 1, ids=np.array([9, 4])) == 4


def test_draw_is_the_argmax_of_logits_and_gumbel_noise() -> None:
    logits = row(0.5, -1.0, 2.0, 0.0)
    for position in range(200):
        scores = logits.astype(np.float64) / 0.7 + gumbel(3, position, np.arange(4))
        assert draw(logits, Sampling(0.7), 3, position) == scores.argmax()


def test_draw_takes_the_lowest_id_on_equal_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("speculation.sampling.gumbel", lambda _s, _p, ids: np.zeros(len(ids)))
    assert draw(row(1, 2, 2), Sampling(1.0), 0, 0) == 1
    assert draw(row(2, 1, 2), Sampling(1.0), 0, 0, ids=np.array([8, 1, 5])) == 5


def test_masked_tokens_are_never_drawn() -> None:
    logits = row(-INF, 0.0, -INF, 0.0)
    assert {draw(logits, Sampling(1.0), 5, position) for position in range(100)} == {1, 3}


LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40, unique=True)


@given(LOGITS, st.floats(0.05, 3), st.integers(0, 12), st.floats(0.05, 1), st.integers(0, 2**32))
def test_draw_stays_within_what_is_kept(
    logits: list[float], temperature: float, top_k: int, top_p: float, position: int
) -> None:
    sampling = Sampling(temperature, top_p, top_k)
    p = target_probs(row(*logits), sampling)
    assert p[draw(row(*logits), sampling, 1, position)] > 0
    assert np.count_nonzero(p) <= (top_k or len(logits))


@given(LOGITS, st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 2**32), st.randoms())
def test_a_gathered_subset_in_any_order_gives_the_same_draw(
    logits: list[float], temperature: float, position: int, shuffler: object
) -> None:
    """With the winner in it when nothing is cut; with all of the top k when top-k (and top-p) cut."""
    full = row(*logits)
    for sampling in (Sampling(temperature), Sampling(temperature, 0.8, 5)):
        winner = draw(full, sampling, 9, position)
        ids = np.union1d(np.argsort(-full)[:5], [winner])
        order = list(range(len(ids)))
        shuffler.shuffle(order)  # type: ignore[attr-defined]
        assert draw(full[ids[order]], sampling, 9, position, ids=ids[order]) == winner


RANKINGS = [GREEDY, Sampling(0.7), Sampling(1.0, top_k=3), Sampling(1.3, top_p=0.6), Sampling(0.9, 0.8, 4)]


@pytest.mark.parametrize("sampling", RANKINGS)
@given(
    st.lists(st.sampled_from([-INF, -1.0, 0.0, 0.5, 2.0]), min_size=1, max_size=9).filter(
        lambda logits: max(logits) > -INF
    ),
    st.integers(0, 2**64 - 1),
)
def test_the_ranking_is_what_draw_takes_one_after_the_other(
    sampling: Sampling, logits: list[float], seed: int
) -> None:
    """Its first is the draw; after the kept ones, their order is that of draws from all that is left."""
    values, ids = row(*logits), np.arange(len(logits), dtype=np.int64)[::-1] * 7
    order = ranked(values, sampling, seed, 5, ids)
    assert ids[order[0]] == draw(values, sampling, seed, 5, ids)
    assert sorted(order) == [i for i, logit in enumerate(logits) if logit > -INF]
    uncut = Sampling(sampling.temperature)
    left = ranked(values, uncut, seed, 5, ids).tolist()
    for index in ranked(values, uncut, seed, 5, ids):
        assert ids[index] == draw(values[left], uncut, seed, 5, ids[left])
        left.remove(int(index))


@pytest.mark.parametrize("allowed", [(0, 1, 2, 3), (1, 3), (2,), (0, 2, 3)])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
def test_the_first_allowed_is_a_draw_from_the_renormalised_rest(
    allowed: tuple[int, ...], temperature: float
) -> None:
    """For every seed it is the very token that a draw from the masked row gives; and that one's law is p renormalised.

    The second half holds by enumeration: p restricted and normalised again is the masked row's distribution.
    """
    logits, ids = logs(0.4, 0.3, 0.2, 0.1), np.arange(4, dtype=np.int64)
    sampling = Sampling(temperature)
    masked = np.where(np.isin(ids, allowed), logits, np.float32(-INF))
    p = target_probs(logits, sampling)
    restricted = np.where(np.isin(ids, allowed), p, 0.0)
    assert target_probs(masked, sampling) == pytest.approx(restricted / restricted.sum(), abs=1e-7)
    for seed in range(500):
        order = ranked(logits, sampling, seed, 3, ids)
        first = next(int(ids[index]) for index in order if ids[index] in allowed)
        assert first == draw(masked, sampling, seed, 3)
