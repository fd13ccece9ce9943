"""What is no model is told at first sight, without torch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.errors import ModelUnusable
from verifier.model.files import check_model


def folder_with(config: str | None) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.mkdir()
        if config is not None:
            (path / "config.json").write_text(config, "utf-8")

    return make


def nothing(path: Path) -> None:
    pass


def other_file(path: Path) -> None:
    path.write_bytes(b"not a model")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nothing, "there is no model file"),
        (other_file, "is not a GGUF file"),
        (folder_with(None), r"has no config\.json"),
        (folder_with("{"), r"config\.json can't be read"),
        (folder_with("[]"), "holds no JSON object"),
    ],
)
def test_what_is_no_model(tmp_path: Path, make: Callable[[Path], None], said: str) -> None:
    make(tmp_path / "m")
    with pytest.raises(ModelUnusable, match=said):
        check_model(tmp_path / "m")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    other_file(tmp_path / "m.gguf")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ModelUnusable, match=r"can't be read \(Permission denied\): check its permissions"):
        check_model(tmp_path / "m.gguf")


def test_what_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF\x03\0\0\0")
    check_model(tmp_path / "m.gguf")
    folder_with('{"model_type": "llama"}')(tmp_path / "folder")
    check_model(tmp_path / "folder")


def test_looking_loads_no_torch() -> None:
    program = (
        "import sys, verifier.cli, verifier.model.files; assert not {'torch', 'gguf'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
