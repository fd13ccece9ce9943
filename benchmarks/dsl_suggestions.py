"""Whether a suggestion is legal at its place and fits the text after it, for `benchmarks.dsl_acceptance`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.dsl_places import CursorPlace
from benchmarks.dsl_tallies import Judgement
from daemon.engine import DraftEngine
from grammars.interface import CursorState

SUFFIX_TOKENS: Final = 64
_SUFFIX_CHARACTERS: Final = 800


def suffix_after(cursor: CursorPlace, engine: DraftEngine) -> list[int]:
    """The text after the cursor as far as it is looked at, as tokens."""
    return engine.tokenize(cursor.rest[:_SUFFIX_CHARACTERS])[:SUFFIX_TOKENS]


def judged(state: CursorState, tokens: Sequence[int], suffix: Sequence[int]) -> Judgement:
    """What the grammar says of `tokens` between the cursor, where `state` stands, and `suffix`.

    A cut fits if the suffix can follow it as far as it could follow the cursor itself. The state is as before
    afterwards.
    """
    wanted = state.fits(suffix)
    fitting = 0
    legal = 0
    for token in tokens:
        if not state.push(token):
            state.pop(1)
            break
        legal += 1
        if state.fits(suffix) >= wanted:
            fitting = legal
    state.pop(legal)
    return Judgement(legal == len(tokens), fitting == len(tokens), fitting > 0)
