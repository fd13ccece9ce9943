"""The benchmark of rules, on a recording that is made up."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import msgspec
import pytest

from benchmarks import gamma
from benchmarks.rounds.recording import Draw, Passage, Recording


def passages(seed: int, share: float) -> list[Passage]:
    """The draft is right so often, and less often the higher the entropy."""
    random = Random(seed)
    made = []
    for number in range(6):
        draws = []
        for _ in range(24):
            entropy = random.random() * 2
            right = random.random() < share * (1.5 - entropy / 2)
            draws.append(Draw(entropy, 0.5, 0) if right else Draw(entropy, 0.5, 1, [1.0, 1.2]))
        made.append(Passage("python" if number % 2 else "c", draws))
    return made


RECORDING = Recording(1, {"good": passages(1, 0.9), "bad": passages(2, 0.4)})


def test_a_quick_report_has_the_figures_and_is_the_same_each_time() -> None:
    one, other = (gamma.measure(RECORDING, quick=True) for _ in range(2))
    figures = one["figures"]
    assert isinstance(figures, dict)
    assert {"median_over_fixed_20", "worst_over_fixed_40", "rows_20", "median_over_thumb_40"} <= set(figures)
    assert {**one, "machine": None} == {**other, "machine": None}
    rows = one["rows"]
    assert isinstance(rows, list)
    assert [row["pair"] for row in rows] == ["good", "good", "bad", "bad"]
    assert all(1 <= row["gamma"] <= 16 for row in rows)


def test_no_fixed_length_is_better_than_the_stream_here() -> None:
    figures = gamma.measure(RECORDING, quick=True)["figures"]
    assert isinstance(figures, dict)
    assert min(figures["worst_over_fixed_20"], figures["worst_over_fixed_40"]) >= 1
    assert min(figures["worst_over_alone_20"], figures["worst_over_alone_40"]) >= 1


def test_the_command_reads_a_recording_and_prints_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "recording.json"
    path.write_bytes(msgspec.json.encode(RECORDING))
    monkeypatch.setattr("sys.argv", ["gamma", "--json", "--quick", "--recording", str(path)])
    gamma.main()
    [line] = capsys.readouterr().out.splitlines()
    report = json.loads(line)
    assert report["recording"]["good"]["tokens"] == 144
    assert report["seed"] == 1
