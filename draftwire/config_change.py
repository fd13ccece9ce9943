"""Does the running daemon still have the configuration that the file holds? It reads it once, at its start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daemon.api.messages import Status

CHANGED: Final = (
    "the configuration changed after the daemon started: run `draftwire daemon stop`; "
    "your editors start it again when you type on"
)


def config_changed(status: Status) -> bool:
    """Whether the daemon's configuration file was written after the daemon started."""
    if not status.config_file or not status.started_unix_s:
        return False
    try:
        return Path(status.config_file).stat().st_mtime > status.started_unix_s
    except OSError:
        return False  # nothing there, and perhaps there never was: the defaults are in force
