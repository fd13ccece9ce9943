"""`draftwire grammar test`, `next` and `bench`: texts held against a grammar."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftwire.commands.complete import offset_of, parse_place, read_source
from draftwire.commands.options import Json
from draftwire.failures import CommandFailed, Exit
from draftwire.terminal import note, out, print_json, print_pairs, spinner, steps

if TYPE_CHECKING:
    from daemon.settings.config import Config
    from draftwire.grammar.conformance import Verdict
    from draftwire.grammar.position import Next, Token
    from draftwire.grammar.timing import Figure
    from draftwire.grammar.trial import Tried
    from grammars.compiled import CompiledGrammar
    from grammars.diagnostics import Diagnostic

MOST_EXPECTED = 12
"""Terminals that are named at an error."""

Grammar = Annotated[
    str,
    typer.Argument(metavar="GRAMMAR", help="A grammar file, or the name of one (draftwire grammar list)."),
]
Dialect = Annotated[
    str,
    typer.Option(
        metavar="DIALECT",
        help="What the grammar is written in, instead of finding it out: bnf, ebnf (ISO 14977), w3c, abnf, gbnf, "
        "lark, antlr4 or json-schema.",
    ),
]


def conform(
    grammar: Grammar,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Files, globs, folders (the files in them that are the grammar's)."
        ),
    ],
    *,
    dialect: Dialect = "",
    json: Json = False,
) -> None:
    """Say which files follow a grammar; of each that does not, where it first departs, and what was expected there.

    A file that only ends too early is told apart. Exit status 0 if all follow it, else 1.
    """
    from daemon.settings.config import load_config
    from draftwire.grammar.conformance import Judge
    from draftwire.grammar.documents import documents, globs_of

    config = load_config(None)
    compiled = usable(grammar, config, [Path(file).parent for file in files], dialect)
    paths = documents(files, globs_of(compiled.name, compiled.globs, config.grammars))
    judge = Judge(compiled)
    results = []
    with steps() as step:
        for path in paths:
            step(f"reading {path}")
            result = _tested(path, judge)
            results.append(result)
            if not json:
                _print_tested(result)
    failed = sum(not result["parses"] for result in results)
    summary = {"grammar": compiled.name, "passed": len(results) - failed, "failed": failed}
    if json:
        print_json({**summary, "files": [{k: v for k, v in one.items() if k != "shown"} for one in results]})
    if failed:
        raise CommandFailed(f"not according to {compiled.name}: {failed} of {_count(len(results))}")
    if not json:
        out().print(f"all according to {compiled.name}: {_count(len(results))}", markup=False)


def next_tokens(
    grammar: Grammar,
    place: Annotated[
        str, typer.Argument(metavar="FILE:LINE:COL", help="Line and column from 1; the column in characters.")
    ],
    *,
    count: Annotated[int, typer.Option(min=0, max=64, help="How many tokens to show.")] = 16,
    model: Annotated[
        bool, typer.Option("--model", help="Show those that the draft model likes best, best first.")
    ] = False,
    dialect: Dialect = "",
    json: Json = False,
) -> None:
    """Show what may come at a place in a file: the grammar's terminals, and the tokens that its mask leaves.

    Also whether all of the text above was followed (masked), again after an error (resynced), or not (unmasked: all
    tokens may come), and why; in an island ([[grammars.islands]]), of the text above within it. The vocabulary is the
    draft model's.
    """
    from daemon.settings.config import load_config
    from draftwire.grammar.excerpts import place_of
    from draftwire.grammar.position import next_at
    from draftwire.grammar.stretch import stretch_of
    from draftwire.grammar.vocabulary import draft_vocabulary, table_of

    asked = parse_place(place)
    source = read_source(asked.file)
    offset = offset_of(source.text, asked)
    config = load_config(None)
    compiled = usable(grammar, config, [asked.file.parent], dialect)
    stretch = stretch_of(compiled, asked.file, source.text, offset, config.grammars)
    begins = place_of(source.text, stretch.start) if stretch.is_island else None
    with spinner("reading the draft model"):
        if model:
            from daemon.serving.server import load_draft_engine

            engine = load_draft_engine(config)
            try:
                table = table_of(engine.vocabulary)
                found = next_at(compiled, table, stretch.text, stretch.offset, most=count, engine=engine)
            finally:
                engine.close()
        else:
            table = table_of(draft_vocabulary(config))
            found = next_at(compiled, table, stretch.text, stretch.offset, most=count)
    if json:
        island = None if begins is None else {"line": begins[0], "column": begins[1]}
        print_json({"grammar": compiled.name, "place": place, "island": island, **_plain_next(found)})
    else:
        _print_next(place, compiled, found, begins, ranked=model)


def bench(
    grammar: Grammar,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="Files of the language; default: the grammar's examples."),
    ] = None,
    *,
    dialect: Dialect = "",
    json: Json = False,
) -> None:
    """Measure what a grammar costs here: compiling, reading a file, a key, a token, a mask; the draft's vocabulary.

    CPU time of the measuring thread: median and 99th percentile, with the number of samples. A file that departs from
    the grammar is named on stderr with what the figures then cover.
    """
    from daemon.settings.config import load_config
    from draftwire.grammar.conformance import Judge
    from draftwire.grammar.documents import documents, globs_of
    from draftwire.grammar.timing import LONGEST, measure
    from draftwire.grammar.vocabulary import draft_vocabulary, table_of

    config = load_config(None)
    tried = _usable(grammar, config, [Path(file).parent for file in files or ()], dialect)
    compiled = tried.outcome.compiled
    assert compiled is not None, "only what can be used is returned"
    globs = globs_of(compiled.name, compiled.globs, config.grammars)
    paths = documents(files, globs) if files else list(tried.known.file.examples)
    if not paths:
        text = f"{grammar} comes without examples; name files of the language after it"
        raise CommandFailed(text, Exit.USAGE)
    texts = [read_source(path).text for path in paths]
    with spinner("measuring"):
        judge = Judge(compiled)
        departures = [
            _departure(path, text, judge.judge(text[:LONGEST]))
            for path, text in zip(paths, texts, strict=True)
        ]
        vocabulary = draft_vocabulary(config)
        figures = measure(lambda: tried.compiled_again(dialect), table_of(vocabulary), texts)
    for departure in filter(None, departures):
        note(departure)
    if json:
        size = sum(len(text.encode()) for text in texts)
        head = {
            "grammar": compiled.name,
            "vocabulary": vocabulary.n_vocab,
            "files": len(texts),
            "bytes": size,
        }
        print_json({**head, **{one.name.replace(" ", "_"): one.plain() for one in figures}})
    else:
        _print_figures(f"{compiled.name}, {vocabulary.n_vocab} tokens, {_count(len(texts))}", figures)


def usable(grammar: str, config: Config, folders: Iterable[Path], dialect: str) -> CompiledGrammar:
    """The grammar that is meant, compiled and tried. Raises CommandFailed, after saying what is wrong with it."""
    compiled = _usable(grammar, config, folders, dialect).outcome.compiled
    assert compiled is not None, "only what can be used is returned"
    return compiled


def _usable(grammar: str, config: Config, folders: Iterable[Path], dialect: str) -> Tried:
    from daemon.grammars.runner import GrammarRunner
    from draftwire.grammar.sources import find
    from draftwire.grammar.trial import check_dialect, tried

    check_dialect(dialect)
    known = find(grammar, config, [*folders, Path()])
    with spinner(f"compiling {grammar}"):
        found = asyncio.run(tried(known, GrammarRunner(), dialect=dialect))
    if found.compiled is None:
        print_diagnostics(grammar if Path(grammar).exists() else str(known.file.path), found, error=True)
        raise CommandFailed(f"the grammar {grammar} can't be used")
    return found


def print_diagnostics(file: str, tried: Tried, *, error: bool = False) -> None:
    """What was found in a grammar file, each with its line; `error`: on stderr."""
    from draftwire.grammar.excerpts import told

    for diagnostic in tried.diagnostics:
        for line in told(diagnostic, file, tried.text):
            typer.echo(line, err=error)


def plain_diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    """For JSON; lines and columns are null where there is no place."""
    span = diagnostic.span
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "advice": diagnostic.advice,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
    }


# --- test


def _tested(path: Path, judge: Any) -> dict[str, Any]:
    """What became of one file: plain values, and under "shown" the lines to print."""
    from draftwire.grammar.excerpts import excerpt, place_of, span_at

    try:
        text = read_source(path).text
    except CommandFailed as failure:
        return {
            "file": str(path),
            "parses": False,
            "outcome": "unreadable",
            "reason": str(failure),
            "shown": [f"{path}: error: {failure}"],
        }
    verdict: Verdict = judge.judge(text)
    values: dict[str, Any] = {
        "file": str(path),
        "parses": verdict.outcome == "parses",
        "outcome": verdict.outcome,
    }
    if verdict.outcome == "parses":
        return {**values, "shown": [f"{path}: ok"]}
    line, column = place_of(text, verdict.offset)
    shown = [f"{path}:{line}:{column}: error: {complaint(verdict)}"]
    shown += excerpt(text, span_at(text, verdict.offset, 1))
    return {
        **values,
        "line": line,
        "column": column,
        "found": verdict.found,
        "expected": list(verdict.expected),
        "reason": verdict.reason,
        "shown": shown,
    }


def complaint(verdict: Verdict) -> str:
    """What is wrong with a text, and what could have stood there."""
    if verdict.outcome == "too much":
        return f"the grammar is too much for the engine here: {verdict.reason}"
    found = "the line's end" if verdict.found == "\n" else f'"{verdict.found}"'
    within = f', from "{verdict.found[verdict.allowed :]}" on' if verdict.allowed else ""
    is_end = verdict.outcome == "ends too early"
    what = "the text ends too early" if is_end else f"{found} may not stand here{within}"
    return f"{what}; expected {in_a_row(verdict.expected)}" if verdict.expected else what


def in_a_row(expected: tuple[str, ...]) -> str:
    """Names, the first MOST_EXPECTED of them."""
    if len(expected) > MOST_EXPECTED:
        return f"{', '.join(expected[:MOST_EXPECTED])} or one of {len(expected) - MOST_EXPECTED} others"
    return " or ".join(filter(None, [", ".join(expected[:-1]), expected[-1]]))


def _print_tested(result: dict[str, Any]) -> None:
    for line in result["shown"]:
        typer.echo(line)


def _count(files: int) -> str:
    return "1 file" if files == 1 else f"{files} files"


# --- next


def _plain_next(found: Next) -> dict[str, Any]:
    return {
        "mode": found.mode.kind,
        "reason": found.mode.reason,
        "expected": list(found.expected),
        "may_end": found.may_end,
        "allowed_tokens": found.allowed,
        "vocabulary": found.vocabulary,
        "tokens": [{"id": one.id, "text": one.text, "logit": one.logit} for one in found.tokens],
    }


def _print_next(
    place: str, compiled: CompiledGrammar, found: Next, island: tuple[int, int] | None, *, ranked: bool
) -> None:
    reason = f" ({found.mode.reason})" if found.mode.reason else ""
    which = "the model's best" if ranked else "the shortest"
    shown = "  ".join(_shown(one) for one in found.tokens)
    expected = ", ".join(found.expected) or "can't be told here"
    rows = [
        ("island", "" if island is None else f"from line {island[0]}, column {island[1]}"),
        ("mode", f"{found.mode.kind}{reason}"),
        ("expected", expected if found.mode.kind == "masked" else ""),
        ("may end here", "yes" if found.may_end else "no"),
        ("tokens", f"{found.allowed} of {found.vocabulary} may come"),
        (which, shown),
    ]
    print_pairs(f"{place} in {compiled.name}", rows)


def _shown(token: Token) -> str:
    """In quotes, so that blanks are seen; bytes that are no whole characters as such."""
    try:
        return repr(token.data.decode())
    except UnicodeDecodeError:
        return repr(token.data)


# --- bench


def _departure(path: Path, text: str, verdict: Verdict) -> str:
    """Where a file departs from the grammar, and what its figures are of then; empty if it does not.

    One that ends too early does not: it is followed to its end.
    """
    from draftwire.grammar.excerpts import place_of

    if verdict.outcome in ("parses", "ends too early"):
        return ""
    line, column = place_of(text, verdict.offset)
    return (
        f"{path}:{line}:{column}: departs from the grammar: {complaint(verdict)} "
        "(token check and full mask are measured only where the file follows it; parse and key everywhere)"
    )


def _print_figures(title: str, figures: list[Figure]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for name in ("", "P50", "P99", "unit", "samples"):
        table.add_column(name, justify="left" if name in ("", "unit") else "right")
    for one in figures:
        values = ("-" if value is None else f"{value:.3g}" for value in (one.p50, one.p99))
        table.add_row(one.name, *values, one.unit, str(one.samples))
    out().print(table)
