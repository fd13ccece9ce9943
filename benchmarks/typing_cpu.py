"""How much processor time a process has taken, as Linux counts it."""

from __future__ import annotations

import os
from pathlib import Path


def cpu_seconds(pid: int) -> float | None:
    """User and system time of a process, all its threads, in seconds; None where the system does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before may hold anything
    ticks = int(fields[11]) + int(fields[12])  # proc(5): utime and stime
    return ticks / os.sysconf("SC_CLK_TCK")
