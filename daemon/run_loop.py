"""One run from its first token to its last: the draft writes, the target verifies, the grammar examines.

    begin    prompt -> CONTEXT       the verifier prefills while the draft starts
    advance  draft a token ...       the best that the grammar allows (`daemon/draft/drafting.py`)
                                     DRAFT frames as tokens are drafted (`daemon/target/target_side.py`)
             ... hear a verdict      commit, cut the tail where it was wrong, draft on from there
    examine                          how much of it fits the text after the cursor (`daemon/grammars/legality.py`);
                                     if the target's words are none of the language, the draft answers alone

Which run that is, and what of it is shown, is the completer's business (`daemon/completion.py`). Event loop only.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from daemon.completion_settings import Settings
from daemon.documents import Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.drafting import Drafting
from daemon.draft.engine import EngineFailed
from daemon.examination import examine, unexamined
from daemon.grammars.legality import Legality
from daemon.run import Run
from daemon.screen.news import led_astray, news_of
from daemon.settings.config_sections import CompletionConfig
from daemon.statistics import Statistics
from daemon.target.link import Link
from daemon.target.target_side import TargetSide
from speculation.paths import common_length

log = logging.getLogger(__name__)


class Completer(Protocol):
    """Whose runs they are."""

    def where(self) -> Place | None:
        """Where the user is, if that is known."""
        ...

    def about_to_draft(self) -> None:
        """A token is drafted now."""
        ...

    def publish(self, run: Run) -> None:
        """Something is known of the run that was not."""
        ...

    def over(self, run: Run) -> None:
        """Nothing is done for the run any more."""
        ...


class RunLoop:
    """Of one document, one run at a time; its number at the draft worker and on the link is `number`."""

    def __init__(
        self,
        number: int,
        settings: Settings,
        worker: DraftWorker,
        drafting: Drafting,
        link: Link | None,
        legality: Legality,
        statistics: Statistics,
        completer: Completer,
        clock: Callable[[], float],
    ) -> None:
        self.settings = settings
        self.target = TargetSide(number, link, self, statistics, clock)
        self._number = number
        self._worker = worker
        self._drafting = drafting
        self._legality = legality
        self._statistics = statistics
        self._completer = completer

    def drive(self, run: Run) -> None:
        """Do all there is to do for the run; after all that somebody waits for, if nobody waits for this one."""
        if run.grammar.state == "held back":  # nothing is
            run.finished = True
            self._completer.over(run)
            return
        if run.ahead:
            run.healed = self.target.is_there  # which will read the prompt as it stands
            self._worker.defer(self._number)
        else:
            self._worker.hurry(self._number)
        run.task = asyncio.create_task(self._run(run))

    def may_yet_verify(self, run: Run) -> bool:
        """Whether the verifier, which a run does without, can be had now: it could not before, or was too late."""
        without = run.finished or (run.begun and not self.target.has(run))
        in_order = run.failure is None and not run.alone
        return without and in_order and self.target.is_there and not run.generation.verified_to_the_end

    def catch_up(self, run: Run) -> None:
        """The user has got to where a run began ahead: it goes on as any other, with the target's part."""
        run.ahead = False
        if run.finished:
            run.finished = False
            self.drive(run)
        else:
            self._worker.hurry(self._number)
            self._begin_target(run)

    def read_by_target(self, ids: Sequence[int]) -> bool:
        """Let the verifier read what no run begins with yet; False if it can't be had."""
        return self.target.read(ids, *self._terms())

    def may_draft(self, run: Run) -> bool:
        """Whether there is something to draft, and it is wanted."""
        wanted = self.settings.drafting and self.target.wants_drafts(run)
        return wanted and not run.generation.drafted_to_the_end

    async def _run(self, run: Run) -> None:
        """Draft, and let the target verify, until there is no more to say."""
        deadline_s = self.settings.deadline_s
        try:
            if not run.ahead:
                self._begin_target(run)
            while not run.finished:
                over = not await self._advance(run)
                self.target.check_deadline(run, deadline_s)
                await self._examine(run, over=over)
                if led_astray(run, self.settings.display.policy, over=over):
                    self._answer_alone(run)
                elif over or run.grammar.state == "held back" or run.generation.is_amiss:
                    run.finished = True
                self.publish(run)
            self.target.end(run)
        except EngineFailed as failure:
            log.error("drafting failed: %s", failure)
            run.failure, run.finished = "model_failed", True
            self.publish(run)
        except Exception:
            log.exception("a run failed")
            run.failure, run.finished = "internal_error", True
            run.changed()
        finally:
            self._completer.over(run)
            if not run.ahead:
                self._statistics.grammar.add(run.grammar.use)

    def _answer_alone(self, run: Run) -> None:
        """Do without the target: the draft keeps to the grammar. It goes on from what it had said, where that fits."""
        self.target.leave(run)
        news, _ = news_of(run, run.place, self.settings.display.policy)
        if not news.text:
            run.generation = run.generation.afresh()

    def _begin_target(self, run: Run) -> None:
        run.begun = True
        self.target.begin(run, *self._terms())
        self.target.advance(run)

    def _terms(self) -> tuple[CompletionConfig, frozenset[int], float]:
        """How the verifier's session is to be opened."""
        token_s = self._worker.token_s if self.settings.drafting else 0.0
        return self.settings.completion, self._worker.vocabulary.stop_ids, token_s

    async def _advance(self, run: Run) -> bool:
        """Draft a token, or hear of the target; False if there is nothing to wait for."""
        if self.may_draft(run):
            self._completer.about_to_draft()
            count = await self._drafting.next_token(run, self.settings.completion)
            self._statistics.drafted(count)
            self.target.advance(run)
        elif self.target.awaits(run):
            self._worker.rest(self._number)
            await self.target.hear(run, self.settings.deadline_s)
        else:
            return False
        return True

    def overtook(self, run: Run) -> None:
        """A verdict has come. End an evaluation that it contradicts; one it only overtook fills the KV cache."""
        evaluating = run.evaluating
        if evaluating is None:
            return
        common = common_length(evaluating, run.generation.ids)
        if common < len(evaluating):
            self._worker.stop(self._number, common)

    def publish(self, run: Run) -> None:
        """There is news of the run; also after its end, when what a late verdict said has yet to be examined."""
        self._completer.publish(run)
        policy = self.settings.display.policy
        if run.finished and unexamined(run, run.place, policy, over=True) is not None:
            run.task = asyncio.create_task(self._examine_late(run))

    async def examine_at(self, run: Run, place: Place, *, over: bool) -> None:
        """Find out how much of what is known fits at the place. over: the run has no more to come."""
        await examine(self._legality, run, place, self.settings.display.policy, over=over)

    async def _examine(self, run: Run, *, over: bool) -> None:
        """The same where the run began, and where the user is along it."""
        await self.examine_at(run, run.place, over=over)
        here = self._completer.where()
        if here is not None:
            await self.examine_at(run, here, over=over)

    async def _examine_late(self, run: Run) -> None:
        await self._examine(run, over=True)
        self.publish(run)
