"""Has a grammar compiled and tried in a process of its own, as the daemon does before it uses one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from daemon.grammars.catalogue import Known
from daemon.grammars.places import Unreadable
from daemon.grammars.runner import GrammarRunner, Outcome, cpu_budget_s
from daemon.grammars.workshop import PATIENCE, texts_of
from draftwire.failures import CommandFailed, Exit
from draftwire.grammar.sources import schema_name
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic

SCHEMA: Final = "json-schema"
"""The dialect of a JSON schema, which `--dialect` takes beside those of grammars."""
AGAIN: Final = "run the same command again"


@dataclass(frozen=True, slots=True)
class Tried:
    """A grammar file, and what came of compiling and trying it."""

    known: Known
    text: str
    """Empty if it can't be read."""
    outcome: Outcome

    @property
    def compiled(self) -> CompiledGrammar | None:
        return self.outcome.compiled

    def compiled_again(self, dialect: str) -> CompiledGrammar:
        """Compile it in this process: only what has stood the trial. Raises GrammarError."""
        from grammars.compiler import compile_text
        from grammars.json_schema import compile_schema

        schema, dialect = _schema(self.known, dialect)
        if schema:
            return compile_schema(self.text, name=schema)
        return compile_text(self.text, file_name=self.known.file.called, dialect=dialect)

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        return self.outcome.diagnostics


async def tried(known: Known, runner: GrammarRunner, *, dialect: str = "") -> Tried:
    """Compile and try a grammar, whatever is in the file. `dialect`: by name, instead of finding it out."""
    try:
        text, samples = texts_of(known)
    except Unreadable as problem:
        found = Diagnostic("error", "unreadable", f"the file {problem}")
        return Tried(known, "", Outcome(None, (found,)))
    known = replace(known, digest=hashlib.sha256(text.encode()).hexdigest())
    schema, dialect = _schema(known, dialect)
    outcome = await runner.run(
        text,
        known.file.called,
        schema=schema,
        dialect=dialect,
        samples=samples,
        patience=PATIENCE["built in" if known.file.origin == "built in" else "user"],
    )
    if outcome.passing:  # the daemon would try again by itself
        outcome = replace(
            outcome, diagnostics=tuple(replace(one, advice=AGAIN) for one in outcome.diagnostics)
        )
    return Tried(known, text, outcome)


def over_the_projects_limit(found: Tried) -> Diagnostic | None:
    """A warning, if the grammar would be refused for its cost where it comes with a project."""
    limit_s = PATIENCE["workspace"] * cpu_budget_s(len(found.text.encode()))
    if found.compiled is None or found.outcome.cpu_s <= limit_s:
        return None
    return Diagnostic(
        "warning",
        "slow-for-a-project",
        f"compiling and trying it takes {found.outcome.cpu_s:.2f} s of CPU time, and in a project's "
        f".draftwire/grammars it may take {limit_s:.2f} s: there it would be refused",
        "make it smaller, or put it into your own folder of grammars",
    )


def check_dialect(dialect: str) -> None:
    """Raise CommandFailed for what is no dialect; empty is fine."""
    from grammars.dialects import DIALECTS

    known = (*DIALECTS, SCHEMA)
    if dialect and dialect not in known:
        raise CommandFailed(f"there is no dialect {dialect}; the dialects are {', '.join(known)}", Exit.USAGE)


def _schema(known: Known, dialect: str) -> tuple[str, str]:
    """The name of the grammar if the file is a JSON schema, else the dialect that was asked for."""
    if dialect == SCHEMA:
        return known.name, ""
    return ("", dialect) if dialect else (schema_name(known), "")
