"""A target that is a function: logits of the whole sequence, over a few tokens. No weights, no cache, no torch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from speculation.messages import Mode
from speculation.paths import path_hash
from speculation.tree import ancestors, chain_parents
from verifier.decide import decide
from verifier.engine import Failed, Prefilled, Request, Result
from verifier.errors import EngineFailed
from verifier.model.vocabulary import TargetVocabulary, build

Logits = Callable[[Sequence[int]], NDArray[np.float32]]


def hashed_logits(n_vocab: int) -> Logits:
    """Logits that look random but depend on the sequence alone; the best token varies with every token before it."""

    def logits(tokens: Sequence[int]) -> NDArray[np.float32]:
        rows = np.random.default_rng(path_hash(tokens)).normal(size=n_vocab)
        return rows.astype(np.float32)

    return logits


def vocabulary(n_vocab: int) -> TargetVocabulary:
    """Byte tokens; the last is the end of text."""
    texts = [*(f"t{i}" for i in range(n_vocab - 1)), "<|endoftext|>"]
    return build(texts, "bytelevel", {"eos": n_vocab - 1})


class FakeTarget:
    """A `TargetEngine`. `chunk_tokens` prefills so many tokens a step; `gate` holds steps back while it is clear."""

    modes: tuple[Mode, ...] = ("match", "ratio", "block")

    def __init__(
        self,
        n_vocab: int = 8,
        *,
        logits: Logits | None = None,
        n_slots: int = 4,
        max_context: int = 256,
        max_draft: int = 16,
        chunk_tokens: int = 1000,
    ) -> None:
        self.vocabulary = vocabulary(n_vocab)
        self.target_id, self.revision = "fake", "1"
        self.n_slots, self.max_context, self.max_draft = n_slots, max_context, max_draft
        self.logits = logits or hashed_logits(n_vocab)
        self.batches: list[list[Request]] = []
        self.released: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        """Set when a step has begun."""
        self.fail_next: Exception | None = None
        self.fail_session: int | None = None
        self._chunk_tokens = chunk_tokens
        self._prefilled: dict[int, int] = {}

    def verify(self, batch: Sequence[Request]) -> list[Result]:
        self.entered.set()
        assert self.gate.wait(30), "the test never opened the gate"
        if self.fail_next is not None:
            failure, self.fail_next = self.fail_next, None
            raise failure
        busy = {request.session for request in batch}
        if len(busy) > self.n_slots:
            raise EngineFailed(f"{len(busy)} sessions for {self.n_slots} slots")
        for session in [s for s in self._prefilled if s not in busy]:
            if len(self._prefilled.keys() | busy) > self.n_slots:
                del self._prefilled[session]
        self.batches.append(list(batch))
        return [self._one(request) for request in batch]

    def release(self, session: int) -> None:
        self.released.append(session)
        self._prefilled.pop(session, None)

    def _one(self, request: Request) -> Result:
        if request.session == self.fail_session:
            return Failed("told to")
        length = len(request.tokens)
        done = min(length, self._prefilled.get(request.session, 0) + self._chunk_tokens)
        self._prefilled[request.session] = done
        if done < length - 1 or not request.decide:
            return Prefilled(max(0, length - 1 - done))
        return decide(request, _Rows(request, self.logits))


class _Rows:
    def __init__(self, request: Request, logits: Logits) -> None:
        self._request, self._logits = request, logits

    def logits(self, row: int) -> NDArray[np.float32]:
        ids = self._request.block.ids
        parents = self._request.block.parents or chain_parents(len(ids))
        path = [ids[node] for node in ancestors(parents, row - 1)]
        return self._logits([*self._request.tokens, *path])

    def argmax(self, row: int) -> int:
        return int(self.logits(row).argmax())
