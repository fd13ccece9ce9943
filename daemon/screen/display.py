"""What one document's editor shows now, and the updates that go out for it.

The rules are `merge.py`; this is their shell: it numbers suggestions, follows the user typing along what is
shown, and holds an early update back until it is due.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from daemon.api.messages import Suggestion, SuggestionUpdate
from daemon.documents import Place
from daemon.recall import typed_since
from daemon.screen.merge import Effect, News, Offer, State, Timing, first_shown, merge, next_update_at

Push = Callable[[SuggestionUpdate], None]


class Source(Protocol):
    """Where a suggestion's text comes from (a run of the completer)."""

    @property
    def place(self) -> Place: ...


@dataclass(frozen=True, slots=True)
class Showing:
    """One suggestion on the screen: `offer.text` stands at `place`."""

    number: int
    run: Source
    place: Place
    offer: Offer
    followed: bool = False
    """The user has typed along it since it was last asked for."""


class Display:
    """`numbers` yields suggestion ids; `push` sends an update to the client."""

    def __init__(self, numbers: Iterator[int], push: Push, timing: Timing) -> None:
        self.timing = timing
        self.showing: Showing | None = None
        self.beside: list[Showing] = []
        """Further candidates at its place: what is shown once the user goes along with one of them."""
        self._numbers = numbers
        self._push = push
        self._held_back: asyncio.TimerHandle | None = None

    def show(self, run: Source, place: Place, news: News, now: float) -> Showing:
        """An answer goes out with this text, or with what is on the screen already where that may not change."""
        before = self.showing if self.showing is not None and self.showing.run is run else None
        before = None if before is None else _moved(before, place)
        if before is None:
            self.beside = []
        offer = first_shown(news, now) if before is None else _again(before, news, now, self.timing)
        self._cancel_held_back()
        self.showing = Showing(next(self._numbers), run, place, offer)
        return self.showing

    def show_beside(self, place: Place, others: Iterable[tuple[Source, News]], now: float) -> list[Showing]:
        """The answer lists these after what is shown. The user asked for them: they can only grow, once taken up."""
        self.beside = [
            Showing(
                next(self._numbers), run, place, Offer(news.text, news.verified, False, State.FIXED, now, now)
            )
            for run, news in others
        ]
        return self.beside

    def text_of(self, run: Source) -> str:
        """What is shown of the run; empty if nothing is."""
        return self.showing.offer.text if self.showing is not None and self.showing.run is run else ""

    def hand_over(self, run: Source, successor: Source) -> None:
        """What is shown of the one run is the other's from now on."""
        if self.showing is not None and self.showing.run is run:
            self.showing = replace(self.showing, run=successor)

    def expect(self, run: Source, place: Place, now: float) -> None:
        """An answer goes out with nothing, since nothing was known in time: the first text will go out as an update."""
        self._cancel_held_back()
        self.beside = []
        nothing = first_shown(News("", 0, complete=False, settled=False), now)
        self.showing = Showing(next(self._numbers), run, place, nothing)

    def follow(self, place: Place) -> None:
        """The buffer is now as at `place`: what is shown moves along, or is gone, or another candidate is shown."""
        if self.showing is None:
            return
        stays, *beside = [_moved(one, place) for one in (self.showing, *self.beside)]
        self.beside = [one for one in beside if one is not None]
        if stays is None:
            self._cancel_held_back()
            stays = self.beside.pop(0) if self.beside else None
        self.showing = stays

    def update(self, showing: Showing, news: News, now: float, again: Callable[[Showing], None]) -> None:
        """Send what the rules allow of the news; call `again` when more of it may go out."""
        if self.showing is not showing:
            return
        if not showing.offer.text and not news.text:
            return
        offer, effect = _merged(showing.offer, news, now, self.timing)
        self.showing = showing = replace(showing, offer=offer)
        if effect is not None:
            document, offset = showing.place.document, showing.place.offset
            suggestion = suggestion_of(showing)
            self._push(SuggestionUpdate(document.name, document.version, offset, effect, suggestion))
        if effect == "withdrawn":
            self.clear()
            return
        self._cancel_held_back()
        due = next_update_at(offer, news, now, self.timing)
        if due is not None:
            loop = asyncio.get_running_loop()
            self._held_back = loop.call_later(max(0.0, due - now), self._retry, again)

    def clear(self) -> None:
        self.showing, self.beside = None, []
        self._cancel_held_back()

    def _retry(self, again: Callable[[Showing], None]) -> None:
        self._held_back = None
        assert self.showing is not None, "a held-back update ends with its showing"
        again(self.showing)

    def _cancel_held_back(self) -> None:
        if self._held_back is not None:
            self._held_back.cancel()
            self._held_back = None


def suggestion_of(showing: Showing) -> Suggestion:
    """The suggestion as the client is told of it."""
    offer = showing.offer
    source: Literal["target", "draft"] = "target" if 0 < offer.verified == len(offer.text) else "draft"
    return Suggestion(showing.number, offer.text, offer.verified, offer.complete, source)


def _merged(offer: Offer, news: News, now: float, timing: Timing) -> tuple[Offer, Effect | None]:
    """The offer after the news, and the update to send. The first text of one that was empty is shown at once."""
    return merge(offer, news, now, timing) if offer.text else (first_shown(news, now), "extended")


def _again(before: Showing, news: News, now: float, timing: Timing) -> Offer:
    """The offer when the suggestion is asked for again.

    After a key that typed along it, it may be another; text that goes on keeps its settling window. With no key in
    between, or while it is the target's words alone, it changes as it does by updates, only without their interval.
    """
    is_targets = before.offer.state is State.TARGETS and before.offer.text != ""
    if is_targets or not before.followed:
        return merge(before.offer, news, now, replace(timing, update_interval=0.0))[0]
    offer = first_shown(news, now)
    if not news.text.startswith(before.offer.text):
        return offer
    return replace(offer, state=before.offer.state, shown_at=before.offer.shown_at)


def _moved(showing: Showing, place: Place) -> Showing | None:
    """The showing after the user typed along it to `place`; None if they did anything else.

    So it is None where the editor closed a bracket by itself: what was shown would close it once more.
    """
    typed = typed_since(showing.place, place)
    if typed is None or not showing.offer.text.startswith(typed):
        return None
    if place.characters_after != showing.place.characters_after:
        return None
    offer = showing.offer
    rest = replace(offer, text=offer.text[len(typed) :], verified=max(0, offer.verified - len(typed)))
    return replace(showing, place=place, offer=rest, followed=showing.followed or typed != "")
