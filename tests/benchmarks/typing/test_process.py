"""Processor time and memory of a process."""

from __future__ import annotations

import os
import sys
import time

import pytest

from benchmarks.typing import process as typing_process
from benchmarks.typing.process import Meter, Usage, cpu_seconds, resident_mb

NOBODY = 2**22 + 1
"""No process can have this id."""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_it_is_what_the_process_says_itself() -> None:
    told = cpu_seconds(os.getpid())
    assert told is not None
    assert told == pytest.approx(time.process_time(), abs=0.1)
    memory = resident_mb(os.getpid())
    assert memory is not None
    assert 1 < memory < 100_000


def test_a_process_that_is_not_there() -> None:
    assert (cpu_seconds(NOBODY), resident_mb(NOBODY)) == (None, None)
    meter = Meter(10)
    meter.read(0, {"daemon": NOBODY})
    assert set(meter.row(10, {"daemon": NOBODY}).values()) == {None}


def test_a_meter_reads_at_the_start_when_warm_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([(1.0, 50.0), (2.0, 100.0), (6.0, 104.0)])

    def usage_of(pids: dict[str, int]) -> Usage:
        cpu_s, memory_mb = next(readings)
        return Usage(dict.fromkeys(pids, cpu_s), dict.fromkeys(pids, memory_mb))

    monkeypatch.setattr(typing_process, "usage_of", usage_of)
    meter, pids = Meter(100), {"daemon": 1}
    for keys in range(100):
        meter.read(keys, pids)
    assert meter.row(100, pids) == {
        "cpu_ms_per_key_daemon": 50.0,
        "memory_mb_daemon": 104.0,
        "memory_growth_daemon": 1.04,
    }
