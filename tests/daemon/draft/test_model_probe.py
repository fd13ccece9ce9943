"""A model file is tried in a process of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from daemon.draft import model_probe
from daemon.draft.engine import EngineFailed
from daemon.draft.model_probe import main, probe_model
from tests.fakes.tiny_gguf import byte_level_tokens, tiny_llama


def test_a_model_that_loads_passes(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf")
    probe_model(path)
    assert main(path) == 0


def test_the_childs_reason_is_passed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny_llama(tmp_path / "odd.gguf", overrides={"general.architecture": "nonsense"})
    with pytest.raises(EngineFailed, match="nonsense") as refusal:
        probe_model(path)
    assert main(path) == 1
    assert capsys.readouterr().out == str(refusal.value)


def test_a_child_that_dies_is_no_model(tmp_path: Path) -> None:
    path = tiny_llama(
        tmp_path / "twins.gguf", overrides={"tokenizer.ggml.tokens": [*byte_level_tokens()[:-1], "!"]}
    )
    with pytest.raises(EngineFailed, match=r"twins\.gguf makes llama\.cpp crash"):
        probe_model(path)


def test_a_child_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("probe", model_probe.PROBE_TIMEOUT_S)

    monkeypatch.setattr(subprocess, "run", slow)
    with pytest.raises(EngineFailed, match="choose a smaller model"):
        probe_model(tmp_path / "slow.gguf")
