"""Which grammar is for which document: the mappings of the configuration, then what the grammars say themselves.

Pure but for `look_at`, which reads one file. Whether a grammar is any good is found out when it is compiled.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from daemon.documents import Document
from daemon.globs import matches_glob
from daemon.grammars.places import SCHEMA_EXTENSION, GrammarFile, Unreadable, read_grammar
from daemon.settings.config_sections import NO_GRAMMAR, GrammarsConfig, IslandConfig
from grammars.annotations import read_annotations
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.schema_files import FILES, LANGUAGES, said_of

HEADER_CHARACTERS: Final = 50_000
"""@name, @files and @language are looked for in this much of a file: it is read before anybody trusts it."""
_MAX_ENTRIES: Final = 100
"""Annotations, globs and language ids that are looked at, each."""
_MAX_ENTRY: Final = 200
"""Characters of one of them."""
_OF_THE_HEADER: Final = re.compile(r"@(?:name|files|language)(?=[ \t])")
_AT: Final = re.compile("@")
_GLOB_SIGNS: Final = frozenset("*?[./")


@dataclass(frozen=True, slots=True)
class Known:
    """What a look at a grammar file has told."""

    file: GrammarFile
    digest: str
    """Hexadecimal, of its text; empty if it can't be read."""
    name: str
    globs: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """Why it can't be used, if that is plain already."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The grammars of one folder of grammars."""

    grammars: tuple[Known, ...]
    workspace: Path | None = None
    """The folder they came with, if that has to be trusted."""
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """The grammars of one document."""

    whole: Known | None
    islands: tuple[tuple[IslandConfig, Known | str], ...] = ()
    """Of each its grammar, or why there is none."""
    reason: str = ""
    """Why there is none for the whole."""
    expected: bool = False
    """There is one, or there is meant to be."""
    required: bool = False
    """The user has put it in force: what is not trusted has no say in that, unless the configuration names it."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All grammars that documents of one folder may have; a later layer goes before an earlier one."""

    layers: tuple[Layer, ...]

    def used(self, config: GrammarsConfig) -> dict[str, Known]:
        """The grammars that may be used, by name."""
        layers = [layer for layer in self.layers if layer.trusted or config.trust_workspace]
        return {one.name: one for layer in layers for one in layer.grammars}

    def choose(self, document: Document, config: GrammarsConfig) -> Choice:
        """The grammars of a document, or the reason why it has none."""
        if not config.enabled:
            return Choice(None, (), "grammars are switched off (grammars.enabled)")
        used = self.used(config)
        islands = tuple(
            (one, used.get(one.grammar) or self._absent(one.grammar, "[[grammars.islands]]", used, config))
            for one in config.islands
            if is_host(document, one.host)
        )
        return replace(self._whole(document, config, used), islands=islands)

    def _whole(self, document: Document, config: GrammarsConfig, used: dict[str, Known]) -> Choice:
        """The grammar of the document as a whole."""
        name, setting = _configured(document, config)
        if name == NO_GRAMMAR:
            return Choice(None, reason=f"switched off for this file ({setting})")
        if name:
            found = used.get(name)
            reason = "" if found else self._absent(name, setting, used, config)
            return Choice(found, reason=reason, expected=True, required=True)
        for layer in reversed(self.layers):
            mine = [one for one in layer.grammars if used.get(one.name) is one]
            if found := _by_its_own_word(document, mine):
                return Choice(found, expected=True, required=True)
        untrusted = self._untrusted(document, config)
        return Choice(None, reason=untrusted or "no grammar for this file", expected=bool(untrusted))

    def _absent(self, name: str, setting: str, used: dict[str, Known], config: GrammarsConfig) -> str:
        for layer in self._left_out(config):
            if any(one.name == name for one in layer.grammars):
                return _not_trusted(layer)
        return f"there is no grammar {name}, which {setting} names; there are: {', '.join(sorted(used))}"

    def _untrusted(self, document: Document, config: GrammarsConfig) -> str:
        """Why a workspace's grammar for the document is not used; empty if there is none."""
        for layer in self._left_out(config):
            if _by_its_own_word(document, layer.grammars):
                return _not_trusted(layer)
        return ""

    def _left_out(self, config: GrammarsConfig) -> list[Layer]:
        return [layer for layer in reversed(self.layers) if not layer.trusted and not config.trust_workspace]


def look_at(file: GrammarFile) -> Known:
    """What the file says of itself. Cheap for any content."""
    try:
        text = read_grammar(file.path)
    except Unreadable as problem:
        advice = "" if file.origin == "built in" else f"mend or remove {file.path}"
        found = Diagnostic("error", "unreadable", f"the file {problem}", advice)
        return Known(file, "", file.name, diagnostics=(found,))
    digest = hashlib.sha256(text.encode()).hexdigest()
    if file.extension == SCHEMA_EXTENSION:
        globs, languages = _of_schema(text)
        return Known(file, digest, file.name, _bounded(globs), _bounded(languages))
    try:
        said = read_annotations(_header(text))
    except GrammarError as error:
        return Known(file, digest, file.name, diagnostics=error.diagnostics)
    return Known(file, digest, said.name or file.name, _bounded(said.globs), _bounded(said.languages))


def _header(text: str) -> str:
    """The beginning of the text, with no other annotations than those that are wanted here."""
    start = text[:HEADER_CHARACTERS]
    whole_lines = start.rpartition("\n")[0] if len(text) > len(start) else start
    wanted = {match.start() for match in islice(_OF_THE_HEADER.finditer(whole_lines), _MAX_ENTRIES)}
    return _AT.sub(lambda match: "@" if match.start() in wanted else " ", whole_lines)


def _of_schema(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globs and language ids that a JSON schema names."""
    try:
        schema: Any = json.loads(text)
    except (ValueError, RecursionError):  # compiling it says what is wrong
        return (), ()
    return said_of(schema, FILES), said_of(schema, LANGUAGES)


def _bounded(entries: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in entries if len(one) <= _MAX_ENTRY)[:_MAX_ENTRIES]


def _configured(document: Document, config: GrammarsConfig) -> tuple[str, str]:
    """The grammar that the configuration names for a document, and the setting; empty: none."""
    for glob, name in config.files.items():
        if matches_glob(document.name, [glob]):
            return name, f'"{glob}" in [grammars.files]'
    name = config.languages.get(document.language, "")
    return name, f"{document.language} in [grammars.languages]"


def _by_its_own_word(document: Document, grammars: Iterable[Known]) -> Known | None:
    """The first that names the document's file or else, the first that names its language."""
    by_file = (one for one in grammars if matches_glob(document.name, one.globs))
    by_language = (one for one in grammars if document.language in one.languages)
    return next(by_file, None) or next(by_language, None)


def is_host(document: Document, host: str) -> bool:
    if _GLOB_SIGNS.isdisjoint(host):
        return document.language == host
    return matches_glob(document.name, [host])


def _not_trusted(layer: Layer) -> str:
    return (
        f"not trusted: add {layer.workspace} to grammars.trusted (draftwire grammar trust {layer.workspace})"
    )
