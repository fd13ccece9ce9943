"""Which other files a prompt may show: imported or open, of the workspace, and none that is to be left alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from daemon.documents import Document
from daemon.prompts.context_pieces import Source
from daemon.prompts.other_files import LIMITS, Limits, sources_for
from daemon.settings.config_sections import SECRET_FILES

TEXT = "from a import x\nfrom .b import y\nimport c.d\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a document, `src/open.py`; the user's home is elsewhere, and empty."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    root = tmp_path.resolve() / "project"
    (root / ".git").mkdir(parents=True)
    write(root / "src" / "open.py", TEXT)
    return root


def write(path: Path, text: str = "text\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found_for(
    path: Path,
    *opened: Source,
    text: str = TEXT,
    language: str = "python",
    exclude: Sequence[str] = SECRET_FILES,
    limits: Limits = LIMITS,
) -> list[str]:
    document = Document(path.as_uri(), language, 1, text)
    return [one.name for one in sources_for(document, opened, exclude, lambda: 0.0, limits)]


def test_imports_are_found_beside_the_document_and_in_the_folders_above(workspace: Path) -> None:
    write(workspace / "a.py")
    write(workspace / "src" / "b.py")
    write(workspace / "src" / "c" / "d" / "__init__.py")
    assert found_for(workspace / "src" / "open.py") == ["a.py", "src/b.py", "src/c/d/__init__.py"]


def test_the_nearest_file_of_the_name_is_taken(workspace: Path) -> None:
    write(workspace / "a.py")
    write(workspace / "src" / "a.py")
    assert found_for(workspace / "src" / "open.py") == ["src/a.py"]


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("typescript", 'import { a } from "./lib/a.js";', "src/lib/a.ts"),
        ("javascript", "const a = require('../a')", "a/index.js"),
        ("c", '#include "x/a.h"', "include/x/a.h"),
    ],
)
def test_other_languages_find_theirs(workspace: Path, language: str, text: str, name: str) -> None:
    write(workspace / name)
    assert found_for(workspace / "src" / "open.x", text=text, language=language) == [name]


def test_what_is_open_comes_first_and_stands_for_its_file(workspace: Path) -> None:
    """As the user has it, not as it was saved; where the user was in it is kept."""
    write(workspace / "a.py", "saved\n")
    opened = [Source((workspace / one).as_uri(), f"unsaved {one}", (3,)) for one in ("new.py", "a.py")]
    document = Document((workspace / "src" / "open.py").as_uri(), "python", 1, TEXT)
    assert sources_for(document, opened, (), lambda: 0.0) == [
        Source("new.py", "unsaved new.py", (3,)),
        Source("a.py", "unsaved a.py", (3,)),
    ]


def test_the_document_itself_is_no_other_file(workspace: Path) -> None:
    path = workspace / "src" / "open.py"
    assert found_for(path, Source(path.as_uri(), "x"), text="from . import open\n") == []


@pytest.mark.parametrize("name", ["../elsewhere/a.py", "../a.py"])
def test_nothing_is_taken_from_outside_the_workspace(workspace: Path, name: str) -> None:
    """Neither an import nor a document that the same editor has open."""
    outside = write(Path(os.path.normpath(workspace / name)))
    text = "from ... import a\nfrom ...elsewhere import a\n"
    assert found_for(workspace / "src" / "open.py", Source(outside.as_uri(), "x"), text=text) == []


def test_without_a_workspace_the_documents_folder_is_all(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "loose" / "src"
    write(folder / "b.py")
    write(folder.parent / "a.py")
    assert found_for(folder / "open.py") == ["b.py"]


@pytest.mark.parametrize("name", ["untitled:1", "file:///no/such/folder/a.py"])
def test_a_document_that_is_no_file_here_has_none(workspace: Path, name: str) -> None:
    write(workspace / "a.py")
    opened = [Source((workspace / "a.py").as_uri(), "x")]
    assert sources_for(Document(name, "python", 1, TEXT), opened, (), lambda: 0.0) == []
    assert found_for(workspace / "src" / "open.py", Source(name, "x"), text="") == []


def test_ux_39_what_git_ignores_or_the_user_excludes_is_never_read(workspace: Path) -> None:
    write(workspace / "a.py")
    write(workspace / "src" / "b.py")
    write(workspace / ".gitignore", "b.py\n")
    opened = [Source((workspace / one).as_uri(), "x") for one in ("a.py", "src/b.py", ".env", "id_rsa")]
    exclude = (*SECRET_FILES, "a.py")
    assert found_for(workspace / "src" / "open.py", *opened, exclude=exclude) == []
    assert found_for(workspace / "src" / "open.py", *opened) == ["a.py"]


def test_links_are_not_followed(workspace: Path) -> None:
    outside = write(workspace.parent / "outside" / "a.py")
    (workspace / "a.py").symlink_to(outside)
    (workspace / "src" / "c").symlink_to(outside.parent, target_is_directory=True)
    write(outside.parent / "d.py")
    (workspace / "src" / "b.py").symlink_to("b.py")
    opened = [Source((workspace / one).as_uri(), "x") for one in ("a.py", "src/c/d.py")]
    assert found_for(workspace / "src" / "open.py", *opened) == []


def test_what_can_be_no_path_is_passed_over(workspace: Path) -> None:
    assert found_for(workspace / "src" / "open.c", text='#include "a\0b.h"\n', language="c") == []
    assert found_for(workspace / "src" / "open.c", text=f'#include "{"a" * 5000}.h"\n', language="c") == []


def test_what_is_no_text_is_passed_over(workspace: Path) -> None:
    (workspace / "a.py").write_bytes(b"caf\xe9\n")
    os.mkfifo(workspace / "src" / "b.py")
    assert found_for(workspace / "src" / "open.py") == []


def test_keys_are_masked(workspace: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(workspace / "a.py", f"x = '{secret}'\n")
    opened = Source((workspace / "e.py").as_uri(), f"y = '{secret}'\n")
    document = Document((workspace / "src" / "open.py").as_uri(), "python", 1, TEXT)
    found = sources_for(document, [opened], (), lambda: 0.0)
    assert [secret in one.text for one in found] == [False, False]


def test_reading_is_bounded(workspace: Path) -> None:
    text = "".join(f"from . import m{n}\n" for n in range(100))
    for n in range(100):
        write(workspace / "src" / f"m{n}.py", "line\n" * 100)
    path = workspace / "src" / "open.py"
    assert len(found_for(path, text=text)) == LIMITS.files
    assert len(found_for(path, text=text, limits=Limits(imports=3))) == 3
    assert found_for(path, text=text, limits=Limits(seconds=0.0)) == []
    document = Document(path.as_uri(), "python", 1, "from . import m1\n")
    [found] = sources_for(document, (), (), lambda: 0.0, Limits(file_bytes=12))
    assert found.text == "line\nline\n"
