"""One workbench for all tests of a module, since it takes seconds to come up, and one scripted daemon."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.editors.workbench import ROOT, Window, Workbench, missing, workbench
from daemon.api.paths import runtime_paths
from daemon.settings.config import CONFIG_VARIABLE
from tests.fakes.processes import end_processes_of
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess, scripted_daemon


def executable(file: Path, *lines: str) -> Path:
    """A program of these lines of the shell."""
    file.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    file.chmod(0o755)
    return file


def real_draftwire(folder: Path, config: str) -> Path:
    """The program as it is installed, with a runtime directory and a configuration of its own."""
    (folder / "config.toml").write_text(config, encoding="utf-8")
    environment = {
        **runtime_paths(folder / "run").environment(), CONFIG_VARIABLE: str(folder / "config.toml")
    }  # fmt: skip
    exports = (f"export {name}={shlex.quote(value)}" for name, value in environment.items())
    run = f'cd {shlex.quote(str(ROOT))} && exec {shlex.quote(sys.executable)} -m draftwire "$@"'
    return executable(folder / "draftwire", *exports, run)


@pytest.fixture(scope="session")
def installed() -> None:
    """Skip where no workbench can run, with the command that mends it; REQUIRE_EDITORS makes it fail instead."""
    if why := missing():
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") else pytest.skip)(why)


@pytest.fixture(scope="module")
def rules() -> Rules:
    """What the module's daemon answers with; each module has its own."""
    return ()


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """Of the module's workbench, beside what it needs to find the daemon."""
    return {}


@pytest.fixture(scope="module")
def daemon(
    installed: None, rules: Rules, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ScriptedDaemonProcess]:
    with scripted_daemon(tmp_path_factory.mktemp("daemon"), rules) as running:
        yield running


@pytest.fixture(scope="module")
def bench(
    daemon: ScriptedDaemonProcess, settings: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    folder = tmp_path_factory.mktemp("bench")
    found = {"draftwire.path": str(daemon.command)}
    try:
        with workbench(folder, {**found, **settings}, daemon.environment) as running:
            yield running
    finally:
        end_processes_of(folder)


@pytest.fixture(scope="module")
def window(bench: Workbench) -> Window:
    """The first window, with a connected bridge."""
    opened = bench.open_window()
    opened.wait_status("sparkle")
    return opened


@pytest.fixture
def own_settings(bench: Workbench, window: Window) -> Iterator[Workbench]:
    """Settings may be changed; they are as before in the end, and so is the status."""
    before = bench.settings()
    yield bench
    bench.put(before)
    window.wait("the scripted daemon", lambda s: "Draft: scripted" in s["statusLabel"])
