"""Is this file a GGUF at all? The mistakes people make with model files, each told with its remedy.

llama.cpp itself checks what a GGUF holds (and a first load in a process of its own, `models.py`, checks that
llama.cpp survives it); this module looks at the first 24 bytes only.
"""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_HEADER = struct.Struct("<4sIQQ")
"""Magic, version, number of tensors, number of key-value pairs."""
_SMALLEST_TENSOR = 8 + 1 + 4 + 8 + 4 + 8
"""Bytes of one tensor's entry: its name's length, a letter, a dimension, type and offset."""
_SMALLEST_PAIR = 8 + 1 + 4 + 1
"""Bytes of one pair: its key's length, a letter, the type, one byte of value."""


class GgufInvalid(Exception):
    """The file can't be a model; the message names the file and what to do."""


def check_gguf(path: Path) -> None:
    """Raise GgufInvalid unless `path` is a readable file that begins as a GGUF of version 2 or 3."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_HEADER.size)
    except FileNotFoundError:
        raise GgufInvalid(f"there is no file {path}: correct the path of the draft model") from None
    except IsADirectoryError:
        raise GgufInvalid(f"{path} is a folder: name the .gguf file in it") from None
    except OSError as failure:
        raise GgufInvalid(f"{path} can't be read ({failure.strerror}): check its permissions") from failure
    problem = _problem(start, size)
    if problem:
        raise GgufInvalid(f"{path} {problem}")


def _problem(start: bytes, size: int) -> str | None:
    """What is wrong with a file of `size` bytes that begins with `start`."""
    if not start:
        return "is empty: download it again"
    if not start.startswith(MAGIC[: len(start)]):
        return "is no GGUF file: convert the model with llama.cpp's convert_hf_to_gguf.py, or fetch its GGUF"
    if len(start) < _HEADER.size:
        return f"ends after {size} bytes: the download was cut short, fetch it again"
    _, version, tensors, pairs = _HEADER.unpack(start)
    if version not in VERSIONS:
        return (
            f"is a GGUF of version {version}, and only 2 and 3 (little-endian) can be read: convert it again"
        )
    if _HEADER.size + tensors * _SMALLEST_TENSOR + pairs * _SMALLEST_PAIR > size:
        return f"ends after {size} bytes, before its own table of contents: fetch it again"
    if not tensors:
        return "holds no weights: fetch the model itself, not its vocabulary"
    return None
