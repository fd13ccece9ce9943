"""Screens as they follow each other, and the film made of them: an animated GIF.

The screens are an editor's, time is the film's: each screen stays long enough to be seen, and no longer than it takes
to read what is written below it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from benchmarks.recordings.picture import Painter
from benchmarks.recordings.screen import Snapshot

UNSEEN_MS = 16
"""A screen that is gone sooner is on no monitor."""
SHORTEST_MS, LONGEST_MS = 80, 250
COLOURS = 48
"""Of a film, letters smoothed: few, so that it is small."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is seen, with the line below it, for so long."""

    screen: Snapshot
    caption: str
    shown_ms: int


class Reel:
    """Takes up screens; each that differs from the one before is a frame. `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.caption = ""
        self.frames: list[Frame] = []
        self._clock = clock
        self._since_s = 0.0
        self._is_held = False

    def take(self, screen: Snapshot) -> None:
        """The screen is this from now on."""
        now_s = self._clock()
        if self.frames and self.frames[-1].screen == screen and self.frames[-1].caption == self.caption:
            return
        if self.frames and not self._is_held:
            shown_ms = round((now_s - self._since_s) * 1000)
            if shown_ms < UNSEEN_MS:
                self.frames.pop()
            else:
                self._last_shown(min(max(shown_ms, SHORTEST_MS), LONGEST_MS))
        self.frames.append(Frame(screen, self.caption, LONGEST_MS))
        self._since_s, self._is_held = now_s, False

    def hold(self, shown_ms: int) -> None:
        """What is seen now stays for so long in the film."""
        self._last_shown(shown_ms)
        self._is_held = True

    def _last_shown(self, shown_ms: int) -> None:
        self.frames[-1] = replace(self.frames[-1], shown_ms=shown_ms)


def write_gif(path: Path, frames: Sequence[Frame], painter: Painter) -> None:
    """The frames as a GIF that begins anew when it ends. Raises OSError."""
    pictures = [painter.paint(frame.screen, frame.caption) for frame in frames]
    palette = _palette(pictures)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    durations = [frame.shown_ms for frame in frames]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)


def _palette(pictures: Sequence[Image.Image]) -> Image.Image:
    """One palette for all of them, so that what does not change between two is not stored twice."""
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(pictures)))
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (0, number * height))
    return sheet.quantize(COLOURS)
