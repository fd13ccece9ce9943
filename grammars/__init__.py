"""Grammars as the draft loop sees them: the state at a cursor, and which tokens may come next. Pure."""

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
