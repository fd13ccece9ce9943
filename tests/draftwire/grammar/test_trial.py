"""Trials for the command: schemas, dialects asked for, machines too busy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.grammar_runner import GrammarRunner, Outcome
from draftwire.failures import CommandFailed
from draftwire.grammar.anatomy import anatomy, dialect_title
from draftwire.grammar.sources import in_file
from draftwire.grammar.trial import AGAIN, SCHEMA, check_dialect, tried
from grammars.diagnostics import Diagnostic
from tests.fakes.orders import write

pytestmark = pytest.mark.asyncio

SCHEMA_TEXT = '{"type": "object", "properties": {"a": {"type": "integer"}}}'


class BusyRunner(GrammarRunner):
    """A machine that has no time."""

    async def run(self, text: str, file_name: str, **_: Any) -> Outcome:
        return Outcome(None, (Diagnostic("error", "busy", "too busy", "it is tried again"),), passing=True)


@pytest.mark.parametrize(("name", "dialect"), [("a.schema.json", ""), ("a.txt", SCHEMA)])
async def test_a_schema_is_one_by_its_name_or_because_it_is_said(
    tmp_path: Path, name: str, dialect: str
) -> None:
    found = await tried(in_file(write(tmp_path, SCHEMA_TEXT, name)), GrammarRunner(), dialect=dialect)
    assert found.compiled is not None
    again = found.compiled_again(dialect)
    assert (again.dialect, again.text) == (SCHEMA, found.compiled.text)
    assert found.outcome.compile_s > 0
    made_of = anatomy(found, found.compiled, dialect)
    assert (made_of.name, made_of.start, dialect_title(made_of.dialect)) == ("a", "", "JSON schema")


async def test_an_annotation_tells_the_dialect(tmp_path: Path) -> None:
    found = await tried(in_file(write(tmp_path, '; @dialect bnf\n<a> ::= "x"\n', "a.txt")), GrammarRunner())
    assert found.compiled is not None
    assert anatomy(found, found.compiled, "").dialect_told_by == "@dialect in it"


async def test_a_busy_machine_asks_to_run_the_command_again(tmp_path: Path) -> None:
    found = await tried(in_file(write(tmp_path)), BusyRunner())
    assert [one.advice for one in found.diagnostics] == [AGAIN]


async def test_only_dialects_can_be_asked_for() -> None:
    for known in ("", "bnf", SCHEMA):
        check_dialect(known)
    with pytest.raises(CommandFailed, match="there is no dialect BNF"):
        check_dialect("BNF")
