"""Pieces of other files that stand before one document in its prompts: when they are chosen, and when kept.

Every change of what stands first costs both ends a whole prompt, so a key never makes one. Pieces are chosen when the
document is opened, and anew when its user has paused after going somewhere else: to another document and back, or to
another part of this one. New ones take the old ones' place only if they are worth much more. Until both ends have read
them (`daemon/warm_up.py`) prompts begin as before. Files are looked at in a thread. Event loop only.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.documents import Document, Place
from daemon.prompts.context_pieces import BEFORE, Piece, Source, arranged, choose, words_around, worth
from daemon.prompts.imports import are_alike
from daemon.prompts.open_texts import OpenTexts
from daemon.prompts.other_files import sources_for

log = logging.getLogger(__name__)

PAUSE_S: Final = 2.0
"""Without a key, until somebody who went somewhere is thought to stay there."""
FAR: Final = 3000
"""Characters between two places of a document that are different parts of it."""
MUCH_BETTER: Final = 1.5
"""Pieces worth less, in shares of the old ones' worth, are not worth a prompt."""
CHARACTERS_PER_TOKEN: Final = 3
"""Of code, rather too few: pieces beyond the budget are left out once they are tokenised."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the pieces of a document may be."""

    budget_tokens: int
    """0: there are to be none."""
    exclude: tuple[str, ...]
    """Globs of files that are never read."""


NOTHING: Final = Wanted(0, ())


class CrossFile:
    """One document's. changed: called when other pieces are known than those in use (`pieces`, `offered`)."""

    def __init__(self, texts: OpenTexts, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._texts = texts
        self._clock = clock
        self._changed = changed
        self._wanted = NOTHING
        self._of = ("", "")
        """The document's name and language."""
        self._place: Place | None = None
        """Where the user was at the last key."""
        self._chosen_at: tuple[int, int] | None = None
        """Where the user was, and how often gone elsewhere, when pieces were last looked for."""
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self.pieces: tuple[Piece, ...] = ()
        """Those that prompts begin with."""
        self.offered: tuple[Piece, ...] | None = None
        """Those that they are to begin with once these are read."""

    @property
    def is_looking(self) -> bool:
        """Whether pieces are looked for now."""
        return self._task is not None

    def use(self, document: Document, wanted: Wanted) -> None:
        """The document is there, or other pieces may be taken than before: look for them at once."""
        of = (document.name, document.language)
        if (of, wanted) == (self._of, self._wanted):
            return
        self.close()
        self._of, self._wanted = of, wanted
        self.pieces, self.offered = (), None
        if wanted.budget_tokens:
            self._place = Place(document, min(BEFORE, len(document.text)))
            self._look()

    def at(self, place: Place) -> None:
        """A key: the user is there. When none follows for a while, look whether other pieces are better now."""
        if not self._wanted.budget_tokens:
            return
        self._place = place
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_elsewhere(place):
            self._timer = asyncio.get_running_loop().call_later(PAUSE_S, self._look)

    def adopt(self) -> None:
        """Prompts begin with what was offered from now on."""
        if self.offered is not None:
            self.pieces, self.offered = self.offered, None

    def close(self) -> None:
        """What is looked for is of no use any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _is_elsewhere(self, place: Place) -> bool:
        if self._chosen_at is None:
            return False
        offset, moves = self._chosen_at
        return moves != self._texts.moves and (abs(offset - place.offset) > FAR or bool(self._beside(place)))

    def _beside(self, place: Place) -> list[Source]:
        document = place.document
        return [
            Source(one.document.name, one.text, one.spots)
            for one in self._texts.beside(document.name)
            if are_alike(document.language, one.document.language)
        ]

    def _look(self) -> None:
        place = self._place
        assert place is not None
        self.close()
        self._chosen_at = (place.offset, self._texts.moves)
        self._task = asyncio.create_task(self._find(place, self._beside(place)))

    async def _find(self, place: Place, opened: Sequence[Source]) -> None:
        kept = self.pieces if self.offered is None else self.offered
        try:
            found = await asyncio.to_thread(_better, place, opened, kept, self._wanted, self._clock)
        except Exception:  # the document does without; its user has nothing to do with it
            log.exception("looking for pieces of other files failed")
            found = None
        self._task = None
        if found is not None and found != kept:
            self.offered = found
        self._changed()


def _better(
    place: Place,
    opened: Sequence[Source],
    kept: Sequence[Piece],
    wanted: Wanted,
    clock: Callable[[], float],
) -> tuple[Piece, ...] | None:
    """The pieces to show at a place, if they are much better than those which are kept. Blocks."""
    words = words_around(place)
    sources = sources_for(place.document, opened, wanted.exclude, clock)
    found = choose(words, sources, wanted.budget_tokens * CHARACTERS_PER_TOKEN)
    worth_now = worth(words, kept, sources)
    if worth_now and worth(words, found, sources) <= MUCH_BETTER * worth_now:
        return None
    return arranged(kept, found)
