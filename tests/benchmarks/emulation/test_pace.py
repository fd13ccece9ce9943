"""A forward takes what it is meant to take, and no other thread waits for it."""

from __future__ import annotations

import threading

import pytest

from benchmarks.emulation.pace import Pace


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 5.0
        self.slept_s: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds


@pytest.mark.parametrize(
    ("work_ms", "padding_ms", "slower"), [(0, 30, 0), (12, 18, 0), (30, 0, 0), (47, 0, 1)]
)
def test_the_rest_of_the_time_is_slept_after_the_work(work_ms: float, padding_ms: float, slower: int) -> None:
    clock = Clock()
    pace = Pace(30, clock=lambda: clock.now_s, sleep=clock.sleep)
    with pace.forward():
        assert clock.slept_s == []
        clock.now_s += work_ms / 1000
    assert sum(clock.slept_s) == pytest.approx(padding_ms / 1000)
    assert (pace.forwards, pace.slower) == (1, slower)
    assert str(pace) == "at least 30 ms a forward"


def test_other_threads_work_meanwhile() -> None:
    """The wait holds no lock: another thread ends it here."""
    waits, over = threading.Event(), threading.Event()

    def sleep(seconds: float) -> None:
        waits.set()
        assert over.wait(10)

    def forward() -> None:
        with pace.forward():
            pass

    pace = Pace(1000, sleep=sleep)
    thread = threading.Thread(target=forward)
    thread.start()
    assert waits.wait(10)
    over.set()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("wrong", [-1, float("nan")])
def test_a_time_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Pace(wrong)


def test_a_forward_that_fails_is_none() -> None:
    """Its failure comes at once."""
    pace = Pace(1000)
    with pytest.raises(RuntimeError), pace.forward():
        raise RuntimeError
    assert pace.forwards == 0
