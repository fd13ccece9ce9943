"""How likely the target accepts a draft token, learnt from what it said of earlier ones. Pure.

What is known of a token before it is drawn is the entropy H of the draft distribution. AdaEDL (Agrawal et al. 2024)
bounds the acceptance from below by 1 - sqrt(c H); how far above it lies depends on the pair of models, and on the
language: a draft that is its target made smaller is mostly right where it is unsure. So the bound is only where an
estimate begins.

An estimate keeps, for each of a few ranges of entropy, how many tokens were accepted of how many, older ones weighing
less and less, beside some made-up ones that say what the prior says. That acceptance falls with entropy is enforced
by pooling ranges that contradict it (pool adjacent violators).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from daemon.target.fading_share import FadingShare

RANGES_NATS: Final = (0.0, 0.02, 0.1, 0.25, 0.5, 0.8, 1.2, 1.7, 2.3, 3.0)
"""Upper ends of the ranges of entropy; the last one has none. The first holds 0 alone: what was not drawn from a
distribution but taken from a text, which is right or wrong by rules of its own."""
ADAEDL_C: Final = 0.55
"""The paper has about 0.2. With this, before anything was verified, of tokens above 0.8 nats only two at a time are
sent (`gamma.py`): what a user may rely on until verdicts say better."""
PRIOR_TOKENS: Final = 4.0
"""Made-up tokens in each range: what is seen of so many weighs as much as the prior."""
MEMORY_TOKENS: Final = 150.0
"""Of a range: a token that came so many tokens ago weighs 1/e."""
_SUREST: Final = 0.99
_LEAST_SURE: Final = 0.05


def adaedl_bound(entropy: float) -> float:
    """The acceptance to expect at this entropy (nats) before anything was verified, in (0, 1)."""
    return min(_SUREST, max(_LEAST_SURE, 1 - math.sqrt(ADAEDL_C * entropy)))


_MIDDLES: Final = (0.0, *((low + high) / 2 for low, high in pairwise(RANGES_NATS)), 3.5)
"""An entropy for each range."""
ADAEDL_PRIOR: Final = tuple(adaedl_bound(entropy) for entropy in _MIDDLES)


@dataclass(slots=True)
class AcceptanceEstimate:
    """The acceptance of draft tokens by their entropy; `prior` says what it is before any was seen, in each range."""

    prior: Sequence[float] = ADAEDL_PRIOR
    _ranges: list[FadingShare] = field(
        default_factory=lambda: [FadingShare(1 - 1 / MEMORY_TOKENS) for _ in range(len(RANGES_NATS) + 1)]
    )
    """Of the tokens at each range of entropies, those that were accepted."""
    _rates: list[float] | None = None
    """What `rates` gave since the last observation."""

    def rate(self, entropy: float) -> float:
        """The estimated probability that a token drawn at `entropy` (nats) is accepted, in (0, 1).

        Above 0 it never rises with entropy.
        """
        return self.rates()[bisect_left(RANGES_NATS, entropy)]

    def survival(self, entropies: Iterable[float]) -> list[float]:
        """For each token of a chain: the probability that it and all before it are accepted."""
        rates = self.rates()
        reached = 1.0
        chain: list[float] = []
        for entropy in entropies:
            reached *= rates[bisect_left(RANGES_NATS, entropy)]
            chain.append(reached)
        return chain

    def observe(self, entropy: float, *, accepted: bool) -> None:
        """One token, drawn at `entropy`, was accepted or rejected."""
        self._ranges[bisect_left(RANGES_NATS, entropy)].add(was_so=accepted)
        self._rates = None

    def rates(self) -> list[float]:
        """The estimate in each range: of what was not drawn, then falling."""
        if self._rates is None:
            weights = [seen.occasions + PRIOR_TOKENS for seen in self._ranges]
            accepted = [
                seen.were_so + PRIOR_TOKENS * rate
                for seen, rate in zip(self._ranges, self.prior, strict=True)
            ]
            means = [part / weight for part, weight in zip(accepted, weights, strict=True)]
            self._rates = [means[0], *falling(means[1:], weights[1:])]
        return self._rates


def falling(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The falling sequence nearest to `values` by weighted squares: neighbours that rise are pooled to their mean."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] < pool[0]:
            mean, mass, count = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    return [value for value, _, count in pools for _ in range(count)]
