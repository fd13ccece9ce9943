"""Continuations seen before: the longest match wins, the latest of equals; after any edit, as from scratch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.ngram import NOTHING, NgramDraft, Proposal


@pytest.mark.parametrize(
    ("ids", "count", "expected"),
    [
        ([], 3, NOTHING),
        ([1], 3, NOTHING),
        ([1, 2], 3, NOTHING),
        ([1, 2, 3, 1, 2], 1, Proposal((3,), 2)),
        ([1, 2, 3, 1, 2], 9, Proposal((3, 1, 2), 2)),
        ([1, 2, 3, 1, 2], 0, NOTHING),
        ([1, 2, 3, 8, 1, 2, 4, 9, 1, 2], 1, Proposal((4,), 2)),  # the latest of equals
        ([7, 1, 2, 3, 9, 1, 2, 4, 7, 1, 2], 1, Proposal((3,), 3)),  # the longest
        ([5, 5, 5, 5], 2, Proposal((5,), 3)),  # a run of one token goes on, as far as was seen
        ([2, 3, 1, 2], 1, NOTHING),  # one token is not enough
    ],
)
def test_what_followed_last_time_is_proposed(ids: list[int], count: int, expected: Proposal) -> None:
    assert NgramDraft(shortest=2, longest=8).propose(ids, count) == expected


def test_no_more_than_the_longest_match_is_compared() -> None:
    ids = [0, 1, 2, 3, 4, 8, 9, 1, 2, 3, 4, 9, 0, 1, 2, 3, 4]
    assert NgramDraft(shortest=2, longest=3).propose(ids, 1) == Proposal((9,), 3)
    assert NgramDraft(shortest=2, longest=8).propose(ids, 1) == Proposal((8,), 5)


def test_only_the_latest_places_are_compared() -> None:
    ids = [0, 1, 2, 8, 1, 2, 9, 0, 1, 2]
    assert NgramDraft(shortest=2, longest=8, looked_at=1).propose(ids, 1) == Proposal((9,), 2)
    assert NgramDraft(shortest=2, longest=8, looked_at=2).propose(ids, 1) == Proposal((8,), 3)


@pytest.mark.parametrize(("shortest", "longest"), [(0, 4), (5, 4), (-1, -1)])
def test_matches_are_of_one_token_or_more(shortest: int, longest: int) -> None:
    with pytest.raises(ValueError, match="from one on"):
        NgramDraft(shortest=shortest, longest=longest)


def naive(ids: list[int], count: int, shortest: int, longest: int) -> Proposal:
    """By the definition, looking everywhere."""
    best = NOTHING
    for end in range(shortest, len(ids)):
        length = 0
        while length < min(longest, end) and ids[end - 1 - length] == ids[len(ids) - 1 - length]:
            length += 1
        if length >= shortest and length >= best.matched:
            best = Proposal(tuple(ids[end : end + count]), length)
    return best


@given(st.lists(st.lists(st.integers(0, 3), max_size=30), max_size=8), st.integers(1, 3), st.integers(0, 4))
def test_whatever_came_before_the_answer_is_that_of_the_definition(
    texts: list[list[int]], shortest: int, more: int
) -> None:
    draft = NgramDraft(shortest=shortest, longest=shortest + more, looked_at=1000)
    for ids in texts:
        assert draft.propose(ids, 3) == naive(ids, 3, shortest, shortest + more)
