"""When drafts of a language are given up, tried again and warned of."""

import pytest

from daemon.target.draft_worth import FIRST_HOLD_S, JUDGED_TOKENS, LONGEST_HOLD_S, DraftWorth

NOW = 1000.0


def seen(worth: DraftWorth, share: float, tokens: int = JUDGED_TOKENS, now: float = NOW) -> DraftWorth:
    """So many tokens, the share of them accepted evenly spread."""
    for n in range(tokens):
        worth.observe(accepted=int((n + 1) * share) > int(n * share), now=now)
    return worth


@pytest.mark.parametrize(
    ("share", "tokens", "word", "drafts"),
    [
        (0.0, JUDGED_TOKENS - 1, "unknown", True),
        (0.29, JUDGED_TOKENS, "off", False),
        (0.3, JUDGED_TOKENS, "poor", True),
        (0.59, JUDGED_TOKENS, "poor", True),
        (0.6, JUDGED_TOKENS, "good", True),
    ],
)
def test_what_a_share_is_called(share: float, tokens: int, word: str, drafts: bool) -> None:
    worth = seen(DraftWorth(), share, tokens)
    assert (worth.worth(NOW), worth.drafts(NOW)) == (word, drafts)
    assert worth.in_words(NOW).startswith(word)


def test_the_share_is_known_once_enough_was_seen() -> None:
    assert seen(DraftWorth(), 0.5, JUDGED_TOKENS - 1).rate is None
    assert seen(DraftWorth(), 0.5).rate == pytest.approx(0.5, abs=0.01)


def test_only_the_last_tokens_count() -> None:
    worth = seen(seen(DraftWorth(), 1.0, 1000), 0.2, 150)
    assert worth.worth(NOW) == "poor"


def test_after_the_hold_drafts_are_tried_again_and_judged_anew() -> None:
    worth = seen(DraftWorth(), 0.1)
    later = NOW + FIRST_HOLD_S
    assert not worth.drafts(later - 0.001)
    assert worth.drafts(later)
    assert worth.worth(later) == "unknown"
    seen(worth, 0.9, now=later)
    assert worth.worth(later) == "good"


def test_each_trial_that_fails_doubles_the_hold_up_to_a_longest_and_success_forgets_that() -> None:
    worth, now = DraftWorth(), NOW
    holds = []
    for _ in range(7):
        seen(worth, 0.1, now=now)
        hold = next(s for s in range(int(LONGEST_HOLD_S) + 1) if worth.drafts(now + s))
        holds.append(hold)
        now += hold
    assert holds == [60, 120, 240, 480, 960, 960, 960]
    seen(worth, 0.9, now=now)
    seen(worth, 0.0, 200, now=now)
    assert not worth.drafts(now + FIRST_HOLD_S - 1)
    assert worth.drafts(now + FIRST_HOLD_S)


def test_what_comes_late_while_they_are_off_counts_for_nothing() -> None:
    worth = seen(DraftWorth(), 0.1)
    seen(worth, 1.0, 200)
    assert worth.worth(NOW) == "off"
    assert worth.worth(NOW + FIRST_HOLD_S) == "unknown"
