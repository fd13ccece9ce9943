"""Showing: when a suggestion on the screen may change. A pure state machine, one table.

    state      event        -> state      effect
    empty      text         -> settling   show
    settling   same         -> settling   mark verified, if more of it is
    settling   extends      -> settling   extend
    settling   contradicts  -> fixed      correct (the one allowed correction)
    settling   window over  -> fixed      -
    fixed      same         -> fixed      mark verified
    fixed      extends      -> fixed      extend
    fixed      contradicts  -> fixed      keep (the new text is what the next key, or "next", shows)

"same" and "extends" compare with what is shown; a text that is only a beginning of what is shown is "same" as
long as it is not complete: the rest is still being drafted again. Updates are at least `update_interval` apart; a
held-back update is asked for again by `next_update_at`. Verified text is never taken back: a contradiction before
the end of the verified part can't come from the target and is kept off the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

Effect = Literal["extended", "verified", "corrected"]


class State(Enum):
    EMPTY = "empty"
    SETTLING = "settling"
    FIXED = "fixed"


class Event(Enum):
    SAME = "same"
    EXTENDS = "extends"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. A correction is allowed within `settling` of the first display; updates are `update_interval` apart."""

    settling: float = 0.25
    update_interval: float = 0.15


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on the screen for one suggestion."""

    text: str = ""
    verified: int = 0
    complete: bool = False
    state: State = State.EMPTY
    shown_at: float = 0.0
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True)
class News:
    """What is known now of the suggestion's text. `settled`: as much of it as is worth a correction is there."""

    text: str
    verified: int
    complete: bool
    settled: bool


_LAST_CALL = 0.8
"""Share of the settling window after which a correction goes out even if its text is still short."""

_Row = tuple[State, Effect | None]

TABLE: dict[tuple[State, Event], _Row] = {
    (State.SETTLING, Event.SAME): (State.SETTLING, "verified"),
    (State.SETTLING, Event.EXTENDS): (State.SETTLING, "extended"),
    (State.SETTLING, Event.CONTRADICTS): (State.FIXED, "corrected"),
    (State.FIXED, Event.SAME): (State.FIXED, "verified"),
    (State.FIXED, Event.EXTENDS): (State.FIXED, "extended"),
    (State.FIXED, Event.CONTRADICTS): (State.FIXED, None),
}


def first_shown(news: News, now: float) -> Offer:
    """The offer when its first text goes out."""
    return Offer(news.text, news.verified, news.complete, State.SETTLING, now, now)


def merge(offer: Offer, news: News, now: float, timing: Timing) -> tuple[Offer, Effect | None]:
    """What the news changes on the screen: the offer after it, and the update to send, if any."""
    if offer.state is State.EMPTY:
        raise ValueError("nothing is shown yet: first_shown comes first")
    offer = _aged(offer, now, timing)
    state, effect = TABLE[offer.state, _event(offer, news)]
    if effect is None or not _changes(offer, news, effect) or now < _due_at(offer, news, effect, timing):
        return offer, None
    return _APPLY[effect](replace(offer, state=state, updated_at=now), news), effect


def next_update_at(offer: Offer, news: News, now: float, timing: Timing) -> float | None:
    """When the news that `merge` held back may go out; None if it holds nothing to send."""
    offer = _aged(offer, now, timing)
    _, effect = TABLE[offer.state, _event(offer, news)]
    if effect is None or not _changes(offer, news, effect):
        return None
    return _due_at(offer, news, effect, timing)


def _aged(offer: Offer, now: float, timing: Timing) -> Offer:
    over = offer.state is State.SETTLING and now - offer.shown_at > timing.settling
    return replace(offer, state=State.FIXED) if over else offer


def _event(offer: Offer, news: News) -> Event:
    if news.text == offer.text:
        return Event.SAME
    if offer.text.startswith(news.text):
        return Event.CONTRADICTS if news.complete else Event.SAME
    return Event.EXTENDS if news.text.startswith(offer.text) else Event.CONTRADICTS


def _changes(offer: Offer, news: News, effect: Effect) -> bool:
    if effect == "verified":
        more = min(news.verified, len(offer.text)) > offer.verified
        return more or (news.complete and not offer.complete)
    return effect != "corrected" or news.text.startswith(offer.text[: offer.verified])


def _due_at(offer: Offer, news: News, effect: Effect, timing: Timing) -> float:
    if effect != "corrected":
        return offer.updated_at + timing.update_interval
    if news.settled or news.complete:
        return offer.shown_at
    return offer.shown_at + _LAST_CALL * timing.settling


def _mark_verified(offer: Offer, news: News) -> Offer:
    verified = max(offer.verified, min(news.verified, len(offer.text)))
    return replace(offer, verified=verified, complete=news.complete and news.text == offer.text)


def _take_text(offer: Offer, news: News) -> Offer:
    return replace(offer, text=news.text, verified=news.verified, complete=news.complete)


_APPLY: dict[Effect, Callable[[Offer, News], Offer]] = {
    "verified": _mark_verified,
    "extended": _take_text,
    "corrected": _take_text,
}
