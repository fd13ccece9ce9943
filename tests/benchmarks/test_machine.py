"""What a benchmark says of its machine."""

from __future__ import annotations

import json
import platform
import socket

import pytest

from benchmarks.machine import machine_info


def test_the_machine_is_described_and_not_named() -> None:
    found = machine_info()
    assert set(found) == {"cpu", "cores", "load_1min", "python", "system"}
    assert found["python"] == platform.python_version()
    assert socket.gethostname() not in json.dumps(found)


def test_a_system_without_cpuinfo(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr("pathlib.Path.read_text", missing)
    assert machine_info()["cpu"]
