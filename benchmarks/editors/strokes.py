"""What is typed in an editor, when, and what stands before the cursor after each key. Pure.

The manuscript's first part is typed as it stands, at the recorded rhythm, without mistakes and without accepting. A new
line comes with its indentation, as editors insert it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.typing.manuscript import Manuscript, next_key
from benchmarks.typing.rhythm import Pauses, between_keys_s


@dataclass(frozen=True, slots=True)
class Stroke:
    """One key."""

    wait_s: float
    """After the one before."""
    text: str
    """What it inserts: a character, or a new line with its indentation."""
    line: str
    """What stands before the cursor in its line then."""

    @property
    def is_one_event(self) -> bool:
        """One press of a key of a US keyboard brings all of it: it has a moment from which time can be taken."""
        return len(self.text) == 1 and self.text.isascii()


def strokes_of(manuscript: Manuscript, count: int, pauses: Pauses, seed: str) -> list[Stroke]:
    """The next keys in the part where the manuscript is: `count` of them, or as many as it takes to its end."""
    line = line_before(manuscript.opened, manuscript.cursor)
    strokes: list[Stroke] = []
    while manuscript.rest and len(strokes) < count:
        draw = Random(f"{seed} {manuscript.position} rhythm")
        text = next_key(manuscript.rest)
        wait_s = between_keys_s(draw)
        if text.startswith("\n"):
            line = text[1:]
            wait_s += pauses.drawn(pauses.line_s, draw) if draw.random() < pauses.at_line else 0.0
        else:
            line += text
        strokes.append(Stroke(wait_s, text, line))
        manuscript.advance(len(text))
    return strokes


def line_before(text: str, offset: int) -> str:
    """What stands before an offset in its line."""
    return text[text.rfind("\n", 0, offset) + 1 : offset]


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Of an offset, both from 0; the column in code points."""
    return text.count("\n", 0, offset), len(line_before(text, offset))
