"""What a compiled grammar is made of, for people: how its dialect was told, its rules and terminals, what it skips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from draftwire.grammar.trial import SCHEMA, Tried
from grammars.annotations import read_annotations
from grammars.compiled import CompiledGrammar
from grammars.dialects import EXTENSIONS, TITLES

_START: Final = re.compile(r"^start:[ \t]*(\w+)[ \t]*(?:NEVER_\?)?$", re.MULTILINE)
_IGNORED: Final = re.compile(r"^%ignore[ \t]+(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The figures of one grammar."""

    name: str
    dialect: str
    dialect_told_by: str
    start: str
    """The author's start rule; empty where the grammar has none of its own (JSON schemas)."""
    rules: int
    terminals: int
    """Those with a name, and literals."""
    named_terminals: tuple[str, ...]
    inferred_terminals: tuple[str, ...]
    literals: tuple[str, ...]
    skipped: tuple[str, ...]
    """What may stand between any two terminals: the author's names, and "blanks"."""
    boundaries: tuple[str, ...]
    """Texts after which a statement may be over."""
    files: tuple[str, ...]
    languages: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def anatomy(tried: Tried, compiled: CompiledGrammar, dialect_asked: str) -> Anatomy:
    """The figures of a grammar that has stood its trial."""
    literals = _once(quoted(one.name[1:-1]) for one in compiled.terminals if not one.emitted)
    inferred = _once(one.name for one in compiled.terminals if one.emitted and one.inferred)
    named = _once(one.name for one in compiled.terminals if one.emitted and not one.inferred)
    return Anatomy(
        name=compiled.name,
        dialect=compiled.dialect,
        dialect_told_by=_told_by(tried, dialect_asked),
        start=_start(compiled),
        rules=compiled.rules,
        terminals=len(literals) + len(inferred) + len(named),
        named_terminals=named,
        inferred_terminals=inferred,
        literals=literals,
        skipped=_skipped(compiled),
        boundaries=compiled.boundaries,
        files=compiled.globs,
        languages=compiled.languages,
    )


def dialect_title(dialect: str) -> str:
    """What people call a dialect."""
    return "JSON schema" if dialect == SCHEMA else TITLES.get(dialect, dialect)


def quoted(text: str) -> str:
    """A text of the language for people, in quotes that it does not have itself."""
    mark = "'" if '"' in text and "'" not in text else '"'
    return "line end" if text == "\n" else f"{mark}{text}{mark}"


def _once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once: the pieces of a terminal that was split are called as the terminal is."""
    return tuple(dict.fromkeys(names))


def _told_by(tried: Tried, asked: str) -> str:
    """What settled the dialect, in the order in which it is settled."""
    if asked:
        return "--dialect"
    name = tried.known.file.path.name.lower()
    if name.endswith(".json"):
        return "its extension"
    if read_annotations(tried.text).dialect:
        return "@dialect in it"
    extension = name[name.rfind(".") :] if "." in name else ""
    return (
        "its extension" if extension in EXTENSIONS else "its content: no other dialect reads it differently"
    )


def _start(compiled: CompiledGrammar) -> str:
    found = _START.search(compiled.text)
    return compiled.names.get(found[1], found[1]) if found and compiled.dialect != SCHEMA else ""


def _skipped(compiled: CompiledGrammar) -> tuple[str, ...]:
    names: Mapping[str, str] = compiled.names
    found = (
        names.get(one, "blanks" if one.startswith("/") else one) for one in _IGNORED.findall(compiled.text)
    )
    return _once(found)
