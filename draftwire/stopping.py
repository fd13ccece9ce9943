"""End the daemon, whatever state it is in: it is asked to, then signalled, then killed.

Nothing is lost by a kill but the statistics of that run: what the daemon keeps on disk it writes in one step.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Final

from daemon.api.client import DaemonClient
from daemon.api.errors import ApiError, DaemonSilent
from daemon.api.messages import Shutdown
from daemon.api.paths import RuntimePaths
from daemon.serving.lifecycle import is_held
from draftwire.failures import CommandFailed, Exit

ASKED_S: Final = 10.0
"""A daemon that answers has this long to end, a request and the model under way included."""
SIGNALLED_S: Final = 3.0
POLL_S: Final = 0.02
SIGNALS: Final = (
    (signal.SIGTERM,) if sys.platform == "win32" else (signal.SIGTERM, signal.SIGKILL)
)  # the first kills on Windows


def stop_daemon(paths: RuntimePaths, client: str, tell: Callable[[str], None]) -> str:
    """End the daemon of this user; what has become of it, for people. Raises CommandFailed.

    client: the name to ask under. tell: gets a line before a daemon that does not end by itself is signalled. One that
    hangs is gone after the handshake's 5 seconds and SIGNALLED_S more.
    """
    try:
        process = asyncio.run(_ask_to_end(paths, client))
    except ApiError as error:
        if not is_held(paths):
            return "no daemon is running"
        trouble = "does not answer" if isinstance(error, DaemonSilent) else "can't be asked to end"
    else:
        if _ends(paths, ASKED_S):
            return f"the daemon (process {process}) has ended"
        trouble = f"has not ended within {ASKED_S:g} s"
    holder = paths.process()
    if holder is None:
        raise CommandFailed(f"a daemon runs, but {paths.lock} does not say which process", Exit.UNAVAILABLE)
    tell(f"the daemon (process {holder}) {trouble}; ending it")
    return _end_by_force(paths, holder)


async def _ask_to_end(paths: RuntimePaths, client: str) -> int:
    """Tell the daemon to end, and wait for the end of the connection; its process id. Raises ApiError."""
    connection = await DaemonClient.connect(paths, client=client)
    try:
        connection.send(Shutdown())
        async with asyncio.timeout(ASKED_S):
            await connection.wait_lost()
    except TimeoutError:
        pass  # found out by its lock
    finally:
        await connection.close()
    return connection.welcome.pid


def _end_by_force(paths: RuntimePaths, process: int) -> str:
    for number in SIGNALS:
        if is_held(paths):
            _signal(process, number)
        if _ends(paths, SIGNALLED_S):
            return f"the daemon (process {process}) " + (
                "has ended" if number == signal.SIGTERM else "was killed"
            )
    raise CommandFailed(
        f"the daemon (process {process}) can't be killed; the system holds it until it is started again",
        Exit.UNAVAILABLE,
    )


def _signal(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # it has just ended
    except PermissionError as error:
        text = f"the daemon (process {process}) is another user's; ask them, or as root run: kill {process}"
        raise CommandFailed(text, Exit.UNAVAILABLE) from error


def _ends(paths: RuntimePaths, within_s: float) -> bool:
    """Wait until the daemon has let go of its lock; whether it has in time."""
    deadline = time.monotonic() + within_s
    while is_held(paths):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
