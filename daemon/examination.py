"""What of a run's text is yet to be examined under its grammar, before it may be shown at a place."""

from __future__ import annotations

from daemon.documents import Place
from daemon.grammars.legality import Legality
from daemon.run import Run
from daemon.screen.news import shaped_at
from daemon.settings.config_sections import Policy


def unexamined(run: Run, place: Place, policy: Policy, *, over: bool) -> str | None:
    """The text of the run that might be shown at `place`, if it is not known how much of it fits."""
    shaped = shaped_at(run, place, policy, over=over)
    if shaped is None:
        return None
    text = shaped[0] + shaped[1].text
    return None if run.grammar.knows(text, place.characters_after) else text


async def examine(legality: Legality, run: Run, place: Place, policy: Policy, *, over: bool) -> None:
    """Find out how much of what is known of the run fits at `place`. over: the run has no more to come."""
    text = unexamined(run, place, policy, over=over)
    if text is not None:
        await legality.examine(run, place, text, last=over)
