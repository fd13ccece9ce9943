"""Which of a client's documents git ignores: looked at in a thread, at opening and now and then while they are edited.

Until it is known that git does not ignore a document, it counts as one that may not be read. What is no file of this
machine, or lies in no repository, is not ignored; a repository that is the user's home is none (its ignore file is
mostly there to keep all of the home out of it). Git's index is not looked at: a tracked file that an ignore file
names counts as ignored. Event loop only.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from daemon.grammars.places import document_path
from daemon.prompts.workspace import IgnoreFiles, nearest_marked

log = logging.getLogger(__name__)

LOOK_AGAIN_S: Final = 5.0
"""A key this long after the last look looks again: ignore files change."""


@dataclass(slots=True)
class _Look:
    """What is known of one document."""

    began_at: float = -math.inf
    """By the clock; never again if there is nothing to look at."""
    ignored: bool | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the first look is."""
    task: asyncio.Task[None] | None = None


class IgnoredDocuments:
    """One client's. learned: called with a document's name when another answer holds for it than before."""

    def __init__(self, clock: Callable[[], float], learned: Callable[[str], None]) -> None:
        self._clock = clock
        self._learned = learned
        self._looks: dict[str, _Look] = {}

    def holds(self, name: str) -> bool | None:
        """Whether git ignores the document; None: it is not known yet, or the document is not open."""
        look = self._looks.get(name)
        return None if look is None else look.ignored

    def look(self, name: str) -> None:
        """The document is opened or edited: look, unless that is under way or was done lately."""
        now = self._clock()
        look = self._looks.get(name)
        if look is None:
            look = self._looks[name] = _Look()
            if document_path(name) is None:
                look.ignored, look.began_at = False, math.inf
                look.over.set()
        if now - look.began_at < LOOK_AGAIN_S or (look.task is not None and not look.task.done()):
            return
        look.began_at = now
        look.task = asyncio.create_task(self._find(name, look))

    async def known(self, name: str) -> None:
        """Wait until it is known of an open document."""
        look = self._looks.get(name)
        if look is not None:
            await look.over.wait()

    def forget(self, name: str) -> None:
        """The document is closed."""
        look = self._looks.pop(name, None)
        if look is not None:
            look.over.set()
            if look.task is not None:
                look.task.cancel()

    async def _find(self, name: str, look: _Look) -> None:
        try:
            found = await asyncio.to_thread(is_ignored, name)
        except Exception:  # what can't be looked at is not completed, and no other document has to do with it
            log.exception("whether git ignores a document can't be found out; it is not completed")
            found = True
        before, look.ignored = look.ignored, found
        look.over.set()
        if before != found:
            self._learned(name)


def is_ignored(name: str) -> bool:
    """Whether git ignores the file that a document is, or the one that a link of its name leads to. Blocks."""
    path = document_path(name)
    if path is None:
        return False
    itself = path.parent.resolve() / path.name
    return any(_git_ignores(one) for one in {itself, itself.resolve()})


def _git_ignores(path: Path) -> bool:
    root = nearest_marked(path.parent, (".git",))
    return root is not None and root != Path.home().resolve() and IgnoreFiles(root).ignores(path)
