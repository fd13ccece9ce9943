"""The draft model begins with what was measured; the measurement is made once, and never when nobody has a choice."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.draft import calibrated_engine
from daemon.draft.calibrated_engine import known_threads, load_calibrated
from daemon.draft.calibration import Calibration, keep_calibration, known_calibration
from daemon.draft.engine import EngineFailed
from daemon.draft.llama_library import how_threads_wait
from daemon.draft.llama_threads import LlamaThreads
from daemon.draft.models import DraftModelFile
from daemon.settings.config_sections import DraftConfig
from tests.fakes.tiny_gguf import tiny_llama


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.draft.llama_threads.sensible_threads", lambda: 2)


@pytest.fixture
def file(tmp_path: Path) -> DraftModelFile:
    return DraftModelFile(tiny_llama(tmp_path / "tiny.gguf", n_context=256), "tiny", "sha256:tiny")


@pytest.fixture
def draft(tmp_path: Path) -> DraftConfig:
    return replace(DraftConfig(), cache_dir=str(tmp_path), context_tokens=256)


def test_the_first_start_measures_and_the_next_one_knows(
    file: DraftModelFile, draft: DraftConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with load_calibrated(file, draft) as engine:
        assert set(engine.threads.token_ms) == {1, 2}
        engine.next_candidates(0, [1, 2, 3])
    monkeypatch.setattr(calibrated_engine, "calibrate", lambda *_: pytest.fail("measured again"))
    known = known_calibration(draft.cache_path, file.digest, (1, 2))
    assert known is not None
    with load_calibrated(file, draft) as engine:
        assert engine.threads.chosen == known.fastest


def test_what_was_measured_can_be_asked_for(
    file: DraftModelFile, draft: DraftConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrated_engine, "resolve_draft_model", lambda *_: file)
    assert known_threads(draft).calibration is None
    found = Calibration({1: 24.0, 2: 17.5}, 6, 0)
    keep_calibration(draft.cache_path, file.digest, found)
    known = known_threads(draft)
    assert (known.counts, known.calibration, known.waiting) == ((1, 2), found, how_threads_wait())
    fixed = known_threads(replace(draft, threads=3))
    assert (fixed.counts, fixed.calibration) == ((3,), None)


def test_the_measurement_leaves_no_trace_in_what_is_drafted(file: DraftModelFile, draft: DraftConfig) -> None:
    with load_calibrated(file, draft) as measured, load_calibrated(file, replace(draft, threads=1)) as plain:
        ids = [0, 0, 0, 5, 6]
        assert measured.next_candidates(0, ids).ids.tolist() == plain.next_candidates(0, ids).ids.tolist()


def test_threads_that_are_set_are_not_measured(
    file: DraftModelFile, draft: DraftConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrated_engine, "calibrate", lambda *_: pytest.fail("measured"))
    with load_calibrated(file, replace(draft, threads=2)) as engine:
        assert (engine.threads.counts, engine.threads.chosen) == ((2,), 2)


def test_a_cache_that_cannot_be_written_is_told_and_does_no_harm(
    file: DraftModelFile, draft: DraftConfig, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        load_calibrated(file, replace(draft, cache_dir="/dev/null/nowhere")).close()
    assert "check that /dev/null/nowhere can be written" in caplog.text


def test_a_model_that_cannot_be_timed_is_freed(
    file: DraftModelFile, draft: DraftConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Calibration:
        raise EngineFailed("no more")

    closed: list[object] = []
    monkeypatch.setattr(calibrated_engine, "calibrate", failing)
    monkeypatch.setattr("daemon.draft.llama_engine.LlamaEngine.close", lambda self: closed.append(self))
    with pytest.raises(EngineFailed):
        load_calibrated(file, draft)
    assert len(closed) == 1


def test_a_change_of_threads_is_logged(
    file: DraftModelFile, draft: DraftConfig, caplog: pytest.LogCaptureFixture
) -> None:
    keep_calibration(draft.cache_path, file.digest, Calibration({1: 2.0, 2: 1.0}, 6, 0))
    threads = LlamaThreads()
    threads.begin_with({1: 2.0, 2: 1.0})
    with caplog.at_level(logging.INFO):
        for number in range(400):
            threads._took(0.5 if threads._choice.count == 2 else 0.002, number / 10)
    assert threads.chosen == 1
    assert "1 threads draft now, before it were 2" in caplog.text
