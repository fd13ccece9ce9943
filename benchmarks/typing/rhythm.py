"""How long a typist takes between two keys, and how often a key is wrong: recorded distributions, sampled. Pure.

The recording: 136 million keystrokes of an online typing test (Dhakal, Feit, Kristensson, Oulasvirta, "Observations
on Typing from 136 Million Keystrokes", CHI 2018). Here are quantiles of its press times, over the 55 million presses
of 77,615 people that were left after unlikely ones had been filtered out. A key either overlaps the one before (it is
pressed before that is released), or the one before is held, let go, and there is a gap.

What was not recorded there, since people copied sentences, is assumed: `Pauses`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Final

_NORMAL: Final = NormalDist()
_LEVELS: Final = (0.001, 0.01, 0.25, 0.5, 0.75, 0.99, 0.999)
OVERLAPPED_MS: Final = (20, 31, 74, 96, 121, 466, 1528)
"""Press to press, where the keys overlap. At _LEVELS, as the two below."""
HELD_MS: Final = (16, 39, 72, 90, 112, 183, 272)
"""Press to release, where they do not."""
GAP_MS: Final = (0, 0, 33, 78, 137, 792, 1350)
"""Release to the next press."""
OVERLAPPING: Final = 0.443
"""Share of the presses that overlap another."""
WRONG: Final = 0.05
"""Share of the letters that are mistyped. With the one backspace and a half that each needs, backspaces are about the
share of all keys that was recorded: 4.9 % (2.59 of 53.3 million)."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """Thinking, in seconds; none of it was recorded."""

    cap_s: float
    """No pause is longer. Past about a second nothing moves any more that a pause could show: the suggestion is
    complete, the typist has decided. So what a cap cuts off is waiting, not load."""
    at_line: float = 0.25
    """Share of the new lines that are thought about ..."""
    line_s: tuple[float, float] = (0.4, 3.0)
    """... for how long."""
    jump_s: tuple[float, float] = (0.6, 2.0)
    """Before going on elsewhere."""
    wrong_s: tuple[float, float] = (0.15, 0.5)
    """Until a wrong key is seen."""

    def drawn(self, span_s: tuple[float, float], draw: Random) -> float:
        """A pause, short ones more often than long ones, capped."""
        shortest, longest = span_s
        return min(self.cap_s, shortest * math.exp(draw.random() * math.log(longest / shortest)))


def between_keys_s(draw: Random) -> float:
    """Seconds from one press to the next."""
    if draw.random() < OVERLAPPING:
        return quantile(OVERLAPPED_MS, draw.random()) / 1000
    return (quantile(HELD_MS, draw.random()) + quantile(GAP_MS, draw.random())) / 1000


def quantile(values_ms: tuple[int, ...], level: float) -> float:
    """The value at a level from 0 to 1: log-normal between the known ones, and none beyond them."""
    if level <= _LEVELS[0]:
        return values_ms[0]
    if level >= _LEVELS[-1]:
        return values_ms[-1]
    right = bisect_left(_LEVELS, level)
    from_score, to_score = (_NORMAL.inv_cdf(known) for known in _LEVELS[right - 1 : right + 1])
    share = (_NORMAL.inv_cdf(level) - from_score) / (to_score - from_score)
    low, high = values_ms[right - 1] + 1, values_ms[right] + 1  # a gap may be 0
    return low * math.exp(share * math.log(high / low)) - 1
