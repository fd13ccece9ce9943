"""Draft trees: which path a round follows, depths, ancestors, attention."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.acceptance import match_chain
from speculation.tree import TreeOutcome, ancestors, attention_mask, chain_parents, depths, match_tree

#        base
#       5    6
#     7  8   7
#     9
IDS = [5, 6, 7, 8, 7, 9]
PARENTS = [-1, -1, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("drawn_at", "expected"),
    [
        ([1, 0, 0, 0, 0, 0, 0], TreeOutcome([], 1)),
        ([5, 1, 0, 0, 0, 0, 0], TreeOutcome([0], 1)),
        ([5, 8, 0, 0, 2, 0, 0], TreeOutcome([0, 3], 2)),
        ([5, 7, 0, 9, 0, 0, 3], TreeOutcome([0, 2, 5], 3)),
        ([6, 9, 7, 9, 0, 4, 0], TreeOutcome([1, 4], 4)),
        ([6, 7, 8, 0, 0, 0, 0], TreeOutcome([1], 8)),
        ([7, 0, 0, 0, 0, 0, 0], TreeOutcome([], 7)),
    ],
)
def test_match_tree_follows_the_draws(drawn_at: list[int], expected: TreeOutcome) -> None:
    assert match_tree(IDS, PARENTS, drawn_at) == expected


def test_of_equal_siblings_the_first_is_followed() -> None:
    assert match_tree([4, 4, 1], [-1, -1, 1], [4, 1, 1, 0]) == TreeOutcome([0], 1)


def test_an_empty_tree_emits_the_draw_at_the_base() -> None:
    assert match_tree([], [], [3]) == TreeOutcome([], 3)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (1, 2, 2), (2, 1, 3), (0, 0, 0)])
def test_lengths_must_fit(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="one more draw"):
        match_tree(*([0] * size for size in sizes))


@given(st.lists(st.integers(0, 2), max_size=6), st.lists(st.integers(0, 2), min_size=7, max_size=7))
def test_a_chain_is_a_tree(draft: list[int], drawn: list[int]) -> None:
    drawn = drawn[: len(draft) + 1]
    tree, chain = match_tree(draft, chain_parents(len(draft)), drawn), match_chain(draft, drawn)
    assert (tree.path, tree.next_id) == (list(range(chain.accepted)), chain.next_id)


def test_shape_of_a_tree() -> None:
    assert depths(PARENTS) == [0, 0, 1, 1, 1, 2]
    assert [ancestors(PARENTS, node) for node in range(6)] == [[0], [1], [0, 2], [0, 3], [1, 4], [0, 2, 5]]
    assert chain_parents(3) == [-1, 0, 1]
    assert chain_parents(0) == depths([]) == ancestors([], -1) == []


@given(st.integers(0, 12).flatmap(lambda n: st.tuples(*(st.integers(-1, i - 1) for i in range(n)))))
def test_attention_is_exactly_the_ancestors(parents: tuple[int, ...]) -> None:
    mask = attention_mask(parents)
    assert mask.shape == (len(parents), len(parents))
    for node in range(len(parents)):
        assert mask[node].nonzero()[0].tolist() == ancestors(parents, node)
        assert depths(parents)[node] == mask[node].sum() - 1
