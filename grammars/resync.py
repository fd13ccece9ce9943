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
NONSENSE: Final = b"=,;=,=;"
"""What no language has between its tokens, and any string or comment may hold."""
_COST_OF_ONE_BACK: Final = 1
_COST_OF_ONE_UNSEEN: Final = 4
_NEVER: Final = 1_000_000


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


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to."""

    hit: Hit | None
    reached: int
    """Index in `back`: how far the recogniser was rolled back for it."""


def search(
    recogniser: Recogniser, back: Sequence[int], ahead: Sequence[Piece], nonsense: Sequence[int] = ()
) -> Found:
    """The cheapest hit: the least taken back and skipped, on the most evidence.

    `back`: tokens to take back for each place to go on from, ascending, the first 0. `ahead[0]` is the piece with the
    error. Places where `nonsense` may follow are left out: in a string or a comment everything fits. The recogniser is
    left rolled back by `back[found.reached]` tokens.
    """
    trials = [trial for skipped in range(1, len(ahead)) if (trial := _trial(ahead, skipped)) is not None]
    trials.sort(key=lambda trial: trial.cost)
    best, hit, reached = _NEVER, None, 0
    for behind, count in enumerate(back):
        taken_back = behind * _COST_OF_ONE_BACK
        if not trials or taken_back + trials[0].cost >= best:
            break
        recogniser.rollback(count - back[reached])
        reached = behind
        if nonsense and recogniser.valid(nonsense) == len(nonsense):
            continue
        for trial in trials:
            if taken_back + trial.cost >= best:
                break
            if recogniser.valid(trial.tokens) == len(trial.tokens):
                best, hit = taken_back + trial.cost, Hit(behind, trial.skipped, trial.evidence)
                break
    return Found(hit, reached)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A place after the error, and what must be accepted there."""

    skipped: int
    evidence: int
    tokens: tuple[int, ...]
    cost: int


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
    if not statements:
        return None
    left_out = sum(not piece.is_blank for piece in ahead[:skipped])
    cost = left_out + (EVIDENCE - statements) * _COST_OF_ONE_UNSEEN
    return _Trial(skipped, end, tuple(tokens), cost)
