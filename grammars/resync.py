"""Panic mode: where a text that the grammar does not allow can be followed again after the error.

The classic recovery of compilers (Aho, Sethi, Ullman, "Compilers", 4.1), with evidence: of all pairs (statements before
the error to take back, segments after it to skip) the first whose state accepts the next statements in full. Nesting
survives, since the recogniser only goes back and on. Knows a recogniser and tokens; nothing of texts or cursors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grammars.interface import Recogniser

TAKEN_BACK: Final = 24
"""Statements before the error that may have to go."""
SKIPPED: Final = 23
"""Segments from the one with the error on that may have to be left out."""
EVIDENCE: Final = 3
"""Statements that must follow in full, fewer only where the text has no more."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment after the error."""

    tokens: Sequence[int]
    is_boundary: bool
    is_blank: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """Where the text can be followed again."""

    behind: int
    """Index in `back`."""
    skipped: int
    """Pieces to leave out."""
    evidence: int
    """Pieces, from the first on, that this rests on."""


def search(recogniser: Recogniser, back: Sequence[int], ahead: Sequence[Piece]) -> Hit | None:
    """The nearest hit; the recogniser is then rolled back by `back[hit.behind]` tokens, and stands before it.

    `back`: tokens to take back for each place to go on from, ascending, the first 0. Without a hit the recogniser
    stands back by the last of them. `ahead[0]` is the piece with the error.
    """
    trials = [trial for skipped in range(1, len(ahead)) if (trial := _trial(ahead, skipped)) is not None]
    gone = 0
    for behind, count in enumerate(back):
        recogniser.rollback(count - gone)
        gone = count
        for trial in trials:
            if recogniser.valid(trial.tokens) == len(trial.tokens):
                return Hit(behind, trial.skipped, trial.evidence)
    return None


def restart(fresh: Recogniser, ahead: Sequence[Piece]) -> Hit | None:
    """The first piece that a text may begin with, as far as the evidence goes: for want of a better one."""
    return search(fresh, (0,), ahead)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A place after the error, and what must be accepted there."""

    skipped: int
    evidence: int
    tokens: tuple[int, ...]


def _trial(ahead: Sequence[Piece], skipped: int) -> _Trial | None:
    """None where no statement begins at `ahead[skipped]`, or none is complete after it."""
    if not ahead[skipped - 1].is_boundary or ahead[skipped].is_blank or skipped > SKIPPED:
        return None
    tokens: list[int] = []
    statements, end = 0, skipped
    while end < len(ahead) and statements < EVIDENCE:
        tokens += ahead[end].tokens
        statements += ahead[end].is_boundary and not ahead[end].is_blank
        end += 1
    return _Trial(skipped, end, tuple(tokens)) if statements else None
