"""Whether a suggestion is legal at its place and fits the text after it, for `benchmarks.dsl_acceptance`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from benchmarks.dsl.tallies import Judgement
from grammars.interface import CursorState
from grammars.suffix import WINDOW_TOKENS, longest_fit

SUFFIX_CHARACTERS: Final = 1000


def judged(state: CursorState, pieces: Sequence[bytes], suffix: bytes) -> Judgement:
    """What the grammar says of a suggestion (its tokens' bytes) between the cursor, where `state` stands, and `suffix`.

    It fits if the suffix can follow it as far as it could follow the cursor itself. Trimming is the daemon's own, here
    between tokens. The state is as before afterwards.
    """
    text = b"".join(pieces)
    window = state.tokens(suffix)[:WINDOW_TOKENS]
    wanted = state.fits(window)
    is_legal = state.extend(text) == len(text)
    fits = is_legal and state.fits(window) >= wanted
    state.pop(1)
    trimmed = longest_fit(state, text, list(accumulate(map(len, pieces))), suffix)
    return Judgement(is_legal, fits, trimmed.cut > 0, trimmed.cut > 0 and trimmed.accepted >= wanted)
