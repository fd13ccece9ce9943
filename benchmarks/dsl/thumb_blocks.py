"""Blocks of draft tokens by a rule of thumb: a yardstick, and a size of block for benchmarks that need one.

An uncertain token (entropy above 0.8 nats) ends the block, though not before its second token; predictable text lets
it grow to 8. The daemon sends tokens as they are drafted instead (`daemon/target/gamma.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

UNCERTAIN_NATS: Final = 0.8
SHORTEST_BLOCK: Final = 2
LONGEST_BLOCK: Final = 8


def block_length(entropies: Sequence[float]) -> tuple[int, bool]:
    """How many of the tokens drawn at these entropies (nats) make up the block, and whether it is finished."""
    for length in range(SHORTEST_BLOCK, min(len(entropies), LONGEST_BLOCK) + 1):
        if length == LONGEST_BLOCK or max(entropies[:length]) > UNCERTAIN_NATS:
            return length, True
    return len(entropies), False
