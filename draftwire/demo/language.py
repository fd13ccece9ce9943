"""`draftwire demo --grammar G --file F`: a language of the user's, typed without its grammar and then with it.

The grammar goes into this run's own folder of grammars and is mapped to the file's kind. The editor opens the file
under its real name (nothing is written to it), takes a statement out and types its beginning, in several places. The
draft is a poor one on purpose: two of the target's thirty layers are left out, so that there is something to reject.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from daemon.api.files import SCHEMA_EXTENSION, grammar_extension
from daemon.documents import Document
from daemon.grammars.catalogue import Known
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.grammars.exercise import byte_table
from daemon.grammars.runner import GrammarRunner
from daemon.prompts.exemplar_search import look_for
from daemon.settings.config import load_config
from daemon.settings.config_sections import FilesConfig
from draftwire.commands.complete import read_source
from draftwire.commands.grammar_texts import complaint, print_diagnostics
from draftwire.demo.check import Finding, Opening
from draftwire.demo.editor import Editor, Session, running_editor
from draftwire.demo.judgement import judged
from draftwire.demo.language_report import Compared, Typed, as_json, tables
from draftwire.demo.places import Places, places_in
from draftwire.demo.processes import (
    Verifier,
    Workplace,
    cleared_when_terminated,
    running_verifier,
    workplace,
)
from draftwire.demo.report import Part, Screen, all_hold
from draftwire.demo.script import Passage
from draftwire.demo.steps import MODEL, POOR_DRAFT, UP_S, checked, claims, counts, target_threads, type_all
from draftwire.failures import CommandFailed
from draftwire.grammar.conformance import Judge, Verdict
from draftwire.grammar.excerpts import place_of
from draftwire.grammar.sources import find, schema_name
from draftwire.grammar.trial import Tried, tried
from draftwire.language_ids import language_id
from grammars.compiled import CompiledGrammar
from grammars.engine import load

LOOK_AROUND_S: Final = 0.7
"""After opening a file, before typing: time enough for the daemon to find another file of the language."""
IN_FORCE_S: Final = 30.0
"""How long the daemon may take to bring the grammar into use."""
_NAME: Final = re.compile(r"[^\W_][\w.+-]*")
"""Names that the configuration can map files to."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The grammar and the file."""

    tried: Tried
    compiled: CompiledGrammar
    file: Path
    text: str
    verdict: Verdict
    """Of the grammar on the file."""
    places: Places

    @property
    def passages(self) -> Sequence[Passage]:
        return self.places.passages

    @property
    def uri(self) -> str:
        return self.file.absolute().as_uri()


def show(subject: Subject, console: Console, screen: Screen, *, json: bool) -> bool:
    """Run it and print what came of it; whether all verified text was the target's own."""
    screen.title(f"{subject.file.name} under the grammar {subject.compiled.name}")
    screen.note(_first_words(subject))
    compared, findings = asyncio.run(_run(subject, screen))
    typed = Typed(
        subject.compiled.name, subject.file, subject.text, subject.verdict, subject.places.can_be_left_out
    )
    if json:
        typer.echo(as_json(typed, compared, findings))
    else:
        tables(console, typed, compared, findings)
    return all_hold(findings)


def prepare(grammar: str, file: Path, count: int, seed: int) -> Subject:
    """The grammar tried, the file read, and the places chosen.

    Raises CommandFailed for a grammar with errors (they are printed first) and for a file that can't be used.
    """
    text = read_source(file).text
    known = find(grammar, load_config(None), [file.parent, Path()])
    found = asyncio.run(tried(known, GrammarRunner()))
    print_diagnostics(grammar if Path(grammar).exists() else str(known.file.path), found, error=True)
    if found.compiled is None:
        raise CommandFailed(f"the grammar {grammar} can't be used")
    judge = Judge(found.compiled)
    verdict = judge.judge(text)
    follows = verdict.outcome == "parses"
    places = places_in(
        text,
        found.compiled.boundaries,
        found.compiled.line_comments,
        count=count,
        seed=seed,
        keeps=lambda without: not follows or judge.judge(without).outcome == "parses",
    )
    if not places.passages:
        raise CommandFailed(f"{file} has no line to type but comments; take a file with statements in it")
    return Subject(found, found.compiled, file, text, verdict, places)


def _first_words(subject: Subject) -> str:
    kind = f"typed in {len(subject.passages)} places, without the grammar and then with it"
    if subject.verdict.outcome == "parses":
        return f"the file follows the grammar; {kind}"
    line, column = place_of(subject.text, subject.verdict.offset)
    return (
        f"{subject.file}:{line}:{column}: {complaint(subject.verdict)}\n"
        f"the file does not follow the grammar; below that place it is taken up again where possible; {kind}"
    )


async def _run(subject: Subject, screen: Screen) -> tuple[tuple[Compared, Compared], list[Finding]]:
    with cleared_when_terminated(), workplace() as place:
        settings = installed(subject.tried.known, subject.file, place.folder / "grammars")
        try:
            async with running_verifier(MODEL, target_threads()) as verifier:
                plain = await _typed(subject, place, screen, verifier, settings, masked=False)
                masked = await _typed(subject, place, screen, verifier, settings, masked=True)
        finally:
            await place.stop_daemon()
    findings = await checked(screen, [*plain.claims, *masked.claims])
    return (plain, masked), findings


def installed(known: Known, file: Path, folder: Path) -> str:
    """Put the grammar and its examples into a folder of grammars; the settings (TOML) that map the file to it."""
    stem = known.file.name if _NAME.fullmatch(known.file.name) else "grammar"
    other = SCHEMA_EXTENSION if schema_name(known) else ".grammar"
    name = stem + (grammar_extension(known.file.path.name) or other)
    examples = folder / f"{stem}.examples"
    examples.mkdir(parents=True)
    shutil.copyfile(known.file.path, folder / name)
    for example in known.file.examples:
        shutil.copyfile(example, examples / example.name)
    glob = f"*{file.suffix}" if file.suffix else file.name
    named = known.name if known.name != known.file.name else stem
    return (
        f"folder = {json.dumps(str(folder))}\n"
        f"[grammars.files]\n{json.dumps(glob, ensure_ascii=False)} = {json.dumps(named, ensure_ascii=False)}\n"
    )


async def _typed(
    subject: Subject, place: Workplace, screen: Screen, verifier: Verifier, settings: str, *, masked: bool
) -> Compared:
    """One daemon's life: all passages, with the grammar or without."""
    title = "with the grammar" if masked else "without the grammar"
    table = f"[grammars]\nenabled = {json.dumps(masked)}\n{settings}"
    environment = place.configured(draft_model=POOR_DRAFT, verifier_port=verifier.port, grammars=table)
    language = language_id(subject.file)

    async with running_editor(environment, screen.ghost) as editor:

        async def opened(passage: Passage) -> None:
            editor.open(passage.before, passage.after, uri=subject.uri, language=language)
            await asyncio.sleep(LOOK_AROUND_S)

        await editor.until_status(lambda status: status.get("link") == "online", UP_S)
        screen.title(title)
        await opened(subject.passages[0])
        before = await _ready(editor, place, masked=masked)
        editor.session = Session()
        await type_all(editor, subject.passages, opened)
        after = await counts(place)
    await place.stop_daemon()
    shares = judged(subject.compiled, editor.session.suggested, subject.text)
    made = claims(editor.session, lambda text, rest: _opening(subject, text + rest) if masked else None)
    part = Part(title, editor.session, _difference(before["acceptance"], after["acceptance"]))
    modes = _since(before["grammar"]["requests"], after["grammar"]["requests"])
    return Compared(part, shares, modes, _since(before["nothing"], after["nothing"]), made)


async def _ready(editor: Editor, place: Workplace, *, masked: bool) -> dict[str, Any]:
    """Ask once, and if the grammar is to be in force, until it is; the daemon's counts then."""
    deadline = time.monotonic() + IN_FORCE_S
    while True:
        editor.invoke()
        await editor.settled(LOOK_AROUND_S)
        found = await counts(place)
        modes = found["grammar"]["requests"]
        in_force = any(mode.startswith(("masked", "resynced")) for mode in modes)
        if in_force or not masked or time.monotonic() > deadline:
            return found
        await asyncio.sleep(LOOK_AROUND_S)


def _opening(subject: Subject, text: str) -> Opening | None:
    """What the daemon begins the prompts of the file with, found as it does."""
    table = byte_table()
    known = subject.tried.known
    template = load(subject.compiled, table)
    loaded = LoadedGrammar(
        known.name, known.file.path, subject.compiled, template, table, known.file.examples
    )
    document = Document(subject.uri, language_id(subject.file), 1, text)
    exemplar = look_for(document, loaded, FilesConfig().exclude, time.monotonic)
    if exemplar is None:
        return None
    return Opening(exemplar, subject.file.name, next(iter(subject.compiled.line_comments), ""))


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What was accepted in between, as the daemon would count it."""
    rounds, drafted, accepted = (after[key] - before[key] for key in ("rounds", "drafted", "accepted"))
    return {
        "rounds": rounds,
        "drafted": drafted,
        "accepted": accepted,
        "acceptance_rate": round(accepted / drafted, 4) if drafted else None,
        "accepted_per_round": round(accepted / rounds, 3) if rounds else None,
    }


def _since(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    changes = {key: count - before.get(key, 0) for key, count in after.items()}
    return {key: count for key, count in changes.items() if count}
