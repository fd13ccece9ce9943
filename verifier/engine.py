"""The seam to the target model: what the scheduler needs of it, and the values that cross.

An engine is a function: given a session's whole token sequence and a draft block, what does the target say? What it
keeps between calls (keys and values) is a cache that can only change how long the answer takes. The real ones are
`torch_engine.py` and, in tests, `tests/fakes/target.py`; nothing here knows which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from speculation.messages import Mode, SparseQ
from speculation.sampling import Sampling
from verifier.model.vocabulary import TargetVocabulary


@dataclass(frozen=True, slots=True)
class Block:
    """The draft tokens of one round. A chain, unless `parents` (of the same length) says which tree they form."""

    ids: tuple[int, ...] = ()
    parents: tuple[int, ...] | None = None
    q: tuple[SparseQ, ...] | None = None
    """What each id was drawn from; ratio and block mode only, never with a tree."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a session's target tokens are drawn and draft tokens judged."""

    mode: Mode
    sampling: Sampling
    seed: int

    @property
    def by_ratio(self) -> bool:
        """Whether draft tokens are judged by their q. At temperature 0 all modes are match mode."""
        return self.mode != "match" and self.sampling.temperature > 0


@dataclass(frozen=True, slots=True)
class Request:
    """One session's part of a step."""

    session: int
    """The engine-wide name of the session; its cache slot goes by it."""
    tokens: list[int]
    """The committed sequence, at least one token; the first draft token follows at position len(tokens)."""
    rule: Rule
    epoch: int
    block: Block = Block()
    decide: bool = True
    """False: only bring the cache up to the last token but one; there is nothing to say yet."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The target's word on a block: these draft tokens stand (indices into `block.ids`, root first), then `next_id`."""

    accepted: tuple[int, ...]
    next_id: int


@dataclass(frozen=True, slots=True)
class Prefilled:
    """No word yet: part of a long context (`remaining` tokens are left), or all that was asked for (0)."""

    remaining: int


@dataclass(frozen=True, slots=True)
class Failed:
    """This request could not be computed (the others of the step could); `reason` says why."""

    reason: str


Result = Decided | Prefilled | Failed


class TargetEngine(Protocol):
    """A target model with a cache of `n_slots` sequences, lent to sessions. Called by one thread at a time."""

    vocabulary: TargetVocabulary
    target_id: str
    revision: str
    modes: tuple[Mode, ...]
    n_slots: int
    """Sessions that one step may take in. Between steps the slots are a cache: a session that has lost its slot is
    computed again."""
    max_context: int
    """Tokens (committed and draft together) a session may hold."""
    max_draft: int

    def verify(self, batch: Sequence[Request]) -> list[Result]:
        """One step: one forward for all requests, one result for each, in order.

        A request that misses too much of its context gets a share of the step and Prefilled(remaining > 0): ask
        again. Raises EngineFailed if the whole step failed; the cache is then as if it had not been.
        """
        ...

    def release(self, session: int) -> None:
        """The session is gone: its slot is the next to serve another, which inherits a common prefix."""
        ...
