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
SHARED_FRAME_TOKENS: Final = 4


def tokens_to_send(reached: Sequence[float], sent: int, *, frame: int = 1, ended: bool = False) -> int:
    """How many tokens of the tail go out now beyond the `sent` ones.

    reached: for each token of the tail, the probability that it and all before it are accepted; falling. As long as
    more may come (the draft has not `ended`, and all so far are likely enough) fewer than `frame` wait for it.
    """
    likely = sum(1 for _ in takewhile(lambda chance: chance >= LEAST_REACHED, reached))
    wanted = max(likely, min(SHORTEST_BLOCK, len(reached)))
    due = max(0, wanted - sent)
    more_may_come = wanted == len(reached) and not ended
    return 0 if more_may_come and due < frame else due


def frame_tokens(*, shares_machine: bool) -> int:
    """How many tokens go out together, if more are to come.

    One, but where draft and target share a machine: there each step of the target takes its time from the draft.
    """
    return SHARED_FRAME_TOKENS if shares_machine else 1


def draft_wait_ms(token_s: float, *, shares_machine: bool) -> int:
    """How long the target should wait for a draft after a verdict before it decodes by itself; 0 s a token: no drafts.

    Not at all: it has said a token of its own by the time a draft gets there. But where draft and target share a
    machine two frames' time, since a step of its own would delay the draft.
    """
    return min(1000, round(2000 * SHARED_FRAME_TOKENS * token_s)) if shares_machine else 0
