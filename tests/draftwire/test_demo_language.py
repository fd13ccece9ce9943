"""The demonstration of a grammar: what it is given, what it sets up, what it says; and one run on the real model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from daemon.grammars.catalogue import look_at
from daemon.grammars.places import grammars_in
from draftwire.cli import app
from draftwire.demo.check import Claim, Finding
from draftwire.demo.editor import Ghost, Session, Suggested
from draftwire.demo.judgement import Shares
from draftwire.demo.language import _difference, _first_words, _opening, _since, installed, prepare
from draftwire.demo.language_report import Compared, Typed, as_json, tables
from draftwire.demo.report import Part
from draftwire.demo.steps import claims
from draftwire.failures import CommandFailed, Exit
from draftwire.grammar.conformance import Verdict
from draftwire.grammar.sources import in_file
from tests.fakes.orders import BROKEN, GRAMMAR, TEXT, WRONG, write

runner = CliRunner()


@pytest.fixture
def grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The grammar of orders; a file a.ord of its language lies beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.ord").write_text(TEXT * 4, encoding="utf-8")
    return write(tmp_path)


# What it is given -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [["--grammar", "sql"], ["--file", "a.ord"]])
def test_a_grammar_and_a_file_go_together(grammar: Path, options: list[str]) -> None:
    result = runner.invoke(app, ["demo", *options])
    assert result.exit_code == Exit.USAGE
    assert "--grammar and --file go together" in result.stderr


def test_errors_of_the_grammar_are_shown_as_by_check_and_end_it(tmp_path: Path, grammar: Path) -> None:
    write(tmp_path, BROKEN)
    result = runner.invoke(app, ["demo", "--grammar", "orders.bnf", "--file", "a.ord"])
    assert result.exit_code == Exit.NOTHING
    lines = result.stderr.splitlines()
    assert lines[0].startswith("orders.bnf:9:12: error: name refers to letter, which is not defined; ")
    assert lines[2].strip() == "^~~~~~~~"
    assert lines[-1] == "draftwire: the grammar orders.bnf can't be used"


def test_files_that_can_not_be_typed_have_a_reason(tmp_path: Path, grammar: Path) -> None:
    (tmp_path / "empty.ord").write_text("", encoding="utf-8")
    with pytest.raises(CommandFailed, match=r"empty\.ord has no line to type but comments"):
        prepare("orders.bnf", tmp_path / "empty.ord", 2, 1)
    with pytest.raises(CommandFailed, match="can't be read"):
        prepare("orders.bnf", tmp_path / "gone.ord", 2, 1)


def test_places_are_statements_without_which_the_file_still_follows_the_grammar(grammar: Path) -> None:
    subject = prepare("orders.bnf", Path("a.ord"), 3, 1)
    assert subject.verdict.outcome == "parses"
    assert len(subject.passages) == 3
    assert all(";" not in passage.typed for passage in subject.passages)
    assert _first_words(subject).startswith("the file follows the grammar; typed in 3 places")
    assert subject.uri == Path("a.ord").absolute().as_uri()


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            '<file> ::= <rule> | <file> <rule>\n<rule> ::= "rule" <name> "{" <when> <notify> "}"\n'
            '<when> ::= "when" <name> ";"\n<notify> ::= "notify" <name> ";"\n'
            '<name> ::= <letter> | <name> <letter>\n<letter> ::= "a".."z"\n',
            "rule one {\n  when high;\n  notify bob;\n}\n" * 3,
        ),
        ('<a> ::= "go" <b>\n<b> ::= "on"\n', "go\non\n"),
        ('<a> ::= "[" <b> ";" <b> "]"\n<b> ::= "one" | "two"\n', "[\none ;\ntwo\n]\n"),
    ],
)
def test_a_language_without_a_statement_that_can_be_left_out_is_typed(
    tmp_path: Path, rules: str, text: str
) -> None:
    grammar = write(tmp_path, rules, "own.bnf")
    (tmp_path / "a.own").write_text(text, encoding="utf-8")
    subject = prepare(str(grammar), tmp_path / "a.own", 6, 1)
    assert subject.verdict.outcome == "parses"
    assert subject.passages
    assert not subject.places.can_be_left_out


def test_a_file_that_does_not_follow_the_grammar_is_typed_all_the_same(tmp_path: Path, grammar: Path) -> None:
    (tmp_path / "wrong.ord").write_text(WRONG + TEXT * 3, encoding="utf-8")
    subject = prepare("orders.bnf", Path("wrong.ord"), 2, 1)
    assert len(subject.passages) == 2
    said = _first_words(subject)
    assert said.startswith('wrong.ord:2:6: "苹果" may not stand here; expected amount\n')
    assert "below that place it is taken up again where possible" in said


# What it sets up --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file", "kept", "glob", "called"),
    [
        ("orders.bnf", "a.ord", "orders.bnf", "*.ord", "orders"),
        ("my grammar.bnf", "a.ord", "grammar.bnf", "*.ord", "orders"),
        ("orders.txt", "Orderfile", "orders.grammar", "Orderfile", "orders"),
    ],
)
def test_the_grammar_goes_to_this_runs_folder_and_is_mapped(
    tmp_path: Path, name: str, file: str, kept: str, glob: str, called: str
) -> None:
    known = in_file(write(tmp_path / "own", name=name))
    folder = tmp_path / "grammars"
    settings = tomllib.loads("[grammars]\n" + installed(known, Path(file), folder))["grammars"]
    assert settings == {"folder": str(folder), "files": {glob: called}}
    [found] = grammars_in(folder, "user")
    assert (found.path.name, look_at(found).name) == (kept, called)
    assert found.path.read_text(encoding="utf-8") == GRAMMAR


def test_a_grammar_without_a_name_of_its_own_is_mapped_by_that_of_its_copy(tmp_path: Path) -> None:
    known = in_file(write(tmp_path, "<a> ::= 'x'\n", "a b.bnf"))
    assert '"*.x" = "grammar"' in installed(known, Path("f.x"), tmp_path / "grammars")


def test_examples_and_schemas_are_taken_along(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "orders.examples").mkdir()
    (tmp_path / "orders.examples" / "one.ord").write_text(TEXT, encoding="utf-8")
    installed(in_file(path), Path("a.ord"), tmp_path / "grammars")
    [found] = grammars_in(tmp_path / "grammars", "user")
    assert [one.name for one in found.examples] == ["one.ord"]
    installed(in_file(write(tmp_path, "{}", "config.json")), Path("a.cfg"), tmp_path / "more")
    assert (tmp_path / "more" / "config.schema.json").exists()


def test_the_prompts_opening_is_found_as_the_daemon_finds_it(tmp_path: Path, grammar: Path) -> None:
    subject = prepare("orders.bnf", Path("a.ord"), 1, 1)
    assert _opening(subject, TEXT) is None
    (tmp_path / "b.ord").write_text(TEXT * 20, encoding="utf-8")
    opening = _opening(subject, TEXT)
    assert opening is not None
    assert (opening.exemplar.name, opening.document_name, opening.line_comment) == ("b.ord", "a.ord", "--")


# What it says -----------------------------------------------------------------------------------------------


ORDERS = Typed("orders", Path("a.ord"), TEXT, Verdict("parses", len(TEXT)), can_be_left_out=True)


def compared(title: str, *, rate: float | None) -> Compared:
    acceptance = {"rounds": 4, "acceptance_rate": rate, "accepted_per_round": 1.5}
    session = Session(9, 1, [Suggested("buy ", Ghost("1 a", 2, True), 12.0, fresh=True)])
    return Compared(
        Part(title, session, acceptance), Shares(4, 3, 1, 4, 2), {"masked": 5}, {"timeout": 1}, []
    )


FINDINGS = [Finding(Claim("buy ", "1 a"), "1 a;"), Finding(Claim("buy ", "2"), "3")]


def test_the_tables_show_both_parts_side_by_side() -> None:
    console = Console(width=200, highlight=False)
    with console.capture() as capture:
        tables(console, ORDERS, [compared("without", rate=0.4), compared("with", rate=None)], FINDINGS)
    shown = capture.get()
    for words in (
        "40 %",
        "75 % of 4",
        "25 % of 4",
        "50 % of 4",
        "with, requests: 5 masked",
        "nothing shown: 1 timeout",
    ):
        assert words in shown
    assert "(2 checked): NO" in shown
    assert "shown as verified: '2'" in shown
    assert "that fit the text after them" in shown
    assert "breaks without" not in shown
    assert "so few latencies say nothing of the difference" in " ".join(shown.split())


def test_the_table_says_by_what_fit_is_judged_where_no_statement_can_be_left_out() -> None:
    console = Console(width=200, highlight=False)
    with console.capture() as capture:
        tables(console, replace(ORDERS, can_be_left_out=False), [compared("a", rate=None)] * 2, [])
    shown = capture.get()
    assert "that fit the beginning of the text after them" in shown
    assert "The file breaks without any of these statements" in shown


def test_json() -> None:
    pair = [compared("without", rate=0.4), compared("with", rate=0.8)]
    values = json.loads(as_json(ORDERS, pair, FINDINGS[:1]))
    assert (values["grammar"], values["file"], values["parses"], values["first_error"]) == (
        "orders", "a.ord", True, None,
    )  # fmt: skip
    assert (values["plain"]["acceptance_rate"], values["masked"]["acceptance_rate"]) == (0.4, 0.8)
    assert values["statements_can_be_left_out"] is True
    assert values["masked"]["legal_share"] == 0.75
    assert values["masked"]["first_ghost_p99_ms"] == 12.0
    assert (values["verified_equals_target"], values["verified_checked"]) == (True, 1)


def test_what_was_counted_before_is_taken_off() -> None:
    before = {"rounds": 2, "drafted": 6, "accepted": 3}
    after = {"rounds": 6, "drafted": 16, "accepted": 8}
    assert _difference(before, after) == {
        "rounds": 4, "drafted": 10, "accepted": 5, "acceptance_rate": 0.5, "accepted_per_round": 1.25,
    }  # fmt: skip
    assert _difference(before, before)["acceptance_rate"] is None
    assert _since({"masked": 2, "others": 1}, {"masked": 5, "others": 1, "unmasked: x": 1}) == {
        "masked": 3, "unmasked: x": 1,
    }  # fmt: skip


def test_claims_know_where_their_document_was_opened() -> None:
    session = Session(
        suggested=[Suggested("abc", Ghost("de", 1, True), None, fresh=True, start=2, after="z")]
    )
    asked: list[tuple[str, str]] = []
    assert claims(session, lambda before, after: asked.append((before, after))) == [
        Claim("abc", "d", 2, None)
    ]
    assert asked == [("ab", "z")]


# The whole of it --------------------------------------------------------------------------------------------


@pytest.mark.model
@pytest.mark.timeout(600)
def test_a_built_in_grammar_in_the_demonstration(tmp_path: Path) -> None:
    """With text above that is not ASCII, and for a file that has another of its language beside it."""
    from daemon.grammars.places import built_in_folder

    examples = sorted((built_in_folder() / "proto3" / "examples").iterdir())
    for example in examples:
        shutil.copy(example, tmp_path / example.name)
    file = tmp_path / examples[0].name
    file.write_text(f"// 账单 🤗\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    command = [sys.executable, "-m", "draftwire", "demo", "--grammar", "proto3", "--file", str(file)]
    done = subprocess.run(
        [*command, "--places", "2", "--json"], capture_output=True, text=True, timeout=600, check=False
    )
    figures = json.loads(done.stdout)
    assert (figures["grammar"], figures["parses"]) == ("proto3", True)
    assert figures["plain"]["keys"] == figures["masked"]["keys"] > 0
    assert figures["verified_mismatches"] == []
    assert figures["plain"]["modes"] == {}
    modes = figures["masked"]["modes"]
    assert modes
    assert all(mode == "masked" or mode.startswith("unmasked: a token that") for mode in modes), modes
    assert figures["masked"]["legal_share"] in (None, 1.0)
    # On a busy machine no verdict may come between two keys of the one part or the other.
    assert figures["plain"]["rounds"] + figures["masked"]["rounds"] > 0
    assert done.returncode == (0 if figures["verified_checked"] else 1), done.stderr
