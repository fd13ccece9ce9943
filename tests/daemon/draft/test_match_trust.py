"""Which matches are followed: as measured at first, then as the target of here proves."""

from __future__ import annotations

import pytest

from daemon.draft.match_trust import SHORTEST, MatchTrust


@pytest.mark.parametrize(
    ("matched", "follows"), [(SHORTEST, False), (11, False), (12, True), (47, True), (48, True), (4000, True)]
)
def test_at_first(matched: int, follows: bool) -> None:
    assert MatchTrust().follows(matched) is follows


def test_where_the_target_agrees_with_the_model_the_model_is_asked() -> None:
    """A target that is no better than the draft: short matches are left alone, in some tens of tokens."""
    trust = MatchTrust()
    for number in range(40):
        trust.judged(13, match=number % 2 == 0, model=True)
    assert not trust.follows(13)
    assert trust.follows(24), "others are judged by themselves"


def test_where_it_agrees_with_the_texts_they_are_followed() -> None:
    trust = MatchTrust()
    for _ in range(40):
        trust.judged(SHORTEST, match=True, model=False)
    assert trust.follows(SHORTEST)


def test_it_notices_that_matches_have_become_bad_though_the_model_is_not_asked() -> None:
    trust = MatchTrust()
    for _ in range(200):
        trust.judged(24, match=True, model=None)
    count = 0
    while trust.follows(24) and count < 200:
        trust.judged(24, match=False, model=None)
        count += 1
    assert 10 < count < 60


def test_it_comes_back_when_they_are_good_again() -> None:
    trust = MatchTrust()
    for _ in range(100):
        trust.judged(24, match=False, model=True)
    assert not trust.follows(24)
    count = 0
    while not trust.follows(24) and count < 400:
        trust.judged(24, match=True, model=count % 2 == 0)
        count += 1
    assert count < 120
