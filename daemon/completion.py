"""The path of one keystroke, from the edit to the ghost text. Read this file first.

    opened    no key yet              both ends read what the first prompt begins with (`daemon/warm_up.py`)
    edited    a key arrived           recall fits? keep what runs : start a run at the cursor
    _start    the run is driven       draft, hear a verdict, examine, again and again (`daemon/run_loop.py`)
    complete  the editor asks         answer from what is known, at the latest after `first_ghost_ms`
              the user wants another  list what others there are; draft some (`daemon/alternatives.py`)
    publish   something changed       merge with what is on the screen; send what the rules allow
    _go_ahead it is all shown         draft on from behind it, in case that it is accepted (`daemon/ahead.py`)

A `Completer` is one document of one client. What is shown is a function of the buffer now and of what is known,
so a late answer is harmless: if it no longer fits it is not used. Work that is superseded is cancelled, down to
the token being evaluated.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from daemon.ahead import place_behind
from daemon.alternatives import Alternatives, listed, rest_of
from daemon.api.messages import NothingReason, Suggestion, Wait
from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.drafting import Drafting
from daemon.generation import Generation
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.legality import Legality
from daemon.prompts.document_prompts import DocumentPrompts, Foreseen
from daemon.prompts.healing import before_blank
from daemon.prompts.masked_places import MaskedPlaces
from daemon.prompts.open_texts import OpenTexts
from daemon.prompts.room import limits
from daemon.recall import likely_typed
from daemon.remembered_runs import RememberedRuns
from daemon.run import Run
from daemon.run_loop import RunLoop
from daemon.screen.display import Display, Showing, suggestion_of
from daemon.screen.merge import News, is_left_off
from daemon.screen.news import news_of
from daemon.screen.patience import until_worth_showing
from daemon.screen.shaping import splits_word, stands_before_word
from daemon.statistics import Statistics
from daemon.target.link import Link
from daemon.warm_up import WarmUp
from speculation.paths import common_length

NO_GRAMMAR = DocumentGrammar(None, expected=False)
GRAMMAR_S = 0.25
"""The longest that an answer waits for a grammar that is looked for, compiled or loaded."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to show at a place, best first; or nothing, and why."""

    suggestions: list[Suggestion]
    reason: NothingReason | None = None
    grammar: str = ""
    """How much the grammar knew (`RunGrammar.mode`)."""
    source: str = ""
    """Where the text came from (`Request.source`)."""


class Completer:
    """Completes one document of one client. All methods run in the event loop."""

    def __init__(
        self,
        number: int,
        settings: Settings,
        worker: DraftWorker,
        link: Link | None,
        statistics: Statistics,
        display: Display,
        legality: Legality,
        clock: Callable[[], float],
        texts: OpenTexts | None = None,
    ) -> None:
        self.number = number
        self.settings = settings
        self.display = display
        self._worker = worker
        self._legality = legality
        self._grammar = NO_GRAMMAR
        self._grammar_came = asyncio.Event()
        texts = texts or OpenTexts()
        self._prompts = DocumentPrompts(clock, self._warm, texts)
        self._drafting = Drafting(number, worker, legality, clock, texts, lambda: self._prompts.start)
        self._alternatives = Alternatives(
            number, worker, self._drafting, legality, self._is_drafting, self._go_ahead
        )
        self._loop = RunLoop(
            number, settings, worker, self._drafting, link, legality, statistics, self, clock
        )
        self._target = self._loop.target
        self._warm_up = WarmUp(number, worker, self._foreseen, self._loop.read_by_target)
        self._statistics = statistics
        self._clock = clock
        self._document: Document | None = None
        self._cursor: int | None = None
        """Where the newest edit left the cursor in it."""
        self._secrets = MaskedPlaces()
        self._runs = RememberedRuns()
        self._asked = 0
        self._waiting = 0
        """Requests under way."""

    def opened(self, document: Document, settings: Settings) -> None:
        """The client has this document now, as a whole."""
        self.configure(settings)
        self._document, self._cursor = document, None
        self.display.clear()
        self._seek_exemplar()
        self._warm()

    # --- a key

    def edited(self, document: Document, cursor: int | None) -> None:
        """The document changed and the cursor is most likely at `cursor`: draft there before anybody asks."""
        self._document, self._cursor = document, cursor
        self._alternatives.stop()
        if cursor is None or self._worker.state != "ready":
            self.display.clear()
            return
        place = Place(document, cursor)
        showing = self.display.showing
        self.display.follow(place)
        if self._is_mid_word(place) or self._is_withheld(place):
            self._stop_active()
            return
        if showing is not None and self.settings.ahead:
            self._count_end(showing, place)
        self._run_at(place)
        if not self._runs.active_may_fit(place):
            self._stop_active()

    async def complete(self, place: Place, wait: Wait, *, another: bool = False) -> Answer:
        """What to show at `place` (of the newest version). A newer call for the document supersedes this one.

        another: the user asks by hand. What was answered here before is on the screen then: list others too.
        """
        self._asked += 1
        asked = self._asked
        if self._worker.state != "ready":
            return Answer([], "model_loading" if self._worker.state == "loading" else "model_failed")
        if self._is_mid_word(place):
            return Answer([], "mid_word")
        if self._is_withheld(place):
            return Answer([], "secret")
        await self._grammar_known()
        if wait != "first":
            await self._legality.read(place, self._worker.vocabulary)
        if self._asked != asked:
            return Answer([], "superseded")
        run = self._run_at(place)
        self._waiting += 1
        try:
            await self._until_worth_showing(run, place, wait, asked)
            if run.generation.typed_to(place) is None and self._asked == asked:
                run = self._run_at(place)  # a verdict has cut what was typed along the other one
                await self._until_worth_showing(run, place, wait, asked)
            self._fill_in(run, wait)
            await self._loop.examine_at(run, place, over=_is_over(run, wait))
            if another and run.offered and self._asked == asked:
                await self._seek_others(run, place)
        finally:
            self._waiting -= 1
        if self._asked != asked:
            return Answer([], "superseded")
        return self._answer(run, place, wait, another=another)

    async def _grammar_known(self) -> None:
        """Wait until nothing is held back for want of a grammar, unless that is the user's to change."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRAMMAR_S):
                while self._grammar.lack and not self._grammar.problems:
                    self._grammar_came.clear()
                    await self._grammar_came.wait()

    async def _until_worth_showing(self, run: Run, place: Place, wait: Wait, asked: int) -> None:
        display = self.settings.display
        await until_worth_showing(run, place, wait, display, self._clock, lambda: self._asked != asked)

    def _count_end(self, showing: Showing, place: Place) -> None:
        """If this key took what was left of what was shown: was it known what follows?"""
        rest = showing.offer.text
        if rest and likely_typed(showing.place, place) == rest:
            run = self._runs.behind(showing.place, rest) or showing.run
            assert isinstance(run, Run)
            typed = run.generation.typed_to(place)
            nothing_follows = run.ahead and run.finished
            self._statistics.ends += 1
            self._statistics.foreseen += nothing_follows or (typed is not None and run.known_text != typed)

    def _is_mid_word(self, place: Place) -> bool:
        """Whether nothing is shown here whatever is said: in a word, or before one that nothing will lead on to."""
        if not stands_before_word(place):
            return False
        may_lead_on = self._grammar.expected or self._grammar.islands
        return splits_word(place) or not (
            may_lead_on or self._prompts.read_on(self._worker.vocabulary, self.settings)
        )

    def _is_withheld(self, place: Place) -> bool:
        """Whether a key or a password is being written here, and not along a suggestion."""
        return self._secrets.is_within(place) and self._runs.at(place) is None

    def _run_at(self, place: Place) -> Run:
        """The run whose text answers here: one that is recalled, or a new one."""
        run = self._runs.at(place)
        if run is None:
            return self._take_up(place) or self._start(place)
        if run.ahead:
            self._statistics.continuations += 1
            self._runs.active = run
            self._loop.catch_up(run)
        elif self._loop.may_yet_verify(run):
            return self._succeed(run, run.generation.typed_to(place) or "", place)
        return run

    def _take_up(self, place: Place) -> Run | None:
        """The user has typed along another candidate: a run that begins with the rest of it."""
        found = self._alternatives.along(place)
        return None if found is None else self._succeed(*found, place)

    def _succeed(self, run: Run, typed: str, place: Place) -> Run:
        """A run at the place that begins with what is left of this one's text there."""
        successor = self._start(place, rest=(run, typed))
        self.display.hand_over(run, successor)
        return successor

    # --- one run

    def _start(self, place: Place, *, ahead: bool = False, rest: tuple[Run, str] | None = None) -> Run:
        """A run at the place; with what is drafted of it already: the rest of another's text, after what was typed."""
        engine = self._worker.engine
        begin, pending = (place, "") if ahead else self._beginning(place, None if rest is None else rest[1])
        context = self._prompts.ids(begin, engine, self.settings, self._target.max_context)
        self._warm_up.end(self._prompts.start, context)
        self._stop_active(context)
        end = limits(begin, self.settings.completion, engine.n_context, self._prompts.heading)
        generation = Generation(begin, context, engine.vocabulary, end, pending)
        run = Run(generation, self._clock(), ahead=ahead)
        if rest is not None:
            for token, entropy in rest_of(rest[0], rest[1].removesuffix(pending), engine.tokenize):
                run.draft(token, entropy, "model")
        self._runs.add(run)
        self._legality.begin(run, engine.vocabulary)
        self._runs.active = run
        self._loop.drive(run)
        return run

    def _beginning(self, place: Place, typed: str | None) -> tuple[Place, str]:
        """Where a run for the place begins, and what stands between: mostly nothing.

        typed: what was typed of another run's text to get there, if this one is to begin with the rest of that.
        """
        begin, pending = before_blank(place, self._worker.pieces)
        is_in_vain = pending and self._runs.says_otherwise(begin, pending)
        is_lost = typed is not None and not typed.endswith(pending)
        return (place, "") if is_in_vain or is_lost else (begin, pending)

    def _begin_otherwise(self, run: Run) -> None:
        """The run is amiss, and its text was on the screen, or due there."""
        showing = self.display.showing
        if showing is not None and showing.run is run and showing.place.document is self._document:
            self.display.hand_over(run, self._start(showing.place))

    def _is_drafting(self) -> bool:
        run = self._runs.busy
        return run is not None and self._loop.may_draft(run)

    def about_to_draft(self) -> None:
        """The run under way needs the draft model."""
        self._alternatives.give_way()

    def where(self) -> Place | None:
        """Where the user is, if that is known."""
        document, cursor = self._document, self._cursor
        return None if document is None or cursor is None else Place(document, cursor)

    def over(self, run: Run) -> None:
        """Nothing is done for the run any more."""
        if self._runs.active is run:
            self._worker.rest(self.number)
            self._warm_up.catch_up(drafting=self.settings.drafting)

    # --- ahead of the user

    def _warm(self) -> None:
        """Let both ends read what the next prompt begins with, if nothing else is to be done here."""
        self._warm_up.begin(drafting=self.settings.drafting)

    def _foreseen(self) -> Foreseen | None:
        if self._document is None or self._runs.busy is not None or not self.settings.ahead:
            return None
        engine, target = self._worker.engine, self._target.max_context
        return self._prompts.foreseen(self._document, self._cursor, engine, self.settings, target)

    def _go_ahead(self) -> None:
        """Nothing more will be shown: draft on from behind it, as if all of it had been accepted."""
        showing = self.display.showing
        if showing is None or not (self.settings.ahead and self.settings.drafting):
            return
        if self._alternatives.under_way:
            return
        run, place, text = showing.run, showing.place, showing.offer.text
        assert isinstance(run, Run)
        news, _ = self._news(run, place)
        grows = news.text.startswith(text) and news.text != text
        if not run.finished or run.failure or grows or self._runs.behind(place, text) is not None:
            return
        behind = place_behind(place, text)
        if behind is not None and not self._secrets.is_within(behind):
            self._start(behind, ahead=True)

    # --- the screen

    def _news(self, run: Run, place: Place) -> tuple[News, NothingReason | None]:
        """What is known of the suggestion at `place`, and why it is nothing if it is."""
        return news_of(run, place, self.settings.display.policy)

    def _fill_in(self, run: Run, wait: Wait) -> None:
        """The models are late: until one of them speaks, show how a text around goes on from here."""
        if wait == "first" and self.settings.drafting and not run.finished and not run.known_text:
            run.stopgap = self._drafting.stopgap(run)

    def _answer(self, run: Run, place: Place, wait: Wait, *, another: bool = False) -> Answer:
        news, reason = self._news(run, place)
        if not news.text:
            why = self._why_nothing(run, place, reason, over=_is_over(run, wait))
            if not run.finished and why not in ("stale_version", "mid_word"):
                self.display.expect(run, place, self._clock())
            return Answer([], why, run.grammar.mode)
        showing = self.display.show(run, place, news, self._clock())
        run.offered = True
        others = self._others(showing, news) if another else []
        suggestion = suggestion_of(showing)
        if run.generation.typed_to(place) not in ("", run.generation.pending):
            suggestion = msgspec.structs.replace(suggestion, source="recall")
        self._follow_document(place)
        self._go_ahead()
        source = suggestion.source if run.known_text else "stopgap"
        return Answer([suggestion, *others], grammar=run.grammar.mode, source=source)

    async def _seek_others(self, run: Run, place: Place) -> None:
        """What is shown here is not what the user wants: draft others, and hold the answer back a moment for them."""
        news, _ = self._news(run, place)
        only_verified = self.settings.display.policy == "verified" and run.awaited
        if not news.text or only_verified or not self.settings.drafting:
            return
        ahead = self._runs.busy
        if ahead is not None and ahead.ahead:
            self._stop_active()
            self._runs.drop(ahead)  # it begins anew once the others are found
        context = self._prompts.ids(place, self._worker.engine, self.settings, self._target.max_context)
        known = {news.text, self.display.text_of(run)} - {""}
        self._alternatives.seek(run, place, context, known, self.settings)
        await self._alternatives.wait()

    def _others(self, showing: Showing, news: News) -> list[Suggestion]:
        """What else may be said at a place: the target's words that stay off the screen, then other drafts."""
        assert isinstance(showing.run, Run)
        place = showing.place
        found = [(showing.run, news)] if is_left_off(showing.offer, news) else []
        found += [(run, self._news(run, place)[0]) for run in self._alternatives.at(place)]
        others = listed(showing.offer.text, found)
        return [suggestion_of(one) for one in self.display.show_beside(place, others, self._clock())]

    def _why_nothing(
        self, run: Run, place: Place, reason: NothingReason | None, *, over: bool
    ) -> NothingReason | None:
        if run.failure is None and self._document is not place.document:
            return "stale_version"
        return reason if over or reason == "mid_word" else "timeout"

    def _follow_document(self, place: Place) -> None:
        """What is shown in answer to an older version moves along to where the document is now, or is gone."""
        document, cursor = self._document, self._cursor
        if document is place.document:
            return
        if document is None or cursor is None:
            self.display.clear()
        else:
            self.display.follow(Place(document, cursor))

    def publish(self, run: Run) -> None:
        """Something is known that was not: wake who waits for it, and update the screen where the rules allow."""
        run.changed()
        showing = self.display.showing
        if showing is None or showing.run is not run:
            return
        if run.generation.is_amiss:
            asyncio.get_running_loop().call_soon(self._begin_otherwise, run)
        else:
            self._update(showing)

    def _update(self, showing: Showing) -> None:
        assert isinstance(showing.run, Run)
        if self._document is not showing.place.document:
            return
        news, _ = self._news(showing.run, showing.place)
        self.display.update(showing, news, self._clock(), self._update)
        self._go_ahead()

    # --- coming and going

    def configure(self, settings: Settings) -> None:
        """New settings: they hold from the next run on; the verifier's session is opened anew."""
        if settings != self.settings:
            self.settings = self._loop.settings = settings
            self._begin_anew()
            self._target.close()
            self._warm()

    def use_grammar(self, grammar: DocumentGrammar) -> bool:
        """The document's grammars are these now: they hold from the next run on.

        True if its text was held back for want of one, and is not any more.
        """
        lacked, self._grammar = self._grammar.lack, grammar
        if self._legality.use(grammar):
            self._begin_anew()
        self._grammar_came.set()
        self._seek_exemplar()
        self._warm()
        return bool(lacked) and not grammar.lack

    def _seek_exemplar(self) -> None:
        if self._document is not None:
            self._prompts.use(self._document, self._grammar.whole, self.settings)

    def _begin_anew(self) -> None:
        """What was found until now is not to be recalled."""
        self._runs.forget()
        self._alternatives.forget()
        self._stop_active()

    def left(self) -> None:
        """The user is in another document: end work that nobody waits for. One user writes in one place."""
        run = self._runs.busy
        self._alternatives.stop()
        if run is not None and not self._waiting:
            self._stop_active()
            self._target.end(run)

    async def close(self) -> None:
        """The document is gone: stop everything, free what both ends hold for it. Who waits for an answer gets none."""
        self._asked += 1
        task = self._runs.active.task if self._runs.active is not None else None
        self._stop_active()
        self.display.clear()
        self._target.close()
        self._legality.close()
        self._prompts.close()
        self._warm_up.close()
        self._worker.forget(self.number)
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    def _stop_active(self, next_context: Sequence[int] | None = None) -> None:
        """End the run under way. What its evaluation shares with the next context goes on: a prefill is not lost."""
        run, self._runs.active = self._runs.busy, None
        self._alternatives.stop()
        if run is not None:
            run.finished = True
            self._worker.stop(self.number, common_length(run.evaluating or (), next_context or ()))
            if run.task is not None:
                run.task.cancel()
            run.changed()
        if next_context is None:
            self._worker.rest(self.number)


def _is_over(run: Run, wait: Wait) -> bool:
    """Whether an answer that waited so is to say all there is: the run may have yet to hear of its own end."""
    return run.finished or (wait == "settled" and run.generation.drafted_to_the_end)
