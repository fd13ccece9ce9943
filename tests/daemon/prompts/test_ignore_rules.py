"""Ignore files are read as git reads them: a table of patterns and paths, and git itself where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from daemon.prompts.ignore_rules import parse, verdict

TABLE = [
    # pattern, path (a folder if it ends with /), ignored
    ("*.log", "a.log", True),
    ("*.log", "deep/er/a.log", True),
    ("*.log", "a.logs", False),
    ("build", "build/", True),
    ("build/", "build/", True),
    ("build/", "build", False),
    ("/top.sql", "top.sql", True),
    ("/top.sql", "sub/top.sql", False),
    ("docs/*.sql", "docs/a.sql", True),
    ("docs/*.sql", "docs/sub/a.sql", False),
    ("docs/*.sql", "x/docs/a.sql", False),
    ("**/gen", "a/b/gen/", True),
    ("**/gen", "gen/", True),
    ("gen/**", "gen/a/b", True),
    ("gen/**", "gen/", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a**b", "axxb", True),
    ("a**b", "ax/xb", False),
    ("a?c", "abc", True),
    ("x/a?c", "x/a/c", False),
    ("v[0-9].sql", "v1.sql", True),
    ("v[!0-9].sql", "v1.sql", False),
    ("v[^0-9].sql", "va.sql", True),
    ("v[]x].sql", "v].sql", True),
    ("v[\\d].sql", "vd.sql", True),
    ("v[\\d].sql", "v1.sql", False),
    ("v[&&~].sql", "v~.sql", True),
    ("v[a-].sql", "v-.sql", True),
    ("x[a/b]c", "xac", True),
    ("broken[", "broken[", False),
    ("# comment", "# comment", False),
    ("\\#real", "#real", True),
    ("\\!real", "!real", True),
    ("trailing   ", "trailing", True),
    ("kept\\ ", "kept ", True),
    ("a.b", "axb", False),
    ("a+(b)", "a+(b)", True),
    ("back\\", "back", False),
    ("*.sql\n!keep.sql", "keep.sql", False),
    ("*.sql\n!keep.sql", "other.sql", True),
    ("!keep.sql\n*.sql", "keep.sql", True),
    ("状态/", "状态/", True),
    ("", "a", False),
    ("/", "a", False),
    ("!", "a", False),
    ("crlf\r\nnext\r\n", "crlf", True),
]


@pytest.mark.parametrize(("pattern", "path", "ignored"), TABLE)
def test_a_path_is_ignored_as_git_does(pattern: str, path: str, ignored: bool) -> None:
    found = verdict(parse(pattern), path.rstrip("/"), is_folder=path.endswith("/"))
    assert bool(found) is ignored


def test_a_range_the_wrong_way_round_makes_no_rule() -> None:
    """Git reads its first character alone; nobody means that."""
    assert parse("v[z-a].sql") == ()


def test_what_no_rule_speaks_of_is_told_from_what_one_keeps() -> None:
    rules = parse("*.sql\n!keep.sql")
    assert verdict(rules, "a.txt", is_folder=False) is None
    assert verdict(rules, "keep.sql", is_folder=False) is False


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_says_the_same(tmp_path: Path) -> None:
    """The table itself is checked: each row in a repository of its own."""
    wrong = [
        row for number, row in enumerate(TABLE) if _git_ignores(tmp_path / str(number), *row[:2]) != row[2]
    ]
    assert wrong == []


def _git_ignores(repository: Path, pattern: str, path: str) -> bool:
    repository.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / ".gitignore").write_bytes(pattern.encode())
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith("/"):
        file.mkdir(exist_ok=True)
    else:
        file.touch()
    asked = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "-q", "--", path.rstrip("/")], check=False
    )
    return asked.returncode == 0
