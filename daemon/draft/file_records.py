"""What is known of model files: their digest, and that they load. Kept in the cache folder, one record a file.

A record counts while the file's size and modification time are what they were, so that a start costs one `stat`
instead of a pass over the file. What models are, this module does not know.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from daemon.atomic_file import write_whole

_BLOCK_BYTES = 1 << 22


class FileRecord(msgspec.Struct, frozen=True):
    """`digest` ("sha256:<hex>") of the file at `path` when it had this size and modification time."""

    path: str
    size: int
    mtime_ns: int
    digest: str


def known_record(path: Path, folder: Path) -> FileRecord | None:
    """The record of `path` kept in `folder`; None if there is none or the file has changed since."""
    try:
        record = msgspec.json.decode(_record_path(path, folder).read_bytes(), type=FileRecord)
        now = path.stat()
    except (OSError, msgspec.DecodeError):
        return None
    return record if (record.size, record.mtime_ns) == (now.st_size, now.st_mtime_ns) else None


def keep_record(path: Path, digest: str, folder: Path) -> FileRecord:
    """Note that `path` as it is now has this digest. OSError if the folder can't be written."""
    now = path.stat()
    record = FileRecord(str(path), now.st_size, now.st_mtime_ns, digest)
    write_whole(_record_path(path, folder), msgspec.json.encode(record))
    return record


def digest_of(path: Path, progress: Callable[[float], None]) -> str:
    """ "sha256:<hex>" of a file's bytes; `progress` gets the fraction read. OSError if it can't be read."""
    digest, done = hashlib.sha256(), 0
    size = max(path.stat().st_size, 1)
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            done += len(block)
            progress(min(1.0, done / size))
    return f"sha256:{digest.hexdigest()}"


@contextlib.contextmanager
def exclusively(lock: Path) -> Iterator[None]:
    """Hold the lock file `lock`, waiting for whoever has it; the kernel frees it when a process dies."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)  # msvcrt can't wait longer than ten seconds by itself
            else:
                return
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _record_path(path: Path, folder: Path) -> Path:
    name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return folder / f"{name}.record.json"
