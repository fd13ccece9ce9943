"""Grammars as the draft loop sees them: the state at a cursor, and which tokens may come next. Pure.

Here stands the interface alone. What implements it loads the engine (0.1 s) and has modules of its own: `engine`
(a vocabulary, a loaded grammar), `document` (the state at any cursor), `healing`, `suffix`, `islands`, `island_state`.
"""

from grammars.interface import (
    CursorState,
    Mode,
    ModeKind,
    Recogniser,
    RecogniserFailed,
    Rejection,
    Stale,
    Unconstrained,
)

__all__ = [
    "CursorState",
    "Mode",
    "ModeKind",
    "Recogniser",
    "RecogniserFailed",
    "Rejection",
    "Stale",
    "Unconstrained",
]
