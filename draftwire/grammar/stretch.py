"""The text of a file that a grammar is asked about: the island around a place, or the whole; found as by the daemon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.documents import Document
from daemon.globs import matches_glob
from daemon.grammars.catalogue import is_host
from daemon.grammars.store import LINE_END
from daemon.settings.config_sections import GrammarsConfig
from draftwire.failures import CommandFailed, Exit
from draftwire.grammar.documents import globs_of
from draftwire.language_ids import language_id
from grammars.compiled import CompiledGrammar
from grammars.islands import Island, island_at


@dataclass(frozen=True, slots=True)
class Stretch:
    """A text of one grammar, and a place in it."""

    text: str
    offset: int
    """The place, in code points of `text`."""
    start: int
    """Where `text` begins in the file."""
    is_island: bool


def stretch_of(
    compiled: CompiledGrammar, file: Path, text: str, offset: int, config: GrammarsConfig
) -> Stretch:
    """The island of this grammar that the place is in, or else all of the text.

    Raises CommandFailed where the configuration has another grammar at the place, or none.
    """
    islands = _islands_in(file, config)
    found = island_at(text, offset, islands)
    if found is None:
        if any(one.grammar == compiled.name for one in islands) and not _is_own(compiled, file, config):
            message = f"the place is outside the islands of {compiled.name} in {file} ([[grammars.islands]])"
            raise CommandFailed(message, Exit.USAGE)
        return Stretch(text, offset, 0, is_island=False)
    if found.island.grammar != compiled.name:
        other = found.island.grammar
        message = f"the place lies in an island of {other} ([[grammars.islands]]); name {other} instead"
        raise CommandFailed(message, Exit.USAGE)
    return Stretch(text[found.start : found.end], offset - found.start, found.start, is_island=True)


def _islands_in(file: Path, config: GrammarsConfig) -> Sequence[Island]:
    document = Document(file.absolute().as_uri(), language_id(file), 1, "")
    hosted = (one for one in config.islands if is_host(document, one.host))
    return [Island(one.open, one.close or LINE_END, one.grammar) for one in hosted]


def _is_own(compiled: CompiledGrammar, file: Path, config: GrammarsConfig) -> bool:
    """Whether the file as a whole is of the grammar, too."""
    languages = (
        *compiled.languages,
        *(one for one, name in config.languages.items() if name == compiled.name),
    )
    globs = globs_of(compiled.name, compiled.globs, config)
    return language_id(file) in languages or matches_glob(str(file.absolute()), globs)
