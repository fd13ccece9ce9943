"""Records of files: they count while the file is what it was."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest

from daemon.draft.file_records import digest_of, exclusively, keep_record, known_record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    return path


def test_a_record_is_kept_and_found(file: Path, tmp_path: Path) -> None:
    assert known_record(file, tmp_path) is None
    kept = keep_record(file, "sha256:1", tmp_path)
    assert known_record(file, tmp_path) == kept
    assert (kept.path, kept.size, kept.digest) == (str(file), 7, "sha256:1")


@pytest.mark.parametrize("change", ["content", "time", "gone"])
def test_a_changed_file_has_no_record(file: Path, tmp_path: Path, change: str) -> None:
    keep_record(file, "sha256:1", tmp_path)
    if change == "content":
        file.write_bytes(b"other content")
    elif change == "time":
        os.utime(file, ns=(1, 1))
    else:
        file.unlink()
    assert known_record(file, tmp_path) is None


def test_files_do_not_share_records(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"content")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    keep_record(file, "sha256:1", tmp_path)
    assert known_record(other, tmp_path) is None


@pytest.mark.parametrize("damage", [b"", b"{", b'{"path": 1}', b"\xff"])
def test_a_damaged_record_is_none(file: Path, tmp_path: Path, damage: bytes) -> None:
    keep_record(file, "sha256:1", tmp_path)
    (record,) = tmp_path.glob("*.record.json")
    record.write_bytes(damage)
    assert known_record(file, tmp_path) is None


@pytest.mark.parametrize("size", [0, 7, (1 << 22) + 1])
def test_the_digest_is_sha256_and_progress_ends_at_one(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(size))
    fractions: list[float] = []
    assert digest_of(path, fractions.append) == f"sha256:{hashlib.sha256(bytes(size)).hexdigest()}"
    assert fractions == sorted(fractions)
    assert fractions[-1:] == ([1.0] if size else [])


def test_the_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    """Two threads with descriptors of their own, as two processes have."""
    order: list[str] = []
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with exclusively(tmp_path / "lock"):
            order.append("second")

    thread = threading.Thread(target=second)
    with exclusively(tmp_path / "lock"):
        thread.start()
        waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
