"""Showing: when a suggestion on the screen may change. A pure state machine, one table.

    state      event        -> state      effect
    settling   same         -> settling   mark verified, if more of it is
    settling   extends      -> settling   extend
    settling   contradicts  -> fixed      correct (the one allowed correction)
    settling   overruled    -> the target's  correct, to the target's own words (the one allowed correction too)
    settling   nothing left -> fixed      withdraw (it is the one allowed correction too)
    any other  same         -> as it was  mark verified
    any other  extends      -> as it was  extend
    any other  (the rest)   -> as it was  keep (the new text is what the next key, or "next", shows)

A suggestion is settling from its first display on, and fixed when the window is over. "same" and "extends" compare
with what is shown; a text that is only a beginning of what is shown is "same" as long as it is not complete: the rest
is still being drafted again. "overruled" is a contradiction by the target's own words. Since there is one correction,
the text after it may not be wrong again: it is the target's own words alone and grows by them alone, until the text is
complete; nor does it wait. A correction by the draft's waits until more of it is there.

Text grows at most once in `update_interval`; what is shown already is marked verified meanwhile, for marks move no text
and go out at once. A held-back update is asked for again by `next_update_at`. Verified text is never taken back: a
contradiction before the end of the verified part can't come from the target and is kept off the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

Effect = Literal["extended", "verified", "corrected", "withdrawn"]


class State(Enum):
    SETTLING = "settling"
    FIXED = "fixed"
    TARGETS = "the target's"


class Event(Enum):
    SAME = "same"
    EXTENDS = "extends"
    CONTRADICTS = "contradicts"
    OVERRULED = "overruled"
    NOTHING_LEFT = "nothing left"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. A correction is allowed within `settling` of the first display; text grows once in `update_interval`."""

    settling: float = 0.25
    update_interval: float = 0.15


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on the screen for one suggestion. Times are seconds of the caller's clock."""

    text: str
    verified: int
    """Code points of the text that are the target's own."""
    complete: bool
    state: State
    shown_at: float
    updated_at: float
    """When its text changed last."""


@dataclass(frozen=True, slots=True)
class News:
    """What is known now of the suggestion's text."""

    text: str
    verified: int
    """Code points of the text that are the target's own; they never become other ones."""
    complete: bool
    """Nothing will be added to the text."""
    settled: bool
    """As much of the text as is worth a correction is there."""


_LAST_CALL = 0.8
"""Share of the settling window after which a correction goes out even if its text is still short."""

_Row = tuple[State, Effect | None]

TABLE: dict[tuple[State, Event], _Row] = {
    (State.SETTLING, Event.SAME): (State.SETTLING, "verified"),
    (State.SETTLING, Event.EXTENDS): (State.SETTLING, "extended"),
    (State.SETTLING, Event.CONTRADICTS): (State.FIXED, "corrected"),
    (State.SETTLING, Event.OVERRULED): (State.TARGETS, "corrected"),
    (State.SETTLING, Event.NOTHING_LEFT): (State.FIXED, "withdrawn"),
    **{(state, Event.SAME): (state, "verified") for state in (State.FIXED, State.TARGETS)},
    **{(state, Event.EXTENDS): (state, "extended") for state in (State.FIXED, State.TARGETS)},
    **{
        (state, event): (state, None)
        for state in (State.FIXED, State.TARGETS)
        for event in (Event.CONTRADICTS, Event.OVERRULED, Event.NOTHING_LEFT)
    },
}


def first_shown(news: News, now: float) -> Offer:
    """The offer when its first text goes out."""
    return Offer(news.text, news.verified, news.complete, State.SETTLING, now, now)


def merge(offer: Offer, news: News, now: float, timing: Timing) -> tuple[Offer, Effect | None]:
    """What the news changes on the screen: the offer after it, and the update to send, if any."""
    offer = _aged(offer, now, timing)
    news = _admitted(offer, news)
    state, effect = TABLE[offer.state, _event(offer, news)]
    if effect == "extended" and now < _due_at(offer, news, effect, timing):
        news, effect = _of_what_is_shown(offer, news), "verified"
    if effect is None or not _changes(offer, news, effect) or now < _due_at(offer, news, effect, timing):
        return offer, None
    return _APPLY[effect](replace(offer, state=state), news, now), effect


def next_update_at(offer: Offer, news: News, now: float, timing: Timing) -> float | None:
    """When the news that `merge` held back at `now` may go out; None if it held nothing back."""
    offer = _aged(offer, now, timing)
    news = _admitted(offer, news)
    _, effect = TABLE[offer.state, _event(offer, news)]
    if effect is None or not _changes(offer, news, effect):
        return None
    return _due_at(offer, news, effect, timing)


def is_left_off(offer: Offer, news: News) -> bool:
    """Whether the news says another text than what stays on the screen."""
    return _event(offer, news) in (Event.CONTRADICTS, Event.OVERRULED)


def _aged(offer: Offer, now: float, timing: Timing) -> Offer:
    over = offer.state is State.SETTLING and now - offer.shown_at > timing.settling
    return replace(offer, state=State.FIXED) if over else offer


def _admitted(offer: Offer, news: News) -> News:
    """The part of the news that the screen may show: the target's own words where it overrules, or has."""
    if news.complete:
        return news
    own = _own(news)
    is_its = offer.state is State.TARGETS or _event(offer, own) is Event.OVERRULED
    return own if is_its else news


def _own(news: News) -> News:
    """The target's own words of the news, blanks at their end left out: these may yet be what stands there."""
    text = news.text[: news.verified].rstrip()
    return replace(news, text=text, verified=len(text), settled=True)


def _event(offer: Offer, news: News) -> Event:
    if news.text.startswith(offer.text):
        return Event.SAME if news.text == offer.text else Event.EXTENDS
    if not offer.text.startswith(news.text):
        return Event.CONTRADICTS if offer.text.startswith(_own(news).text) else Event.OVERRULED
    if not news.complete:
        return Event.SAME
    return Event.CONTRADICTS if news.text else Event.NOTHING_LEFT


def _changes(offer: Offer, news: News, effect: Effect) -> bool:
    if effect == "verified":
        return news.verified > offer.verified or (news.complete and not offer.complete)
    return effect == "extended" or news.text.startswith(offer.text[: offer.verified])


def _of_what_is_shown(offer: Offer, news: News) -> News:
    """The news of the text that is on the screen, without what is to be added to it."""
    return replace(news, text=offer.text, verified=min(news.verified, len(offer.text)), complete=False)


def _due_at(offer: Offer, news: News, effect: Effect, timing: Timing) -> float:
    if effect == "extended":
        return offer.updated_at + timing.update_interval
    if effect == "verified" or news.settled or news.complete:
        return offer.shown_at
    return offer.shown_at + _LAST_CALL * timing.settling


def _mark_verified(offer: Offer, news: News, now: float) -> Offer:
    return replace(offer, verified=max(offer.verified, news.verified), complete=news.complete)


def _take_text(offer: Offer, news: News, now: float) -> Offer:
    return replace(_mark_verified(offer, news, now), text=news.text, updated_at=now)


_APPLY: dict[Effect, Callable[[Offer, News, float], Offer]] = {
    "extended": _take_text,
    "verified": _mark_verified,
    "corrected": _take_text,
    "withdrawn": _take_text,
}
