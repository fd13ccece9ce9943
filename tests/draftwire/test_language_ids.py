"""File names to LSP language ids."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from draftwire.language_ids import language_id


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("src/main.py", "python"),
        ("A.PY", "python"),
        ("Makefile", "makefile"),
        ("dir.py/notes", "plaintext"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", "plaintext"),
        (".bashrc", "plaintext"),
        ("x.test.tsx", "typescriptreact"),
    ],
)
def test_by_name(name: str, language: str) -> None:
    assert language_id(PurePath(name)) == language
