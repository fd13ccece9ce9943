"""Folders of grammars, looked at again and again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.grammars import lookout as grammar_lookout
from daemon.grammars.lookout import Lookout, settings_folder, trust_file, user_folder
from daemon.grammars.trust import trust
from daemon.settings.config import Config, parse_config
from daemon.settings.config_sections import GrammarsConfig


def write(path: Path, text: str, *, at_ns: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if at_ns:
        os.utime(path, ns=(at_ns, at_ns))
    return path


def lookout(folder: Path, settings: str = "") -> Lookout:
    (folder / "built in").mkdir(exist_ok=True)
    config = parse_config(settings, folder / "settings" / "config.toml")
    return Lookout(config, built_in=folder / "built in", home=folder / "home")


def test_the_users_folder_lies_beside_the_configuration_or_where_that_says(tmp_path: Path) -> None:
    config = Config(file=tmp_path / "c.toml")
    assert user_folder(config) == tmp_path / "grammars"
    assert user_folder(Config(grammars=GrammarsConfig(folder="/x"))) == Path("/x")
    assert trust_file(config) == tmp_path / "trusted-folders"
    assert settings_folder(Config()).name == "draftwire"


def test_workspace_goes_before_user_before_built_in(tmp_path: Path) -> None:
    work = tmp_path / "home" / "work"
    for place in (
        "built in",
        "settings/grammars",
        "home/work/.draftwire/grammars",
        "home/work/in/.draftwire/grammars",
    ):
        write(tmp_path / place / "a.bnf", "x")
        write(tmp_path / place / f"of {place.replace('/', ' ')}.bnf", "x")
    watch = lookout(tmp_path, f'grammars.trusted = ["{work}"]')
    config = GrammarsConfig()
    for folder, origin in [
        (None, "settings"),
        (tmp_path / "home", "settings"),
        (work / "src", "home/work/.draftwire"),
        (work / "in" / "src", "home/work/in"),
    ]:
        used = watch.look(folder).used(config)
        assert used["a"].file.path.is_relative_to(tmp_path / origin)
    assert len(watch.look(work / "in").used(config)) == 5


def test_trust_comes_from_the_configuration_and_from_the_list_at_once(tmp_path: Path) -> None:
    work = tmp_path / "home" / "work"
    write(work / ".draftwire" / "grammars" / "a.bnf", "; @files *.a")
    watch = lookout(tmp_path)
    assert [layer.trusted for layer in watch.look(work).layers] == [True, True, False]
    trust(work, tmp_path / "settings" / "trusted-folders")
    assert [layer.trusted for layer in watch.look(work).layers] == [True, True, True]


def test_an_empty_workspace_folder_is_no_layer(tmp_path: Path) -> None:
    (tmp_path / "home" / "work" / ".draftwire" / "grammars").mkdir(parents=True)
    assert len(lookout(tmp_path).look(tmp_path / "home" / "work").layers) == 2


def test_only_what_has_changed_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "built in" / "a.bnf", "; @files *.a", at_ns=1)
    watch = lookout(tmp_path)
    first = watch.look(None)
    assert watch.look(None) == first
    write(tmp_path / "built in" / "a.examples" / "x", "x")
    with_example = watch.look(None)
    assert with_example != first
    known = with_example.layers[0].grammars[0]
    assert (known.globs, len(known.file.examples)) == (("*.a",), 1)
    write(file, "; @files *.b", at_ns=2)
    assert watch.look(None).layers[0].grammars[0].globs == ("*.b",)
    file.unlink()
    assert watch.look(None).layers[0].grammars == ()


@pytest.mark.parametrize(
    ("content", "errors"),
    [(b"; @name n\n; @name m\n", 1), (b"\xff\xfe;\0", 1), (b"", 0), (b"\n", 0), (b"; only this\n<a> ::=", 0)],
)
def test_a_file_with_errors_is_for_what_it_was_before(tmp_path: Path, content: bytes, errors: int) -> None:
    """So is one that names no files any more: it may be empty, or begun anew, and compiling it will tell."""
    file = write(tmp_path / "built in" / "a.bnf", "; @name n\n; @files *.a", at_ns=1)
    watch = lookout(tmp_path)
    watch.look(None)
    file.write_bytes(content)
    os.utime(file, ns=(2, 2))
    known = watch.look(None).layers[0].grammars[0]
    assert (known.name, known.globs, len(known.diagnostics)) == ("n", ("*.a",), errors)


def test_what_is_remembered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_lookout, "_MOST_KEPT", 2)
    watch = lookout(tmp_path)
    for name in "abc":
        write(tmp_path / "built in" / f"{name}.bnf", "x")
    assert len(watch.look(None).layers[0].grammars) == 3
    assert len(watch._known) == 1


def test_a_file_may_name_other_files_and_one_that_named_none_another_name(tmp_path: Path) -> None:
    file = write(tmp_path / "built in" / "a.bnf", "; @files *.a", at_ns=1)
    other = write(tmp_path / "built in" / "b.bnf", "; @name b", at_ns=1)
    watch = lookout(tmp_path)
    watch.look(None)
    write(file, "; @language c", at_ns=2)
    write(other, "; @name d", at_ns=2)
    known = watch.look(None).layers[0].grammars
    assert [(one.name, one.globs, one.languages) for one in known] == [("a", (), ("c",)), ("d", (), ())]
