"""`draftwire grammar check`, `list`, `trust`, `untrust`: on real grammar files, compiled by real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from draftwire.cli import app
from draftwire.failures import Exit
from tests.draftwire.conftest import RunDaemon
from tests.fakes.daemon import READY
from tests.fakes.orders import BROKEN, GRAMMAR, TEXT, write

runner = CliRunner()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the built-in grammars are compiled into, once for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text(f'[draft]\ncache_dir = "{cache}"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_what_a_grammar_was_understood_as(tmp_path: Path) -> None:
    result = runner.invoke(app, ["grammar", "check", str(write(tmp_path))])
    assert (result.exit_code, result.stderr) == (0, "")
    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if " " in line)
    assert "orders.bnf: ok" in result.stdout
    assert rows["name"].strip() == "orders"
    assert "classic BNF (told by its content" in rows["dialect"]
    assert rows["start"].strip() == "file"
    assert rows["rules"].strip() == "6"
    assert rows["inferred"].strip() == "amount, name"
    assert "comment --" in rows["skipped"]
    assert "blanks" in rows["skipped"]
    assert '";"' in result.stdout
    assert "ms of CPU time" in result.stdout


def test_an_error_has_its_place_its_advice_and_a_mark_under_the_line(tmp_path: Path) -> None:
    path = write(tmp_path, BROKEN)
    result = runner.invoke(app, ["grammar", "check", str(path)])
    assert result.exit_code == Exit.NOTHING
    first, line, mark = result.stdout.splitlines()[:3]
    assert first.startswith(f"{path}:9:12: error: name refers to letter, which is not defined; ")
    assert line == "    <name> ::= <letter> | <name> <letter>"
    assert mark == "               ^~~~~~~~"
    assert result.stderr == "draftwire: the grammar can't be used\n"


def test_a_warning_for_one_too_dear_for_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("draftwire.grammar.trial.cpu_budget_s", lambda size: 0.0001)
    result = runner.invoke(app, ["grammar", "check", str(write(tmp_path))])
    assert result.exit_code == 0
    assert "orders.bnf: warning: compiling and trying it takes " in result.stdout
    assert "orders.bnf: ok" in result.stdout


def test_several_files_and_folders_in_json(tmp_path: Path) -> None:
    write(tmp_path / "all", GRAMMAR)
    write(tmp_path / "all", '{"type": "object", "properties": {"a": {"type": "string"}}}', "x.schema.json")
    write(tmp_path, BROKEN, "broken.bnf")
    result = runner.invoke(app, ["grammar", "check", "all", "broken.bnf", "--json"])
    assert result.exit_code == Exit.NOTHING
    found = json.loads(result.stdout)
    assert found["ok"] is False
    orders, schema, broken = found["grammars"]
    assert (orders["file"], orders["ok"], orders["dialect"], orders["rules"]) == (
        "all/orders.bnf", True, "bnf", 6,
    )  # fmt: skip
    assert orders["compile_ms"] > 0
    assert orders["inferred_terminals"] == ["amount", "name"]
    assert (schema["ok"], schema["dialect"], schema["dialect_told_by"]) == (
        True,
        "json-schema",
        "its extension",
    )
    assert (broken["ok"], broken["diagnostics"][0]["line"], broken["diagnostics"][0]["column"]) == (
        False,
        9,
        12,
    )
    assert broken["diagnostics"][0]["code"] == "undefined-rule"


def test_a_dialect_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, 'root ::= "a" | "b"\n', "any.txt")
    named = json.loads(
        runner.invoke(app, ["grammar", "check", str(path), "--dialect", "gbnf", "--json"]).stdout
    )
    assert (named["grammars"][0]["dialect"], named["grammars"][0]["dialect_told_by"]) == ("gbnf", "--dialect")
    unknown = runner.invoke(app, ["grammar", "check", str(path), "--dialect", "yacc"])
    assert unknown.exit_code == Exit.USAGE
    assert unknown.stderr.startswith("draftwire: there is no dialect yacc; the dialects are bnf, ebnf, ")


def test_a_hostile_grammar_ends_its_process_not_the_command(tmp_path: Path) -> None:
    path = write(tmp_path, 'root ::= (("a"{1,300}){1,300}){1,300}\n', "nested.gbnf")
    result = runner.invoke(app, ["grammar", "check", str(path)])
    assert result.exit_code == Exit.NOTHING
    assert "error:" in result.stdout


def test_what_is_no_text_is_an_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.bnf").write_bytes(b"\xff\xfe")
    result = runner.invoke(app, ["grammar", "check", "a.bnf"])
    assert result.exit_code == Exit.NOTHING
    assert result.stdout == "a.bnf: error: the file is not UTF-8 text (line 1); save it as UTF-8\n"


@pytest.mark.parametrize(
    ("argument", "status", "said"),
    [
        ("gone.bnf", Exit.UNREADABLE, "gone.bnf can't be read: No such file or directory"),
        ("empty", Exit.NOTHING, "empty is a folder without grammars"),
    ],
)
def test_no_grammar_there(tmp_path: Path, argument: str, status: Exit, said: str) -> None:
    (tmp_path / "empty").mkdir()
    result = runner.invoke(app, ["grammar", "check", argument])
    assert result.exit_code == status
    assert result.stderr.startswith(f"draftwire: {said}")


# list, trust, untrust ---------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a grammar of its own, below the folder that `home` is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "project"
    write(folder / ".draftwire" / "grammars")
    (folder / "a.ord").write_text(TEXT, encoding="utf-8")
    return folder


def states(folder: Path) -> dict[str, tuple[str, str]]:
    result = runner.invoke(app, ["grammar", "list", str(folder), "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["grammars"]
    return {f"{one['origin']} {one['name']}": (one["state"], one["why"]) for one in found}


def test_the_grammars_of_a_folder_with_origin_state_and_use(
    tmp_path: Path, project: Path, cache: Path
) -> None:
    write(tmp_path / "grammars", GRAMMAR.replace("orders", "mine").replace("*.ord", "*.own"), "mine.bnf")
    write(tmp_path / "grammars", BROKEN.replace("orders", "broken"), "broken.bnf")
    with (tmp_path / "config.toml").open("a", encoding="utf-8") as file:
        file.write('[grammars.files]\n"*.order" = "mine"\n')
    found = states(project)
    assert found["built in sql"] == ("ready", "")
    assert found["user mine"] == ("ready", "")
    assert found["user broken"][0] == "refused"
    assert "line 9: name refers to letter, which is not defined" in found["user broken"][1]
    assert found["workspace orders"] == ("not trusted", f"draftwire grammar trust {project}")
    table = runner.invoke(app, ["grammar", "list", str(project)])
    assert table.exit_code == 0
    mine, path = [line for line in table.stdout.splitlines() if line.startswith("mine")]
    assert path == f"mine (user): {tmp_path / 'grammars' / 'mine.bnf'}"
    assert "user" in mine
    assert "*.own, *.order" in mine
    assert "broken (broken.bnf): refused: line 9" in table.stdout
    assert len(list((cache / "grammars").glob("*.grammar"))) >= 9


def test_that_the_daemon_has_the_version_before_in_use_is_said(
    tmp_path: Path, project: Path, run_daemon: RunDaemon
) -> None:
    file = write(tmp_path / "grammars", BROKEN, "broken.bnf")
    line = f"orders (user, {file}): the version before is in use, since the new one was refused: broken.bnf"
    with run_daemon(status=replace(READY, grammars=[line])):
        found = states(project)
    assert found["user orders"][0] == "refused"
    assert found["user orders"][1].endswith("(the daemon still has the version before in use)")


def test_paths_are_listed_in_one_piece_however_narrow_the_terminal_is(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    file = write(tmp_path / "grammars", GRAMMAR, f"{'long-' * 20}name.bnf")
    result = runner.invoke(app, ["grammar", "list", str(tmp_path)])
    assert f"orders (user): {file}" in result.stdout.splitlines()


def test_a_grammar_of_the_same_name_hides_another(tmp_path: Path, project: Path) -> None:
    write(tmp_path / "grammars", GRAMMAR)
    assert runner.invoke(app, ["grammar", "trust", str(project)]).exit_code == 0
    found = states(project)
    assert found["workspace orders"] == ("ready", "")
    hider = project / ".draftwire" / "grammars" / "orders.bnf"
    assert found["user orders"] == ("hidden", f"{hider} has the same name")


def test_trust_and_untrust(tmp_path: Path, project: Path) -> None:
    trusted = runner.invoke(app, ["grammar", "trust", "project"])
    assert (trusted.exit_code, trusted.stderr) == (
        0, f"{project} is trusted\nits grammars: orders.bnf\n",
    )  # fmt: skip
    assert runner.invoke(app, ["grammar", "trust", "project"]).stderr.startswith(
        f"{project} is trusted already\n"
    )
    assert (
        runner.invoke(app, ["grammar", "untrust", "project"]).stderr == f"{project} is not trusted any more\n"
    )
    assert runner.invoke(app, ["grammar", "untrust", "project"]).stderr == f"{project} was not trusted\n"
    assert states(project)["workspace orders"][0] == "not trusted"


def test_what_can_not_be_trusted_has_a_reason(tmp_path: Path) -> None:
    result = runner.invoke(app, ["grammar", "trust", "gone"])
    assert result.exit_code == Exit.CANT_CREATE
    assert f"{tmp_path / 'gone'} is no folder" in result.stderr


def test_who_is_trusted_all_the_same_is_told_by_what(tmp_path: Path, project: Path) -> None:
    assert runner.invoke(app, ["grammar", "trust", str(tmp_path)]).exit_code == 0
    by_parent = runner.invoke(app, ["grammar", "untrust", str(project)])
    assert by_parent.exit_code == Exit.NOTHING
    assert (
        by_parent.stderr
        == f"draftwire: {project} lies in {tmp_path}: run: draftwire grammar untrust {tmp_path}\n"
    )
    settings = {
        f'[grammars]\ntrusted = ["{tmp_path}"]\n': f"trusted by grammars.trusted: take {tmp_path} out of it",
        "[grammars]\ntrust_workspace = true\n": "trusted by grammars.trust_workspace: set that to false",
    }
    for text, said in settings.items():
        (tmp_path / "config.toml").write_text(text, encoding="utf-8")
        result = runner.invoke(app, ["grammar", "untrust", str(project)])
        assert (result.exit_code, said in result.stderr) == (Exit.NOTHING, True)
