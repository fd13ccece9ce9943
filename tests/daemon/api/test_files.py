"""What file a URI names, and which files are grammars: for a client, which sees names alone, as for the daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.api.files import EXTENSIONS, document_path, grammar_extension, grammar_name, is_grammar_file
from daemon.grammars.places import grammars_in

FILES = {
    "b.BNF": True,
    "a/grammar.lark": True,
    "状态机.schema.json": True,
    "grammar.abnf": True,
    "a.b.g4": True,
    "a.json": False,
    "notes.txt": False,
    ".hidden.bnf": False,
    ".bnf": False,
    "a/other.bnf": False,
    "a/Grammar.bnf": False,
    "a/x/grammar.bnf": False,
    ".a/grammar.bnf": False,
    "b.examples/one.bnf": False,
    "a/examples/one.lark": False,
}


@pytest.mark.parametrize(("name", "is_one"), FILES.items())
def test_a_file_is_a_grammar_where_the_daemon_would_look_for_one(
    tmp_path: Path, name: str, is_one: bool
) -> None:
    """In a workspace's folder, in the user's own, and nowhere else."""
    folder = tmp_path / ".draftwire" / "grammars"
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert is_grammar_file(file) is is_one
    assert is_grammar_file(tmp_path / "mine" / name, tmp_path / "mine") is is_one
    assert not is_grammar_file(tmp_path / "mine" / name, tmp_path / "other")
    assert not is_grammar_file(tmp_path / ".draftwire" / name)
    found = [one.path for one in grammars_in(folder, "workspace")]
    assert found == ([file] if is_one else [])


@pytest.mark.parametrize(
    ("name", "bare", "extension"),
    [
        ("a.bnf", "a", ".bnf"),
        ("A.B.EBNF", "A.B", ".ebnf"),
        ("x.schema.json", "x", ".schema.json"),
        ("x.json", "", ""),
        (".g4", "", ""),
        ("", "", ""),
    ],
)
def test_a_name_ends_in_an_extension_of_a_dialect(name: str, bare: str, extension: str) -> None:
    assert (grammar_name(name), grammar_extension(name)) == (bare, extension)
    assert not extension or extension in EXTENSIONS


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///work/a%20b/x.sql", "/work/a b/x.sql"),
        ("file:///work/../etc/x.sql", "/etc/x.sql"),
        ("file://localhost/x.sql", "/x.sql"),
        ("FILE:///%E8%A7%84%E5%88%99/x.sql", "/规则/x.sql"),
        ("/plain/x.sql", "/plain/x.sql"),
        ("file://server/share/x.sql", None),
        ("untitled:Untitled-1", None),
        ("vscode-remote://ssh/x.sql", None),
        ("x.sql", None),
        ("file:relative", None),
        ("file:///a%00b", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_only_files_of_this_machine_have_a_path(uri: str, path: str | None) -> None:
    assert document_path(uri) == (None if path is None else Path(path))
