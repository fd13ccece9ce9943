"""Gamma: what is likely to be reached goes out at once; what is hardly ever reached waits for a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.target.acceptance_estimate import AcceptanceEstimate
from daemon.target.gamma import LEAST_REACHED, SHORTEST_BLOCK, draft_wait_ms, frame_tokens, tokens_to_send


@pytest.mark.parametrize(
    ("reached", "sent", "count"),
    [
        ([], 0, 0),
        ([0.9], 0, 1),
        ([0.9, 0.8, 0.7], 0, 3),
        ([0.9, 0.8, 0.7], 2, 1),
        ([0.9, 0.8, 0.7], 3, 0),
        ([0.9, 0.8, 0.01], 0, 2),
        ([0.9, 0.8, LEAST_REACHED], 0, 3),
        ([0.01], 0, 1),
        ([0.01, 0.005], 1, 1),
        ([0.01, 0.005, 0.005], 0, 2),
        ([0.01, 0.005, 0.005], 2, 0),
        ([0.9, 0.01], 2, 0),
    ],
)
def test_what_goes_out(reached: list[float], sent: int, count: int) -> None:
    assert tokens_to_send(reached, sent) == count


@pytest.mark.parametrize("entropy", [0.81, 1.0, 2.0, 5.0])
def test_where_nothing_is_known_uncertain_tokens_shrink_the_block_to_two(entropy: float) -> None:
    """The rule of thumb: above 0.8 nats there are 2 tokens in flight, however many were drafted."""
    assert tokens_to_send(AcceptanceEstimate().survival([entropy] * 16), 0) == SHORTEST_BLOCK == 2


@pytest.mark.parametrize(("entropy", "least"), [(0.1, 6), (0.02, 12), (0.0, 64)])
def test_predictable_text_stretches_the_block_to_six_and_beyond(entropy: float, least: int) -> None:
    assert tokens_to_send(AcceptanceEstimate().survival([entropy] * 64), 0) >= least


def test_a_target_that_agrees_where_the_draft_is_unsure_stretches_it_too() -> None:
    """What the verdicts say outweighs the rule of thumb."""
    estimate = AcceptanceEstimate()
    for _ in range(60):
        estimate.observe(1.5, accepted=True)
    assert tokens_to_send(estimate.survival([1.5] * 64), 0) >= 12


@given(st.lists(st.floats(0, 4), max_size=20))
def test_asked_after_each_token_it_never_takes_one_back(entropies: list[float]) -> None:
    """What was sent stays within what would be sent, and two are sent whatever they are."""
    reached = AcceptanceEstimate().survival(entropies)
    sent = 0
    for n in range(1, len(reached) + 1):
        sent += tokens_to_send(reached[:n], sent)
        assert min(n, SHORTEST_BLOCK) <= sent <= n
    assert sent == tokens_to_send(reached, 0)


@pytest.mark.parametrize(
    ("shares_machine", "token_s", "wait_ms", "frame"),
    [(False, 0.005, 0, 1), (True, 0.0075, 60, 4), (True, 1.0, 1000, 4), (True, 0.0, 0, 4)],
)
def test_only_on_the_same_machine_tokens_go_out_together_and_are_waited_for(
    shares_machine: bool, token_s: float, wait_ms: int, frame: int
) -> None:
    assert draft_wait_ms(token_s, shares_machine=shares_machine) == wait_ms
    assert frame_tokens(shares_machine=shares_machine) == frame


@pytest.mark.parametrize(
    ("reached", "sent", "ended", "count"),
    [
        ([0.9] * 3, 0, False, 0),
        ([0.9] * 3, 0, True, 3),
        ([0.9] * 4, 0, False, 4),
        ([0.9] * 7, 4, False, 0),
        ([0.9] * 8, 4, False, 4),
        ([0.9] * 7, 4, True, 3),
        ([0.9, 0.9, 0.01], 0, False, 2),
        ([0.01], 0, False, 0),
        ([0.01] * 3, 0, False, 2),
    ],
)
def test_a_frame_waits_to_be_full_only_where_more_is_to_come(
    reached: list[float], sent: int, ended: bool, count: int
) -> None:
    assert tokens_to_send(reached, sent, frame=4, ended=ended) == count
