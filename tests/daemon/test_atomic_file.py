"""A file is what it was, or what it is to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.atomic_file import write_whole


def test_the_file_is_as_it_is_to_be_and_nothing_else_is_left(tmp_path: Path) -> None:
    for data in (b"one", b"\x00two"):
        write_whole(tmp_path / "a.x", data)
        assert (tmp_path / "a.x").read_bytes() == data
    assert [one.name for one in tmp_path.iterdir()] == ["a.x"]


def test_what_can_not_be_written_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.x").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "a.x", b"one")
    assert [one.name for one in tmp_path.iterdir()] == ["a.x"]
    with pytest.raises(OSError):
        write_whole(tmp_path / "missing" / "a.x", b"one")
