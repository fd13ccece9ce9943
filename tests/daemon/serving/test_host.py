"""How this machine is called (ux-38)."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.serving.host import CONTAINER_MARKS, described, this_host


@pytest.mark.parametrize(
    ("name", "kernel", "said"),
    [
        ("box", "6.8.0-generic", "box"),
        ("box", "5.15.153.1-microsoft-standard-WSL2", "box (WSL)"),
        ("", "6.8.0", "a host without a name"),
    ],
)
def test_what_is_said_of_a_machine(name: str, kernel: str, said: str, tmp_path: Path) -> None:
    """ux-38."""
    assert described(name, kernel, tmp_path) == said


@pytest.mark.parametrize("mark", CONTAINER_MARKS)
def test_a_container_says_so(mark: str, tmp_path: Path) -> None:
    """On whichever kernel it runs (ux-38)."""
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).touch()
    assert described("a1b2", "5.15-microsoft", tmp_path) == "a1b2 (container)"


def test_this_one_has_a_name() -> None:
    assert this_host()
