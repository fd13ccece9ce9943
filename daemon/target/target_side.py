"""The target's side of a document's completions: context and drafts out, verdicts in.

    read     CONTEXT goes out when a document is opened; the verifier prefills, and is told to stop at its first word
    begin    CONTEXT goes out when a run starts; the verifier prefills while the draft is at work
    advance  DRAFT frames go out as tokens are drafted, within the credit, verdicts being under way
    verdict  the target's tokens join the run's commit; `overtook` and `changed` tell the completer
    hear     wait for the next verdict, at the longest until it misses its deadline

One `LinkSession` is opened when it is first needed and lives as long as the connection and the settings do.
Without a link, or when it is down, slow or refused, nothing here does anything: the draft goes on alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from daemon.run import Run
from daemon.settings.config_sections import CompletionConfig
from daemon.statistics import Statistics
from daemon.target.gamma import draft_wait_ms, frame_tokens, tokens_to_send
from daemon.target.link import Link
from daemon.target.link_session import Desynced, LinkSession
from speculation.messages import Error, Open, Verdict

log = logging.getLogger(__name__)

MOST_FRESH_STARTS = 2
"""Times a run sends its whole context again because the two ends lost each other; then it goes on without target."""
PREFILL_ALLOWANCE_S = 0.006
"""Added to a verdict's deadline for each context token the verifier has yet to read."""


class Completer(Protocol):
    """What the target's side tells: both are called after the run's generation has taken a verdict in."""

    def overtook(self, run: Run) -> None:
        """The path may have changed under an evaluation."""
        ...

    def publish(self, run: Run) -> None:
        """There is news of the run."""
        ...


class TargetSide:
    """The verifier's part in one document's runs, one run at a time. A `LinkUser`."""

    def __init__(
        self,
        number: int,
        link: Link | None,
        completer: Completer,
        statistics: Statistics,
        clock: Callable[[], float],
    ) -> None:
        self._number = number
        self._link = link
        self._completer = completer
        self._statistics = statistics
        self._clock = clock
        self._session: LinkSession | None = None
        self._run: Run | None = None
        """The run whose context the verifier has."""
        self._fresh_starts = 0
        """Of this run."""
        self._reading = False
        """The verifier has a context that no run begins with."""
        self._drafted = True
        """The draft model has a part in this run."""
        self._max_context: int | None = None

    @property
    def max_context(self) -> int | None:
        """Tokens the target can hold, as last heard; None if it never was."""
        if self._link is not None and self._link.welcome is not None:
            self._max_context = self._link.welcome.max_context
        return self._max_context

    @property
    def is_there(self) -> bool:
        """Whether the verifier can be had now."""
        return self._link is not None and self._link.usable

    def has(self, run: Run) -> bool:
        """Whether the verifier has this run's context."""
        return self._run is run

    def begin(self, run: Run, completion: CompletionConfig, stop_ids: frozenset[int], token_s: float) -> None:
        """Tell the verifier where this run starts, if it can be had."""
        self._run, self._fresh_starts, self._reading = None, 0, False
        if self._link is None:
            return
        if not self._link.usable:
            self._link.want()
            return
        self._attach(self._link, completion, stop_ids, token_s)
        self._run = run
        known = self._link.acceptances.of(run.place.document.language)
        self._drafted = known.worth.drafts(self._clock())
        self._send_context(run)

    def read(
        self, ids: Sequence[int], completion: CompletionConfig, stop_ids: frozenset[int], token_s: float
    ) -> bool:
        """Let the verifier prefill `ids`, from which no run begins yet; False if it can't be had, or is at work.

        A context can't be sent without that the target goes on from it in the end; then it is told to stop.
        """
        at_work = self._run is not None and not self._run.finished
        if self._link is None or not self._link.usable or at_work:
            return False
        session = self._attach(self._link, completion, stop_ids, token_s)
        self._run, self._reading = None, True
        self._link.send(session.edit(ids))
        return True

    def advance(self, run: Run) -> None:
        """Send what of the tail is likely enough to be reached."""
        session, generation = self._session, run.generation
        if session is None or self._link is None or self._run is not run or not run.awaited:
            return
        sent = session.sent(generation.tail)
        estimate = self._link.acceptances.of(run.place.document.language).estimate
        reached = estimate.survival(generation.tail_entropies)
        frame = frame_tokens(shares_machine=self._link.shares_machine)
        due = tokens_to_send(reached, sent, frame=frame, ended=generation.drafted_to_the_end)
        count = min(due, session.credit - sent)
        if count > 0:
            self._link.send(session.draft(generation.tail, count))

    def wants_drafts(self, run: Run) -> bool:
        """Whether the draft model has a part in the run: not where the target is there and accepts too little."""
        return self._drafted or self._run is not run or not run.awaited

    def awaits(self, run: Run) -> bool:
        """Whether a verdict on this run is worth waiting for."""
        return run.awaited and not run.generation.verified_to_the_end

    async def hear(self, run: Run, deadline_s: float) -> None:
        """Wait for news of the run, at most until a verdict misses its deadline."""
        with run.listening() as news, contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, self._time_left(run, deadline_s))):
                await news.wait()

    def check_deadline(self, run: Run, deadline_s: float) -> None:
        """Give up waiting for this run's verdicts when one is late. A late one may still extend what is shown."""
        if self._link is not None and self.awaits(run) and self._time_left(run, deadline_s) <= 0:
            run.awaited = False
            self._link.miss(deadline_s)

    def end(self, run: Run) -> None:
        """The run has all it wants: the target need not go on."""
        if self._run is run and run.generation.target_finish == "":
            self._cancel()

    def leave(self, run: Run) -> None:
        """What the target says of the run is of no use: the target is done, and what it said forgotten."""
        self.end(run)
        self._run = None
        run.awaited, run.alone = False, True
        run.generation = run.generation.without_target()

    def close(self) -> None:
        """End the session on both ends."""
        if self._link is not None:
            if self._session is not None:
                self._link.send(self._session.cancel(close=True))
            self._link.detach(self._number)
        self._session = self._run = None

    # --- LinkUser

    def verdict(self, verdict: Verdict) -> None:
        """The target has spoken: its tokens join the commit, and a tail that they contradict goes."""
        run = self._run
        if self._session is None:
            return
        try:
            committed = self._session.verdict(verdict)
        except Desynced as desync:
            self._begin_again(str(desync))
            return
        if committed is not None and self._reading:
            self._reading = False
            self._cancel()
        if committed is None or run is None:
            return
        now = self._clock()
        drafters = run.drafters_of_next(committed.drafted)
        self._statistics.round(run.place.document.language, committed, now - run.heard_at, drafters)
        run.heard_at, run.allowance_s = now, 0.0
        self._learn(run, committed.ids)
        if run.awaited and self._link is not None:
            self._link.hit()
        run.generation.commit(committed.ids, committed.finish)
        self._completer.overtook(run)
        self.advance(run)
        self._completer.publish(run)

    def error(self, error: Error) -> None:
        """The verifier could not do something for this session: begin again, or do without it."""
        if error.code == "context_mismatch" and self._session is not None:
            self._session.lost_track()
            self._begin_again(error.message)
            return
        log.warning("verifier: %s: %s", error.code, error.message)
        self._give_up()  # the next run opens the session anew

    def credit(self, tokens: int) -> None:
        """So many draft tokens may be in flight from now on."""
        if self._session is not None:
            self._session.credit = tokens

    def displaced(self) -> None:
        """Close the session at the verifier; the draft goes on alone until a run opens it again."""
        if self._session is not None and self._link is not None:
            self._link.send(self._session.cancel(close=True))
        self.lost()

    def lost(self) -> None:
        """The link is down, or the session gone: the draft goes on alone."""
        run, self._run = self._run, None
        self._session = None
        if run is not None:
            run.awaited = False
            run.changed()

    # --- steps

    def _give_up(self) -> None:
        """The run under way does without the target, whatever comes."""
        if self._run is not None:
            self._run.alone = True
        self.displaced()

    def _attach(
        self, link: Link, completion: CompletionConfig, stop_ids: frozenset[int], token_s: float
    ) -> LinkSession:
        """The session, opened if it is not."""
        link.attach(self._number, self)
        if self._session is None:
            self._session = self._open(link, completion, stop_ids, token_s)
        return self._session

    def _cancel(self) -> None:
        if self._session is not None and self._link is not None:
            self._link.send(self._session.cancel())

    def _open(
        self, link: Link, completion: CompletionConfig, stop_ids: frozenset[int], token_s: float
    ) -> LinkSession:
        welcome = link.welcome
        assert welcome is not None, "a usable link has been welcomed"
        opening = Open(
            self._number,
            mode="match",
            temperature=completion.temperature,
            top_p=completion.top_p,
            top_k=completion.top_k,
            seed=completion.seed,
            stop_ids=sorted(stop_ids),
            max_tokens=completion.max_tokens,
            draft_wait_ms=draft_wait_ms(token_s, shares_machine=link.shares_machine),
        )
        link.send(opening)
        return LinkSession(opening, welcome.credit, welcome.n_vocab)

    def _learn(self, run: Run, ids: Sequence[int]) -> None:
        """The target's next tokens are `ids`: what that says of the drafts of the language."""
        if self._link is not None:
            generation = run.generation
            language, now = run.place.document.language, self._clock()
            worth = self._link.acceptances.of(language).worth
            were_drafted = worth.drafts(now)
            self._link.acceptances.heard(language, generation.tail, generation.tail_entropies, ids, now)
            if were_drafted and not worth.drafts(now):
                log.warning(
                    "drafts in %s are mostly wrong; the verifier writes alone there for now", language
                )

    def _send_context(self, run: Run) -> None:
        assert self._session is not None
        assert self._link is not None
        generation = run.generation
        context = self._session.edit([*generation.context, *generation.committed])
        self._link.send(context)
        run.awaited = True
        run.heard_at = self._clock()
        run.allowance_s = len(context.append) * PREFILL_ALLOWANCE_S

    def _begin_again(self, why: str) -> None:
        """Send the whole path as context: what the two ends agreed on is no longer sure.

        Not for ever: with ends that never agree, the run goes on without the target.
        """
        if self._run is None or self._run.finished:
            return
        self._fresh_starts += 1
        if self._fresh_starts > MOST_FRESH_STARTS:
            log.error("verifier out of step again and again (%s); doing without it here", why)
            self._give_up()
            return
        log.warning("verifier out of step (%s); starting the context again", why)
        self._send_context(self._run)
        self._run.changed()

    def _time_left(self, run: Run, deadline_s: float) -> float:
        return run.heard_at + run.allowance_s + deadline_s - self._clock()
