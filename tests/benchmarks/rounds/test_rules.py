"""When each rule sends what."""

from __future__ import annotations

import pytest

from benchmarks.rounds.rounds import Setting
from benchmarks.rounds.rules import Alone, FixedBlocks, FixedStream, MarginalBlocks, Shipped, ThumbBlocks

SETTING = Setting(5, 20, 30)
SURE, UNSURE = 0.01, 2.0


@pytest.mark.parametrize(
    ("tail", "sent", "ended", "blocks", "stream", "thumb"),
    [
        ([], 0, False, 0, 0, 0),
        ([SURE] * 2, 0, False, 0, 0, 0),
        ([SURE] * 2, 0, True, 2, 2, 2),
        ([SURE, UNSURE], 0, False, 0, 0, 2),
        ([SURE] * 3, 0, False, 3, 3, 0),
        ([SURE] * 9, 0, False, 3, 9, 8),
        ([SURE] * 9, 3, False, 0, 6, 0),
        ([SURE] * 5, 3, False, 0, 0, 0),
        ([SURE] * 5, 3, True, 0, 2, 0),
    ],
)
def test_rules_that_learn_nothing(
    tail: list[float], sent: int, ended: bool, blocks: int, stream: int, thumb: int
) -> None:
    assert FixedBlocks(3, patient=False).due(tail, sent, ended=ended) == blocks
    assert FixedStream(3).due(tail, sent, ended=ended) == stream
    assert ThumbBlocks().due(tail, sent, ended=ended) == thumb
    assert Alone().due(tail, sent, ended=ended) == 0


def test_the_marginal_rule_waits_for_more_where_that_is_worth_it() -> None:
    rule = MarginalBlocks()
    rule.begin("python", SETTING)
    assert rule.due([SURE] * 6, 0, ended=False) == 0
    assert rule.due([SURE] * 6, 0, ended=True) == 6
    assert rule.due([SURE] * 6, 2, ended=False) == 0
    assert rule.due([UNSURE] * 2, 0, ended=False) > 0
    assert rule.due([], 0, ended=True) == 0


def test_the_marginal_rule_makes_longer_blocks_over_a_longer_line() -> None:
    lengths = []
    for round_trip_ms in (0, 20, 80, 300):
        rule = MarginalBlocks()
        rule.begin("python", Setting(5, round_trip_ms, 30))
        lengths.append(next(n for n in range(1, 99) if rule.due([0.2] * n, 0, ended=False)))
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]


def test_rules_learn_of_what_the_target_says_by_language() -> None:
    rule = Shipped()
    rule.begin("python", SETTING)
    before = rule.due([UNSURE] * 9, 0, ended=False)
    for _ in range(60):
        rule.heard([1], [UNSURE], [1])
    assert rule.due([UNSURE] * 9, 0, ended=False) == 9 > before
    assert rule.due([UNSURE] * 9, 4, ended=False) == 5
    for _ in range(200):
        rule.heard([1], [UNSURE], [2])
    assert rule.due([UNSURE] * 9, 0, ended=False) == 2


def test_how_long_the_target_waits() -> None:
    assert FixedBlocks(3, patient=False).wait_ms(SETTING) == 0
    assert FixedBlocks(3, patient=True).wait_ms(SETTING) == 20 + 8 * 5
    assert Shipped().wait_ms(SETTING) == 0
