"""When to trust the link: back-off after lost connections, and a circuit that opens on repeated missed deadlines.

Pure: the clock (seconds) is a parameter.

    closed -- `misses_to_open` misses in a row --> open -- after `hold` --> half open -- a hit --> closed
                                                    ^---------------- a miss (hold doubles) --'
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Circuit:
    """Whether rounds go to the verifier. Immutable; each observation gives the next state."""

    misses_to_open: int = 3
    first_hold_s: float = 2.0
    longest_hold_s: float = 60.0
    misses: int = 0
    open_until: float | None = None
    hold_s: float = 0.0

    def allows(self, now: float) -> bool:
        """Whether a round may be sent: always when closed, as a probe when half open."""
        return self.open_until is None or now >= self.open_until

    def hit(self) -> Circuit:
        """A verdict came in time."""
        return replace(self, misses=0, open_until=None, hold_s=0.0)

    def miss(self, now: float) -> Circuit:
        """A verdict missed its deadline. While open this is of a round sent before, and tells nothing new."""
        if not self.allows(now):
            return self
        misses = self.misses + 1
        if self.open_until is None and misses < self.misses_to_open:
            return replace(self, misses=misses)
        hold = min(self.hold_s * 2 or self.first_hold_s, self.longest_hold_s)
        return replace(self, misses=misses, open_until=now + hold, hold_s=hold)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds to wait before the next try to connect: doubling, bounded, with the caller's jitter in [0, 1)."""

    first_s: float = 0.25
    longest_s: float = 15.0
    failures: int = 0

    def failed(self) -> Backoff:
        return replace(self, failures=self.failures + 1)

    def delay_s(self, jitter: float) -> float:
        """The wait after `failures` failures in a row; at least half of the nominal one."""
        if self.failures == 0:
            return 0.0
        nominal = min(self.first_s * 2.0 ** min(self.failures - 1, 30), self.longest_s)
        return nominal * (0.5 + jitter / 2)
