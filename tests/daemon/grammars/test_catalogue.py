"""Which grammar is for which document: by the configuration, by its own word, by its place; and why there is none."""

from __future__ import annotations

import time
from pathlib import Path
from types import MappingProxyType

import pytest

from daemon.documents import Document
from daemon.grammars.catalogue import HEADER_CHARACTERS, Catalogue, Known, Layer, look_at
from daemon.grammars.places import GrammarFile, Origin
from daemon.settings.config_sections import GrammarsConfig, IslandConfig

WORK = Path("/work")


def known(name: str, *globs: str, languages: tuple[str, ...] = (), origin: Origin = "built in") -> Known:
    file = GrammarFile(Path("/") / origin / f"{name}.bnf", name, ".bnf", origin, (1, 1, 1, 1), ())
    return Known(file, "digest", name, globs, languages)


def catalogue(*layers: Layer) -> Catalogue:
    return Catalogue((Layer((known("sql", "*.sql", languages=("sql",)), known("zz", "*.z"))), *layers))


def document(name: str = "file:///work/a.sql", language: str = "plain") -> Document:
    return Document(name, language, 1, "")


def settings(**values: object) -> GrammarsConfig:
    return GrammarsConfig(**values)  # type: ignore[arg-type]


def test_grammars_are_found_by_file_and_by_language() -> None:
    chosen = catalogue().choose(document(), GrammarsConfig())
    assert chosen.whole is not None
    assert (chosen.whole.name, chosen.reason, chosen.expected) == ("sql", "", True)
    by_language = catalogue().choose(document("untitled:1", "sql"), GrammarsConfig()).whole
    assert by_language is chosen.whole or by_language == chosen.whole
    none = catalogue().choose(document("untitled:1"), GrammarsConfig())
    assert (none.whole, none.reason, none.expected) == (None, "no grammar for this file", False)


def test_a_later_layer_goes_before_an_earlier_one_and_files_before_languages() -> None:
    mine = known("mine", "*.sql", origin="user")
    theirs = known("theirs", languages=("plain",), origin="workspace")
    other = known("a", "*.sql", languages=("plain",), origin="user")
    layers = Layer((mine,)), Layer((theirs,), WORK)
    assert catalogue(*layers).choose(document(), GrammarsConfig()).whole == theirs
    assert catalogue(layers[0]).choose(document(), GrammarsConfig()).whole == mine
    language_only = Layer((known("z", languages=("plain",)), other))
    assert catalogue(language_only).choose(document(), GrammarsConfig()).whole == other


def test_a_later_grammar_replaces_one_of_the_same_name_with_all_it_was_for() -> None:
    mine = known("sql", "*.mysql", origin="user")
    found = catalogue(Layer((mine,)))
    assert found.used(GrammarsConfig())["sql"] == mine
    assert found.choose(document(), GrammarsConfig()).whole is None
    assert found.choose(document("/a.mysql"), GrammarsConfig()).whole == mine


def test_the_configuration_goes_first() -> None:
    config = settings(
        files=MappingProxyType({"old/*": "none", "*.sql": "zz", "*.SQ?": "sql"}),
        languages=MappingProxyType({"mysql": "sql", "sql": "none"}),
    )

    def name_of(uri: str, language: str = "plain") -> str:
        chosen = catalogue().choose(document(uri, language), config)
        return chosen.whole.name if chosen.whole is not None else chosen.reason

    assert name_of("/work/a.sql", "mysql") == "zz"
    assert name_of("/work/old/a.sql") == 'switched off for this file ("old/*" in [grammars.files])'
    assert name_of("/work/a.txt", "mysql") == "sql"
    assert name_of("/work/a.z", "sql") == "switched off for this file (sql in [grammars.languages])"
    assert name_of("/work/a.z") == "zz"


def test_a_name_that_there_is_not_is_told_with_those_there_are() -> None:
    config = settings(files=MappingProxyType({"*.sql": "sqll"}))
    chosen = catalogue().choose(document(), config)
    assert (
        chosen.reason
        == 'there is no grammar sqll, which "*.sql" in [grammars.files] names; there are: sql, zz'
    )
    assert (chosen.expected, chosen.required) == (True, True)


def test_all_are_switched_off() -> None:
    chosen = catalogue().choose(document(), settings(enabled=False))
    assert (chosen.whole, chosen.reason) == (None, "grammars are switched off (grammars.enabled)")


def test_what_is_not_trusted_is_not_used_but_told_of_where_it_matters() -> None:
    layer = Layer((known("rules", "*.rules"), known("sql", "*.sql", origin="workspace")), WORK, trusted=False)
    found = catalogue(layer)
    refused = found.choose(document("file:///work/a.rules"), GrammarsConfig())
    said = "not trusted: add /work to grammars.trusted (draftwire grammar trust /work)"
    assert (refused.whole, refused.reason, refused.expected, refused.required) == (None, said, True, False)
    assert found.choose(document("file:///work/a.py"), GrammarsConfig()).reason == "no grammar for this file"
    built_in = found.choose(document(), GrammarsConfig()).whole
    assert built_in is not None
    assert built_in.file.origin == "built in"
    named = settings(files=MappingProxyType({"*.py": "rules"}))
    of_the_users = found.choose(document("/work/a.py"), named)
    assert (of_the_users.reason, of_the_users.required) == (said, True)
    elsewhere = settings(files=MappingProxyType({"*.py": "rulez"}))
    assert found.choose(document("/work/a.py"), elsewhere).reason.startswith("there is no grammar rulez")
    vouched = found.choose(document(), settings(trust_workspace=True)).whole
    assert vouched is not None
    assert vouched.file.origin == "workspace"


def test_islands_are_found_by_host_and_absent_grammars_are_noted() -> None:
    config = settings(
        islands=(
            IslandConfig("*.py", "a", "b", "sql"),
            IslandConfig("python", "c", "d", "zz"),
            IslandConfig("markdown", "e", "f", "sql"),
            IslandConfig("src/", "g", "h", "absent"),
            IslandConfig("*.py", "i", "j", "absent"),
        )
    )
    chosen = catalogue().choose(document("/src/a.py", "python"), config)
    absent = "there is no grammar absent, which [[grammars.islands]] names; there are: sql, zz"
    assert [
        (one.open, found.name if isinstance(found, Known) else found) for one, found in chosen.islands
    ] == [
        ("a", "sql"),
        ("c", "zz"),
        ("g", absent),
        ("i", absent),
    ]
    assert catalogue().choose(document("/a.md", "markdown"), config).islands[0][0].open == "e"


# What a file says of itself ---------------------------------------------------------------------------------


def look(folder: Path, name: str, text: str | bytes) -> Known:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    stem, _, extension = name.partition(".")
    return look_at(GrammarFile(path, stem, f".{extension}", "user", (1, 1, 1, 1), ()))


def test_annotations_are_read_and_only_those_that_say_what_it_is_for(tmp_path: Path) -> None:
    text = (
        '; @name rules\n; @start a @b\n; @files *.a *.b\n(* @language x\n   @tokem y *)\n<a> ::= "@files"\n'
    )
    found = look(tmp_path, "x.bnf", text)
    assert (found.name, found.globs, found.languages) == ("rules", ("*.a", "*.b"), ("x",))
    assert not found.diagnostics
    assert look(tmp_path, "y.bnf", "<a> ::= x\n").name == "y"
    assert look(tmp_path, "y.bnf", "; @start x").digest != look(tmp_path, "y.bnf", "; @start y").digest


def test_a_schema_names_its_files_under_a_key_of_ours(tmp_path: Path) -> None:
    text = '{"x-draftwire-files": ["*.conf.json", 3], "x-draftwire-languages": "json"}'
    found = look(tmp_path, "conf.schema.json", text)
    assert (found.name, found.globs, found.languages) == ("conf", ("*.conf.json",), ())
    for odd in ("[1]", "{", "[" * 100_000):
        assert look(tmp_path, "conf.schema.json", odd).globs == ()


def test_errors_are_kept_for_the_author(tmp_path: Path) -> None:
    bad = look(tmp_path, "x.bnf", "; @name a\n; @name b\n")
    assert "@name takes one value" in bad.diagnostics[0].message
    latin = look(tmp_path, "x.bnf", b"\xff")
    assert (latin.digest, latin.diagnostics[0].severity) == ("", "error")
    assert "save it as UTF-8" in latin.diagnostics[0].message


@pytest.mark.parametrize(
    "text",
    [
        "# @files *.a\n" * 80_000,
        "# @tokem a\n" * 90_000,
        "# @files " + "a" * 900_000,
        "(*" * 450_000,
        "@" * 900_000,
        "\n" * 900_000,
        "# @files " + "*a" * 30 + "\n",
    ],
    ids=["many", "misspelt", "long", "nested", "signs", "lines", "stars"],
)
def test_any_file_is_looked_at_in_no_time(tmp_path: Path, text: str) -> None:
    started = time.thread_time()
    found = look(tmp_path, "x.bnf", text)
    Catalogue((Layer((found,)),)).choose(document("/" + "a" * 4000), GrammarsConfig())
    assert time.thread_time() - started < 0.5
    assert len(found.globs) <= 100


def test_a_line_cut_by_the_limit_of_the_header_is_left_out(tmp_path: Path) -> None:
    text = "# @language x\n".ljust(HEADER_CHARACTERS - 8, "#") + "\n# @files *.abc\n"
    found = look(tmp_path, "x.bnf", text)
    assert (found.languages, found.globs) == (("x",), ())
