"""Other drafts than what is shown, for a user who asks for another. Event loop only.

    seek    what is shown begins with some token: draft on from the next most likely one that is legal and goes another
            way, then from the one after that, a line each
    wait    for as long as a list of candidates is held back for them
    along   the user has typed along one: its rest is the beginning of an ordinary run, which the target verifies

They are drafted on the document's own sequence, so that the prompt is not evaluated again, and only while nothing else
is drafted for the document; other documents come first too. Any key ends that; what was found can be typed along still.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from daemon.completion_settings import Settings
from daemon.documents import Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.drafting import Drafting, ranking
from daemon.draft.engine import Aborted, Candidates, EngineFailed
from daemon.examination import examine
from daemon.generation import Generation
from daemon.grammars.legality import Legality
from daemon.prompts.blocks import Tokenize
from daemon.prompts.healing import Healing
from daemon.prompts.room import limits
from daemon.recall import best_fit
from daemon.run import Run
from daemon.screen.distinct import goes_another_way, is_new, leading_blanks
from daemon.screen.merge import News
from daemon.screen.news import news_of

log = logging.getLogger(__name__)

MOST_CANDIDATES: Final = 3
"""That are listed, what is shown included."""
MOST_TRIED: Final = 4
"""Beginnings that are drafted on from: some come to nothing, or to what is known."""
PATIENCE_S: Final = 0.3
"""A list of candidates is held back so long for those that are being drafted."""

Result = TypeVar("Result")


class Alternatives:
    """One document's, whose number at the draft worker is `number`.

    is_drafting: whether anything else is drafted for the document; done: called when there is nothing more to seek.
    """

    def __init__(
        self,
        number: int,
        worker: DraftWorker,
        drafting: Drafting,
        legality: Legality,
        is_drafting: Callable[[], bool],
        done: Callable[[], None],
    ) -> None:
        self._number = number
        self._worker = worker
        self._drafting = drafting
        self._legality = legality
        self._healing = Healing(number, worker, legality)
        self._is_drafting = is_drafting
        self._done = done
        self._place: Place | None = None
        self._sought: set[str] = set()
        """The texts that others were sought for, at the place."""
        self._found: list[Run] = []
        self._task: asyncio.Task[None] | None = None
        self._evaluating = False

    def seek(
        self, beside: Run, place: Place, context: Sequence[int], known: set[str], settings: Settings
    ) -> None:
        """Draft others than the texts that are known at the place, where this run began or was typed along.

        context: the prompt there. Nothing is begun if that is under way, or done.
        """
        if not self._is_at(place):
            self.forget()
            self._place = place
        elif self.under_way or known <= self._sought:
            return
        self._sought |= known
        self._task = asyncio.create_task(self._seek(beside, place, context, settings))

    @property
    def under_way(self) -> bool:
        """Whether there is more to be drafted."""
        return self._task is not None and not self._task.done()

    async def wait(self) -> None:
        """Until all are found, or it has taken too long: the others are for who asks again."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=PATIENCE_S)

    def at(self, place: Place) -> list[Run]:
        """What was found for this place, likeliest first."""
        return list(self._found) if self._is_at(place) else []

    def along(self, place: Place) -> tuple[Run, str] | None:
        """The one that the user has typed along to get to this place, and what of it."""
        found = best_fit(self._found, place)
        return None if found is None or not found[1] else found

    def give_way(self) -> None:
        """Something else is to be drafted for the document now. What was evaluated is tried again after that."""
        if self._evaluating:
            self._evaluating = False
            self._worker.stop(self._number)
            self._worker.hurry(self._number)

    def stop(self) -> None:
        """Nothing more is to be drafted."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        task.cancel()
        if self._evaluating:
            self._evaluating = False
            self._worker.stop(self._number)
            self._worker.rest(self._number)

    def forget(self) -> None:
        """Nor is what was found to be offered or recalled."""
        self.stop()
        self._place = None
        self._sought, self._found = set(), []

    def _is_at(self, place: Place) -> bool:
        known = self._place
        return known is not None and known.document is place.document and known.offset == place.offset

    # --- steps

    async def _seek(self, beside: Run, place: Place, context: Sequence[int], settings: Settings) -> None:
        """Find as many as can be listed. That may fail: what is shown stays all the same."""
        try:
            await self._until_free(beside)
            for _ in range(MOST_TRIED):
                if len(self._found) + 1 >= MOST_CANDIDATES or beside.grammar.state == "reading":
                    break  # while a text is followed for that run, it can't be for another
                run = await self._drafted(beside, place, context, settings)
                if run is None:
                    break
                text = news_of(run, place, settings.display.policy)[0].text
                if is_new(text, self._sought):
                    self._found.append(run)
                self._sought |= {text, run.generation.text().text}
        except EngineFailed as failure:
            log.error("drafting another candidate failed: %s", failure)
        except Exception:
            log.exception("seeking another candidate failed")
        if not self._is_drafting():
            self._worker.rest(self._number)
        asyncio.get_running_loop().call_soon(self._done)

    async def _drafted(
        self, beside: Run, place: Place, context: Sequence[int], settings: Settings
    ) -> Run | None:
        """A line that parts from all that are known with its first word; None if no word can begin it."""
        worker, completion = self._worker, settings.completion
        blanks = self._indentation(beside, place)
        n_lines = 1 + any(b"\n" in worker.vocabulary.token_bytes[token] for token in blanks)
        whole = limits(place, completion, worker.engine.n_context, beside.generation.limits.heading)
        most = replace(
            whole, max_tokens=max(1, whole.max_tokens // 2), max_lines=min(n_lines, whole.max_lines)
        )
        generation = Generation(place, context, worker.vocabulary, most)
        run = Run(generation, beside.started_at)
        self._legality.begin(run, worker.vocabulary)
        for token in blanks:
            run.draft(token, 0.0, "model")
        if not blanks and not beside.awaited:
            healed = await self._patiently(beside, lambda: self._healing.heal(run, self._is_other))
            if healed is not None:
                healed.begin(run)
        if not generation.text().text.strip():
            beginning = await self._patiently(beside, lambda: self._beginning(run, settings))
            if beginning is None:
                return None
            run.draft(*beginning, "model")
        while not generation.drafted_to_the_end:
            await self._patiently(beside, lambda: self._drafting.next_token(run, completion))
        await examine(self._legality, run, place, settings.display.policy, over=True)
        run.finished = True
        return run

    def _indentation(self, beside: Run, place: Place) -> list[int]:
        """The blanks that the run beside begins with here: the words part after them."""
        typed = beside.generation.typed_to(place)
        if typed is None:
            return []
        engine = self._worker.engine
        token_bytes = engine.vocabulary.token_bytes
        rest = ids_after(typed, beside.generation.generated, token_bytes, engine.tokenize)
        return leading_blanks(rest, token_bytes)

    async def _beginning(self, run: Run, settings: Settings) -> tuple[int, float] | None:
        """The likeliest legal token that goes another way than what is known, and the entropy (nats) there.

        Raises Aborted and EngineFailed.
        """
        ids, completion = run.generation.ids, settings.completion
        candidates = await self._worker.next_candidates(self._number, ids)
        others = self._others(candidates, ranking(candidates, completion, len(ids)))
        index = await self._legality.first_legal(run, others) if others else None
        if index is not None:
            return others[index], candidates.entropy
        allowed = await self._legality.allowed(run)
        if allowed is None or not allowed.any():
            return None
        candidates = await self._worker.next_candidates(self._number, ids, allowed)
        others = self._others(candidates, ranking(candidates, completion, len(ids)))
        return (others[0], candidates.entropy) if others else None

    def _others(self, candidates: Candidates, order: Iterable[int]) -> list[int]:
        """Those of the candidates that go another way, in this order."""
        vocabulary = self._worker.vocabulary
        no_text = vocabulary.control_ids | vocabulary.stop_ids
        ranked = (int(candidates.ids[index]) for index in order)
        return [
            token
            for token in ranked
            if token not in no_text and self._is_other(vocabulary.token_bytes[token])
        ]

    def _is_other(self, beginning: bytes) -> bool:
        return goes_another_way(beginning, self._sought)

    async def _patiently(self, beside: Run, step: Callable[[], Awaitable[Result]]) -> Result:
        """Evaluate when nothing else is, as often as it takes."""
        while True:
            await self._until_free(beside)
            self._worker.defer(self._number)
            self._evaluating = True
            try:
                return await step()
            except Aborted:
                pass  # had to give way
            finally:
                self._evaluating = False

    async def _until_free(self, beside: Run) -> None:
        with beside.listening() as changed:
            while self._is_drafting():
                await changed.wait()
                changed.clear()


def listed(shown: str, found: Iterable[tuple[Run, News]]) -> list[tuple[Run, News]]:
    """Those that are listed after what is shown, in this order: each says what none before it says."""
    texts, chosen = [shown], []
    for run, news in found:
        if is_new(news.text, texts) and len(texts) < MOST_CANDIDATES:
            texts.append(news.text)
            chosen.append((run, news))
    return chosen


def rest_of(run: Run, typed: str, tokenize: Tokenize) -> list[tuple[int, float]]:
    """What a run has drafted behind the text `typed`: ids, each with its entropy (nats; 0 where that is not known)."""
    generation = run.generation
    ids = ids_after(typed, generation.generated, generation.token_bytes, tokenize)
    entropies = generation.tail_entropies[-len(ids) :] if ids else []
    return list(zip(ids, [0.0] * (len(ids) - len(entropies)) + entropies, strict=True))


def ids_after(typed: str, ids: Sequence[int], token_bytes: Sequence[bytes], tokenize: Tokenize) -> list[int]:
    """The ids that stand for what comes after `typed` in the text of `ids`; none if that does not begin so.

    What is left of a token that was typed in part is tokenised by itself.
    """
    left = typed.encode()
    for index, token in enumerate(ids):
        if not left:
            return list(ids[index:])
        piece = token_bytes[token]
        if not piece.startswith(left[: len(piece)]) or not left.startswith(piece[: len(left)]):
            return []
        if len(piece) > len(left):
            return _rejoined(piece[len(left) :], ids[index + 1 :], tokenize)
        left = left[len(piece) :]
    return []


def _rejoined(piece: bytes, ids: Sequence[int], tokenize: Tokenize) -> list[int]:
    try:
        return [*tokenize(piece.decode()), *ids]
    except UnicodeDecodeError:  # it ends within a character
        return []
