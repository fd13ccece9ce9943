"""The circuit opens on misses in a row and closes on a hit, its hold doubles; back-off is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.target.circuit import Backoff, Circuit


def test_it_opens_on_misses_in_a_row_only() -> None:
    """A hit in between starts the count anew."""
    circuit = Circuit(misses_to_open=3).miss(0).miss(1).hit().miss(2).miss(3)
    assert circuit.allows(3)
    circuit = circuit.miss(4)
    assert (circuit.misses, circuit.open_until) == (3, 6.0)
    assert not circuit.allows(5.9)
    assert circuit.allows(6.0)


def test_the_hold_doubles_with_each_failed_probe() -> None:
    """Up to the longest."""
    circuit = Circuit(misses_to_open=1, first_hold_s=2, longest_hold_s=7)
    holds, now = [], 0.0
    for _ in range(4):
        circuit = circuit.miss(now)
        assert circuit.open_until is not None
        holds.append(circuit.open_until - now)
        now = circuit.open_until
    assert holds == [2, 4, 7, 7]
    assert circuit.hit() == Circuit(misses_to_open=1, first_hold_s=2, longest_hold_s=7)


def test_late_misses_of_other_rounds_do_not_lengthen_the_hold() -> None:
    """Rounds that were under way as it opened tell nothing new."""
    circuit = Circuit(misses_to_open=1).miss(0)
    assert circuit.miss(0.1).miss(1.9) == circuit


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 50)), max_size=40))
def test_it_is_never_shut_for_longer_than_the_longest_hold(steps: list[tuple[bool, float]]) -> None:
    """Whatever happens, a probe is allowed in time; a hit closes it at once."""
    circuit, now = Circuit(), 0.0
    for is_hit, wait in steps:
        now += wait
        circuit = circuit.hit() if is_hit else circuit.miss(now)
        assert circuit.allows(now + circuit.longest_hold_s)
        assert not is_hit or circuit.allows(now)


@pytest.mark.parametrize(
    ("failures", "jitter", "delay_s"),
    [
        (0, 0.9, 0.0),
        (1, 0.0, 0.125),
        (1, 0.5, 0.1875),
        (2, 0.0, 0.25),
        (5, 0.0, 2.0),
        (9, 0.0, 7.5),
        (9999, 0.0, 7.5),
    ],
)
def test_back_off(failures: int, jitter: float, delay_s: float) -> None:
    """None before the first failure, then doubling and bounded; the jitter takes off half at most."""
    backoff = Backoff()
    assert Backoff(failures=failures).delay_s(jitter) == delay_s
    assert backoff.failed().failed() == Backoff(failures=2)
