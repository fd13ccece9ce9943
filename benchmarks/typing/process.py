"""What a process has taken of the machine, as Linux tells it; None where the system does not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

WARM_SHARE: Final = 0.1
"""Of the keys: by then caches are filled, and memory should grow no more."""


def cpu_seconds(pid: int) -> float | None:
    """User and system time of a process, all its threads, in seconds."""
    fields = _stat(pid)
    return None if fields is None else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float | None:
    """The memory of a process that is in RAM, in MB."""
    fields = _stat(pid)
    return None if fields is None else int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _stat(pid: int) -> list[str] | None:
    """proc(5), "stat", from its third field on: utime and stime are 11 and 12 here, rss is 21."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()  # the name before may hold anything


@dataclass(frozen=True, slots=True)
class Usage:
    """What some processes had taken at one moment, by what they are called."""

    cpu_s: Mapping[str, float | None]
    memory_mb: Mapping[str, float | None]


def usage_of(pids: Mapping[str, int]) -> Usage:
    """What they have taken now."""
    return Usage(
        {name: cpu_seconds(pid) for name, pid in pids.items()},
        {name: resident_mb(pid) for name, pid in pids.items()},
    )


class Meter:
    """Reads what processes take while keys are typed: at the start, when all is warm, and at the end."""

    def __init__(self, keys: int) -> None:
        self._warm_at = WARM_SHARE * keys
        self._read: list[Usage] = []

    def read(self, keys: int, pids: Mapping[str, int]) -> None:
        """So many keys have been typed: note it if it is time to."""
        if not self._read or (len(self._read) == 1 and keys >= self._warm_at):
            self._read.append(usage_of(pids))

    def row(self, keys: int, pids: Mapping[str, int]) -> dict[str, Any]:
        """Processor time a key, memory at the end, and the memory at the end / when all was warm."""
        start, warm, end = self._read[0], self._read[-1], usage_of(pids)
        row: dict[str, Any] = {}
        for name in pids:
            row[f"cpu_ms_per_key_{name}"] = _per_key(start.cpu_s[name], end.cpu_s[name], keys)
            row[f"memory_mb_{name}"] = _rounded(end.memory_mb[name])
            row[f"memory_growth_{name}"] = _ratio(end.memory_mb[name], warm.memory_mb[name])
        return row


def _per_key(start_s: float | None, end_s: float | None, keys: int) -> float | None:
    return None if start_s is None or end_s is None or not keys else round(1000 * (end_s - start_s) / keys, 2)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _ratio(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else round(value / base, 3)
