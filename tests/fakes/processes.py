"""Ends what a test has started in the background, the late ones of a start race included.

A daemon that lost a race by being slow may come up when the winner has gone already; nobody has its handle. What such
processes have in common is the test's own folder in their command line or environment.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from pathlib import Path


def end_processes_of(folder: Path) -> None:
    """Kill every other process that names `folder`, and wait until it is gone. Linux only; elsewhere nothing."""
    for pid in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            _until_gone(pid, 10.0, kills=True)


def left_of(folder: Path, most_s: float = 10.0) -> list[int]:
    """Those that have not ended by themselves by then: one that took its leave may yet be freeing its memory."""
    for pid in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            _until_gone(pid, most_s)
    return processes_of(folder)


def _until_gone(pid: int, most_s: float, *, kills: bool = False) -> None:
    """Wait for the end of a process, or kill it and wait. Raises ProcessLookupError if it is gone already."""
    descriptor = os.pidfd_open(pid)
    try:
        if kills:
            os.kill(pid, signal.SIGKILL)
        select.select([descriptor], [], [], most_s)
    finally:
        os.close(descriptor)


def processes_of(folder: Path) -> list[int]:
    """The ids of the other processes whose command line or environment names `folder`. Linux only; elsewhere none."""
    name = os.fsencode(folder)
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        with contextlib.suppress(OSError):
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            if name in said and pid != os.getpid() and pid != os.getppid():
                found.append(pid)
    return found
