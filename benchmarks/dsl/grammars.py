"""The DSLs of `benchmarks.dsl_acceptance`: their files, and the grammar's state at a place in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from benchmarks.dsl.files import SUFFIXES, generated, places, real_files
from benchmarks.dsl.places import CursorPlace, SourceFile
from daemon.draft.engine import Vocabulary
from daemon.grammars.places import built_in_folder, grammars_in, read_grammar
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.cursor import GrammarState
from grammars.engine import TokenTable, load
from grammars.interface import CursorState, Mode

FILES = 8
FILE_BYTES = 6000
LEAST_CHARACTERS = 1200
LONGEST_SHOWN = 20_000
"""Characters of a real file that are used: no place lies further in."""


@dataclass(frozen=True, slots=True)
class Language:
    """A DSL with a built-in grammar, and files of it."""

    name: str
    compiled: CompiledGrammar
    files: tuple[SourceFile, ...]
    """Where the cursor goes."""
    project: tuple[SourceFile, ...]
    """All files there are: one of them may be the exemplar of another."""
    origin: str
    """"real" or "generated"."""

    @property
    def line_comment(self) -> str:
        """How a comment up to the line's end begins; empty where that is not known."""
        return next(iter(self.compiled.line_comments), "")


def language_of(name: str, seed: int, folders: Sequence[Path] = ()) -> Language:
    """The language with real files, if there are enough of them, else generated ones. ValueError for an unknown one.

    folders: where real files are looked for besides the installed packages.
    """
    found = {one.name: one for one in grammars_in(built_in_folder(), "built in")}
    if name not in found:
        raise ValueError(f"there is no built-in grammar {name!r}: choose of {', '.join(found)}")
    path = found[name].path
    compiled = compile_text(read_grammar(path), file_name=path.name)
    real = _real(name, folders)
    long_enough = [one for one in real if len(one.text) >= LEAST_CHARACTERS]
    if len(long_enough) >= FILES:
        step = len(long_enough) // FILES
        return Language(name, compiled, tuple(long_enough[::step][:FILES]), tuple(real), "real")
    ending = PurePath(next(iter(compiled.globs), "*.txt")).suffix
    files = tuple(
        SourceFile(f"{name}_{number}{ending}", generated(name, FILE_BYTES, seed + number))
        for number in range(FILES)
    )
    return Language(name, compiled, files, files, "generated")


def states_of(language: Language, vocabulary: Vocabulary) -> Callable[[CursorPlace], CursorState]:
    """A function that finds the grammar's state at a place; masked, since the files are valid, else ValueError."""
    table = TokenTable(
        vocabulary.token_bytes, control_ids=vocabulary.control_ids, stop_ids=vocabulary.stop_ids
    )
    template = load(language.compiled, table)

    def state_at(cursor: CursorPlace) -> CursorState:
        state = GrammarState(template.copy(), table)
        before = cursor.file.text[: cursor.offset].encode()
        followed = state.extend(before)
        if followed < len(before) or state.mode != Mode("masked"):
            line = before[:followed].count(b"\n") + 1
            raise ValueError(
                f"{cursor.file.name}, line {line}: the grammar {language.name} does not allow this file"
            )
        return state

    return state_at


def _real(name: str, folders: Sequence[Path]) -> list[SourceFile]:
    if name not in SUFFIXES:
        return []
    return [SourceFile(path, text[:LONGEST_SHOWN]) for path, text in real_files(name, (*places(), *folders))]
