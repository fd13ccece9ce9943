"""What doctor says of the threads: which number, how fast each was, when that was measured, how they wait."""

from __future__ import annotations

import pytest

from daemon.draft.calibration import Calibration, Threads
from draftwire.doctor.threads import threads_finding

DAY_S = 86_400
MEASURED = 1_700_000_000


WAITING = "they look 2000 times for work, then sleep"


def threads(*counts: int, calibration: Calibration | None = None) -> Threads:
    return Threads(counts, calibration, WAITING)


@pytest.mark.parametrize(
    ("days", "age"), [(0.5, "today"), (1.5, "yesterday"), (20, "20 days ago"), (-1, "today")]
)
def test_ux_49_what_was_measured(days: float, age: str) -> None:
    calibration = Calibration({1: 24.0, 2: 17.25}, 6, MEASURED)
    found = threads_finding(threads(1, 2, calibration=calibration), MEASURED + days * DAY_S, is_set=False)
    assert found.level == "ok"
    assert found.text == (
        f"2 at the start (a token: 1 thread 24 ms, 2 threads 17.25 ms; measured {age}); "
        "they look 2000 times for work, then sleep"
    )


def test_what_was_slow_with_every_number_is_a_warning() -> None:
    slow = Calibration({1: 110.0, 2: 263.0}, 6, MEASURED)
    found = threads_finding(threads(1, 2, calibration=slow), MEASURED, is_set=False)
    assert (found.level, bool(found.fix)) == ("warning", True)


def test_a_machine_that_was_never_quiet() -> None:
    found = threads_finding(threads(1, 2), MEASURED, is_set=False)
    assert (found.level, "run this again" in found.fix) == ("warning", True)


def test_where_there_is_nothing_to_measure() -> None:
    assert threads_finding(threads(3), MEASURED, is_set=True).text.startswith("3, as draft.threads says")
    assert threads_finding(threads(1), MEASURED, is_set=False).text == "1, for the one core that may be used"
