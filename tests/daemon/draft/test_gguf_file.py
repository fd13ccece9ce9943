"""The first look at a model file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from daemon.draft.gguf_file import GgufInvalid, check_gguf
from tests.fakes.tiny_gguf import tiny_llama, write_gguf


def header(version: int = 3, tensors: int = 1, pairs: int = 0) -> bytes:
    return struct.pack("<4sIQQ", b"GGUF", version, tensors, pairs)


def test_a_model_passes(tmp_path: Path) -> None:
    check_gguf(tiny_llama(tmp_path / "tiny.gguf"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty: download it again"),
        (b"GG", "cut short, fetch it again"),
        (header()[:-1], "cut short, fetch it again"),
        (b"PK\3\4" + bytes(100), "is no GGUF file"),
        (b"x", "is no GGUF file"),
        (header(version=1) + bytes(100), "version 1"),
        (header(version=4) + bytes(100), "version 4"),
        (header(version=0x03000000) + bytes(100), "little-endian"),
        (header(tensors=2**63) + bytes(100), "table of contents"),
        (header(pairs=2**63) + bytes(100), "table of contents"),
        (header(tensors=4) + bytes(100), "table of contents"),
    ],
)
def test_what_is_no_model_is_told_with_its_remedy(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(content)
    with pytest.raises(GgufInvalid, match=told) as refusal:
        check_gguf(path)
    assert str(refusal.value).startswith(str(path))


def test_a_vocabulary_alone_is_no_model(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "vocabulary.gguf", {"general.architecture": "llama"}, {})
    with pytest.raises(GgufInvalid, match="no weights"):
        check_gguf(path)


def test_folders_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(GgufInvalid, match="is a folder: name"):
        check_gguf(tmp_path)
    with pytest.raises(GgufInvalid, match="there is no file"):
        check_gguf(tmp_path / "none.gguf")
    (tmp_path / "file").write_text("")
    with pytest.raises(GgufInvalid, match="can't be read"):
        check_gguf(tmp_path / "file" / "inside.gguf")
