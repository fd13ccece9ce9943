"""The shared randomness: a counter-based function from (seed, domain, position, token) to a uniform.

It holds no state, so both ends, every retransmit and every batch mix see the same numbers. Version 1, in
64-bit unsigned arithmetic that wraps (a signed int64 with logical shifts, i.e. shift then mask, gives the
same bits):

    G = 0x9E3779B97F4A7C15
    mix(z) = z ^= z >> 30; z *= 0xBF58476D1CE4E5B9; z ^= z >> 27; z *= 0x94D049BB133111EB; z ^= z >> 31
    absorb(state, word) = mix(state + (word + 1) * G)
    bits = absorb(absorb(absorb(absorb(0, seed), domain), position), token)
    u    = (2 * (bits >> 12) + 1) / 2**53

`mix` is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), so the tokens of one position see a SplitMix64
stream that starts at a hashed state. u is an odd multiple of 2**-53: exact in float64, never 0, never 1.

Domains keep uses apart: a number that chose a draft or a Gumbel draw never serves in a ratio test. Match
mode is keyed by the absolute position. Ratio and block mode draw per round: `position` is the round's base
position and `token` the index in the block. A round that judged several tokens leaves uniforms it has
looked at behind its own commit; keyed by the base, which only rises, they are never looked at again.

Test vectors: `speculation/prf_vectors.json`. What a position or a token is, this module does not know.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

PRF_VERSION = 1

_G = 0x9E3779B97F4A7C15
_M1 = 0xBF58476D1CE4E5B9
_M2 = 0x94D049BB133111EB
_MASK = 2**64 - 1
_ULP = 2.0**-53


class Domain(IntEnum):
    """What a uniform is for. Numbers are never reused."""

    GUMBEL = 1
    """Match mode: the target's draw (and the draft's guess at it)."""
    RATIO = 2
    """The accept tests of a ratio round."""
    BLOCK = 3
    """The accept tests of a block round."""
    RESIDUAL = 4
    """The correction or bonus token of a ratio or block round."""
    DRAFT = 5
    """The draft's own draws from q; only the daemon uses them. A position drafted again after a block round
    needs a fresh draw, since the round looked at the old one: put a draft counter in the token's place."""


def hash_bits(seed: int, domain: int, position: int, token: int) -> int:
    """The 64 bits behind `uniform`."""
    return _absorb(_state(seed, domain, position), token)


def uniform(seed: int, domain: int, position: int, token: int) -> float:
    """One uniform in (0, 1)."""
    return (2 * (hash_bits(seed, domain, position, token) >> 12) + 1) * _ULP


def hash_bits_of(seed: int, domain: int, position: int, tokens: NDArray[np.int64]) -> NDArray[np.uint64]:
    """`hash_bits` for each of `tokens`; shape [k] -> [k]."""
    z = (tokens.astype(np.uint64) + np.uint64(1)) * np.uint64(_G) + np.uint64(_state(seed, domain, position))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_M1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_M2)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def uniforms(seed: int, domain: int, position: int, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """`uniform` for each of `tokens`; shape [k] -> [k], equal to the scalar bit for bit."""
    odd = (hash_bits_of(seed, domain, position, tokens) >> np.uint64(12)) * np.uint64(2) + np.uint64(1)
    return odd.astype(np.float64) * _ULP


def gumbel(seed: int, position: int, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standard Gumbel noise -log(-log(u)) for each of `tokens`; shape [k] -> [k], between -3.61 and 36.74.

    The uniforms are exact; the two logarithms may differ in the last bit between machines.
    """
    noise: NDArray[np.float64] = -np.log(-np.log(uniforms(seed, Domain.GUMBEL, position, tokens)))
    return noise


def round_uniforms(seed: int, domain: int, base_pos: int, count: int) -> NDArray[np.float64]:
    """The accept-test uniforms of the round at `base_pos`: one per draft token, shape [count]."""
    return uniforms(seed, domain, base_pos, np.arange(count, dtype=np.int64))


def hop_seed(seed: int, hop: int) -> int:
    """The seed of one hop of a cascade: in ratio and block mode no two hops may share randomness."""
    return _absorb(_absorb(_MASK, seed), hop)


def _state(seed: int, domain: int, position: int) -> int:
    return _absorb(_absorb(_absorb(0, seed), domain), position)


def _absorb(state: int, word: int) -> int:
    z = (state + (word + 1) * _G) & _MASK
    z = ((z ^ (z >> 30)) * _M1) & _MASK
    z = ((z ^ (z >> 27)) * _M2) & _MASK
    return z ^ (z >> 31)
