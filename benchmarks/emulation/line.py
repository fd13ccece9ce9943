"""One direction of a network, as arithmetic: bytes that go in at this moment come out at that one.

Half of the round trip, jitter, the time that bytes take on a line of limited bandwidth, and what loss looks like to
whoever reads a TCP stream: nothing, for as long as the retransmission takes, and then everything that had to wait
behind the lost segment. Order is never lost. Pure, and the same for the same seed; the bytes and the clock are
`network.py`'s.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

SEGMENT_BYTES = 1448
"""What a TCP segment carries over Ethernet."""
MOST_TRIES = 6
"""A segment lost so often comes through: the stall is then over ten seconds, and no test waits longer."""


@dataclass(frozen=True, slots=True)
class Network:
    """What lies between two ends. All zero: nothing but the loopback that carries it. Raises ValueError."""

    round_trip_ms: float = 0.0
    jitter_ms: float = 0.0
    """A crossing takes up to this much longer than half a round trip, evenly drawn; never shorter."""
    loss: float = 0.0
    """The chance that a segment is lost, each time that it is sent."""
    retransmit_ms: float = 200.0
    """A lost segment is sent again after the round trip and this; Linux waits no less (RFC 6298 says a second).

    The quicker ways of noticing a loss (duplicate ACKs, tail loss probes) are not emulated.
    """
    bytes_per_s: float = 0.0
    """Each direction's own; 0: as many as the loopback carries."""

    def __post_init__(self) -> None:
        times = (self.round_trip_ms, self.jitter_ms, self.retransmit_ms, self.bytes_per_s)
        if any(not 0 <= value < math.inf for value in times):
            raise ValueError("a network's times and bandwidth are 0 or more")
        if not 0 <= self.loss < 1:
            raise ValueError(f"loss {self.loss} is no chance: give 0 or more, and less than 1")

    def __str__(self) -> str:
        parts = [f"round trip {self.round_trip_ms:g} ms"]
        parts += [f"jitter up to {self.jitter_ms:g} ms each way"] * bool(self.jitter_ms)
        parts += [f"loss {self.loss:.2%}"] * bool(self.loss)
        parts += [f"{self.bytes_per_s:g} bytes/s"] * bool(self.bytes_per_s)
        return ", ".join(parts)


class Line:
    """One direction of one connection. `seed` may be any text."""

    def __init__(self, network: Network, seed: str) -> None:
        self._network = network
        self._chance = random.Random(seed)
        self._free_s = 0.0
        """When the line has sent all that was given to it."""
        self._last_s = 0.0

    def arrival_s(self, sent_s: float, n_bytes: int) -> float:
        """When the last of `n_bytes` given to the line at `sent_s` comes out; never before what was given earlier.

        `sent_s` may not go back from call to call.
        """
        network = self._network
        on_line_s = n_bytes / network.bytes_per_s if network.bytes_per_s else 0.0
        self._free_s = max(self._free_s, sent_s) + on_line_s
        jitter_ms = self._chance.uniform(0, network.jitter_ms)
        crossing_ms = network.round_trip_ms / 2 + jitter_ms + self._stall_ms(n_bytes)
        self._last_s = max(self._last_s, self._free_s + crossing_ms / 1000)
        return self._last_s

    def _stall_ms(self, n_bytes: int) -> float:
        """How long the segment that is lost most often keeps the reader waiting; each timeout is twice the last."""
        if not self._network.loss:
            return 0.0
        segments = max(1, math.ceil(n_bytes / SEGMENT_BYTES))
        losses = max(self._losses() for _ in range(segments))
        return ((1 << losses) - 1) * (self._network.retransmit_ms + self._network.round_trip_ms)

    def _losses(self) -> int:
        """How often one segment is lost before it comes through."""
        count = 0
        while count < MOST_TRIES and self._chance.random() < self._network.loss:
            count += 1
        return count
