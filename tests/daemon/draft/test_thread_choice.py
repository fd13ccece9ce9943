"""The number of threads follows the machine: what is fastest now is chosen, and a trial costs little."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from daemon.draft.thread_choice import FIRST_REST_S, LONGEST_REST_S, STEADY_TOKENS, TRIAL_TOKENS, ThreadChoice

QUIET = {1: 0.024, 2: 0.017}
BUSY = {1: 0.036, 2: 0.9}


class Machine:
    """Decodes tokens one after the other, in the times that its `load` gives each number of threads."""

    def __init__(self, choice: ThreadChoice, load: dict[int, float]) -> None:
        self.choice, self.load = choice, load
        self.now = 0.0
        self.counts: list[int] = []

    def decode(self, tokens: int) -> None:
        for _ in range(tokens):
            count = self.choice.count
            self.counts.append(count)
            self.now += self.load[count]
            self.choice.took(self.load[count], self.now)

    def decode_until(self, wanted: Callable[[], bool], most: int = 20_000) -> float:
        """Seconds it took; fails after so many tokens."""
        began = self.now
        for _ in range(most):
            if wanted():
                return self.now - began
            self.decode(1)
        raise AssertionError("it never came to be")


@pytest.mark.parametrize(
    ("measured", "count"),
    [(QUIET, 2), (BUSY, 1), ({1: None, 2: None, 4: None}, 4), ({1: 0.02, 2: None}, 1), ({3: None}, 3)],
    ids=["the fastest", "the fastest beside other work", "nothing measured", "of those measured", "only one"],
)
def test_what_it_begins_with(measured: dict[int, float | None], count: int) -> None:
    choice = ThreadChoice(measured)
    assert choice.count == choice.chosen == count


@pytest.mark.parametrize("numbers", [{}, {0: 0.1}, {-1: None, 2: 0.1}])
def test_numbers_of_threads_are_from_one_on(numbers: dict[int, float | None]) -> None:
    with pytest.raises(ValueError, match="from 1 on"):
        ThreadChoice(numbers)


def test_ux_49_it_leaves_the_threads_that_collapse_under_load() -> None:
    """The load comes: two threads take 50 times as long; within seconds one thread decodes."""
    machine = Machine(ThreadChoice(dict(QUIET)), QUIET)
    machine.decode(200)
    machine.load = BUSY
    seconds = machine.decode_until(lambda: machine.choice.chosen == 1)
    assert seconds < (STEADY_TOKENS + 1) * BUSY[2] + TRIAL_TOKENS * BUSY[1] + FIRST_REST_S


def test_it_recovers_by_itself_when_the_load_is_gone() -> None:
    """It is known by the one thread's own time, which falls by a third."""
    machine = Machine(ThreadChoice(dict(BUSY)), BUSY)
    machine.decode(2000)
    assert machine.choice.chosen == 1
    machine.load = {1: 0.020, 2: 0.012}
    assert machine.decode_until(lambda: machine.choice.chosen == 2) <= LONGEST_REST_S + 1


def test_it_recovers_even_if_the_time_in_force_says_nothing_of_it() -> None:
    machine = Machine(ThreadChoice({1: 0.024, 2: 0.9}), {1: 0.024, 2: 0.9})
    machine.decode(2000)
    machine.load = {1: 0.024, 2: 0.012}
    assert machine.decode_until(lambda: machine.choice.chosen == 2) <= 2 * LONGEST_REST_S + 1


def test_trials_beside_a_load_that_stays_grow_rare() -> None:
    """Ten minutes of decoding beside other work: the tokens of two threads are few, each trial has two of them."""
    machine = Machine(ThreadChoice(dict(QUIET)), BUSY)
    while machine.now < 600:
        machine.decode(1)
    late = machine.counts[len(machine.counts) // 2 :]
    assert 0 < late.count(2) <= 12
    assert late.count(2) % 2 == 0


def test_a_small_gain_changes_nothing() -> None:
    load = {1: 0.020, 2: 0.019}
    machine = Machine(ThreadChoice({1: 0.01, 2: 0.02}), load)
    machine.decode(2000)
    assert machine.choice.chosen == 1
    assert machine.choice.token_s == pytest.approx(load)


def test_a_machine_of_one_core_tries_nothing() -> None:
    machine = Machine(ThreadChoice({1: 0.01}), {1: 0.05})
    machine.decode(3000)
    assert set(machine.counts) == {1}


def test_what_was_never_measured_is_tried_soon() -> None:
    machine = Machine(ThreadChoice({1: None, 2: None, 4: None}), {1: 0.02, 2: 0.012, 4: 0.03})
    assert machine.decode_until(lambda: machine.choice.chosen == 2) < FIRST_REST_S + 1
