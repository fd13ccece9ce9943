"""The replay: a typist at an editor, in real time, file after file, until enough keys are typed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.typing.corpus import NothingToType, Source, lay_out
from benchmarks.typing.editor import Editor
from benchmarks.typing.manuscript import Hole, Manuscript, holes_of
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.typist import Spared, Typist

FEWEST_KEYS_A_VISIT: Final = 60
ROOM: Final = 2
"""Characters that may be typed in each part of a file, for each key of a visit: accepting goes ahead fast."""
LATE_S: Final = 0.02
"""Sleeping ends late by less than this; what was later was something else, and is not made up for by haste."""

BeforeKey = Callable[[], Awaitable[None]]
"""Called before each key; raises to end the replay."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who types what."""

    sources: Sequence[Source]
    keys: int
    seed: int
    pauses: Pauses
    least: int
    """Characters that a suggestion must spare to be accepted."""
    speed: float = 1.0
    """How many times as fast as people type."""
    turns: int = 1
    """How often each file is visited."""

    @property
    def keys_a_visit(self) -> int:
        """To one file, so that all have their turns."""
        return max(FEWEST_KEYS_A_VISIT, -(-self.keys // (self.turns * len(self.sources))))

    def visit(self, number: int) -> tuple[Source, list[Hole]]:
        """Which file is typed in at this turn, and what is missing of it then."""
        source = self.sources[number % len(self.sources)]
        return source, holes_of(source.text, ROOM * self.keys_a_visit, Random(self.seed_of(number)))

    def seed_of(self, number: int) -> str:
        """The seed of a turn."""
        return f"{self.seed} {self.sources[number % len(self.sources)].name} {number}"


class Replay:
    """Types at an editor that is attached to a bridge."""

    def __init__(self, plan: Plan, editor: Editor, projects: Path, before_key: BeforeKey) -> None:
        """`projects`: the folder where the files are laid out."""
        self.spared = Spared()
        self._plan = plan
        self._editor = editor
        self._projects = projects
        self._before_key = before_key

    async def run(self) -> None:
        """Type until enough keys have been pressed; NothingToType if the files have nothing in them."""
        in_vain = 0
        for number in itertools.count():
            source, holes = self._plan.visit(number)
            in_vain = 0 if holes else in_vain + 1
            if in_vain == len(self._plan.sources):
                raise NothingToType("there is nothing to type in these files; give others with --files")
            if holes:
                await self._visit(number, source, Manuscript(source.text, holes))
            if self._editor.keys >= self._plan.keys:
                return

    async def _visit(self, number: int, source: Source, manuscript: Manuscript) -> None:
        """Open the file with parts of it missing, type until it is another's turn, close it."""
        plan, editor, text = self._plan, self._editor, manuscript.opened
        typist = Typist(manuscript, seed=plan.seed_of(number), pauses=plan.pauses, least=plan.least)
        path = lay_out(source, text, self._projects / str(number))
        editor.open(path, source.language, text, manuscript.cursor)
        await asyncio.sleep(plan.pauses.cap_s)
        await self._type(typist, min(plan.keys, editor.keys + plan.keys_a_visit))
        await asyncio.sleep(plan.pauses.cap_s)
        editor.close()
        self.spared.add(typist.spared)

    async def _type(self, typist: Typist, until_keys: int) -> None:
        """One thing after the other, each when it is due."""
        editor, due = self._editor, asyncio.get_running_loop().time()
        while editor.keys < until_keys:
            await self._before_key()
            due = await _sleep_until(due + typist.wait_s() / self._plan.speed)
            take = None
            if editor.ghost and (reading_s := typist.reading_s(editor.ghost.text)) is not None:
                due = await _sleep_until(max(due, editor.ghost.since + reading_s / self._plan.speed))
                take = typist.taken(editor.ghost.text) if editor.ghost else None
            action = typist.act(take)
            if action is None:
                return
            editor.do(action)


async def _sleep_until(due: float) -> float:
    """Sleep until then, in seconds of the event loop's clock; when it is, at least then."""
    clock = asyncio.get_running_loop().time
    if (early_s := due - clock()) > 0:
        await asyncio.sleep(early_s)
    return max(due, clock() - LATE_S)
