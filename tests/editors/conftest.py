"""Tests of editors get a scripted daemon as a process of its own: `scripted_daemon(rules)`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess, scripted_daemon

StartDaemon = Callable[..., ScriptedDaemonProcess]


@pytest.fixture
def start_daemon(tmp_path: Path) -> Iterator[StartDaemon]:
    """`start_daemon(rules, running=True)`: it runs until the test ends, with all that was started with its command."""
    with contextlib.ExitStack() as started:

        def start(rules: Rules = (), *, running: bool = True) -> ScriptedDaemonProcess:
            return started.enter_context(scripted_daemon(tmp_path / "daemon", rules, running=running))

        yield start
