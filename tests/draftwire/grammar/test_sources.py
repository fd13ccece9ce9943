"""Which grammar a name or a path means."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftwire.failures import CommandFailed
from draftwire.grammar.sources import files_of, in_file, schema_name
from tests.fakes.orders import write


def test_a_file_has_the_examples_that_lie_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "orders.examples").mkdir()
    (tmp_path / "orders.examples" / "a.ord").write_text("x", encoding="utf-8")
    known = in_file(path)
    assert (known.name, known.file.called, len(known.file.examples)) == ("orders", "orders.bnf", 1)


def test_a_grammar_in_a_folder_of_its_own_is_called_like_the_folder(tmp_path: Path) -> None:
    (tmp_path / "trade" / "examples").mkdir(parents=True)
    known = in_file(write(tmp_path / "trade", "; no name\n<a> ::= 'x'\n", "grammar.bnf"))
    assert (known.name, known.file.called) == ("trade", "trade.bnf")


@pytest.mark.parametrize(
    ("name", "called", "schema"),
    [
        ("rules.txt", "rules", ""),
        ("config.json", "config", "config"),
        ("config.schema.json", "config", "config"),
        ("grammar", "grammar", ""),
    ],
)
def test_any_extension_will_do(tmp_path: Path, name: str, called: str, schema: str) -> None:
    known = in_file(write(tmp_path, "{}", name))
    assert (known.file.name, schema_name(known)) == (called, schema)


def test_a_folder_stands_for_the_grammars_in_it(tmp_path: Path) -> None:
    write(tmp_path / "some")
    write(tmp_path / "some" / "trade", name="grammar.gbnf")
    assert files_of([tmp_path / "some", tmp_path / "x.bnf"]) == [
        tmp_path / "some" / "orders.bnf",
        tmp_path / "some" / "trade" / "grammar.gbnf",
        tmp_path / "x.bnf",
    ]
    with pytest.raises(CommandFailed, match="a folder without grammars"):
        files_of([tmp_path])
