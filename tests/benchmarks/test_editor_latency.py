"""The figures of given keys, what is said where it can't run, and a short run in each editor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import editor_latency
from benchmarks.editor_latency import figures_of, held, main
from benchmarks.editors.frames import Waits
from benchmarks.editors.visits import Stretch
from benchmarks.editors.workbench import missing
from tests.fakes.processes import end_processes_of, processes_of


def test_the_figures_of_an_editor() -> None:
    waits = Waits(
        fresh_ms=[80.0, 90.0], along_ms=[4.0, 5.0, 6.0], cold_ms=[300.0], text_ms=[3.0], keys=9, overtaken=3
    )
    figures = figures_of("neovim", waits)
    assert figures["neovim_p50_ms"] == 6.0
    assert figures["neovim_fresh_p50_ms"] == 85.0
    assert figures["neovim_along_p99_ms"] == 5.98
    assert figures["neovim_cold_p50_ms"] == 300.0
    assert (figures["neovim_with_ghost"], figures["neovim_fresh"], figures["neovim_keys"]) == (5, 2, 9)


def test_an_editor_without_ghost_text_has_no_latency() -> None:
    assert figures_of("vscode", Waits(keys=3))["vscode_p99_ms"] is None


def test_how_long_a_thread_was_held() -> None:
    stretches = [Stretch(1.0, 1.0), Stretch(9.0, 0.5)]
    assert held("x", stretches) == {"x_longest_ms": 9.0, "x_p99_ms": 8.92, "x_longest_cpu_ms": 1.0}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("missing", lambda: "no workbench here; run: make workbench"), "make workbench"),
        (("PROGRAM", Path("nowhere")), "make install"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(
    changed: tuple[str, object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editor_latency, "missing", lambda: "")
    monkeypatch.setattr(editor_latency, *changed)
    with pytest.raises(SystemExit, match=message):
        main(["--editor", "vscode"])


@pytest.mark.editor
@pytest.mark.model
@pytest.mark.timeout(600)
@pytest.mark.parametrize("editor", ["neovim", "vscode"])
def test_a_short_run(editor: str, tmp_path: Path) -> None:
    """The whole command in a real editor: it ends with its figures and leaves nothing."""
    if editor == "vscode" and (why := missing()):
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") else pytest.skip)(why)
    command = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.editor_latency", "--json", "--keys", "40", "--editor", editor],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said, progress = command.communicate(timeout=550)
        assert command.returncode == 0, progress
        figures = json.loads(said)["figures"]
        assert figures[f"{editor}_keys"] > 30
        assert 0 < figures[f"{editor}_with_ghost"] < figures[f"{editor}_keys"]
        assert 0 < figures[f"{editor}_p50_ms"] <= figures[f"{editor}_p99_ms"]
        held_by = "neovim_lua" if editor == "neovim" else "vscode_host"
        assert figures[f"{held_by}_longest_cpu_ms"] > 0
        assert processes_of(tmp_path) == []
        assert list(tmp_path.glob("draftwire-*")) == []
    finally:
        command.kill()
        end_processes_of(tmp_path)
