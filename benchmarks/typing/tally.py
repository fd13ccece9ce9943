"""What a replay's events come to: latencies by what a key needed, flicker, and counts. Pure.

The screen is replayed: a key that goes along what is shown moves it along; any other clears it. What then comes is
the same suggestion as long as it begins with what is shown. A text that does not, replaces it:

- within the settling window of the suggestion's first display, for the first time: `settled`, which is allowed;
- else `flicker`. `flicker_on_key` is the part of it that came with the answer to a key, at once: text that changed
  while the user typed, rather than under the user's eyes.

Nothing at all in place of something is a replacement too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from benchmarks.typing.events import Display, Event, Key, Misplaced, Opened

SETTLING_S: Final = 0.25
"""Within this time of its first display a suggestion may be corrected, once (ux-7)."""
TRANSIT_S: Final = 0.02
"""The daemon counts that time by its own clock; a correction may take so much longer to come here than the text did."""


@dataclass(frozen=True, slots=True)
class Flicker:
    """A text that was replaced after it had settled."""

    before: str
    after: str
    shown_ms: float
    """How long the suggestion had been shown."""
    key_ms: float
    """How long ago the newest key was."""
    cause: str


@dataclass(slots=True)
class Tally:
    """Counts, and latencies in milliseconds."""

    counts: Counter[str] = field(default_factory=Counter)
    """keys; keys_KIND; answered (with text), late (text in an update, after an empty answer), empty (no text at all),
    overtaken (a key before the answer): their sum is `keys` but for the last one; shown (suggestions), never_verified,
    settled, flicker, flicker_on_key, taken_back (verified text replaced by other text), misplaced."""
    provisional_ms: list[float] = field(default_factory=list)
    """Key to first text, where it was not known before; the daemon had been here before (warm)."""
    cold_ms: list[float] = field(default_factory=list)
    """The same for the first text after opening a file or moving the cursor."""
    verified_ms: list[float] = field(default_factory=list)
    """Key to the first verified character of the suggestion that this key brought, typed along or not; warm."""
    type_through_ms: list[float] = field(default_factory=list)
    """Keys that went along what was shown: how long the bridge took to say what is left of it."""
    recalled_ms: list[float] = field(default_factory=list)
    """Other keys answered from memory: those that took something back."""

    flickers: list[Flicker] = field(default_factory=list)
    """Each of them."""
    misplaced: list[str] = field(default_factory=list)
    """What was wrong with each."""

    @property
    def all_ms(self) -> list[float]:
        """Key to first text of every key that got one."""
        return [*self.new_ms, *self.type_through_ms, *self.recalled_ms]

    @property
    def new_ms(self) -> list[float]:
        """Of those whose text was not known before."""
        return [*self.provisional_ms, *self.cold_ms]


@dataclass(slots=True)
class _Screen:
    """One suggestion, from its first display on."""

    text: str
    verified: int
    since: float
    key_at: float
    timed: bool
    """The time to its first verified character counts, and has not been taken."""
    corrected: bool = False


def tally(events: Iterable[Event]) -> Tally:
    """Count what happened."""
    player = _Player()
    for event in events:
        player.take(event)
    player.clear()
    return player.tally


class _Player:
    def __init__(self) -> None:
        self.tally = Tally()
        self._screen: _Screen | None = None
        self._key: Key | None = None
        self._along = False
        self._awaited = False
        """The newest key has not been answered."""
        self._has_text = False
        """There was a text for the newest key."""
        self._cold = True

    def take(self, event: Event) -> None:
        match event:
            case Opened():
                self.clear()
                self._cold, self._awaited = True, False
            case Key():
                self._pressed(event)
            case Display():
                self._displayed(event)
            case Misplaced():
                self.tally.counts["misplaced"] += 1
                self.tally.misplaced.append(event.what)

    def clear(self) -> None:
        """What was shown is gone, by the user's doing."""
        if self._screen is not None and self._screen.timed:
            self.tally.counts["never_verified"] += 1
        self._screen = None

    def _pressed(self, key: Key) -> None:
        counts = self.tally.counts
        counts["overtaken"] += self._awaited
        counts["keys"] += 1
        counts[f"keys_{key.kind}"] += 1
        screen = self._screen
        self._key, self._awaited, self._has_text = key, True, False
        self._along = screen is not None and key.text != "" and screen.text.startswith(key.text)
        if screen is not None and self._along and screen.text != key.text:
            screen.text = screen.text[len(key.text) :]
            screen.verified = max(0, screen.verified - len(key.text))
        else:
            self.clear()

    def _displayed(self, display: Display) -> None:
        if self._key is None:
            return
        screen = self._screen
        if not self._has_text and (display.cause == "answer" or (screen is None and display.text)):
            self._spoken_to(display, self._key)
        if screen is None:
            if display.text:
                self._show(display)
        elif display.text and display.text.startswith(screen.text):
            screen.text, screen.verified = display.text, max(screen.verified, display.verified)
        else:
            self._replaced(screen, display)
        self._time_verified(display)
        if display.text:
            self._cold = False

    def _spoken_to(self, display: Display, key: Key) -> None:
        """The answer to a key, or its first text in an update where the answer was empty."""
        counts = self.tally.counts
        if not display.text:
            counts["empty"] += 1
        elif display.cause == "answer":
            counts["answered"] += 1
        else:
            counts["late"] += 1
            counts["empty"] -= not self._awaited
        self._awaited, self._has_text = False, display.text != ""
        if display.text:
            self._latencies(display).append((display.at - key.at) * 1000)

    def _latencies(self, display: Display) -> list[float]:
        if display.recalled:
            return self.tally.type_through_ms if self._along else self.tally.recalled_ms
        return self.tally.cold_ms if self._cold else self.tally.provisional_ms

    def _show(self, display: Display, *, corrected: bool = False) -> None:
        assert self._key is not None, "something is shown for a key"
        self.tally.counts["shown"] += 1
        timed = not display.recalled and not self._cold
        self._screen = _Screen(
            display.text, display.verified, display.at, self._key.at, timed, corrected=corrected
        )

    def _replaced(self, screen: _Screen, display: Display) -> None:
        counts = self.tally.counts
        if display.text and not display.text.startswith(screen.text[: screen.verified]):
            counts["taken_back"] += 1
        settles = not screen.corrected and display.at - screen.since <= SETTLING_S + TRANSIT_S
        counts["settled" if settles else "flicker"] += 1
        if not settles:
            self._flickered(screen, display)
        if display.text and display.cause != "answer":
            screen.text, screen.verified, screen.corrected = display.text, display.verified, True
            return
        self.clear()
        if display.text:
            self._show(display, corrected=settles)

    def _flickered(self, screen: _Screen, display: Display) -> None:
        assert self._key is not None, "something is shown for a key"
        since_key_s = display.at - self._key.at
        on_key = display.cause == "answer" and since_key_s <= SETTLING_S
        self.tally.counts["flicker_on_key"] += on_key
        shown_ms, key_ms = round(1000 * (display.at - screen.since)), round(1000 * since_key_s)
        self.tally.flickers.append(Flicker(screen.text, display.text, shown_ms, key_ms, display.cause))

    def _time_verified(self, display: Display) -> None:
        screen = self._screen
        if screen is not None and screen.timed and display.verified > 0:
            screen.timed = False
            self.tally.verified_ms.append((display.at - screen.key_at) * 1000)


def percentiles(values_ms: Sequence[float], *levels: float) -> list[float | None]:
    """The values at these percentages, two decimals; None of nothing."""
    return [round(float(np.percentile(values_ms, level)), 2) if values_ms else None for level in levels]
