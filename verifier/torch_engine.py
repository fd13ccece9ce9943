"""The torch engine: a step of all sessions as one forward, read top-down in `verify`.

The device only gathers; after one read by the host, `decide` (pure) says which draft tokens stand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from speculation.messages import MAX_DRAFT_IDS, Mode
from verifier.decide import decide
from verifier.engine import Decided, Failed, Prefilled, Request, Result
from verifier.errors import EngineFailed, ModelUnusable
from verifier.model.decoder import Decoder, Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel
from verifier.slots import Slot, SlotTable

_SMALL_DELTA = 16
"""Missing context tokens that never wait for their share of the step: a typed line."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one request runs in this step."""

    request: Request
    slot: Slot
    cached: int
    new: Sequence[int]
    """Committed tokens to run now."""
    remaining: int
    """Committed tokens left for later steps; while there are any, nothing is decided."""

    @property
    def decides(self) -> bool:
        return self.request.decide and self.remaining == 0

    @property
    def n_wanted(self) -> int:
        return 1 + len(self.request.block.ids) if self.decides else 0

    def segment(self) -> Segment:
        block = self.request.block
        ids = [*self.new, *block.ids] if self.decides else list(self.new)
        parents = (block.parents or ()) if self.decides else ()
        return Segment(self.slot.number, self.cached, ids, parents, self.n_wanted)


class TorchEngine:
    """A `TargetEngine` over our own decoder. `chunk_tokens` bounds the context tokens prefilled in one step."""

    modes: tuple[Mode, ...] = ("match", "ratio", "block")

    def __init__(self, model: LoadedModel, *, n_slots: int, chunk_tokens: int) -> None:
        if model.vocabulary is None:
            raise ModelUnusable(
                "the model folder has no tokenizer.json: without it no draft model can be checked against it"
            )
        self.vocabulary = model.vocabulary
        self.target_id, self.revision = model.name, model.revision
        self.n_slots, self.max_context, self.max_draft = n_slots, model.n_positions, MAX_DRAFT_IDS
        self._decoder: Decoder = model.decoder
        self._chunk_tokens = chunk_tokens
        self._slots = SlotTable(n_slots)
        self._cache = KVCache(
            self._decoder.config,
            n_slots,
            model.n_positions,
            device=self._decoder.device,
            dtype=self._decoder.dtype,
        )

    def verify(self, batch: Sequence[Request]) -> list[Result]:
        """One step; see `TargetEngine.verify`."""
        plans = self._plan(batch)
        try:
            segments = [plan.segment() for plan in plans if plan.new]
            rows = _read(plans, self._decoder.logits(segments, self._cache)) if segments else {}
        except (
            RuntimeError,
            ValueError,
            IndexError,
        ) as error:  # torch: out of memory, device lost, ids out of range
            raise EngineFailed(f"the target's forward pass failed: {error}") from error
        return [self._settle(plan, rows.get(index)) for index, plan in enumerate(plans)]

    def release(self, session: int) -> None:
        """See `TargetEngine.release`."""
        self._slots.release(session)

    def _plan(self, batch: Sequence[Request]) -> list[_Plan]:
        """Find each request's slot and what it misses; long misses share the step's chunk evenly."""
        busy = {request.session for request in batch}
        located = [self._locate(request, busy) for request in batch]
        misses = [
            len(request.tokens) - (not request.decide) - cached
            for request, (_, cached) in zip(batch, located, strict=True)
        ]
        n_long = sum(missing > _SMALL_DELTA for missing in misses)
        share = max(_SMALL_DELTA, self._chunk_tokens // max(1, n_long))
        plans = []
        for request, (slot, cached), missing in zip(batch, located, misses, strict=True):
            now = max(0, min(missing, share))
            plans.append(
                _Plan(request, slot, cached, request.tokens[cached : cached + now], max(0, missing - now))
            )
        return plans

    def _locate(self, request: Request, busy: Collection[int]) -> tuple[Slot, int]:
        """The request's slot, cut to what it shares with the request's tokens; the last token always runs again."""
        assigned = self._slots.assign(request.session, request.tokens, busy)
        cached = min(assigned.cached, len(request.tokens) - 1)
        if assigned.copy_from is not None:
            self._cache.copy_prefix(assigned.copy_from, assigned.slot.number, cached)
        assigned.slot.tokens = request.tokens[:cached]
        return assigned.slot, cached

    def _settle(self, plan: _Plan, rows: _Rows | None) -> Result:
        """Record what the slot now holds, and let the pure part decide."""
        plan.slot.tokens.extend(plan.new)
        if rows is None:
            return Prefilled(plan.remaining)
        try:
            decided = decide(plan.request, rows)
        except ValueError as error:
            return Failed(f"the target's logits are unusable ({error}): the model file may be damaged")
        self._keep_accepted(plan, decided)
        return decided

    def _keep_accepted(self, plan: _Plan, decided: Decided) -> None:
        """Of the block's rows keep the accepted path; what a chain rejected is written over by the next step."""
        block = plan.request.block
        if decided.accepted != tuple(range(len(decided.accepted))):
            self._cache.keep_rows(plan.slot.number, len(plan.request.tokens), decided.accepted)
        plan.slot.tokens.extend(block.ids[node] for node in decided.accepted)


class _Rows:
    """One request's rows on the host: the argmax of each, and the logits themselves only if it samples."""

    def __init__(
        self, best: Sequence[int], peaks: Sequence[float], logits: NDArray[np.float32] | None
    ) -> None:
        self._best, self._peaks, self._logits = best, peaks, logits

    def argmax(self, row: int) -> int:
        if not np.isfinite(self._peaks[row]):
            raise ValueError("not all are numbers")
        return self._best[row]

    def logits(self, row: int) -> NDArray[np.float32]:
        assert self._logits is not None, "logits are read for requests that sample"
        row_logits: NDArray[np.float32] = self._logits[row]
        return row_logits


def _read(plans: Sequence[_Plan], logits: Tensor) -> dict[int, _Rows]:
    """Bring the step's outcome to the host: {index of a deciding plan: its rows}. `logits` is [R, n_vocab]."""
    deciding = [(index, plan) for index, plan in enumerate(plans) if plan.decides]
    if not deciding:
        return {}
    if any(plan.request.rule.sampling.temperature > 0 for _, plan in deciding):
        whole = logits.float().cpu()
        peaks, best, host = *whole.max(dim=-1), whole.numpy()
    else:
        peaks, best = (part.cpu() for part in logits.max(dim=-1))
        host = None
    rows: dict[int, _Rows] = {}
    first = 0
    for index, plan in deciding:
        own = slice(first, first + plan.n_wanted)
        rows[index] = _Rows(best[own].tolist(), peaks[own].tolist(), None if host is None else host[own])
        first = own.stop
    return rows
