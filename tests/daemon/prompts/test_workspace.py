"""Where a document's workspace is, what git ignores in it, and how its files are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.prompts.workspace import (
    IgnoreFiles,
    folders_above,
    nearest_marked,
    read_text,
    real_path,
    workspace_of,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, in which everything is."""
    folder = tmp_path.resolve() / "home"
    (folder / "project" / "src").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


def test_a_document_is_in_its_real_folder(home: Path) -> None:
    (home / "link").symlink_to(home / "project")
    assert real_path((home / "link" / "a.py").as_uri()) == home / "project" / "a.py"
    assert real_path("untitled:1") is None
    assert real_path((home / "nowhere" / "a.py").as_uri()) is None


@pytest.mark.parametrize("mark", [".git", ".draftwire"])
def test_the_nearest_marked_folder_is_the_workspace_but_not_the_users_home(home: Path, mark: str) -> None:
    document = home / "project" / "src" / "a.py"
    (home / mark).mkdir()
    assert workspace_of(document) is None
    (home / "project" / mark).mkdir()
    assert workspace_of(document) == home / "project"
    assert nearest_marked(document.parent, ("no such mark",)) is None


def test_folders_above_end_at_the_root(home: Path) -> None:
    path = home / "project" / "src" / "a.py"
    assert list(folders_above(path, home / "project")) == [home / "project" / "src", home / "project"]


def test_what_git_ignores(home: Path) -> None:
    root = home / "project"
    (root / ".git" / "info").mkdir(parents=True)
    (root / ".git" / "info" / "exclude").write_text("local.py\n")
    (root / ".gitignore").write_text("*.log\nbuild/\nlocal.py\n")
    (root / "src" / ".gitignore").write_text("!kept.log\n")
    ignore = IgnoreFiles(root)
    for name, ignored in {
        "src/a.py": False,
        "src/a.log": True,
        "src/kept.log": False,
        "build/a.py": True,
        "local.py": True,
    }.items():
        assert ignore.ignores(root / name) is ignored, name
    assert ignore.ignores(root / "build", is_folder=True)


def test_a_text_is_read_in_whole_lines_up_to_its_limit(home: Path) -> None:
    path = home / "a.py"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    found = read_text(path, 1000)
    assert found is not None
    assert found == ("one\ntwo\nthree\n", path.stat().st_mtime)
    cut = read_text(path, 10)
    assert cut is not None
    assert cut[0] == "one\n"


@pytest.mark.parametrize("data", [b"caf\xe9\n", b"nul\0\n", "text\n".encode("utf-16")])
def test_what_is_no_text_is_not_read(home: Path, data: bytes) -> None:
    (home / "a.py").write_bytes(data)
    assert read_text(home / "a.py", 1000) is None
    assert read_text(home / "missing.py", 1000) is None
