"""Gamma: how many draft tokens go into one block for the verifier.

The rule of thumb: an uncertain token (entropy above 0.8 nats) ends the block, though not before its second token;
predictable text lets the block grow to 8. Pure. The entropies are those of the draft distribution before the
token was drawn, so that where a block ends never depends on the token drawn there.
"""

from __future__ import annotations

from collections.abc import Sequence

UNCERTAIN_NATS = 0.8
SHORTEST_BLOCK = 2
LONGEST_BLOCK = 8
FRAME_TOKENS = 4
"""A frame goes out once it holds this many tokens, though its block be unfinished."""


def block_length(entropies: Sequence[float]) -> tuple[int, bool]:
    """How many of the tokens drawn at these entropies (nats) make up the block, and whether it is finished."""
    for length in range(SHORTEST_BLOCK, min(len(entropies), LONGEST_BLOCK) + 1):
        if length == LONGEST_BLOCK or max(entropies[:length]) > UNCERTAIN_NATS:
            return length, True
    return len(entropies), False


def tokens_to_send(entropies: Sequence[float], sent: int, *, drafting_ended: bool) -> int:
    """How many tokens beyond the `sent` ones go out now: a finished block, or a full frame of an unfinished one.

    Tokens after a finished block wait for its verdict.
    """
    length, finished = block_length(entropies)
    unsent = max(0, length - sent)
    if finished or drafting_ended:
        return unsent
    return unsent if unsent >= FRAME_TOKENS else 0
