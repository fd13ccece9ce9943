"""Editors on the PATH: found, too old, broken, none."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftwire.doctor.editors import check_editors


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    return path


def put(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_none_is_no_failure(folder: Path) -> None:
    [found] = check_editors()
    assert (found.level, "nvim" in found.text) == ("info", True)


@pytest.mark.parametrize(
    ("name", "script", "level", "text"),
    [
        ("nvim", "echo 'NVIM v0.11.4'; echo 'Build type: Release'", "ok", "version v0.11.4"),
        ("nvim", "echo 'NVIM v0.9.5'", "warning", "version v0.9.5"),
        ("nvim", "echo 'NVIM v1.0.0'", "ok", "version v1.0.0"),
        ("code", "echo 1.139.1; echo abc; echo x64", "ok", "version 1.139.1"),
        ("code-server", "echo strange", "info", "found, version unknown ('strange')"),
        ("codium", "exit 3", "warning", "`codium --version` failed"),
    ],
)
def test_versions(folder: Path, name: str, script: str, level: str, text: str) -> None:
    put(folder, name, script)
    [found] = check_editors()
    assert (found.hop, found.check, found.level) == ("editor", name, level)
    assert text in found.text
    assert bool(found.fix) == (level == "warning")
