"""The daemon that runs, if one does: its status, and whether program and settings of it are still those of today."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daemon.api.messages import Status

RESTART: Final = "run `draftwire daemon stop`; your editors start it again when you type on"
CHANGED: Final = f"the configuration changed after the daemon started: {RESTART}"


async def status_of_daemon(client_name: str) -> Status | None:
    """The status of the daemon that runs; None if none does. `client_name` is who asks."""
    from daemon.api.client import DaemonClient
    from daemon.api.errors import ApiError
    from daemon.api.paths import runtime_paths

    try:
        client = await DaemonClient.connect(runtime_paths(), client=client_name, timeout_s=1.0)
        try:
            return await client.status()
        finally:
            await client.close()
    except ApiError:
        return None  # `draftwire doctor` says why


def other_version(daemon: str) -> str:
    """What to say of a daemon of this version; empty if it is this command's, or the daemon does not say."""
    from daemon.version import VERSION

    if daemon in ("", VERSION):
        return ""
    return f"the daemon is version {daemon}, this command {VERSION}: {RESTART}"


def config_changed(status: Status) -> bool:
    """Whether the daemon's configuration file means other settings by now than those in force.

    Unknown, hence False, of a daemon of another version: its defaults may be others.
    """
    from daemon.settings.annotated_config import settings_digest
    from daemon.settings.config import Config, ConfigError, load_config

    if not status.config_file or not status.settings_digest or other_version(status.version):
        return False
    file = Path(status.config_file)
    try:
        written = load_config(file) if file.exists() else Config()
    except ConfigError:
        return True  # none of a daemon that runs
    return settings_digest(written) != status.settings_digest
