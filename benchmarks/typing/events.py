"""What happened at the editor, as values in the order in which it happened. The tallies are functions of these.

Times are seconds of the event loop's clock, which is `time.monotonic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KeyKind = Literal["type", "backspace", "all", "line", "word"]
Cause = Literal["answer", "extended", "verified", "corrected", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Opened:
    """The typist is in this file now, at a place where the daemon was not before: nothing is shown."""

    at: float
    language: str


@dataclass(frozen=True, slots=True)
class Key:
    """A key was pressed; `at` is when its didChange was written."""

    at: float
    kind: KeyKind
    text: str
    """What it inserted; empty for a backspace."""
    sides: tuple[str, str] | None = None
    """The text before and after the cursor then, where it is to be typed once more."""


@dataclass(frozen=True, slots=True)
class Display:
    """The client was told what to show at the cursor: in answer to the newest key, or by an update since."""

    at: float
    text: str
    """Empty: nothing."""
    verified: int
    """Characters of the text that are the target's own."""
    complete: bool
    cause: Cause
    recalled: bool = False
    """It was known before the key."""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """The client was told to show something that is for another text, or for another place, than it said (ux-8)."""

    at: float
    what: str


Event = Opened | Key | Display | Misplaced
