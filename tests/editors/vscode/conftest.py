"""One workbench for all tests of a module, since it takes seconds to come up, and one scripted daemon."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from benchmarks.editors.workbench import Window, Workbench, missing, workbench
from tests.fakes.processes import end_processes_of
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess, scripted_daemon


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
def daemon(
    installed: None, rules: Rules, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ScriptedDaemonProcess]:
    with scripted_daemon(tmp_path_factory.mktemp("daemon"), rules) as running:
        yield running


@pytest.fixture(scope="module")
def bench(daemon: ScriptedDaemonProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    settings = {"draftwire.path": str(daemon.command)}
    folder = tmp_path_factory.mktemp("bench")
    try:
        with workbench(folder, settings, daemon.environment) as running:
            yield running
    finally:
        end_processes_of(folder)


@pytest.fixture(scope="module")
def window(bench: Workbench) -> Window:
    """The first window, with a connected bridge."""
    opened = bench.open_window()
    opened.wait_status("sparkle")
    return opened
