"""The benchmark of the draft loop runs, on a tiny model, and reports what it promises."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from benchmarks import draft_step
from daemon.draft.llama_engine import LlamaEngine
from tests.fakes.tiny_gguf import tiny_llama


def test_both_loops_draft_the_same_and_every_round_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    with LlamaEngine(tiny_llama(tmp_path / "tiny.gguf"), n_context=1024, n_sequences=2, threads=1) as engine:
        timings = draft_step.measure(engine, rounds=3, block=4, say=said.append)
        # Prefill of either sequence, then each round's tokens again: nothing is answered from memory.
        assert engine.evaluated_tokens() == 2 * 255 + 4 * (4 + 1)
    assert (len(timings.ours), len(timings.raw), len(timings.ratios), len(said)) == (12, 12, 3, 3)


def test_one_json_object_on_stdout_and_progress_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny_llama(tmp_path / "tiny.gguf")
    arguments = [
        "--json",
        "--model",
        str(model),
        "--cache",
        str(tmp_path / "cache"),
        "--rounds",
        "2",
        "--block",
        "2",
    ]
    monkeypatch.setattr(sys, "argv", ["draft_step", *arguments])
    draft_step.main()
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert set(found) == {"figures", "baseline", "machine"}
    assert math.isfinite(found["figures"]["loop_over_raw"])
    assert found["baseline"]["tokens"] == 4
    assert "round 2 of 2" in err


def test_loops_that_disagree_are_no_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_step, "draft", lambda engine, prompt, count: ([-1], [1.0]))
    with (
        LlamaEngine(tiny_llama(tmp_path / "tiny.gguf"), n_context=1024, n_sequences=2) as engine,
        pytest.raises(RuntimeError, match="disagree"),
    ):
        draft_step.measure(engine, rounds=1, block=1, say=lambda line: None)
