"""How long a token takes with one thread, two, ..: measured once for a machine and a model, and kept.

It is where `thread_choice.py` begins, which goes on measuring; so a record that was made beside other work does
no lasting harm. How threads wait for work is not calibrated: llama.cpp's OpenMP reads that from the environment when it
is loaded, once for the process (`llama_library.py` has what was measured for it).
"""

from __future__ import annotations

import hashlib
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import msgspec

from daemon.atomic_file import write_whole

BUDGET_S: Final = 0.8
"""Of CPU time, all threads together, and of wall time; the token under way is still finished."""
ROUNDS: Final = 6
"""Tokens counted for each number of threads; one before them, for which threads may have to be made, is not."""
FEWEST: Final = 3
"""With fewer tokens each, the measurement is not kept: the next start tries again."""


class Calibration(msgspec.Struct, frozen=True):
    """Milliseconds a token took, by the number of threads; the median of `rounds` each or more."""

    token_ms: dict[int, float]
    rounds: int
    measured_unix_s: int

    @property
    def fastest(self) -> int:
        """The number of threads that was fastest."""
        return min(self.token_ms, key=lambda count: self.token_ms[count])


@dataclass(frozen=True, slots=True)
class Threads:
    """What is known of the draft model's threads on this machine."""

    counts: Sequence[int]
    """The numbers that come into question."""
    calibration: Calibration | None
    """None: not measured yet, or there is nothing to choose."""
    waiting: str
    """For people: how they wait for work."""


class Decoder(Protocol):
    """What of an engine is needed."""

    def decode_with(self, threads: int) -> float:
        """Decode one token; the seconds it took. Raises EngineFailed."""
        ...


def calibrate(
    decoder: Decoder,
    counts: Sequence[int],
    clock: Callable[[], float] = time.perf_counter,
    cpu_clock: Callable[[], float] = time.process_time,
) -> Calibration:
    """Decode some tokens with each number of threads, in turns, as long as the budget lasts.

    Numbers that had no turn are left out; of those that had one only, their first token counts.
    """
    taken: dict[int, list[float]] = {count: [] for count in counts}
    began, cpu_began = clock(), cpu_clock()
    for count in tuple(counts) * (ROUNDS + 1):
        if max(clock() - began, cpu_clock() - cpu_began) >= BUDGET_S:
            break
        taken[count].append(decoder.decode_with(count))
    token_ms = {
        count: round(statistics.median(seconds[1:] or seconds) * 1000, 2)
        for count, seconds in taken.items()
        if seconds
    }
    return Calibration(token_ms, max(0, min(map(len, taken.values())) - 1), int(time.time()))


def known_calibration(folder: Path, digest: str, counts: Sequence[int]) -> Calibration | None:
    """What was measured here before with the model of this digest, for these numbers of threads."""
    try:
        known = msgspec.json.decode(_file(folder, digest, counts).read_bytes(), type=Calibration)
    except (OSError, msgspec.DecodeError):
        return None
    return known if set(known.token_ms) == set(counts) else None


def keep_calibration(folder: Path, digest: str, calibration: Calibration) -> None:
    """For the starts to come, if it is worth that. OSError if the folder can't be written."""
    if calibration.rounds >= FEWEST:
        write_whole(_file(folder, digest, tuple(calibration.token_ms)), msgspec.json.encode(calibration))


def _file(folder: Path, digest: str, counts: Sequence[int]) -> Path:
    """One for each machine (a home may be on several), model, and numbers of threads."""
    machine = f"{platform.node()} {platform.machine()} {os.cpu_count()}"
    name = hashlib.sha256(f"{machine} {digest} {sorted(counts)}".encode()).hexdigest()[:24]
    return folder / f"threads-{name}.json"
