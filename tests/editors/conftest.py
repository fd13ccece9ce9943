"""Tests of editors get a scripted daemon as a process of its own: `scripted_daemon(rules)`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess, scripted_daemon

StartDaemon = Callable[..., ScriptedDaemonProcess]


@pytest.fixture
def start_daemon(tmp_path: Path) -> Iterator[StartDaemon]:
    """`start_daemon(rules, running=True, status={})`: until the test ends, with all that its command has started."""
    with contextlib.ExitStack() as started:

        def start(rules: Rules = (), **options: Any) -> ScriptedDaemonProcess:
            return started.enter_context(scripted_daemon(tmp_path / "daemon", rules, **options))

        yield start
