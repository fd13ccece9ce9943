"""Targets that judge drafts for `benchmarks.dsl_acceptance`: the verifier's own engine, and one under the grammar."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from daemon.draft.top_candidates import top_candidates
from grammars.interface import CursorState
from speculation.paths import common_length
from verifier.engine import Block, Decided, Failed, Request, TargetEngine
from verifier.errors import EngineFailed
from verifier.model.decoder import Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel
from verifier.reference import GREEDY_RULE


class TargetText:
    """What the target says after a context at temperature 0: computed once, by verifying drafts, for all of them.

    In match mode a draft can't change the target's text, so every draft after the same context is judged by it.
    """

    def __init__(self, engine: TargetEngine, session: int, stop_ids: Collection[int]) -> None:
        self._engine, self._session, self._stop_ids = engine, session, stop_ids
        self._context: list[int] = []
        self._known: list[int] = []

    def accepted(self, context: Sequence[int], draft: Sequence[int]) -> int:
        """How many tokens of `draft` (its first ones) the target accepts after `context`."""
        self._follow(context)
        while common_length(draft, self._known) == len(self._known) < len(draft) and not self._ended:
            self._ask(draft[len(self._known) :])
        return common_length(draft, self._known)

    def text(self, context: Sequence[int], count: int) -> list[int]:
        """The target's own next `count` tokens; fewer if it ends. The ending itself is left out."""
        self._follow(context)
        while len(self._known) < count and not self._ended:
            self._ask(())
        return [token for token in self._known[:count] if token not in self._stop_ids]

    @property
    def _ended(self) -> bool:
        return bool(self._known) and self._known[-1] in self._stop_ids

    def _follow(self, context: Sequence[int]) -> None:
        if self._context != context:
            self._context, self._known = list(context), []

    def _ask(self, draft: Sequence[int]) -> None:
        """One round: at least one more token is known then. Raises EngineFailed."""
        tokens = [*self._context, *self._known]
        while True:
            [result] = self._engine.verify(
                [Request(self._session, tokens, GREEDY_RULE, epoch=0, block=Block(tuple(draft)))]
            )
            if isinstance(result, Failed):
                raise EngineFailed(result.reason)
            if isinstance(result, Decided):
                break
        for token in (*draft[: len(result.accepted)], result.next_id):
            if not self._ended:
                self._known.append(token)


class StrictTarget:
    """A target whose own choice is masked by the grammar too (the wire's `strict` promise), at temperature 0."""

    def __init__(self, model: LoadedModel, n_positions: int) -> None:
        decoder = self._decoder = model.decoder
        self._cache = KVCache(decoder.config, 1, n_positions, device=decoder.device, dtype=decoder.dtype)
        self._held: list[int] = []

    def accepted(self, context: Sequence[int], draft: Sequence[int], state: CursorState) -> int:
        """How many tokens of `draft` it accepts; `state` stands at the cursor, and is as before afterwards."""
        count = 0
        while count < len(draft) and self._next([*context, *draft[:count]], state) == draft[count]:
            state.push(draft[count])
            count += 1
        state.pop(count)
        return count

    def _next(self, ids: list[int], state: CursorState) -> int | None:
        start = min(common_length(self._held, ids), len(ids) - 1)
        row = self._decoder.logits([Segment(0, start, ids[start:])], self._cache)[0].numpy()
        self._held = ids
        best = top_candidates(row).ids.tolist()
        index = state.first_legal(best)
        if index is not None:
            return int(best[index])
        mask = state.mask()
        return int((row + (~mask * -1e9)).argmax()) if mask.any() else None
