"""Blocks with a branch at their most uncertain token."""

from __future__ import annotations

import pytest

from benchmarks.rounds.recording import Draw, Passage
from benchmarks.rounds.rounds import Rounds, Setting
from benchmarks.rounds.rules import FixedBlocks
from benchmarks.rounds.trees import TreeBlocks, TreeRounds, tree_rate

RIGHT = Draw(0.1, 0.9, 0)
SECOND = Draw(1.5, 0.4, 1, [1.0])
NEITHER = Draw(1.5, 0.4, -1, [1.0])
SETTING = Setting(5, 20, 30)


def rounds_of(middle: Draw, tree: TreeBlocks) -> TreeRounds:
    rounds = TreeRounds(Passage("c", [RIGHT, middle, *[RIGHT] * 6]), tree, SETTING)
    rounds.run()
    return rounds


def test_a_branch_that_is_right_saves_a_round() -> None:
    """Block: right, wrong | second best and two more, then the target's own: 5 of 8 at once."""
    tree = TreeBlocks(2, 2, paid=False)
    assert (rounds_of(SECOND, tree).rounds, rounds_of(NEITHER, tree).rounds) == (2, 3)


def test_a_branch_that_is_paid_for_delays_the_block() -> None:
    free, paid = (rounds_of(SECOND, TreeBlocks(2, 2, paid=paid)).now for paid in (False, True))
    assert paid > free


@pytest.mark.parametrize("gamma", [1, 2, 5])
def test_where_the_draft_is_right_a_tree_verifies_what_a_chain_does(gamma: int) -> None:
    passage = Passage("c", [RIGHT] * 12)
    chain = Rounds(passage, FixedBlocks(gamma, patient=True), SETTING)
    assert tree_rate([passage], TreeBlocks(gamma, 3, paid=False), SETTING) == pytest.approx(
        1000 * 12 / chain.run(), rel=0.3
    )
