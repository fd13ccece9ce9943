"""A token bucket: how many messages a connection may send. The time is an argument."""

from __future__ import annotations


class TokenBucket:
    """`rate_per_s` on average, `burst` at once."""

    def __init__(self, rate_per_s: float, burst: float, now_s: float) -> None:
        self._rate, self._burst = rate_per_s, burst
        self._level, self._at = burst, now_s

    def take(self, now_s: float) -> float:
        """Take one. 0 if there was one, else the seconds until there is."""
        self._level = min(self._burst, self._level + (now_s - self._at) * self._rate)
        self._at = now_s
        if self._level < 1:
            return (1 - self._level) / self._rate
        self._level -= 1
        return 0.0
