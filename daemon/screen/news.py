"""What is known of a suggestion at a place: the run's text, shaped for the screen and cut to what its grammar allows.

Pure: a function of a run and a place. Whether and when the screen may change is `merge.py`.
"""

from __future__ import annotations

from typing import Final

from daemon.api.messages import NothingReason, Wait
from daemon.documents import Place
from daemon.run import Run
from daemon.screen.merge import News
from daemon.screen.shaping import Shaped, shape
from daemon.settings.config_sections import Policy

WORTH_CORRECTING_TOKENS: Final = 3
"""A correction is shown once this many tokens stand after it, if the settling window allows the wait."""


def news_of(run: Run, place: Place, policy: Policy) -> tuple[News, NothingReason | None]:
    """What may be shown at `place`, and why it is nothing if it is."""
    shaped = shaped_at(run, place, policy, over=run.finished)
    if shaped is None:
        return News("", 0, complete=True, settled=True), "stale_version"
    typed, shown = shaped
    text = run.grammar.fitting(typed + shown.text, place.characters_after)[len(typed) :]
    generation = run.generation
    verified = max(0, min(generation.text().verified - len(typed), len(text)))
    settled = len(generation.tail) >= WORTH_CORRECTING_TOKENS or generation.drafted_to_the_end
    reason = "filtered_grammar" if shown.text and not text else shown.reason
    if run.grammar.state == "held back":
        reason = "grammar_unused"
    return News(text, verified, run.finished, settled), run.failure or reason


def shaped_at(run: Run, place: Place, policy: Policy, *, over: bool) -> tuple[str, Shaped] | None:
    """What was typed of the run's text to get to `place`, and the rest as it may be shown, the grammar not considered.

    None if the run's text does not fit there. `over`: the run has no more to come.
    """
    generation = run.generation
    typed = generation.typed_to(place)
    if typed is None:
        return None
    known = generation.text()
    verified_only = policy == "verified" and run.awaited
    if run.stopgap and not known.text and not over and not verified_only:
        return typed, shape(run.stopgap.removeprefix(typed), place, ended=True, whole=True)
    limit = known.verified if verified_only else len(known.text)
    ended = over or (generation.drafted_to_the_end and not verified_only)
    return typed, shape(
        known.text[len(typed) : limit],
        place,
        ended=ended,
        whole=ended and generation.is_whole,
        leads_on=generation.reads_on or run.grammar.trims,
    )


def led_astray(run: Run, policy: Policy, *, over: bool) -> bool:
    """Whether nothing can be shown of the run because the target's own words are none of the document's language."""
    if not run.generation.committed or not (over or run.grammar.use.illegal_target_runs):
        return False
    return news_of(run, run.place, policy)[1] == "filtered_grammar"


def worth_showing(run: Run, place: Place, policy: Policy, wait: Wait, *, waited_enough: bool) -> bool:
    """Whether an answer that waits as `wait` says would go out now; with nothing to show, if nothing will come."""
    if run.finished or run.generation.typed_to(place) is None:
        return True
    if wait == "verified":
        return False
    if wait == "settled":
        return run.generation.drafted_to_the_end
    news, _ = news_of(run, place, policy)
    if not news.text:
        return False
    typed = run.generation.typed_to(place) or ""
    has_line = "\n" in run.generation.text().text[len(typed) :].lstrip("\n")
    return news.complete or news.verified > 0 or has_line or waited_enough
