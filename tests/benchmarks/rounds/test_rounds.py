"""Rounds in virtual time: what they take when everything is known."""

from __future__ import annotations

import pytest

from benchmarks.rounds.recording import Draw, Passage
from benchmarks.rounds.rounds import Rounds, Rule, Setting
from benchmarks.rounds.rules import Alone, FixedBlocks, FixedStream, MarginalBlocks, Shipped, ThumbBlocks

RIGHT = Draw(0.1, 0.9, 0)
WRONG = Draw(1.5, 0.4, 1, [1.0, 2.0])


def passage(*draws: Draw) -> Passage:
    return Passage("python", list(draws))


def took(rule: Rule, setting: Setting, *draws: Draw) -> tuple[float, int, int]:
    """Milliseconds, rounds and rows."""
    rounds = Rounds(passage(*draws), rule, setting)
    return rounds.run(), rounds.rounds, rounds.rows


def test_the_target_alone_takes_a_step_a_token_and_the_way_there_and_back() -> None:
    assert took(Alone(), Setting(5, 20, 30), *[RIGHT] * 6) == (200, 6, 6)


def test_a_block_is_verified_in_one_step() -> None:
    """The context is read in a step of its own, meanwhile the block is drafted and travels."""
    assert took(FixedBlocks(4, patient=True), Setting(5, 20, 30), *[RIGHT] * 5) == (10 + 30 + 30 + 10, 1, 5)


def test_what_is_wrong_costs_a_round_trip_and_a_new_draft() -> None:
    """Of the first block one token stands; the second is drafted when the verdict has come."""
    first = 10 + 30 + 30 + 10
    second = 4 * 5 + 10 + 30 + 10
    draws = [RIGHT, WRONG, *[RIGHT] * 5]
    assert took(FixedBlocks(4, patient=True), Setting(5, 20, 30), *draws) == (first + second, 2, 10)


def test_a_stream_that_is_right_is_as_fast_as_the_draft() -> None:
    """Rounds follow each other without a gap; each takes what has arrived."""
    duration, rounds, _ = took(FixedStream(1), Setting(10, 40, 20), *[RIGHT] * 30)
    assert duration <= 30 * 10 + 40 + 2 * 20
    assert rounds < 30


def test_blocks_that_wait_are_slower_than_a_stream() -> None:
    setting, draws = Setting(5, 40, 30), [RIGHT] * 48
    stream = took(FixedStream(1), setting, *draws)[0]
    for gamma in (2, 4, 8, 16):
        assert took(FixedBlocks(gamma, patient=False), setting, *draws)[0] > stream


@pytest.mark.parametrize(
    "rule",
    [
        Alone(),
        FixedBlocks(1, patient=False),
        FixedBlocks(16, patient=True),
        FixedStream(1),
        FixedStream(5),
        ThumbBlocks(),
        MarginalBlocks(),
        Shipped(),
    ],
    ids=lambda rule: type(rule).__name__,
)
@pytest.mark.parametrize("token_ms", [1, 5, 50])
@pytest.mark.parametrize("round_trip_ms", [0, 7, 80])
def test_every_rule_gets_every_passage_verified(rule: Rule, token_ms: float, round_trip_ms: float) -> None:
    """`run` raises if it is not."""
    for draws in ([RIGHT], [WRONG], [WRONG] * 7, [RIGHT, WRONG] * 8, [RIGHT] * 20, [WRONG, *[RIGHT] * 9]):
        duration, rounds, rows = took(rule, Setting(token_ms, round_trip_ms, 13, 0.5), *draws)
        assert 1 <= rounds <= len(draws)
        assert rows >= rounds
        assert duration >= round_trip_ms + 13


def test_a_row_may_have_its_price() -> None:
    block = FixedBlocks(4, patient=True)
    free, dear = (took(block, Setting(5, 20, 30, row_ms), *[RIGHT] * 5)[0] for row_ms in (0, 2))
    assert dear - free == 4 * 2
