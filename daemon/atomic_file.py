"""Files that are there as a whole or not at all: whoever reads one while it is written gets what it was before."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Let the file be `data`, in one step. OSError if that can't be; then the file is what it was."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
