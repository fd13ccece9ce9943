"""From keys and the frames that an editor drew to how long each key's ghost text took. Pure.

A frame belongs to the newest key pressed before it whose text it has: what stands before the cursor is the same. So a
frame that was drawn before the editor had worked off a key is not taken for that key's, however late it comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

LOOK_BACK: Final = 8
"""Keys that may have been pressed since the one that a frame shows."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key that was pressed."""

    at_ms: float | None
    """When the editor was given it, by the clock of the frames; None: that is not one moment."""
    text: str
    """What it inserts."""
    line: str
    """What stands before the cursor in its line then."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What was on the screen, from when it was drawn until the next one."""

    at_ms: float
    line: str
    """Before the cursor, without the ghost text."""
    ghost: str
    """Its first line, and those below it, with LF between; empty: none."""


@dataclass(slots=True)
class Waits:
    """Key to the first frame with ghost text for the text after it, in milliseconds, by what the key needed."""

    fresh_ms: list[float] = field(default_factory=list)
    """A new suggestion: none was shown, or another than what the key left of the one shown."""
    along_ms: list[float] = field(default_factory=list)
    """The key went along the suggestion shown, whose rest is shown."""
    cold_ms: list[float] = field(default_factory=list)
    """The first suggestion in a file that was just opened."""
    text_ms: list[float] = field(default_factory=list)
    """To the first frame with the key's own text, of every key that has a frame of its own."""
    keys: int = 0
    """Timed ones, these without ghost text included."""
    overtaken: int = 0
    """Of those without: the next key came before there was any."""

    @property
    def all_ms(self) -> list[float]:
        """Of every warm key with ghost text."""
        return [*self.fresh_ms, *self.along_ms]

    def add(self, other: Waits) -> None:
        """Count what the other has counted."""
        self.fresh_ms += other.fresh_ms
        self.along_ms += other.along_ms
        self.cold_ms += other.cold_ms
        self.text_ms += other.text_ms
        self.keys += other.keys
        self.overtaken += other.overtaken


def waits_of(keys: Sequence[Key], frames: Sequence[Frame]) -> Waits:
    """How long each key took, of one visit to a file; `keys` and `frames` are in the order of time."""
    waits, cold, before = Waits(), True, ""
    belonging = frames_of(keys, frames)
    for index, (key, own) in enumerate(zip(keys, belonging, strict=True)):
        drawn = next(
            (frame for frame in own if frame.ghost and not _is_stale(frame.ghost, before, key.text)), None
        )
        if key.at_ms is not None:
            waits.keys += 1
            waits.text_ms += [frame.at_ms - key.at_ms for frame in own[:1]]
            if drawn is not None:
                kind = waits.along_ms if _is_rest(drawn.ghost, before, key.text) else waits.fresh_ms
                (waits.cold_ms if cold else kind).append(drawn.at_ms - key.at_ms)
            elif index + 1 < len(keys):
                waits.overtaken += 1
        cold = cold and drawn is None
        before = own[-1].ghost if own else ""
    return waits


def frames_of(keys: Sequence[Key], frames: Sequence[Frame]) -> list[list[Frame]]:
    """The frames that belong to each key. A key without a moment was given to the editor right after the one before."""
    moments: list[float] = []
    for key in keys:
        moments.append(key.at_ms if key.at_ms is not None else moments[-1] if moments else float("-inf"))
    belonging: list[list[Frame]] = [[] for _ in keys]
    pressed = 0
    for frame in frames:
        while pressed < len(keys) and moments[pressed] <= frame.at_ms:
            pressed += 1
        for index in range(pressed - 1, max(pressed - LOOK_BACK, 0) - 1, -1):
            if keys[index].line == frame.line:
                belonging[index].append(frame)
                break
    return belonging


def _is_rest(ghost: str, before: str, typed: str) -> bool:
    """Whether the first line of this is what `typed` leaves of what was shown before, or goes on from it."""
    rest = before[len(typed) :]
    return before.startswith(typed) and rest != "" and _first_line(ghost).startswith(_first_line(rest))


def _is_stale(ghost: str, before: str, typed: str) -> bool:
    """Whether this is still the ghost text of the key before, next to the new text."""
    return ghost == before and not _is_rest(ghost, before, typed)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
