"""Cursor places in files of a DSL for `benchmarks.dsl_acceptance`, and the prompts they are completed with.

Cold: within the first 200 tokens of a file. Warm: further in. Comments that the file begins with do not count: a
licence is no text of the language, and the same in all files of a project. Places lie between two tokens of the file,
and come in the order of the file, so that a KV cache pays for new text only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal

from daemon.documents import Document, Place
from daemon.draft.engine import DraftEngine
from daemon.prompts.exemplar import Candidate, budget_tokens, choose, opening_comment, opening_ids
from daemon.prompts.prompt import Prompt

Setting = Literal["cold", "warm"]
SETTINGS: Final[tuple[Setting, ...]] = ("cold", "warm")

COLD_TOKENS: Final = 200
PLACES_PER_FILE: Final = 40
WARM_STEP_TOKENS: Final = 9
WINDOW_TOKENS: Final = 1024
TRUTH_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the language."""

    path: str
    """Below the project's folder, / between its parts."""
    text: str

    @property
    def name(self) -> str:
        """Its own, without its folders."""
        return self.path.rpartition("/")[2]

    def candidate_for(self, other: SourceFile) -> Candidate:
        """This file, as an exemplar of the other one."""
        own, others = self.path.split("/")[:-1], other.path.split("/")[:-1]
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(own, others, strict=False))))
        return Candidate(self.name, self.text, len(own) + len(others) - 2 * shared)


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """A cursor in a file; offset in code points."""

    file: SourceFile
    offset: int

    @property
    def place(self) -> Place:
        """The same for the daemon."""
        return Place(Document(self.file.name, "", 1, self.file.text), self.offset)

    @property
    def rest(self) -> str:
        """The text after the cursor."""
        return self.file.text[self.offset :]


def places(
    files: Sequence[SourceFile], setting: Setting, count: int, engine: DraftEngine, line_comment: str
) -> list[CursorPlace]:
    """About `count` places, PLACES_PER_FILE in each file as far as it is long enough, file after file."""
    found: list[CursorPlace] = []
    for file in files:
        start = opening_comment(file.text, line_comment)
        offsets = _offsets([at for at in token_offsets(file.text, engine) if at >= start], setting)
        found += [CursorPlace(file, offset) for offset in offsets[: count - len(found)]]
    return found


def token_offsets(text: str, engine: DraftEngine) -> list[int]:
    """Where the tokens of a text begin, in code points; not those that begin inside of a character."""
    offsets: list[int] = []
    pending = b""
    at = 0
    for token in engine.tokenize(text):
        if not pending:
            offsets.append(at)
        pending += engine.vocabulary.token_bytes[token]
        try:
            at += len(pending.decode())
        except UnicodeDecodeError:
            continue
        pending = b""
    return offsets


def prompt_for(
    file: SourceFile, others: Sequence[SourceFile], line_comment: str, engine: DraftEngine, *, cold: bool
) -> Prompt:
    """Prompts of a file with one of the other files before it, as the daemon makes them; none: nothing before it.

    cold: the file is chosen as if the document were still empty.
    """
    candidates = [other.candidate_for(file) for other in others if other.path != file.path]
    chosen = choose("" if cold else file.text, candidates)
    start = list(engine.prompt_start)
    if chosen is not None:
        budget = budget_tokens(WINDOW_TOKENS)
        start += opening_ids(chosen, file.name, engine.tokenize, budget=budget, line_comment=line_comment)
    return Prompt(
        engine.tokenize, window_tokens=WINDOW_TOKENS, splits_at_lines=engine.splits_at_lines, start=start
    )


def truth_after(cursor: CursorPlace, engine: DraftEngine) -> list[int]:
    """What stands after the cursor, as tokens; the last one may be cut."""
    return engine.tokenize(cursor.rest[:TRUTH_CHARACTERS])


def _offsets(offsets: Sequence[int], setting: Setting) -> Sequence[int]:
    """Of the offsets of a file's tokens those where a cursor goes."""
    if setting == "cold":
        return offsets[: COLD_TOKENS : COLD_TOKENS // PLACES_PER_FILE]
    return offsets[COLD_TOKENS : COLD_TOKENS + PLACES_PER_FILE * WARM_STEP_TOKENS : WARM_STEP_TOKENS]
