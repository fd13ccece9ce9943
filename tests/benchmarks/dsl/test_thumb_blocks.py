"""Blocks by the rule of thumb."""

import pytest

from benchmarks.dsl.thumb_blocks import block_length

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
    """Above 0.8 nats it shrinks to 2 tokens; predictable code stretches it to 8."""
    assert block_length(entropies) == (length, finished)
