"""Find the daemon of this user, or start one and wait until it shakes hands.

Knows processes and the socket, not what the daemon does. Several clients may start one at the same moment:
the daemon's own lock lets one live, the others end with EXIT_ALREADY_RUNNING, and every client meets the one.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from daemon.api.client import DaemonClient, OnPush
from daemon.api.errors import DaemonMisconfigured, DaemonSilent, DaemonStartFailed, DaemonUnavailable
from daemon.api.handshake import HANDSHAKE_TIMEOUT_S
from daemon.api.paths import RuntimePaths

EXIT_ALREADY_RUNNING = 75
"""How a daemon ends that found another one holding the lock (EX_TEMPFAIL of sysexits.h)."""
EXIT_MISCONFIGURED = 78
"""How a daemon ends whose configuration has errors (EX_CONFIG of sysexits.h); its log ends with them."""
START_TIMEOUT_S = 20.0
SPAWN_AGAIN_S = 2.0
"""Another is started after this long where one found the lock held and yet nobody is there: the holder was ending."""
FIRST_RETRY_S = 0.02
LAST_RETRY_S = 0.25
LOG_TAIL_LINES = 12
MAX_LOG_BYTES = 4 * 2**20


async def ensure_daemon(
    paths: RuntimePaths,
    *,
    client: str,
    settings: Mapping[str, Any] | None = None,
    on_push: OnPush | None = None,
    command: Sequence[str] | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> DaemonClient:
    """A connection to the running daemon, which is started first if there is none.

    `command` is what to run (default: `draftwire daemon run` of this interpreter). Raises DaemonRefused if a daemon
    runs and refuses, DaemonSilent if one holds the lock and does not answer, DaemonStartFailed if a started one ends or
    does not answer within `timeout_s`, DaemonMisconfigured if it refuses its configuration, RuntimePathError.
    """
    paths.prepare()
    try:
        return await DaemonClient.connect(paths, client=client, settings=settings, on_push=on_push)
    except DaemonUnavailable:
        pass
    log_start = _roll_log(paths.log)
    command = command or [sys.executable, "-m", "draftwire", "daemon", "run"]
    process, spawned_at = _spawn(paths, command), time.monotonic()
    deadline = spawned_at + timeout_s
    retry_s = FIRST_RETRY_S
    while True:
        left_s = deadline - time.monotonic()
        patience_s = min(max(left_s, FIRST_RETRY_S), HANDSHAKE_TIMEOUT_S)
        try:
            return await DaemonClient.connect(
                paths, client=client, settings=settings, on_push=on_push, timeout_s=patience_s
            )
        except DaemonUnavailable as error:
            lock_is_held = process.poll() == EXIT_ALREADY_RUNNING
            if lock_is_held and isinstance(error, DaemonSilent):
                raise
            failed = _start_failure(process, left_s, timeout_s)
            if process.poll() == EXIT_MISCONFIGURED:
                raise DaemonMisconfigured(_complaint(paths.log, log_start) or failed) from error
            if failed:
                raise DaemonStartFailed(f"{failed}{_log_tail(paths.log, log_start)}") from error
            if lock_is_held and time.monotonic() - spawned_at > SPAWN_AGAIN_S:
                process, spawned_at = _spawn(paths, command), time.monotonic()
        await asyncio.sleep(min(retry_s, max(left_s, 0)))
        retry_s = min(2 * retry_s, LAST_RETRY_S)


def _start_failure(process: subprocess.Popen[bytes], left_s: float, timeout_s: float) -> str:
    """Why to stop waiting; empty while there is hope (another client's daemon may be the one that comes
    up)."""
    code = process.poll()
    if code not in (None, EXIT_ALREADY_RUNNING):
        return f"the daemon ended with code {code} while starting; run: draftwire doctor"
    if left_s <= 0:
        return f"the daemon did not answer within {timeout_s:g} s of its start; run: draftwire doctor"
    return ""


def _spawn(paths: RuntimePaths, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the daemon on its own: it outlives this process and hears none of its signals."""
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    descriptor = os.open(paths.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd=_working_directory(),
            env={**os.environ, **paths.environment()},
            **detached,
        )
    except OSError as error:
        raise DaemonStartFailed(f"can't run {command[0]}: {error}; reinstall draftwire") from error
    finally:
        os.close(descriptor)
    threading.Thread(target=process.wait, name="daemon reaper", daemon=True).start()
    return process


def _working_directory() -> Path:
    """Not the project's: a daemon must not keep a directory in use, nor find modules in it."""
    home = Path("~").expanduser()
    return home if home.is_dir() else Path(home.anchor or "/")


def _roll_log(log: Path) -> int:
    """Set a log that has grown large aside; return where this run's lines will begin."""
    try:
        size = log.stat().st_size
    except FileNotFoundError:
        return 0
    if size <= MAX_LOG_BYTES:
        return size
    log.replace(log.with_suffix(".log.1"))
    return 0


def _complaint(log: Path, start: int) -> str:
    """What this run's command ended with: all after the last `draftwire: `, which it puts before its error."""
    return "\n".join(_log_lines(log, start)).rpartition("draftwire: ")[2]


def _log_lines(log: Path, start: int) -> list[str]:
    """What this run wrote; nothing if that can't be read."""
    try:
        with log.open("rb") as file:
            file.seek(start)
            return file.read(MAX_LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _log_tail(log: Path, start: int) -> str:
    """The last lines that this run wrote, as the end of an error text."""
    lines = _log_lines(log, start)
    if not lines:
        return f"\n(nothing was written to {log})"
    return "\n".join([f"\nThe end of {log}:", *lines[-LOG_TAIL_LINES:]])
