"""Memory over many keys: when it is read, what growth is, and a short run of it all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.endurance import SHARES, Memory
from tests.fakes.processes import end_processes_of, processes_of


def test_memory_is_read_once_at_each_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growth is from the first share to the last."""
    read: list[int] = []

    def resident(pid: int) -> float:
        read.append(pid)
        return 100.0 + 2 * len(read)

    monkeypatch.setattr("benchmarks.endurance.resident_mb", resident)
    memory = Memory(1000, {"daemon": 7})
    for keys in range(0, 1001, 50):
        memory.typed(keys)
    memory.typed(1000)
    assert read == [7] * len(SHARES)
    assert list(memory.read["daemon"]) == ["10%", "25%", "50%", "75%", "100%"]
    assert memory.growth("daemon") == round(110 / 102, 4)


def test_what_the_system_does_not_tell_has_no_growth() -> None:
    memory = Memory(10, {"daemon": 2**31 - 1})
    memory.typed(10)
    assert memory.growth("daemon") is None


@pytest.mark.model
def test_a_short_run(tmp_path: Path) -> None:
    """The whole command with two oracles: it ends with its figures and leaves nothing."""
    typed = tmp_path / "typed.py"
    typed.write_text("".join(f"def name_{number}(value):\n    return value\n\n" for number in range(60)))
    command = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.endurance", "--json", "--keys", "150", "--files", str(typed)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said, progress = command.communicate(timeout=110)
        assert command.returncode == 0, progress
        result = json.loads(said)
        [row] = result["rows"]
        assert set(result["figures"]) == {"memory_growth_daemon", "memory_growth_bridge"}
        assert (row["misplaced"], row["errors"], row["keys"]) == (0, 0, 150)
        assert row["suggestions"] > 0
        assert processes_of(tmp_path) == []
        assert list(tmp_path.glob("draftwire-*")) == []
    finally:
        command.kill()
        end_processes_of(tmp_path)
