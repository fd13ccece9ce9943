"""Visits to files: which is opened where, and what is typed in it. What the editors that are measured are alike in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.editors.frames import Frame, Key
from benchmarks.editors.strokes import Stroke, line_and_column, strokes_of
from benchmarks.typing.corpus import lay_out
from benchmarks.typing.manuscript import Manuscript
from benchmarks.typing.replay import Plan


class WrongText(Exception):
    """An editor has other text than was typed: its times mean nothing."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One file, opened with a part missing that is then typed."""

    path: Path
    place: tuple[int, int]
    """Of the cursor: line and column, from 0."""
    strokes: Sequence[Stroke]


@dataclass(frozen=True, slots=True)
class Recording:
    """What happened in a visit, by one clock."""

    keys: Sequence[Key]
    frames: Sequence[Frame]


@dataclass(frozen=True, slots=True)
class Stretch:
    """How long our code held a thread that the user waits for, without a pause."""

    ms: float
    cpu_ms: float
    """Of these, in which it ran: a busy machine lets it wait."""


class MeasuredEditor(Protocol):
    """An editor in which files are typed."""

    @property
    def projects(self) -> Path:
        """The folder for what it opens."""
        ...

    def type(self, visit: Visit) -> Recording:
        """Open the file, type, and say what happened."""
        ...


def visits_of(plan: Plan, projects: Path) -> Iterator[Visit]:
    """File after file, each laid out below `projects`, without end."""
    number = 0
    while True:
        source, holes = plan.visit(number)
        if holes:
            manuscript = Manuscript(source.text, holes)
            opened, cursor = manuscript.opened, manuscript.cursor
            path = lay_out(source, opened, projects / str(number))
            strokes = strokes_of(manuscript, plan.keys_a_visit, plan.pauses, plan.seed_of(number))
            yield Visit(path, line_and_column(opened, cursor), strokes)
        number += 1


def check(visit: Visit, frames: Sequence[Frame]) -> None:
    """WrongText unless the last frame shows what was typed."""
    seen = frames[-1].line if frames else ""
    if seen != visit.strokes[-1].line:
        raise WrongText(f"{visit.path.name}: {visit.strokes[-1].line!r} was typed, {seen!r} is on the screen")
