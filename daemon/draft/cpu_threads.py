"""Which numbers of threads come into question for the draft model. Knows the machine, not the model."""

from __future__ import annotations

import os
from pathlib import Path

MAX_THREADS = 4
"""Decoding is bound by memory bandwidth: more threads gain little and take cores from the editor."""
_TOPOLOGY = Path("/sys/devices/system/cpu")


def sensible_threads(topology: Path = _TOPOLOGY) -> int:
    """The physical cores this process may run on, from 1 to 4: the most that is worth a try.

    Two hyper-threads of a core share its arithmetic units and only lengthen the barriers between operations.
    Where the topology isn't told (not Linux), every logical processor counts as a core.
    """
    usable = _usable_processors()
    cores = {_core_of(topology, processor) for processor in usable}
    return max(1, min(len(cores), MAX_THREADS))


def thread_counts(most: int) -> tuple[int, ...]:
    """The numbers of threads to choose from: 1, 2, 4, .. and `most`, which is at least 1."""
    doubled = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return (*doubled, most)


def _usable_processors() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _core_of(topology: Path, processor: int) -> str:
    """A name that all hyper-threads of one core share."""
    try:
        return (topology / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text()
    except OSError:
        return str(processor)
