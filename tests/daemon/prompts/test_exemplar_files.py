"""Which files are read for an exemplar, and which never: what is secret, ignored, linked, large, or no text."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.prompts.exemplar import Candidate
from daemon.prompts.exemplar_files import LIMITS, Limits, candidates_near, examples
from daemon.settings.config_sections import SECRET_FILES


def still() -> float:
    """A clock that stands."""
    return 0.0


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a document, `queries/open.sql`; the user's home is elsewhere, and empty."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    root = tmp_path / "project"
    write(root / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(root / "queries" / "open.sql", "the document")
    return root


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def found_near(
    document: Path,
    *,
    globs: tuple[str, ...] = (),
    exclude: tuple[str, ...] = SECRET_FILES,
    clock: Callable[[], float] = still,
    limits: Limits = LIMITS,
) -> list[Candidate]:
    return candidates_near(document.as_uri(), globs, exclude, clock, limits)


def texts(candidates: list[Candidate]) -> list[str]:
    return [one.text for one in candidates]


def test_files_of_the_kind_are_found_nearest_first(workspace: Path) -> None:
    for place in (
        "queries/near.sql",
        "queries/sub/below.sql",
        "up.sql",
        "other/beside.sql",
        "queries/not.txt",
    ):
        write(workspace / place, place)
    found = found_near(workspace / "queries" / "open.sql")
    assert [(one.text, one.distance, one.name) for one in found] == [
        ("queries/near.sql", 0, "near.sql"),
        ("queries/sub/below.sql", 1, "below.sql"),
        ("up.sql", 1, "up.sql"),
        ("other/beside.sql", 2, "beside.sql"),
    ]
    assert not any(one.from_grammar for one in found)
    assert found[0].modified_s == (workspace / "queries" / "near.sql").stat().st_mtime


def test_names_that_the_grammar_is_for_count_too(workspace: Path) -> None:
    write(workspace / "a.ddl", "ddl")
    assert texts(found_near(workspace / "queries" / "open.sql", globs=("*.ddl",))) == ["ddl"]


def test_a_file_without_an_ending_is_like_those_of_its_name(workspace: Path) -> None:
    write(workspace / "a" / "Jobfile", "one")
    write(workspace / "b" / "Jobfile", "two")
    write(workspace / "b" / "Makefile", "other")
    assert texts(found_near(workspace / "a" / "Jobfile")) == ["two"]


@pytest.mark.parametrize(
    ("pattern_file", "pattern"),
    [
        (".gitignore", "secret.sql"),
        (".gitignore", "/queries/s*.sql"),
        ("queries/.gitignore", "/secret.sql"),
        (".git/info/exclude", "secret.sql"),
        ("../home/.config/git/ignore", "*.sql\n!open.sql"),
        (".gitignore", "queries/"),
        ("queries/.gitignore", "*"),
    ],
)
def test_what_git_ignores_is_never_read(workspace: Path, pattern_file: str, pattern: str) -> None:
    """ux-39."""
    write(workspace / pattern_file, pattern)
    write(workspace / "queries" / "secret.sql", "secret")
    assert texts(found_near(workspace / "queries" / "open.sql")) == []


def test_the_nearest_ignore_file_has_the_last_word(workspace: Path) -> None:
    write(workspace / ".gitignore", "*.sql")
    write(workspace / "queries" / ".gitignore", "!kept.sql")
    write(workspace / "queries" / "kept.sql", "kept")
    write(workspace / "gone.sql", "gone")
    assert texts(found_near(workspace / "queries" / "open.sql")) == ["kept"]


def test_ignore_files_above_the_workspace_count(workspace: Path) -> None:
    """A folder marked by .draftwire inside of a repository: the repository's rules still hold."""
    write(workspace / ".gitignore", "secret.sql")
    write(workspace / "queries" / ".draftwire" / "x", "")
    write(workspace / "queries" / "secret.sql", "secret")
    write(workspace / "queries" / "fine.sql", "fine")
    write(workspace / "outside.sql", "outside")
    assert texts(found_near(workspace / "queries" / "open.sql")) == ["fine"]


@pytest.mark.parametrize("name", ["prod.env.sql", "deep/secrets/a.sql"])
def test_excluded_files_are_never_read(workspace: Path, name: str) -> None:
    """ux-39."""
    write(workspace / name, "secret")
    found = found_near(workspace / "queries" / "open.sql", exclude=("*.env.sql", "secrets/"))
    assert texts(found) == []


@pytest.mark.parametrize("folder", [".venv", ".git", "node_modules", "__pycache__"])
def test_hidden_folders_and_those_of_tools_are_not_entered(workspace: Path, folder: str) -> None:
    write(workspace / folder / "a.sql", "no")
    assert texts(found_near(workspace / "queries" / "open.sql")) == []


def test_links_are_not_followed(workspace: Path) -> None:
    outside = workspace.parent / "outside"
    write(outside / "a.sql", "outside")
    (workspace / "queries" / "link.sql").symlink_to(outside / "a.sql")
    (workspace / "linked").symlink_to(outside, target_is_directory=True)
    assert texts(found_near(workspace / "queries" / "open.sql")) == []


def test_a_document_reached_by_a_link_is_in_its_real_folder(workspace: Path) -> None:
    write(workspace / "queries" / "near.sql", "near")
    (workspace.parent / "short").symlink_to(workspace / "queries", target_is_directory=True)
    assert texts(found_near(workspace.parent / "short" / "open.sql")) == ["near"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_not_waited_for(workspace: Path) -> None:
    os.mkfifo(workspace / "queries" / "pipe.sql")
    assert found_near(workspace / "queries" / "open.sql") == []


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", "gr\u00fc\u00df".encode("latin-1")])
def test_what_is_no_text_is_passed_over(workspace: Path, data: bytes) -> None:
    write(workspace / "queries" / "binary.sql", data)
    assert found_near(workspace / "queries" / "open.sql") == []


def test_line_ends_and_a_byte_order_mark_are_normalised(workspace: Path) -> None:
    write(workspace / "queries" / "dos.sql", b"\xef\xbb\xbfa\r\nb\rc")
    assert texts(found_near(workspace / "queries" / "open.sql")) == ["a\nb\nc"]


def test_a_file_that_cannot_be_opened_is_passed_over(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace / "queries" / "a.sql", "a")

    open_path = Path.open

    def refuse(self: Path, *arguments: object, **named: object) -> object:
        if self.name == "a.sql":
            raise PermissionError(self)
        return open_path(self, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    assert found_near(workspace / "queries" / "open.sql") == []


def test_a_folder_that_cannot_be_listed_is_passed_over(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace / "queries" / "a.sql", "a")
    write(workspace / "b.sql", "b")
    scandir = os.scandir

    def partly(folder: Path) -> object:
        if folder.name == "queries":
            raise PermissionError(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", partly)
    assert texts(found_near(workspace / "queries" / "open.sql")) == ["b"]


def test_a_large_file_is_read_up_to_a_whole_line(workspace: Path) -> None:
    write(workspace / "queries" / "large.sql", "aaaa\nbbbb\ncccc\n")
    assert texts(found_near(workspace / "queries" / "open.sql", limits=replace(LIMITS, file_bytes=12))) == [
        "aaaa\nbbbb\n"
    ]


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        (replace(LIMITS, files=2), 2),
        (replace(LIMITS, entries=3), 2),  # or three: the document itself may be among them
        (LIMITS, 5),
    ],
)
def test_the_walk_is_bounded(workspace: Path, limits: Limits, count: int) -> None:
    for number in range(5):
        write(workspace / "queries" / f"{number}.sql", str(number))
    found = found_near(workspace / "queries" / "open.sql", limits=limits)
    assert len(found) in (count, count + 1)


def test_the_walk_ends_in_time(workspace: Path) -> None:
    for number in range(5):
        write(workspace / "queries" / f"{number}.sql", str(number))
    ticks = itertools.count()
    found = found_near(
        workspace / "queries" / "open.sql",
        clock=lambda: float(next(ticks)),
        limits=replace(LIMITS, seconds=3.5),
    )
    assert texts(found) == ["0", "1", "2"]


def test_without_a_workspace_the_documents_folder_is_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that is a repository itself (of settings) is no workspace."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write(tmp_path / ".git" / "HEAD", "")
    for place in ("doc/open.sql", "doc/a.sql", "doc/in/b.sql", "doc/in/in/c.sql", "d.sql", "beside/e.sql"):
        write(tmp_path / place, place)
    assert texts(found_near(tmp_path / "doc" / "open.sql")) == ["doc/a.sql"]


@pytest.mark.parametrize(
    "name", ["untitled:Untitled-1", "file:///no/such/folder/a.sql", "https://host/a.sql", ""]
)
def test_a_document_that_is_no_file_here_has_no_neighbours(name: str) -> None:
    assert candidates_near(name, (), (), still) == []


def test_examples_of_a_grammar_are_read_if_they_may_be(tmp_path: Path) -> None:
    for name in ("a.sql", "b.pem"):
        write(tmp_path / name, name)
    (tmp_path / "link.sql").symlink_to(tmp_path / "b.pem")
    paths = [tmp_path / "a.sql", tmp_path / "b.pem", tmp_path / "link.sql", tmp_path / "gone.sql"]
    found = examples(paths, SECRET_FILES)
    assert [(one.text, one.from_grammar) for one in found] == [("a.sql", True)]


def test_keys_are_masked(workspace: Path) -> None:
    """What stands first in the prompt goes to the verifier."""
    secret = "ghp_" + "a1B2" * 9
    write(workspace / "queries" / "near.sql", f"select '{secret}';\n")
    assert texts(found_near(workspace / "queries" / "open.sql")) == [f"select '{'*' * len(secret)}';\n"]
