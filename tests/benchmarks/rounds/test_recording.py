"""Recordings: kept, read again, and what one says of a draft."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.rounds import recording as gamma_recording
from benchmarks.rounds.recording import ASTRAY_TOKENS, Draw, Passage, Recording, draws_of, recording
from tests.fakes.engine import FakeEngine, following


def test_a_recording_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Recording(3, {"equal": [Passage("c", [Draw(0.1, 0.9, 0), Draw(1.0, 0.4, -1, [0.5, 0.6])])]})
    calls = []

    def record(*arguments: int) -> Recording:
        calls.append(arguments)
        return made

    monkeypatch.setattr(gamma_recording, "record", record)
    for _ in range(2):
        assert recording(tmp_path / "kept.json", 3, 6, 48) == made
    assert calls == [(3, 6, 48)]


def test_what_the_draft_says_along_the_targets_text() -> None:
    """It would have said "abcd"; the target says "abxd"."""
    engine = FakeEngine(following("--abcdefghijkl"), alternatives=lambda prefix: [b"x"])
    draws = draws_of(engine, list(b"--"), list(b"abx"))
    assert [draw.rank for draw in draws] == [0, 0, 1]
    assert [len(draw.astray) for draw in draws] == [0, 0, ASTRAY_TOKENS]
    assert all(draw.entropy >= 0 and 0 < draw.best <= 1 for draw in draws)


def test_nothing_is_recorded_from_the_end_of_text_on() -> None:
    engine = FakeEngine(following("--ab"))
    stop = min(engine.vocabulary.stop_ids)
    assert len(draws_of(engine, list(b"--"), [ord("a"), stop, ord("b")])) == 1
