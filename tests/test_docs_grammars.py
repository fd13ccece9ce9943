"""The examples of docs/grammars.md work: grammars compile, texts follow them, commands print what is printed there.

A fence with a name after its language is a file of that name; a `console` fence holds commands and what they print,
`...` standing for anything. All files lie in one folder in which the commands run.
"""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from daemon.api.paths import RUNTIME_DIR_VARIABLE
from daemon.globs import matches_glob
from daemon.grammars.catalogue import look_at
from daemon.grammars.places import built_in_folder, grammars_in
from daemon.settings.config import CONFIG_VARIABLE, load_config
from draftwire.cli import app
from draftwire.grammar.conformance import Judge
from draftwire.language_ids import language_id
from grammars.annotations import USAGE, read_annotations
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.dialects import DIALECTS, detect
from grammars.islands import Island, IslandFinder
from grammars.json_schema import compile_schema

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENT: Final = ROOT / "docs" / "grammars.md"
TEXT: Final = DOCUMENT.read_text(encoding="utf-8")
_FENCE: Final = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
GRAMMAR_LANGUAGES: Final = frozenset({"bnf", "ebnf", "abnf", "gbnf", "lark", "antlr"})
NAMED_IN_THE_DOCUMENT: Final = (
    ("daemon.grammars.places", "MAX_GRAMMAR_BYTES"),
    ("grammars.passes.check", "MAX_RULES"),
    ("grammars.passes.check", "MAX_NODES"),
    ("grammars.passes.check", "MAX_EXPANDED"),
    ("grammars.passes.lexical", "MAX_TERMINAL"),
    ("grammars.document", "LONGEST_TEXT"),
)
"""Limits that stand there in figures."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One example."""

    language: str
    name: str
    """Of the file; of a `console` fence, "model" if its commands need the draft model."""
    text: str


FENCES: Final = tuple(Fence(found[1], found[2] or "", found[3]) for found in _FENCE.finditer(TEXT))
FILES: Final = {one.name: one for one in FENCES if one.name and one.language != "console"}
GRAMMARS: Final = [one for one in FILES.values() if one.language in GRAMMAR_LANGUAGES]
SAME_LANGUAGE: Final = [one for one in GRAMMARS if one.name.startswith("alarms")]


def compiled(fence: Fence) -> CompiledGrammar:
    """The grammar in an example."""
    return compile_text(fence.text, file_name=fence.name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all files of the document; commands run in it, with settings of their own."""
    place = tmp_path / "work"
    place.mkdir()
    for fence in FILES.values():
        (place / fence.name).write_text(fence.text, encoding="utf-8")
    config = tmp_path / "config.toml"
    config.write_text('[draft]\nmodel = "bundled:q4_1"\ncache_dir = "cache"\n', encoding="utf-8")
    monkeypatch.setenv(CONFIG_VARIABLE, str(config))
    monkeypatch.setenv(RUNTIME_DIR_VARIABLE, str(tmp_path / "runtime"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(place)
    return place


def steps(fence: Fence) -> Iterator[tuple[str, str]]:
    """The commands of a `console` fence, each with what it is to print."""
    for block in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]:
        order, _, output = block.partition("\n")
        yield order, output


def check_steps(fence: Fence) -> None:
    """Run the commands, and compare."""
    checker = doctest.OutputChecker()
    for order, wanted in steps(fence):
        program, *arguments = shlex.split(order)
        assert program == "draftwire"
        result = CliRunner().invoke(app, arguments)
        got = "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())
        same = checker.check_output(wanted, got, doctest.ELLIPSIS)
        assert same, f"$ {order}\n{got}\nwhere the document has\n{wanted}"


def test_there_are_examples() -> None:
    """A slip in how they are found would leave the other tests without any."""
    assert len(GRAMMARS) > 8
    assert {detect(one.text, one.name) for one in SAME_LANGUAGE} == set(DIALECTS)


@pytest.mark.parametrize("fence", GRAMMARS, ids=lambda one: one.name)
def test_a_grammar_compiles_without_a_complaint(fence: Fence) -> None:
    assert [one for one in compiled(fence).diagnostics if one.severity != "note"] == []


@pytest.mark.parametrize("fence", SAME_LANGUAGE, ids=lambda one: one.name)
def test_all_dialects_say_the_same(fence: Fence) -> None:
    judge = Judge(compiled(fence))
    right, wrong = FILES["night.alarm"].text, FILES["wrong.alarm"].text
    assert judge.judge(right).outcome == "parses"
    verdict = judge.judge(wrong)
    assert (verdict.outcome, verdict.offset) == ("error", wrong.index(">>") + 1)


@pytest.mark.parametrize(
    "fence",
    [one for one in FENCES if one.language == "console" and not one.name],
    ids=lambda one: one.text.splitlines()[0],
)
def test_commands_print_what_is_printed_there(fence: Fence, folder: Path) -> None:
    assert folder.is_dir()
    check_steps(fence)


@pytest.mark.model
def test_so_do_those_that_read_the_draft_model(folder: Path) -> None:
    assert folder.is_dir()
    for fence in FENCES:
        if (fence.language, fence.name) == ("console", "model"):
            check_steps(fence)


def test_every_file_is_used() -> None:
    """By a command, or as the host of an island."""
    commands = [argument for one in FENCES if one.language == "console" for argument in one.text.split()]
    hosts = [host for _, host in islands()]
    others = {one.name for one in (*SAME_LANGUAGE, *hosts)}
    used = {name for name in FILES if any(argument.startswith(name) for argument in commands)}
    configurations = {one.name for one in FENCES if one.language == "toml"}
    assert FILES.keys() == used | others | configurations


@pytest.mark.parametrize("fence", [one for one in FENCES if one.language == "toml"], ids=lambda one: one.name)
def test_a_configuration_is_taken(fence: Fence, folder: Path) -> None:
    config = load_config(folder / fence.name)
    assert config.grammars.islands or config.grammars.files


def islands() -> list[tuple[Fence, Fence]]:
    """Each configuration with islands, and the host file that follows it."""
    pairs = pairwise(FENCES)
    return [(one, other) for one, other in pairs if one.language == "toml" and "islands" in one.text]


@pytest.mark.parametrize("pair", islands(), ids=lambda one: one[1].name)
def test_an_island_is_found_and_follows_its_grammar(pair: tuple[Fence, Fence], folder: Path) -> None:
    (entry,) = load_config(folder / pair[0].name).grammars.islands
    assert entry.host == language_id(Path(pair[1].name)) or matches_glob(pair[1].name, [entry.host])
    finder = IslandFinder([Island(entry.open, entry.close or r"\n", entry.grammar)])
    text = pair[1].text
    found = {one for at in range(len(text)) if (one := finder.at(text, at)) is not None}
    (place,) = {(one.start, one.end) for one in found}
    (file,) = (one for one in grammars_in(built_in_folder(), "built in") if one.name == entry.grammar)
    judge = Judge(compile_text(file.path.read_text(encoding="utf-8"), file_name=file.path.name))
    assert judge.judge(text[place[0] : place[1]]).outcome == "parses"


def test_a_schema_is_taken() -> None:
    schema = FILES["service.schema.json"]
    assert compile_schema(schema.text, name="service").diagnostics == ()


def test_all_annotations_stand_in_the_table_and_are_taken() -> None:
    rows = re.findall(r"^\| `(@(\w+)[^`]*)` \|", TEXT, re.MULTILINE)
    assert sorted(word for _, word in rows) == sorted(USAGE)
    for example, word in rows:
        assert word in read_annotations(f"; {example}\n").spans


def test_the_table_of_the_built_in_grammars_is_theirs() -> None:
    rows = {row[0]: row for row in map(_cells, TEXT.splitlines()) if len(row) == 5}
    for file in grammars_in(built_in_folder(), "built in"):
        known = look_at(file)
        dialect = detect(file.path.read_text(encoding="utf-8"), file.path.name)
        _, _, files, languages, written = rows[f"`{known.name}`"]
        assert set(re.findall(r"`([^`]+)`", files)) == set(known.globs)
        assert set(re.findall(r"`([^`]+)`", languages)) == set(known.languages)
        assert written == {"w3c": "W3C EBNF", "ebnf": "ISO EBNF", "lark": "Lark", "antlr4": "ANTLR4"}.get(
            dialect, dialect.upper()
        )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().split("|")[1:-1]] if line.startswith("|") else []


@pytest.mark.parametrize(("module", "name"), NAMED_IN_THE_DOCUMENT)
def test_a_limit_is_the_one_in_force(module: str, name: str) -> None:
    assert f"{getattr(importlib.import_module(module), name):,}" in TEXT


def test_links_lead_somewhere() -> None:
    anchors = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in _HEADING.findall(TEXT)}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        else:
            assert (DOCUMENT.parent / target).exists(), target
