"""The shared randomness: fixed vectors, an independent reading of the algorithm, the range of values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from speculation import prf
from speculation.prf import (
    Domain,
    gumbel,
    hash_bits,
    hash_bits_of,
    hop_seed,
    round_uniforms,
    uniform,
    uniforms,
)

VECTORS = json.loads(Path(prf.__file__).with_name("prf_vectors.json").read_text())
UINT64 = st.integers(0, 2**64 - 1)
TOKENS = np.array([0, 1, 2, 49151, 2**31 - 1], dtype=np.int64)


@pytest.mark.parametrize(("seed", "domain", "position", "token", "bits", "value"), VECTORS["uniform"])
def test_uniform_vectors(seed: str, domain: int, position: int, token: int, bits: str, value: str) -> None:
    key = int(seed, 16), domain, position
    assert hash_bits(*key, token) == int(bits, 16)
    assert uniform(*key, token) == float.fromhex(value)
    assert uniforms(*key, np.array([token]))[0] == float.fromhex(value)


@pytest.mark.parametrize(("seed", "position", "token", "value"), VECTORS["gumbel"])
def test_gumbel_vectors(seed: str, position: int, token: int, value: float) -> None:
    """Logarithms may differ in the last bits between machines, so here a tolerance is due."""
    assert gumbel(int(seed, 16), position, np.array([token]))[0] == pytest.approx(value, rel=1e-14, abs=1e-14)


def test_vectors_are_of_this_version() -> None:
    assert VECTORS["prf_version"] == prf.PRF_VERSION == 1


def signed_shift(z: NDArray[np.int64], by: int) -> NDArray[np.int64]:
    return (z >> by) & np.int64((1 << (64 - by)) - 1)


def signed_absorb(state: NDArray[np.int64], word: NDArray[np.int64]) -> NDArray[np.int64]:
    """`absorb` in wrapping int64, the way a tensor library without uint64 must write it."""
    g, m1, m2 = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64).view(
        np.int64
    )
    z = state + (word + np.int64(1)) * g
    z = (z ^ signed_shift(z, 30)) * m1
    z = (z ^ signed_shift(z, 27)) * m2
    mixed: NDArray[np.int64] = z ^ signed_shift(z, 31)
    return mixed


@given(UINT64, st.sampled_from(Domain), st.integers(0, 2**32 - 1))
def test_int64_arithmetic_gives_the_same_bits(seed: int, domain: Domain, position: int) -> None:
    state = np.zeros(len(TOKENS), dtype=np.int64)
    for word in (seed, int(domain), position):
        state = signed_absorb(state, np.full(len(TOKENS), word, dtype=np.uint64).view(np.int64))
    bits = signed_absorb(state, TOKENS)
    assert (bits.view(np.uint64) == hash_bits_of(seed, domain, position, TOKENS)).all()
    floats = (2 * signed_shift(bits, 12) + 1).astype(np.float64) * 2.0**-53
    assert (floats == uniforms(seed, domain, position, TOKENS)).all()


def test_the_mixer_is_splitmix64() -> None:
    """The published first outputs of SplitMix64 from seed 1234567."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [prf._absorb(1234567, word) for word in range(4)] == expected


@given(UINT64, UINT64, UINT64, st.integers(0, 2**31 - 1))
def test_scalar_and_row_agree_and_stay_inside(seed: int, domain: int, position: int, token: int) -> None:
    row = uniforms(seed, domain, position, np.array([token]))
    assert row[0] == uniform(seed, domain, position, token)
    assert 0.0 < row[0] < 1.0


@pytest.mark.parametrize(
    ("bits", "value"), [(0, 2.0**-53), (2**64 - 1, 1 - 2.0**-53), (2**63, 0.5 + 2.0**-53)]
)
def test_no_bits_give_zero_or_one(bits: int, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extremes, in both readings, and the Gumbel noise there."""
    monkeypatch.setattr(prf, "hash_bits", lambda *_: bits)
    monkeypatch.setattr(prf, "hash_bits_of", lambda *_: np.array([bits], dtype=np.uint64))
    assert uniform(1, 1, 1, 1) == uniforms(1, 1, 1, TOKENS)[0] == value
    assert -3.61 < gumbel(1, 1, TOKENS)[0] < 36.74


def test_domains_positions_seeds_and_tokens_all_matter() -> None:
    keys = [(s, d, p, t) for s in (0, 1, 2**64 - 1) for d in Domain for p in (0, 1, 7) for t in (0, 1, 7)]
    assert len({hash_bits(*key) for key in keys}) == len(keys)


def test_uniforms_are_even() -> None:
    """100,000 tokens in 64 bins: chi-square with 63 degrees of freedom, 1 - 1e-6 quantile 131."""
    u = uniforms(11, Domain.RATIO, 3, np.arange(100_000))
    counts = np.bincount((u * 64).astype(int), minlength=64)
    expected = 100_000 / 64
    assert float(((counts - expected) ** 2 / expected).sum()) < 131


def test_round_uniforms_are_keyed_by_base_and_index() -> None:
    assert round_uniforms(5, Domain.BLOCK, 40, 3).tolist() == [
        uniform(5, Domain.BLOCK, 40, i) for i in range(3)
    ]
    assert round_uniforms(5, Domain.BLOCK, 40, 0).shape == (0,)
    both = set(round_uniforms(5, Domain.BLOCK, 40, 4)) & set(round_uniforms(5, Domain.BLOCK, 41, 4))
    assert not both


def test_hops_have_seeds_of_their_own() -> None:
    seeds = {hop_seed(seed, hop) for seed in (0, 1) for hop in (0, 1, 2)}
    assert len(seeds | {0, 1}) == 8
    assert all(0 <= seed < 2**64 for seed in seeds)
