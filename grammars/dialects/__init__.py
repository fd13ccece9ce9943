"""The dialects grammars are written in: one file reads one dialect into the form of `grammars/form.py`.

Which dialect a file is in is never guessed silently: its author says so (`@dialect`), or its extension does, or only
one dialect can read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from grammars.annotations import annotation_notes, read_annotations
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.dialects import abnf, antlr4, bnf, gbnf, iso14977, lark_dialect, w3c
from grammars.dialects.iso14977_ends import unended
from grammars.dialects.reading import Reading
from grammars.form import Annotations, Grammar, references

__all__ = ["DIALECTS", "EXTENSIONS", "TITLES", "Reading", "detect", "read"]

DIALECTS: Final[Mapping[str, Callable[[str, Annotations], Reading]]] = {
    "bnf": bnf.read,
    "ebnf": iso14977.read,
    "w3c": w3c.read,
    "abnf": abnf.read,
    "gbnf": gbnf.read,
    "lark": lark_dialect.read,
    "antlr4": antlr4.read,
}
"""What reads each dialect, by the name that `@dialect` takes."""

TITLES: Final[Mapping[str, str]] = {
    "bnf": "classic BNF",
    "ebnf": "EBNF of ISO 14977",
    "w3c": "W3C EBNF",
    "abnf": "ABNF of RFC 5234",
    "gbnf": "GBNF of llama.cpp",
    "lark": "Lark",
    "antlr4": "ANTLR4",
}
"""What people call them."""

EXTENSIONS: Final[Mapping[str, str]] = {".abnf": "abnf", ".gbnf": "gbnf", ".lark": "lark", ".g4": "antlr4"}
"""Those that settle the dialect. `.bnf`, `.ebnf`, `.txt` and the like are used for several."""

_TRIED_AT_MOST: Final = 200_000
"""Characters of a file that other dialects are tried on, only to give better advice."""


def detect(text: str, file_name: str = "") -> str:
    """The name of the dialect that a grammar file is in: by `@dialect`, by extension, else by reading it in each.

    Where several dialects can read it, one in which every rule that is used is defined goes before one in which that
    is not so. Raises GrammarError if several are left that do not say the same, or if none can read it: then with the
    mistake in the dialect that got furthest.
    """
    return _detected(text, file_name, read_annotations(text))[0]


def read_detected(text: str, file_name: str, annotations: Annotations) -> tuple[str, Reading]:
    """The dialect that `detect` names, and the file read in it: once, where it had to be read to find that out."""
    name, reading = _detected(text, file_name, annotations)
    return name, read(text, name, annotations) if reading is None else _noted(text, reading)


def _detected(text: str, file_name: str, annotations: Annotations) -> tuple[str, Reading | None]:
    """The dialect's name, and what its reader made of the file if it was asked."""
    if annotations.dialect:
        return annotations.dialect, None
    extension = file_name[file_name.rfind(".") :].lower() if "." in file_name else ""
    if extension in EXTENSIONS:
        return EXTENSIONS[extension], None
    readings, errors = _tried(text, annotations, DIALECTS)
    _refuse_unended(text, extension, annotations, readings)
    if not readings:
        if not text.strip():
            raise _without_rules("the file is empty")
        if any(next(_errors_first(error)).code == "no-rules" for error in errors.values()):
            raise _without_rules("there are no rules in the file, only comments")
        raise _nearest(errors)
    whole = {name: reading for name, reading in readings.items() if _is_whole(reading.grammar)}
    left = whole or readings
    if len({_said(reading.grammar): name for name, reading in left.items()}) > 1:
        raise _ambiguous(tuple(left))
    return next(iter(left.items()))


def read(text: str, dialect: str, annotations: Annotations) -> Reading:
    """A grammar file in the form, by the dialect of this name; notes on its annotations are among the diagnostics.

    Raises GrammarError for a mistake in it, with the advice to name another dialect if another one can read the file,
    and for a name that is none of DIALECTS.
    """
    if dialect not in DIALECTS:
        raise GrammarError(
            [
                Diagnostic(
                    "error",
                    "unknown-dialect",
                    f"there is no dialect {dialect!r}",
                    f"the dialects are {', '.join(DIALECTS)}",
                    annotations.spans.get("dialect"),
                )
            ]
        )
    try:
        reading = DIALECTS[dialect](text, annotations)
    except GrammarError as error:
        raise _advised(error, text, dialect, annotations) from error
    return _noted(text, reading)


def _noted(text: str, reading: Reading) -> Reading:
    """The reading, with the notes on the file's annotations before its own."""
    return replace(reading, diagnostics=(*annotation_notes(text), *reading.diagnostics))


def _tried(
    text: str, annotations: Annotations, names: Mapping[str, object] | list[str]
) -> tuple[dict[str, Reading], dict[str, GrammarError]]:
    """What each dialect makes of the file: a reading, or an error."""
    readings: dict[str, Reading] = {}
    errors: dict[str, GrammarError] = {}
    for name in names:
        try:
            readings[name] = DIALECTS[name](text, annotations)
        except GrammarError as error:
            errors[name] = error
    return readings, errors


def _refuse_unended(
    text: str, extension: str, annotations: Annotations, readings: Mapping[str, Reading]
) -> None:
    """Raise GrammarError for a file of ISO 14977 that lacks ';' at the ends of rules.

    One that ABNF can read is plainly such a file if it is called so, or ends some of its rules.
    """
    if readings.keys() - {"abnf"} or len(text) > _TRIED_AT_MOST:
        return
    slip = unended(text, annotations)
    if slip is None:
        return
    is_called_so = extension == ".ebnf" or slip.is_ended_somewhere
    if not readings or (is_called_so and _is_whole(slip.reading.grammar)):
        raise slip.error


def _is_whole(grammar: Grammar) -> bool:
    """Whether every rule that is used is defined."""
    given = {"INDENT", "DEDENT", "NEWLINE"} if grammar.annotations.indent else set()
    known = grammar.rules.keys() | given
    return all(one.name in known for rule in grammar.rules.values() for one in references(rule.expression))


def _said(grammar: Grammar) -> tuple[object, ...]:
    """What a grammar says, whatever its dialect: to compare."""
    rules = tuple(
        (name, rule.expression, rule.lexical, rule.fragment) for name, rule in grammar.rules.items()
    )
    return rules, grammar.start, grammar.skip, grammar.explicit_lexer


def _without_rules(message: str) -> GrammarError:
    advice = "write at least one rule, such as <name> ::= 'text'"
    return GrammarError([Diagnostic("error", "no-rules", message, advice)])


def _nearest(errors: Mapping[str, GrammarError]) -> GrammarError:
    """The error of the dialect that got furthest, which says which dialect was taken."""
    name = max(errors, key=lambda one: _place(errors[one]))
    first, *others = _errors_first(errors[name])
    taken = (
        f"the file was taken for {TITLES[name]}, which comes nearest; if it is another, say so: @dialect NAME"
    )
    return GrammarError([_with_advice(first, taken), *others])


def _advised(error: GrammarError, text: str, dialect: str, annotations: Annotations) -> GrammarError:
    """The error, with a hint at the dialects that have none there."""
    first, *others = _errors_first(error)
    if first.code not in ("syntax", "no-rules") or len(text) > _TRIED_AT_MOST:
        return error
    readings, _ = _tried(text, annotations, [name for name in DIALECTS if name != dialect])
    fitting = [name for name, reading in readings.items() if _is_whole(reading.grammar)]
    if not fitting:
        return error
    names = " or ".join(f"{TITLES[name]} (@dialect {name})" for name in fitting)
    return GrammarError([_with_advice(first, f"this looks like {names}"), *others])


def _errors_first(error: GrammarError) -> Iterator[Diagnostic]:
    return iter(sorted(error.diagnostics, key=lambda one: one.severity != "error"))


def _with_advice(diagnostic: Diagnostic, advice: str) -> Diagnostic:
    return replace(diagnostic, advice="; ".join(filter(None, [diagnostic.advice, advice])))


def _place(error: GrammarError) -> Span:
    """How far the reading came."""
    return next(_errors_first(error)).span or Span(0, 0, 0, 0)


def _ambiguous(names: tuple[str, ...]) -> GrammarError:
    titles = [TITLES[name] for name in names]
    return GrammarError(
        [
            Diagnostic(
                "error",
                "ambiguous-dialect",
                f"the file can be read as {', '.join(titles[:-1])} and as {titles[-1]}, which do not say the same",
                "name its dialect in a comment: " + " or ".join(f"@dialect {name}" for name in names),
            )
        ]
    )
