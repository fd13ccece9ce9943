"""The next token of a draft: the best of the model's that the grammar allows.

    healed       first of all, without a verifier: how the prompt's last word goes on (`daemon/prompts/healing.py`)
    repeated     where a long stretch of text is there for the second time: what followed it (`text_drafts.py`)
    candidates   else the model's best, most likely first
    ranking      in the order in which they would be drawn; without a temperature that is as they come
    first legal  one by one, which takes microseconds; mostly the first is legal
    full mask    only if none of them is: the model's best of all that may come next

At a temperature the order is that of a draw with the target's own noise, so that the first legal one is the very draw
from the distribution under the mask (`speculation.sampling.ranked`). The target is told nothing of the grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from daemon.draft.draft_worker import DraftWorker
from daemon.draft.engine import Aborted, Candidates
from daemon.draft.text_drafts import TextDrafts
from daemon.grammars.legality import Legality
from daemon.prompts.healing import Healed, Healing
from daemon.prompts.open_texts import OpenTexts
from daemon.run import Run
from daemon.settings.config_sections import CompletionConfig
from daemon.statistics import Drafter
from speculation.sampling import Sampling, ranked

_Drafted = tuple[int, float, Drafter]
"""A token, the entropy (nats) of the distribution it is from, and who named it."""


class Drafting:
    """Drafts for one document, whose number at the draft worker is `number`.

    texts: what its user has around; opening: gives the ids that its prompts begin with.
    """

    def __init__(
        self,
        number: int,
        worker: DraftWorker,
        legality: Legality,
        clock: Callable[[], float],
        texts: OpenTexts,
        opening: Callable[[], Sequence[int]],
    ) -> None:
        self._number = number
        self._worker = worker
        self._legality = legality
        self._healing = Healing(number, worker, legality)
        self._texts = TextDrafts(texts, opening)
        self._clock = clock

    async def next_token(self, run: Run, completion: CompletionConfig) -> int:
        """Draft one token, or some where the prompt ended inside one; how many those were.

        Tokens for a path that a verdict has left meanwhile are dropped. Raises EngineFailed.
        """
        generation = run.generation
        ids = run.evaluating = generation.ids
        began = self._clock()
        try:
            healed = await self._healed(run)
            drafted = None if healed else await self._choose(run, ids, completion)
        except Aborted:
            return 0
        finally:
            run.evaluating = None
            run.grammar.use.draft_s += self._clock() - began
        if ids != generation.ids:
            return 0
        if healed is not None:
            healed.begin(run)
            return len(healed.first)
        assert drafted is not None, "what is not healed is chosen"
        run.draft(*drafted)
        return 1

    def stopgap(self, run: Run) -> str:
        """A text to show while the model is late; empty if there is none."""
        return self._texts.stopgap(run)

    async def _healed(self, run: Run) -> Healed | None:
        """How the draft begins where the prompt ends inside a token; nothing where it does not, or later on."""
        if run.healed or run.awaited or run.generation.generated or run.generation.pending:
            return None
        run.healed = True
        ids = run.evaluating
        healed = await self._healing.heal(run)
        run.evaluating = ids
        return healed

    async def _choose(self, run: Run, ids: list[int], completion: CompletionConfig) -> _Drafted:
        """The token to draft after `ids`."""
        wanted = self._wanted(run)
        repeated = await self._repeated(run, completion)
        if repeated is not None and (wanted is None or wanted[repeated]):
            return repeated, 0.0, "match"
        candidates = await self._worker.next_candidates(self._number, ids, wanted)
        order = ranking(candidates, completion, len(ids))
        index = await self._legality.first_legal(run, candidates.ids[order].tolist())
        if index is None:
            candidates = await self._best_allowed(run, ids, candidates, wanted)
            order, index = ranking(candidates, completion, len(ids)), 0
        token = int(candidates.ids[order[index]])
        self._texts.said(run, token)
        return token, candidates.entropy, "model"

    def _wanted(self, run: Run) -> NDArray[np.bool_] | None:
        """Shape [n_vocab]: the first tokens that begin with what is pending; None where that is nothing, or used up."""
        generation = run.generation
        if not generation.pending or generation.generated:
            return None
        wanted = np.zeros(self._worker.vocabulary.n_vocab, np.bool_)
        wanted[self._worker.pieces.agreeing(generation.pending.encode())] = True
        return wanted

    async def _repeated(self, run: Run, completion: CompletionConfig) -> int | None:
        """What followed when the text written last stood somewhere before, if the grammar allows it here.

        Not at a temperature: the draft's draw is to be the target's as often as it can be.
        """
        if completion.temperature > 0:
            return None
        seen = self._texts.propose(run, self._worker.engine)
        if seen is None or not seen.is_followed or await self._legality.first_legal(run, [seen.token]) != 0:
            return None
        run.grammar.use.repeated_tokens += run.grammar.state == "in force"
        return seen.token

    async def _best_allowed(
        self, run: Run, ids: list[int], candidates: Candidates, wanted: NDArray[np.bool_] | None
    ) -> Candidates:
        """The model's best of all that may come next. Where nothing may, the draft ends."""
        allowed = await self._legality.allowed(run)
        if allowed is None:
            return candidates
        if wanted is not None:
            allowed = allowed & wanted
        if not allowed.any():
            return _only(min(self._worker.vocabulary.stop_ids, default=int(candidates.ids[0])))
        return await self._worker.next_candidates(self._number, ids, allowed)


def ranking(candidates: Candidates, completion: CompletionConfig, position: int) -> NDArray[np.intp]:
    """Indices of the candidates in the order in which the draft takes them: its own draw first.

    It shares the target's noise, so that the two agree as often as they can.
    """
    if completion.temperature == 0:
        return np.arange(len(candidates.ids))
    sampling = Sampling(completion.temperature, completion.top_p, completion.top_k)
    ids = candidates.ids.astype(np.int64)
    return ranked(candidates.logits, sampling, completion.seed, position, ids)


def _only(token: int) -> Candidates:
    return Candidates(np.array([token], np.int32), np.zeros(1, np.float32), 0.0)
