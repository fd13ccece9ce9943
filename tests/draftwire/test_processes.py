"""The command and the daemon as real processes, without a model: the draft model named is not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.api.paths import runtime_paths
from draftwire.failures import Exit


def draftwire(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "draftwire", *arguments],
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, encoding="utf-8",
    )  # fmt: skip


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[int]:
    """A daemon in the background, started by the command; its process id."""
    (tmp_path / "config.toml").write_text('[draft]\nmodel = "gone.gguf"\n', encoding="utf-8")
    started = draftwire("daemon", "start")
    assert started.returncode == 0, started.stderr
    try:
        yield int(runtime_paths().lock.read_text(encoding="utf-8"))
    finally:
        assert draftwire("daemon", "stop").returncode == 0


def test_start_status_and_stop(daemon: int) -> None:
    assert draftwire("daemon", "start").stderr == f"the daemon (process {daemon}) runs already\n"
    status = json.loads(draftwire("daemon", "status", "--json").stdout)
    assert status["pid"] == daemon
    stopped = draftwire("daemon", "stop")
    assert (stopped.returncode, stopped.stderr) == (0, f"the daemon (process {daemon}) has ended\n")
    assert draftwire("daemon", "status").returncode == Exit.UNAVAILABLE


def test_a_second_daemon_ends_with_75(daemon: int) -> None:
    second = draftwire("daemon", "run")
    assert second.returncode == Exit.ALREADY_RUNNING
    assert second.stderr.startswith("draftwire: a daemon is running already")
    assert "Traceback" not in second.stderr


def test_a_missing_model_is_named_by_status_and_by_complete(daemon: int, tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import os\n", encoding="utf-8")
    answer = draftwire("complete", f"{source}:1:10")
    assert (answer.returncode, answer.stdout) == (Exit.NOTHING, "")
    assert "gone.gguf" in answer.stderr
    assert "the draft model does not work; run: draftwire doctor" in answer.stderr
    assert "gone.gguf" in draftwire("daemon", "status").stdout


def test_a_daemon_in_the_foreground_ends_in_order_on_a_signal(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[draft]\nmodel = "gone.gguf"\n[daemon]\nlog_level = "info"\n')
    command = [sys.executable, "-m", "draftwire", "daemon", "run"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("is up" in line for line in process.stderr)
        os.kill(process.pid, signal.SIGTERM)
        rest = process.stderr.read()
    assert process.returncode == 0
    assert "daemon has ended" in rest
