"""Processor time of a process."""

from __future__ import annotations

import os
import sys
import time

import pytest

from benchmarks.typing_cpu import cpu_seconds


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_it_is_what_the_process_says_itself() -> None:
    told = cpu_seconds(os.getpid())
    assert told is not None
    assert told == pytest.approx(time.process_time(), abs=0.1)


def test_a_process_that_is_not_there() -> None:
    assert cpu_seconds(2**22 + 1) is None
