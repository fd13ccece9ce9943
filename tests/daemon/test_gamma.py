"""Gamma: uncertain tokens end a block, predictable ones lengthen it, and full frames go out early."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.gamma import FRAME_TOKENS, LONGEST_BLOCK, SHORTEST_BLOCK, block_length, tokens_to_send

SURE, UNSURE = 0.1, 0.9


@pytest.mark.parametrize(
    ("entropies", "length", "finished"),
    [
        ([], 0, False),
        ([SURE], 1, False),
        ([UNSURE], 1, False),
        ([SURE, SURE], 2, False),
        ([UNSURE, SURE], 2, True),
        ([SURE, UNSURE], 2, True),
        ([SURE, SURE, UNSURE, SURE], 3, True),
        ([0.8] * 7, 7, False),
        ([SURE] * 8, 8, True),
        ([SURE] * 20, 8, True),
    ],
)
def test_where_a_block_ends(entropies: list[float], length: int, finished: bool) -> None:
    """Above 0.8 nats it shrinks to 2 tokens; predictable code stretches it to 6 and beyond."""
    assert block_length(entropies) == (length, finished)


@pytest.mark.parametrize(
    ("entropies", "sent", "ended", "count"),
    [
        ([], 0, True, 0),
        ([SURE] * 3, 0, False, 0),
        ([SURE] * 3, 0, True, 3),
        ([SURE] * 4, 0, False, 4),
        ([SURE] * 7, 4, False, 0),
        ([SURE] * 7, 4, True, 3),
        ([SURE] * 8, 4, False, 4),
        ([SURE] * 12, 8, False, 0),
        ([SURE] * 12, 8, True, 0),
        ([SURE, UNSURE], 0, False, 2),
        ([UNSURE, SURE, SURE, SURE], 2, False, 0),
        ([SURE], 2, True, 0),
    ],
)
def test_what_goes_out(entropies: list[float], sent: int, ended: bool, count: int) -> None:
    """A finished block, a full frame, or all there is at the end; what comes after a block waits."""
    assert tokens_to_send(entropies, sent, drafting_ended=ended) == count


@given(st.lists(st.floats(0, 4), max_size=20))
def test_the_first_block_is_sent_whole_however_it_grows(entropies: list[float]) -> None:
    """Asked after each token, the frames add up to the block, which is never taken back."""
    sent = 0
    for n in range(1, len(entropies) + 1):
        length, finished = block_length(entropies[:n])
        assert sent <= length <= LONGEST_BLOCK
        count = tokens_to_send(entropies[:n], sent, drafting_ended=False)
        assert count in (0, *range(1, FRAME_TOKENS + 1))
        sent += count
        assert not finished or (sent == length and length >= SHORTEST_BLOCK)
    assert sent + tokens_to_send(entropies, sent, drafting_ended=True) == block_length(entropies)[0]
