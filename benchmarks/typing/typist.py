"""A typist: types a file as it stands, at a human rhythm, with mistakes and detours, and takes right suggestions.

Pure: what the typist does next is a function of the seed, of how far the file is typed, and of what is shown; time
and editor are the caller's. Every draw is keyed by seed, file and place, so what was taken before changes neither
the rhythm nor the mistakes of a later place.

A suggestion is looked at in a pause and, between keys, now and then. One that agrees with the file far enough is
read, then taken: all of it, its first line, or its first word, whichever is the most that agrees. Where a wrong one is
shown the typist types on: people do not stop for it.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from benchmarks.typing.manuscript import Manuscript, keys_for, next_key
from benchmarks.typing.rhythm import WRONG, Pauses, between_keys_s

TakeKind = Literal["all", "line", "word"]

LOOKS: Final = 0.3
"""Share of the keys before which the typist looks at what is shown."""
JUMPS: Final = 0.15
"""Share of the new lines before which the typist goes on elsewhere."""
READ_S: Final = 0.2
READ_A_CHARACTER_S: Final = 0.02
READ_AT_MOST_S: Final = 0.8
_FIRST_LINE: Final = re.compile(r"\n*[^\n]+")
_FIRST_WORD: Final = re.compile(r"\s*(?:\w+|[^\w\s]+)")
_LETTERS: Final = "etaoinsrhldcum"


@dataclass(frozen=True, slots=True)
class Press:
    """Type this at the cursor: one key."""

    text: str


@dataclass(frozen=True, slots=True)
class Rub:
    """Take back the character before the cursor."""


@dataclass(frozen=True, slots=True)
class Take:
    """Accept the first `length` characters of what is shown."""

    kind: TakeKind
    length: int


@dataclass(frozen=True, slots=True)
class Go:
    """Move the cursor there."""

    offset: int


Action = Press | Rub | Take | Go


@dataclass(slots=True)
class Spared:
    """What the suggestions were worth, in keys. Mistakes and their mending are not counted."""

    needed: int = 0
    """Keys it takes to type what now stands."""
    pressed: int = 0
    """Keys it took, accepting ones included."""

    def add(self, other: Spared) -> None:
        """Count what the other has counted."""
        self.needed += other.needed
        self.pressed += other.pressed

    @property
    def share(self) -> float | None:
        """Keys saved, of those needed; None of none."""
        return (self.needed - self.pressed) / self.needed if self.needed else None


class Typist:
    """One visit to a file. In turn: `wait_s`, then `reading_s` of what is shown, then `act`; None: all is typed."""

    def __init__(self, manuscript: Manuscript, *, seed: str, pauses: Pauses, least: int) -> None:
        """`least`: characters that a suggestion must spare to be taken."""
        self.manuscript = manuscript
        self.spared = Spared()
        self._seed = seed
        self._pauses = pauses
        self._least = least
        self._mending: deque[tuple[float, Action]] = deque()
        """What a mistake leads to, each with the pause before it."""
        self._mended = -1
        """The last place where a mistake was made: it is made once."""
        self._arrived = -1
        """The last place that the typist came to by a jump: the next is not from there."""

    def wait_s(self) -> float:
        """Seconds from the last action to the next."""
        draw = self._draw("rhythm")
        keys_s = between_keys_s(draw)
        if self._mending:
            return keys_s + self._mending[0][0]
        if self._leaves():
            return keys_s + self._pauses.drawn(self._pauses.jump_s, draw)
        if self._thinks():
            return keys_s + self._pauses.drawn(self._pauses.line_s, draw)
        return keys_s

    def reading_s(self, shown: str) -> float | None:
        """How long the typist reads what is shown before taking it; None: it is not looked at, or not wanted."""
        if self._mending or self._leaves() or self.taken(shown) is None:
            return None
        looks = self._thinks() or self._draw("look").random() < LOOKS
        return min(READ_S + READ_A_CHARACTER_S * len(shown), READ_AT_MOST_S) if looks else None

    def taken(self, shown: str) -> Take | None:
        """What of a suggestion the typist would take."""
        agreeing = _common(shown, self.manuscript.rest)
        parts: list[tuple[TakeKind, int]] = [("all", len(shown))]
        for kind, pattern in (("line", _FIRST_LINE), ("word", _FIRST_WORD)):
            found = pattern.match(shown)
            parts.append((kind, found.end() if found else 0))  # type: ignore[arg-type]
        for part, length in parts:
            if length <= agreeing and len(shown[:length].strip()) >= self._least:
                return Take(part, length)
        return None

    def act(self, take: Take | None) -> Action | None:
        """Do the next thing; `take`, if the typist has read a suggestion and still finds it right."""
        if self._mending:
            return self._mending.popleft()[1]
        if self._leaves():
            return self._go()
        if not self.manuscript.rest:
            return None
        if take is not None:
            self._advance(take.length)
            return take
        if self._errs():
            return self._err()
        key = next_key(self.manuscript.rest)
        self._advance(len(key))
        return Press(key)

    def _advance(self, characters: int) -> None:
        self.spared.needed += keys_for(self.manuscript.rest, characters)
        self.spared.pressed += 1
        self.manuscript.advance(characters)

    def _go(self) -> Go:
        self.manuscript.current = self._draw("whereto").choice(self.manuscript.others())
        self._arrived = self.manuscript.position
        return Go(self.manuscript.cursor)

    def _leaves(self) -> bool:
        rest = self.manuscript.rest
        if rest and (not rest.startswith("\n") or self._arrived == self.manuscript.position):
            return False
        return bool(self.manuscript.others()) and (not rest or self._draw("jump").random() < JUMPS)

    def _thinks(self) -> bool:
        return self.manuscript.rest.startswith("\n") and self._draw("think").random() < self._pauses.at_line

    def _errs(self) -> bool:
        position = self.manuscript.position
        letter = self.manuscript.rest[0].isalpha() and position != self._mended
        return letter and self._draw("err").random() < WRONG

    def _err(self) -> Press:
        """Type a wrong letter, perhaps the one after it as well; then take back what was typed."""
        draw, rest = self._draw("wrong"), self.manuscript.rest
        self._mended = self.manuscript.position
        also = rest[1:2] if draw.random() < 0.5 and rest[1:2].isalpha() else ""
        seen_s = self._pauses.drawn(self._pauses.wrong_s, draw)
        self._mending.extend((0.0, Press(letter)) for letter in also)
        self._mending.append((seen_s, Rub()))
        self._mending.extend((0.0, Rub()) for _ in also)
        return Press(draw.choice([letter for letter in _LETTERS if letter != rest[0]]))

    def _draw(self, what: str) -> Random:
        return Random(f"{self._seed} {self.manuscript.position} {len(self._mending)} {what}")


def _common(one: str, other: str) -> int:
    length = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        length += 1
    return length
