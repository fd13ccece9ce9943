"""The runs of one document that may be recalled: the one under way, and the last ones before it. No I/O."""

from __future__ import annotations

from collections import deque
from typing import Final

from daemon.ahead import leads_to
from daemon.documents import Place
from daemon.recall import best_fit, is_same_around, likely_typed
from daemon.run import Run

REMEMBERED: Final = 16


class RememberedRuns:
    """Newest first."""

    def __init__(self) -> None:
        self._runs: deque[Run] = deque(maxlen=REMEMBERED)
        self.active: Run | None = None
        """The run that was driven last; it may be over."""

    @property
    def busy(self) -> Run | None:
        """The run under way."""
        return None if self.active is None or self.active.finished else self.active

    def add(self, run: Run) -> None:
        self._runs.appendleft(run)

    def drop(self, run: Run) -> None:
        """Nothing is to be recalled of this one."""
        self._runs.remove(run)

    def at(self, place: Place) -> Run | None:
        """A run, running or done, whose continuation fits here with text left; or one that has yet to say."""
        if self.busy is not None and self.busy.generation.typed_to(place) is not None:
            return self.busy
        found = best_fit(self._runs, place)
        return None if found is None else found[0]

    def says_otherwise(self, place: Place, pending: str) -> bool:
        """Whether the target is known to go on from `place` with something else than what is pending there."""
        generations = (run.generation for run in self._runs)
        return any(
            one.committed
            and likely_typed(one.place, place) == ""
            and not one.text().text.startswith(pending)
            and is_same_around(one.place, place)
            for one in generations
        )

    def behind(self, place: Place, text: str) -> Run | None:
        """A run that began ahead of the user, where accepting `text` at `place` will take them."""
        return next((run for run in self._runs if run.ahead and leads_to(place, run.place, text)), None)

    def active_may_fit(self, place: Place) -> bool:
        """Whether what the active run says fits here, or will where the user may be going."""
        run = self.active
        if run is None:
            return True
        return run.generation.typed_to(place) is not None or (run.ahead and leads_to(place, run.place))

    def forget(self) -> None:
        """What was found until now is not to be recalled."""
        self._runs.clear()
