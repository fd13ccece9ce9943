"""`draftwire grammar`: look at grammars; which there are, whose are trusted. Texts under them: `grammar_texts.py`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftwire.commands import grammar_texts
from draftwire.commands.grammar_texts import Dialect
from draftwire.commands.options import Json
from draftwire.failures import CommandFailed, Exit
from draftwire.running_daemon import status_of_daemon
from draftwire.terminal import note, out, print_json, print_pairs, spinner, steps

if TYPE_CHECKING:
    from draftwire.grammar.anatomy import Anatomy
    from draftwire.grammar.survey import Surveyed
    from draftwire.grammar.trial import Tried

app = typer.Typer(
    help="Grammars, which keep the draft from writing what is not of a language: check, test, ask, measure.",
    no_args_is_help=True,
)

MOST_NAMES = 40
"""Terminals that are listed by name."""


@app.command()
def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Grammar files, JSON schemas (.schema.json), folders of them."
        ),
    ],
    *,
    dialect: Dialect = "",
    json: Json = False,
) -> None:
    """Say what is wrong with grammar files, with its place and what to do, and what they were understood as.

    Each is compiled and tried within the daemon's limits, in a process of its own. Exit status 0 if all can be used
    (warnings are no errors), else 1.
    """
    from draftwire.grammar.sources import files_of
    from draftwire.grammar.trial import check_dialect

    check_dialect(dialect)
    checked: list[dict[str, Any]] = []
    failed = 0
    for file in files_of(files):
        tried = _tried(file, dialect)
        failed += tried.compiled is None
        if json:
            checked.append(_plain(file, tried, dialect))
        else:
            _print_checked(file, tried, dialect)
    if json:
        print_json({"ok": not failed, "grammars": checked})
    if failed:
        raise CommandFailed(
            "the grammar can't be used" if failed == 1 else f"{failed} grammars can't be used"
        )


@app.command("list")
def list_grammars(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the documents lie; default: here.")
    ] = Path(),
    *,
    json: Json = False,
) -> None:
    """List the grammars that documents in a folder may have, where they come from, and what they are for.

    What has not been compiled before is compiled now, but for grammars of projects that are not trusted.
    """
    from daemon.settings.config import load_config
    from draftwire.grammar.survey import survey

    if not folder.is_dir():
        raise CommandFailed(f"{folder} is no folder", Exit.UNREADABLE)
    with steps() as step:
        found = asyncio.run(survey(load_config(None), folder, step=lambda name: step(f"compiling {name}")))
    if any(one.state == "refused" for one in found):
        status = asyncio.run(status_of_daemon("draftwire grammar"))
        found = [_as_in_daemon(one, [] if status is None else status.grammars) for one in found]
    if json:
        print_json({"grammars": [_surveyed(one) for one in found]})
    else:
        _print_survey(found)


@app.command()
def trust(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The project's folder, or one with many projects in it.")
    ],
) -> None:
    """Let the projects in a folder bring grammars of their own, in .draftwire/grammars/.

    Counts within a few seconds.
    """
    from daemon.grammars.lookout import trust_file
    from daemon.grammars.places import WORKSPACE_FOLDER, grammars_in
    from daemon.grammars.trust import trust
    from daemon.settings.config import load_config

    added = trust(folder, trust_file(load_config(None)))
    note(f"{folder.resolve()} is trusted" + ("" if added else " already"))
    own = grammars_in(folder.joinpath(*WORKSPACE_FOLDER), "workspace", within=folder)
    if own:
        note(f"its grammars: {', '.join(one.called for one in own)}")


@app.command()
def untrust(folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="As it was trusted.")]) -> None:
    """Use the grammars of the projects in a folder no more. Exit status 1 if they are trusted all the same."""
    from daemon.grammars.lookout import trust_file
    from daemon.grammars.trust import distrust, is_trusted, trusted_folders
    from daemon.settings.config import load_config

    config = load_config(None)
    file = trust_file(config)
    removed = distrust(folder, file)
    real = folder.resolve()
    if config.grammars.trust_workspace:
        raise CommandFailed(f"{real} is trusted by grammars.trust_workspace: set that to false")
    for trusted in config.grammars.trusted:
        if is_trusted(real, [Path(trusted)]):
            raise CommandFailed(f"{real} is trusted by grammars.trusted: take {trusted} out of it")
    for listed in trusted_folders(file):
        if is_trusted(real, [listed]):
            raise CommandFailed(f"{real} lies in {listed}: run: draftwire grammar untrust {listed}")
    note(f"{real} is not trusted any more" if removed else f"{real} was not trusted")


app.command("test")(grammar_texts.conform)
app.command("next")(grammar_texts.next_tokens)
app.command("bench")(grammar_texts.bench)


# --- check


def _tried(file: Path, dialect: str) -> Tried:
    from daemon.grammars.runner import GrammarRunner
    from draftwire.grammar.sources import in_file
    from draftwire.grammar.trial import over_the_projects_limit, tried

    with spinner(f"compiling {file}"):
        found = asyncio.run(tried(in_file(file), GrammarRunner(), dialect=dialect))
    warning = over_the_projects_limit(found)
    if warning is None:
        return found
    return replace(found, outcome=replace(found.outcome, diagnostics=(*found.diagnostics, warning)))


def _print_checked(file: Path, tried: Tried, dialect: str) -> None:
    from draftwire.grammar.anatomy import anatomy

    grammar_texts.print_diagnostics(str(file), tried)
    if tried.compiled is not None:
        rows = _rows(anatomy(tried, tried.compiled, dialect))
        rows.append(("compiled in", f"{tried.outcome.compile_s * 1000:.0f} ms of CPU time"))
        print_pairs(f"{file}: ok", rows)


def _rows(found: Anatomy) -> list[tuple[str, str]]:
    from draftwire.grammar.anatomy import dialect_title, quoted

    kinds = (
        (len(found.named_terminals), "named"),
        (len(found.inferred_terminals), "inferred"),
        (len(found.literals), "literals"),
    )
    parts = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
    return [
        ("name", found.name),
        ("dialect", f"{dialect_title(found.dialect)} (told by {found.dialect_told_by})"),
        ("start", found.start),
        ("rules", str(found.rules)),
        ("terminals", f"{found.terminals}: {parts}" if parts else str(found.terminals)),
        ("named", _listed(found.named_terminals)),
        ("inferred", _listed(found.inferred_terminals)),
        ("skipped", _listed(found.skipped) or "nothing"),
        ("statements end at", _listed(tuple(quoted(one) for one in found.boundaries))),
        ("files", _listed(found.files) or "none of itself: map it in [grammars.files]"),
        ("language ids", _listed(found.languages)),
    ]


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _plain(file: Path, tried: Tried, dialect: str) -> dict[str, Any]:
    from draftwire.grammar.anatomy import anatomy

    values: dict[str, Any] = {
        "file": str(file),
        "ok": tried.compiled is not None,
        "diagnostics": [grammar_texts.plain_diagnostic(one) for one in tried.diagnostics],
    }
    if tried.compiled is not None:
        values["compile_ms"] = round(tried.outcome.compile_s * 1000, 1)
        values |= anatomy(tried, tried.compiled, dialect).plain()
    return values


# --- list


def _print_survey(found: list[Surveyed]) -> None:
    """The table; then where the files lie, a line each, since a path that is broken by a table can't be copied."""
    from rich.table import Table
    from rich.text import Text

    table = Table("grammar", "from", "state", "files and languages", box=None, pad_edge=False)
    for one in found:
        uses = [*one.files, *one.languages, *(f"within {host}" for host in one.hosts)]
        used_for = ", ".join(uses) or "none: map it in [grammars.files]"
        table.add_row(*(Text(cell) for cell in (one.known.name, one.known.file.origin, one.state, used_for)))
    out().print(table)
    typer.echo()
    for one in found:
        typer.echo(f"{one.known.name} ({one.known.file.origin}): {one.known.file.path}")
    for one in found:
        if one.why:
            typer.echo(f"{one.known.name} ({one.known.file.called}): {one.state}: {one.why}")


def _as_in_daemon(one: Surveyed, lines: list[str]) -> Surveyed:
    """With what the daemon's status has to say of a refused one that it has an older version of."""
    start = f"({one.known.file.origin}, {one.known.file.path}): the version before is in use"
    if one.state != "refused" or not any(start in line for line in lines):
        return one
    return replace(one, why=f"{one.why} (the daemon still has the version before in use)")


def _surveyed(one: Surveyed) -> dict[str, Any]:
    return {
        "name": one.known.name,
        "origin": one.known.file.origin,
        "file": str(one.known.file.path),
        "state": one.state,
        "why": one.why,
        "files": list(one.files),
        "languages": list(one.languages),
        "island_hosts": list(one.hosts),
        "examples": len(one.known.file.examples),
    }
