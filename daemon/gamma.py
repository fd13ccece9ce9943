"""Gamma: how many draft tokens are with the verifier at once, and how long it waits for more. Pure.

Tokens go out as they are drafted, one by one, while verdicts are under way: a round takes in whatever has arrived
when the one before it ends. Drafting is never waited for, so what a token costs is not the time it took to draft but
its row in the verifier's next step, and one that is not sent breaks the stream: a whole round trip passes before the
next is verified. So a token is held back only if it is hardly ever reached: what is in flight grows with predictable
text up to the credit and shrinks to 2 tokens where nothing is known but that the draft is unsure. Measured against
blocks of every fixed length, blocks by the marginal rule and trees (RESULTS.md, gamma).

`reached` is computed from entropies before the drawing and from verdicts on earlier tokens
(`acceptance_estimate.py`), so what goes out never depends on the tokens drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

LEAST_REACHED: Final = 0.02
"""A token is sent if the target gets to accept it at least this often."""
SHORTEST_BLOCK: Final = 2
"""So many are sent in any case."""
NEAR_S: Final = 0.005
"""A round trip that is shorter stays on the machine, or in the room."""


def tokens_to_send(reached: Sequence[float], sent: int) -> int:
    """How many tokens of the tail go out now beyond the `sent` ones.

    reached: for each token of the tail, the probability that it and all before it are accepted; falling.
    """
    likely = sum(1 for _ in takewhile(lambda chance: chance >= LEAST_REACHED, reached))
    return max(0, max(likely, min(SHORTEST_BLOCK, len(reached))) - sent)


def draft_wait_ms(round_trip_s: float, token_s: float) -> int:
    """How long the target should wait for a draft after a verdict before it decodes by itself; 0 s a token: no drafts.

    Not at all over a network: it has said a token of its own by the time a draft gets there. On the same machine a step
    that waits for two tokens is a step saved.
    """
    return round(1000 * (round_trip_s + 2 * token_s)) if token_s and round_trip_s < NEAR_S else 0
