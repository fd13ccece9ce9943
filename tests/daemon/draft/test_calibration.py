"""Threads are measured in turns, within a budget, and what was found is kept for this machine and model."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.draft.calibration import (
    BUDGET_S,
    FEWEST,
    ROUNDS,
    Calibration,
    calibrate,
    keep_calibration,
    known_calibration,
)


class Decoder:
    """Tokens take what `seconds` says, twice as much at first; each thread works for all of that time."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.seconds = seconds
        self.counts: list[int] = []
        self.now = self.cpu = 0.0

    def decode_with(self, threads: int) -> float:
        taken = self.seconds[threads] * (1 if threads in self.counts else 2)
        self.counts.append(threads)
        self.now += taken
        self.cpu += taken * threads
        return taken

    def calibrate(self) -> Calibration:
        return calibrate(self, tuple(self.seconds), lambda: self.now, lambda: self.cpu)


def test_ux_49_all_numbers_are_measured_in_turns() -> None:
    """The first token of each, which makes its threads, is not counted."""
    decoder = Decoder({1: 0.024, 2: 0.017})
    found = decoder.calibrate()
    assert (found.token_ms, found.rounds, found.fastest) == ({1: 24.0, 2: 17.0}, ROUNDS, 2)
    assert decoder.counts == [1, 2] * (ROUNDS + 1)


@pytest.mark.parametrize(
    ("slow", "rounds", "token_ms"),
    [(0.1, 2, {1: 10.0, 2: 100.0}), (0.5, 0, {1: 100.0, 2: 1000.0}), (5.0, 0, {1: 1000.0})],
    ids=["some rounds", "one token each", "the first alone"],
)
def test_the_budget_holds_for_wall_and_cpu_time(slow: float, rounds: int, token_ms: dict[int, float]) -> None:
    """It ends with the token that is under way, and says what it has seen: two threads that collapse are not chosen."""
    decoder = Decoder({1: slow / 10, 2: slow})
    found = decoder.calibrate()
    assert (found.rounds, found.token_ms, found.fastest) == (rounds, token_ms, 1)
    assert max(decoder.now, decoder.cpu) <= BUDGET_S + 2 * 2 * slow


def test_what_was_measured_is_known_again(tmp_path: Path) -> None:
    found = Calibration({1: 24.0, 2: 17.5}, ROUNDS, 1_700_000_000)
    keep_calibration(tmp_path, "sha256:a", found)
    assert known_calibration(tmp_path, "sha256:a", (1, 2)) == found
    assert known_calibration(tmp_path, "sha256:b", (1, 2)) is None, "another model"
    assert known_calibration(tmp_path, "sha256:a", (1, 2, 4)) is None, "other numbers"


def test_on_another_machine_it_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_calibration(tmp_path, "sha256:a", Calibration({1: 24.0, 2: 17.5}, ROUNDS, 0))
    monkeypatch.setattr("platform.node", lambda: "another")
    assert known_calibration(tmp_path, "sha256:a", (1, 2)) is None


def test_too_few_tokens_are_not_kept(tmp_path: Path) -> None:
    keep_calibration(tmp_path, "sha256:a", Calibration({1: 24.0, 2: 17.5}, FEWEST - 1, 0))
    assert known_calibration(tmp_path, "sha256:a", (1, 2)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_broken_record_counts_for_nothing(tmp_path: Path) -> None:
    keep_calibration(tmp_path, "sha256:a", Calibration({1: 24.0, 2: 17.5}, ROUNDS, 0))
    [file] = tmp_path.iterdir()
    file.write_text('{"token_ms": {"1": "fast"}}', "utf-8")
    assert known_calibration(tmp_path, "sha256:a", (1, 2)) is None
    file.write_text('{"token_ms": {"1": 3.0}, "rounds": 6, "measured_unix_s": 0}', "utf-8")
    assert known_calibration(tmp_path, "sha256:a", (1, 2)) is None
