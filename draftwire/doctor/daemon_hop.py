"""Does a daemon run and answer; if not, what its log says."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.api.client import DaemonClient
from daemon.api.errors import (
    ApiError,
    DaemonMisconfigured,
    DaemonRefused,
    DaemonSilent,
    DaemonUnavailable,
)
from daemon.api.messages import Status
from daemon.api.paths import RuntimePaths
from daemon.api.start import ensure_daemon
from daemon.serving.lifecycle import is_held
from daemon.version import VERSION
from draftwire.doctor.findings import Finding
from draftwire.running_daemon import CHANGED, config_changed

CLIENT = "draftwire doctor"


async def check_daemon(paths: RuntimePaths, *, start: bool) -> tuple[Status | None, list[Finding]]:
    """The running daemon's status, if one answers; with `start`, one is started where none runs."""
    try:
        if start:
            client = await ensure_daemon(paths, client=CLIENT)
        else:
            client = await DaemonClient.connect(paths, client=CLIENT)
    except DaemonRefused as error:
        text, _, fix = str(error).partition("; ")
        return None, [Finding("daemon", "handshake", "failed", text, fix or "run: draftwire daemon stop")]
    except DaemonUnavailable as error:
        if is_held(paths):
            silent = isinstance(error, DaemonSilent)
            found = (
                str(error).partition(";")[0]
                if silent
                else f"one runs, and can't be reached at {paths.socket}"
            )
            return None, [Finding("daemon", "handshake", "failed", found, "run: draftwire daemon stop")]
        if paths.transport == "unix" and paths.socket.exists():
            text = f"there is a socket at {paths.socket} and nobody answers: {error}"
            return None, [Finding("daemon", "handshake", "warning", text, "the next start takes it over")]
        text = "none is running; an editor, or `draftwire daemon start`, starts one"
        return None, [Finding("daemon", "handshake", "info", text)]
    except DaemonMisconfigured as error:
        fix = "mend the configuration where the message says"
        return None, [Finding("daemon", "handshake", "failed", str(error), fix)]
    except ApiError as error:
        return None, [Finding("daemon", "handshake", "failed", str(error), f"see {paths.log}")]
    try:
        status = await client.status()
    except ApiError as error:
        fix = "run: draftwire daemon stop" if isinstance(error, DaemonSilent) else f"see {paths.log}"
        return None, [Finding("daemon", "status", "failed", str(error).partition(";")[0], fix)]
    finally:
        await client.close()
    return status, list(_of_status(status))


def _of_status(status: Status) -> Iterator[Finding]:
    others = max(0, status.clients - 1)
    text = f"process {status.pid}, version {status.version}, other clients: {others}. {status.message}"
    if status.version != VERSION:
        fix = "run: draftwire daemon stop (the next one started is the new version)"
        yield Finding("daemon", "handshake", "warning", f"{text}; this command is version {VERSION}", fix)
    else:
        yield Finding("daemon", "handshake", "ok", text)
    if config_changed(status):
        found, _, fix = CHANGED.partition(": ")
        yield Finding("daemon", "configuration", "warning", found, fix)
    if status.draft == "failed":
        fix = (
            "mend what it names: the daemon takes a model up that is installed or replaced; other settings "
            + ("want: draftwire daemon stop")
        )
        yield Finding("daemon", "draft model in the daemon", "failed", status.draft_error, fix)
    if status.link in ("refused", "offline", "slow"):
        text = f"the daemon's link is {status.link}: {status.link_reason}"
        fix = "see the verifier's checks below; local drafts go on meanwhile"
        yield Finding("daemon", "verifier link in the daemon", "warning", text, fix)
