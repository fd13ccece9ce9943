"""A daemon that hangs, really: a process of its own that is stopped (SIGSTOP) once it has answered."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.api.paths import RuntimePaths

ROOT = Path(__file__).resolve().parents[2]
UP_S = 60.0


@contextmanager
def daemon_process(paths: RuntimePaths, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The real daemon with a scripted engine, listening; it is killed at the end. `folder`: for what it reads."""
    text = folder / "known.txt"
    text.write_text("x = 1 + 2\n", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.daemon_process", str(text)],
        cwd=ROOT,
        env={**os.environ, **paths.environment()},
    )
    try:
        until_listening(paths, process)
        yield process
    finally:
        process.kill()
        process.wait()


def until_listening(paths: RuntimePaths, process: subprocess.Popen[bytes]) -> None:
    """Wait until the process takes connections at its Unix socket."""
    deadline = time.monotonic() + UP_S
    while True:
        assert process.poll() is None, "the daemon has ended while it started"
        assert time.monotonic() < deadline, "the daemon has not come up"
        with (
            socket.socket(socket.AF_UNIX) as caller,
            contextlib.suppress(FileNotFoundError, ConnectionRefusedError),
        ):
            caller.connect(str(paths.socket))
            return
        time.sleep(0.01)


def hang(process: subprocess.Popen[bytes]) -> None:
    """Let the process do nothing any more, as one that is stuck; SIGCONT frees it."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
