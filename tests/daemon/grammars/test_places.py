"""Which grammar files are found, and what is left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.grammars import places as grammar_places
from daemon.grammars.places import (
    MAX_GRAMMAR_BYTES,
    Unreadable,
    built_in_folder,
    grammars_in,
    read_grammar,
    workspaces_of,
)


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_grammar_is_a_file_or_a_folder_with_its_examples_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "b.BNF", "b")
    put(tmp_path / "b.examples" / "one.b")
    put(tmp_path / "a" / "grammar.lark", "a")
    put(tmp_path / "a" / "examples" / "2.a")
    put(tmp_path / "a" / "examples" / "1.a")
    put(tmp_path / "a" / "examples" / "empty.a", "")
    put(tmp_path / "c" / "grammar.schema.json", "{}")
    put(tmp_path / "d.schema.json", "{}")
    found = grammars_in(tmp_path, "user")
    assert [(one.name, one.extension, one.called) for one in found] == [
        ("a", ".lark", "a.lark"),
        ("b", ".bnf", "b.bnf"),
        ("c", ".schema.json", "c.schema.json"),
        ("d", ".schema.json", "d.schema.json"),
    ]
    assert [[path.name for path in one.examples] for one in found] == [["1.a", "2.a"], ["one.b"], [], []]
    assert (found[1].size, found[1].origin) == (1, "user")


def test_other_files_are_no_grammars(tmp_path: Path) -> None:
    for name in (
        "README.md",
        "notes.txt",
        "a.json",
        ".hidden.bnf",
        ".bnf",
        "a/other.bnf",
        "b/grammar",
        "c/x/grammar.bnf",
    ):
        put(tmp_path / name)
    (tmp_path / "folder.bnf").mkdir()
    os.mkfifo(tmp_path / "pipe.bnf")
    assert grammars_in(tmp_path, "user") == ()
    assert grammars_in(tmp_path / "absent", "user") == ()


def test_of_one_name_the_first_extension_counts(tmp_path: Path) -> None:
    for name in ("a.g4", "a.bnf", "a/grammar.lark", "b/grammar.g4", "b/grammar.abnf"):
        put(tmp_path / name)
    found = grammars_in(tmp_path, "user")
    assert [one.path.relative_to(tmp_path).as_posix() for one in found] == ["a.bnf", "b/grammar.abnf"]


def test_their_number_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_places, "MAX_FILES", 2)
    monkeypatch.setattr(grammar_places, "MAX_EXAMPLES", 1)
    for name in ("a.bnf", "b.bnf", "c.bnf", "a.examples/1", "a.examples/2"):
        put(tmp_path / name)
    found = grammars_in(tmp_path, "user")
    assert [(one.name, len(one.examples)) for one in found] == [("a", 1), ("b", 0)]


def test_a_changed_file_has_another_identity(tmp_path: Path) -> None:
    file = put(tmp_path / "a.bnf")
    before = grammars_in(tmp_path, "user")
    assert grammars_in(tmp_path, "user") == before
    os.utime(file, ns=(1, 1))
    assert grammars_in(tmp_path, "user") != before


def test_links_lead_out_of_the_users_folder_but_not_of_a_workspace(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside.bnf")
    workspace = tmp_path / "work"
    folder = workspace / ".draftwire" / "grammars"
    inside = put(workspace / "docs" / "inside.bnf")
    folder.mkdir(parents=True)
    (folder / "out.bnf").symlink_to(outside)
    (folder / "in.bnf").symlink_to(inside)
    (folder / "loop.bnf").symlink_to("loop.bnf")
    (folder / "in.examples").mkdir()
    (folder / "in.examples" / "secret").symlink_to(outside)
    assert [one.name for one in grammars_in(folder, "user")] == ["in", "out"]
    within = grammars_in(folder, "workspace", within=workspace)
    assert [(one.name, one.examples) for one in within] == [("in", ())]


def test_workspaces_are_found_upwards_and_neither_home_nor_the_root_is_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for place in (tmp_path, home, home / "mono", home / "mono" / "part"):
        (place / ".draftwire" / "grammars").mkdir(parents=True)
    folder = home / "mono" / "part" / "src" / "not there"
    assert workspaces_of(folder, home) == (home / "mono", home / "mono" / "part")
    assert workspaces_of(home, home) == ()
    assert workspaces_of(Path("/"), home) == ()
    assert workspaces_of(tmp_path / "other", home) == (tmp_path,)


def test_home_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".draftwire" / "grammars").mkdir(parents=True)
    assert workspaces_of(tmp_path / "a") == ()


def test_the_built_in_grammars_are_there_with_examples() -> None:
    found = {one.name: one for one in grammars_in(built_in_folder(), "built in")}
    assert {"json", "proto3", "graphql", "promql", "dot", "st", "fsm_zh"} <= set(found)
    assert all(one.examples for one in found.values())


def test_text_is_read_with_lf(tmp_path: Path) -> None:
    (tmp_path / "a.bnf").write_bytes(b"\xef\xbb\xbfa\r\nb\n")
    assert read_grammar(tmp_path / "a.bnf") == "a\nb\n"


def test_what_can_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "large.bnf").write_bytes(b"x" * (MAX_GRAMMAR_BYTES + 1))
    (tmp_path / "latin.bnf").write_bytes(b"a\nb\xe9\n")
    os.mkfifo(tmp_path / "pipe.bnf")
    for name, said in [
        ("large.bnf", "larger than the 1,000,000 bytes"),
        ("latin.bnf", r"not UTF-8 text \(line 2\)"),
        ("pipe.bnf", "no file"),
        ("absent.bnf", "can't be read: No such file"),
    ]:
        with pytest.raises(Unreadable, match=said):
            read_grammar(tmp_path / name)
