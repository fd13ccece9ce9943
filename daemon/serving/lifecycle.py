"""One daemon per user: the lock, the socket, and when to end.

The lock decides who is the daemon, not the existence of a file: whoever holds it may bind. A socket file left by
a dead daemon is removed by the next one, which holds the lock and has found that nobody answers there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import sys
from collections.abc import Iterator

from daemon.api.client import DaemonClient
from daemon.api.errors import ApiError
from daemon.api.paths import Endpoint, RuntimePaths, write_endpoint


class AlreadyRunning(Exception):
    """Another daemon of this user holds the lock or answers at the socket."""


@contextlib.contextmanager
def only_daemon(paths: RuntimePaths) -> Iterator[None]:
    """Hold the lock file's exclusive lock; AlreadyRunning if another process does. The kernel frees it at any death."""
    descriptor = os.open(paths.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _try_lock(descriptor):
            raise AlreadyRunning(f"a daemon is running already (its lock is {paths.lock})")
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def is_held(paths: RuntimePaths) -> bool:
    """Whether a daemon lives: it holds its lock as long as it does, answering or not."""
    try:
        descriptor = os.open(paths.lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


async def listening_socket(paths: RuntimePaths) -> tuple[socket.socket, str]:
    """A bound socket, and the token that clients must send ("" on a Unix socket). Call with the lock held."""
    if paths.transport == "tcp":
        return _loopback(paths)
    await _clear_stale(paths)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old_mask = os.umask(0o177)
    try:
        listener.bind(str(paths.socket))
    finally:
        os.umask(old_mask)
    paths.socket.chmod(0o600)
    return listener, ""


def remove_socket(paths: RuntimePaths) -> None:
    """Take the address away at the end, so that clients do not wait for nobody."""
    (paths.token if paths.transport == "tcp" else paths.socket).unlink(missing_ok=True)


async def _clear_stale(paths: RuntimePaths) -> None:
    if not paths.socket.exists():
        return
    try:
        client = await DaemonClient.connect(paths, client="takeover check", timeout_s=1.0)
    except ApiError:
        paths.socket.unlink(missing_ok=True)
        return
    await client.close()
    raise AlreadyRunning(f"a daemon answers at {paths.socket}")


def _loopback(paths: RuntimePaths) -> tuple[socket.socket, str]:
    listener = socket.create_server(("127.0.0.1", 0))
    token = secrets.token_urlsafe(32)
    write_endpoint(paths, Endpoint(listener.getsockname()[1], token))
    return listener, token


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


ABANDONED_S = 3.0
"""How long the daemon outlives a last client that was killed: its editor may be on its way back."""


class IdleExit:
    """Sets `end` when there has been no client for `after_s` seconds (0: never)."""

    def __init__(self, after_s: float, end: asyncio.Event) -> None:
        self._after_s = after_s
        self._end = end
        self._timer: asyncio.TimerHandle | None = None

    def clients(self, count: int, *, abandoned: bool = False) -> None:
        """The number of clients is now `count`; `abandoned`: the one that went did not take leave."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if count == 0 and self._after_s > 0:
            after_s = min(self._after_s, ABANDONED_S) if abandoned else self._after_s
            self._timer = asyncio.get_running_loop().call_later(after_s, self._end.set)
