"""Trials for the command: schemas, dialects asked for, machines too busy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.grammars.runner import GrammarRunner, Outcome, cpu_budget_s
from draftwire.failures import CommandFailed
from draftwire.grammar.anatomy import anatomy, dialect_title, quoted
from draftwire.grammar.sources import in_file
from draftwire.grammar.trial import AGAIN, SCHEMA, Tried, check_dialect, over_the_projects_limit, tried
from grammars.compiled import Terminal
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


async def test_a_grammar_too_dear_for_a_project_has_a_warning(tmp_path: Path) -> None:
    """`check` allows it twice the time of a project's: the user's own grammars have that."""
    found = await tried(in_file(write(tmp_path)), GrammarRunner())
    assert found.outcome.cpu_s >= found.outcome.compile_s > 0
    limit_s = cpu_budget_s(len(found.text))
    slow, quick = (replace(found, outcome=replace(found.outcome, cpu_s=limit_s * n)) for n in (1.5, 0.5))
    warning = over_the_projects_limit(slow)
    assert warning is not None
    assert (warning.severity, warning.code) == ("warning", "slow-for-a-project")
    assert "takes 1.20 s of CPU time, and in a project's .draftwire/grammars it may take 0.80 s" in (
        warning.message
    )
    assert over_the_projects_limit(quick) is None
    refused = Tried(found.known, found.text, replace(slow.outcome, compiled=None))
    assert over_the_projects_limit(refused) is None


async def test_a_terminal_in_pieces_is_named_once_and_quotes_are_no_riddle(tmp_path: Path) -> None:
    found = await tried(in_file(write(tmp_path)), GrammarRunner())
    assert found.compiled is not None
    pieces = (Terminal("name", "name_begin", True), Terminal("name", "name_rest", True))
    compiled = replace(found.compiled, terminals=(*pieces, Terminal('"""', "", False)))
    made_of = anatomy(found, compiled, "")
    assert (made_of.inferred_terminals, made_of.literals, made_of.terminals) == (("name",), ("'\"'",), 2)
    assert [quoted(one) for one in ("\n", "a", "'\"")] == ["line end", '"a"', '"\'""']
