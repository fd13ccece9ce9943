"""The whole command, with the real model: it ends with its figures, or when it is asked to, and leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.keystrokes import main
from benchmarks.typing.report import FIGURES
from tests.fakes.llama_server import write_llama_server
from tests.fakes.processes import end_processes_of, left_of

OPTIONS = ["--pause-s", "0.2", "--set", "draft.threads=1"]


def _heed_interrupts() -> None:
    """A shell has its background jobs ignore them, and what those start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    """The command, with all that it makes below `folder`."""
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.keystrokes", *OPTIONS, *options],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_interrupts,
    )


@pytest.mark.model
def test_a_short_replay(tmp_path: Path) -> None:
    """ux-1."""
    picture = tmp_path / "a.png"
    command = started(tmp_path, "--no-verifier", "--json", "--keys", "20", "--plot", str(picture))
    try:
        said, progress = command.communicate(timeout=110)
        assert command.returncode == 0, progress
        result = json.loads(said)
        assert set(result) == {"figures", "baseline", "rows", "machine"}
        assert list(result["figures"]) == list(FIGURES)
        row = result["rows"][0]
        assert row["keys"] == 20
        assert row["answered"] + row["empty"] + row["overtaken"] >= 19
        assert (row["misplaced"], row["taken_back"], row["errors"]) == (0, 0, 0)
        assert "no verifier" in progress
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert left_of(tmp_path) == []
        assert list(tmp_path.glob("draftwire-*")) == []
    finally:
        command.kill()
        end_processes_of(tmp_path)


@pytest.mark.model
def test_an_oracle_that_dies_and_comes_back_and_a_peer(tmp_path: Path) -> None:
    """What was shown as verified is the oracle's own all the same."""
    typed = tmp_path / "typed.py"
    typed.write_text("".join(f"def name_{number}(value):\n    return value\n\n" for number in range(40)))
    program, _ = write_llama_server(tmp_path, typed.read_text(), infill=False)
    command = started(
        tmp_path,
        *(
            "--json",
            "--keys",
            "60",
            "--files",
            str(typed),
            "--interrupt",
            "--peer",
            "--llama-server",
            str(program),
        ),
        *("--target", "oracle", "--target-ms", "5", "--round-trip-ms", "10"),
    )
    try:
        said, progress = command.communicate(timeout=110)
        assert command.returncode == 0, progress
        row = json.loads(said)["rows"][0]
        assert row["floor_ms"] == 15.0
        assert row["checked_verified"] > 0
        assert (row["wrong_verified"], row["misplaced"], row["errors"]) == (0, 0, 0)
        assert row["peer_answered"] > 0
        assert row["peer_ratio_p50"] == json.loads(said)["figures"]["peer_ratio_p50"]
        assert left_of(tmp_path) == []
    finally:
        command.kill()
        end_processes_of(tmp_path)


@pytest.mark.model
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_when_asked_to(tmp_path: Path, number: signal.Signals) -> None:
    command = started(tmp_path, "--no-verifier", "--keys", "10000")
    try:
        assert command.stderr is not None
        assert "no verifier" in command.stderr.readline()
        assert "typing" in command.stderr.readline()
        command.send_signal(number)
        command.communicate(timeout=60)
        assert command.returncode == 130
        assert left_of(tmp_path) == []
        assert list(tmp_path.glob("draftwire-*")) == []
    finally:
        command.kill()
        end_processes_of(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--files", "nowhere.py"], "can't be typed"),
        (["--set", "x"], "draft.threads=1"),
        (["--loss", "9"], "loss"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["keystrokes", *arguments])
    with pytest.raises(SystemExit, match=message):
        main()
