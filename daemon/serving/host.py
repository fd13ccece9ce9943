"""On which machine this runs, in words for people: remote windows, WSL and containers are easily mixed up."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Final

CONTAINER_MARKS: Final = (".dockerenv", "run/.containerenv")
"""Files that Docker and Podman put into every container."""


def this_host() -> str:
    """The name of this machine, and that it is a container's or WSL's where it is."""
    return described(platform.node(), platform.release(), Path("/"))


def described(name: str, kernel: str, root: Path) -> str:
    """The same, of a machine of this name and kernel release, whose files lie below `root`."""
    if any((root / mark).exists() for mark in CONTAINER_MARKS):
        kind = " (container)"
    elif "microsoft" in kernel.lower():
        kind = " (WSL)"
    else:
        kind = ""
    return (name or "a host without a name") + kind
