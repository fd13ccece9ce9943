"""What doctor says of the threads: which number, how fast each was, when that was measured, how they wait."""

from __future__ import annotations

import pytest

from daemon.calibration import Calibration
from draftwire.doctor.threads import threads_finding, waiting

DAY_S = 86_400
MEASURED = 1_700_000_000


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setenv("GOMP_SPINCOUNT", "2000")


@pytest.mark.parametrize(
    ("days", "age"), [(0.5, "today"), (1.5, "yesterday"), (20, "20 days ago"), (-1, "today")]
)
def test_ux_49_what_was_measured(days: float, age: str) -> None:
    calibration = Calibration({1: 24.0, 2: 17.25}, 6, MEASURED)
    found = threads_finding((1, 2), calibration, MEASURED + days * DAY_S, is_set=False)
    assert found.level == "ok"
    assert found.text == (
        f"2 at the start (a token: 1 thread 24 ms, 2 threads 17.25 ms; measured {age}); "
        "they look 2000 times for work, then sleep"
    )


def test_what_was_slow_with_every_number_is_a_warning() -> None:
    found = threads_finding((1, 2), Calibration({1: 110.0, 2: 263.0}, 6, MEASURED), MEASURED, is_set=False)
    assert (found.level, bool(found.fix)) == ("warning", True)


def test_a_machine_that_was_never_quiet() -> None:
    found = threads_finding((1, 2), None, MEASURED, is_set=False)
    assert (found.level, "run this again" in found.fix) == ("warning", True)


def test_where_there_is_nothing_to_measure() -> None:
    assert threads_finding((3,), None, MEASURED, is_set=True).text.startswith("3, as draft.threads says")
    assert threads_finding((1,), None, MEASURED, is_set=False).text == "1, for the one core that may be used"


def test_how_threads_wait_if_the_user_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert waiting() == "they wait as OMP_WAIT_POLICY=active GOMP_SPINCOUNT=2000 says"
