"""`draftwire doctor`: what is printed, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from draftwire.cli import app
from draftwire.doctor import examination
from draftwire.doctor.examination import OnFinding, OnStep
from draftwire.doctor.findings import Finding

runner = CliRunner()
WARNING = Finding("model", "speed", "warning", "3 tokens/s", "take a smaller draft.model")
FAILED = Finding("verifier", "port", "failed", "refused", "start it")


def find(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> list[tuple[Path | None, bool]]:
    """Let the examination find these; the options it was called with."""
    calls = []

    async def examine(config: Path | None, found: OnFinding, step: OnStep, *, start: bool) -> None:
        calls.append((config, start))
        step("something")
        for finding in findings:
            found(finding)

    monkeypatch.setattr(examination, "examine", examine)
    return calls


def test_warnings_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = find(monkeypatch, Finding("model", "load", "ok", "fine"), WARNING)
    result = runner.invoke(app, ["doctor"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "model", "  ok  load: fine", "  !!  speed: 3 tokens/s", "      fix: take a smaller draft.model",
    ]  # fmt: skip
    assert calls == [(None, False)]


def test_a_failure_ends_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = find(monkeypatch, WARNING, FAILED)
    result = runner.invoke(app, ["doctor", "--start", "--config", "x.toml"])
    assert (result.exit_code, result.stderr) == (1, "draftwire: 1 of 2 checks failed\n")
    assert "verifier\n  XX  port: refused\n      fix: start it\n" in result.stdout
    assert calls == [(Path("x.toml"), True)]


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    find(monkeypatch, WARNING, FAILED)
    result = runner.invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1
    values = json.loads(result.stdout)
    assert values["ok"] is False
    assert values["findings"][1] == {
        "hop": "verifier", "check": "port", "level": "failed", "text": "refused", "fix": "start it",
    }  # fmt: skip
