"""A target without a model: it knows what is being typed and says it, as a large model might, at no cost.

For replays on a machine where a real target can't keep the pace that is emulated. It takes a model's place behind the
verifier's engine interface, so service, scheduler, sessions, sampling and wire are the real ones. It is a function of
the text before the cursor and a seed, as every target is: with errors, it departs from the known texts at places that
the seed chooses, and goes on from there with whatever they say after the like.

Context is "computed" as a model's would be: a slot holds what was computed, and a step takes in so many new tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.emulation.known_texts import TAIL_BYTES, KnownTexts
from benchmarks.emulation.pace import Pace
from speculation.messages import MAX_DRAFT_IDS, Mode
from speculation.tree import ancestors, chain_parents
from verifier.decide import decide
from verifier.engine import Prefilled, Request, Result
from verifier.errors import EngineFailed
from verifier.model.vocabulary import TargetVocabulary
from verifier.slots import SlotTable

_FIRST_TOKEN_BYTES = 32
"""Text that is tokenised to find its first token."""
_ERROR_BYTES = 64
"""Text before an error that chooses it."""
_UNLIKELY = -40.0
"""The logit of every token but the one that is said (0): too small to be drawn at any temperature in use."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the oracle needs of a vocabulary."""

    target: TargetVocabulary
    pieces: Sequence[bytes]
    """Shape [n_vocab]: the bytes each id stands for."""
    control_ids: frozenset[int]
    """Ids that stand for no text."""
    tokenize: Callable[[str], list[int]]


class Oracle:
    """What is said after a sequence of tokens. `error_rate`: the chance, at each token, that it is another one.

    Raises ValueError for a chance that is none, and LookupError if the vocabulary has no end of text.
    """

    def __init__(self, texts: KnownTexts, tokens: Tokens, *, error_rate: float = 0.0, seed: int = 0) -> None:
        if not 0 <= error_rate <= 1:
            raise ValueError(f"an error rate of {error_rate} is no chance: give 0 to 1")
        special = tokens.target.identity.special_ids
        self.tokens = tokens
        self._texts, self._error_rate = texts, error_rate
        self._salt = seed.to_bytes(8, "big", signed=True)
        self._end = special["eos"]
        self._prefix_starts, self._middle = special.get("fim_pre"), special.get("fim_mid")
        self._byte_ids = {piece: token for token, piece in enumerate(tokens.pieces) if len(piece) == 1}
        self._first_token = lru_cache(4096)(self._first_token_of)

    def next_token(self, ids: Sequence[int]) -> int:
        """The token said after these. Where the texts end, and where they are not known: the end of text."""
        before = self._text_before(ids)
        right = self._first_token(self._texts.rest(before)[:_FIRST_TOKEN_BYTES])
        digest = hashlib.blake2b(before[-_ERROR_BYTES:], digest_size=16, salt=self._salt).digest()
        drawn, number = int.from_bytes(digest[:8], "big") / 2**64, int.from_bytes(digest[8:], "big")
        return self._another_than(right, number) if drawn < self._error_rate else right

    def _text_before(self, ids: Sequence[int]) -> bytes:
        """The end of the text before the cursor: what follows the last control token, and the prefix if one frames it.

        In a prompt that ends with the middle's mark, the prefix stands behind its own.
        """
        controls, recent = self.tokens.control_ids, ids[-TAIL_BYTES:]
        if controls.isdisjoint(recent):
            return self._bytes(recent)
        since = next(at + 1 for at in range(len(recent) - 1, -1, -1) if recent[at] in controls)
        after = self._bytes(recent[since:])
        if recent[since - 1] != self._middle or self._prefix_starts not in ids:
            return after
        start = ids.index(self._prefix_starts) + 1
        end = next(at for at in range(start, len(ids)) if ids[at] in controls)
        return self._bytes(ids[start:end]) + after

    def _bytes(self, ids: Sequence[int]) -> bytes:
        return b"".join(map(self.tokens.pieces.__getitem__, ids[-TAIL_BYTES:]))

    def _first_token_of(self, text: bytes) -> int:
        """The first token of a text that may begin inside a character."""
        if not text:
            return self._end
        ids = self.tokens.tokenize(text.decode(errors="ignore"))
        if ids and text.startswith(self.tokens.pieces[ids[0]]):
            return ids[0]
        return self._byte_ids.get(text[:1], self._end)

    def _another_than(self, right: int, number: int) -> int:
        """A token that the texts have elsewhere; the end of text if they have no other."""
        for attempt in range(8):
            token = self._first_token(self._texts.elsewhere(number + 7919 * attempt)[:_FIRST_TOKEN_BYTES])
            if token != right:
                return token
        return self._end


class OracleTarget:
    """A `TargetEngine` that says what an oracle says. A step takes in `chunk_tokens` of a session's context."""

    modes: tuple[Mode, ...] = ("match", "ratio", "block")
    max_draft = MAX_DRAFT_IDS

    def __init__(
        self,
        oracle: Oracle,
        pace: Pace,
        *,
        name: str,
        n_slots: int = 8,
        max_context: int = 4096,
        chunk_tokens: int = 512,
    ) -> None:
        self.vocabulary = oracle.tokens.target
        self.target_id, self.revision = name, "oracle"
        self.n_slots, self.max_context = n_slots, max_context
        self._oracle, self._pace, self._chunk_tokens = oracle, pace, chunk_tokens
        self._slots = SlotTable(n_slots)

    def verify(self, batch: Sequence[Request]) -> list[Result]:
        """One step; see `TargetEngine.verify`. It is a forward if anything has to be computed."""
        busy = {request.session for request in batch}
        try:
            cached = [self._cached(request, busy) for request in batch]
        except LookupError as error:
            raise EngineFailed(str(error)) from error
        if all(_missing(request, held) == 0 for request, held in zip(batch, cached, strict=True)):
            return [Prefilled(0)] * len(batch)
        with self._pace.forward():
            return [self._compute(request, held) for request, held in zip(batch, cached, strict=True)]

    def release(self, session: int) -> None:
        """See `TargetEngine.release`."""
        self._slots.release(session)

    def _cached(self, request: Request, busy: Collection[int]) -> int:
        """How many of the request's tokens are computed already; the last always is computed again."""
        return min(self._slots.assign(request.session, request.tokens, busy).cached, len(request.tokens) - 1)

    def _compute(self, request: Request, cached: int) -> Result:
        missing = _missing(request, cached)
        now = min(missing, self._chunk_tokens)
        self._hold(request, request.tokens[: cached + now])
        if now < missing or not request.decide:
            return Prefilled(missing - now)
        decided = decide(request, _OracleRows(request, self._oracle, self.vocabulary.n_vocab))
        self._hold(request, [*request.tokens, *(request.block.ids[node] for node in decided.accepted)])
        return decided

    def _hold(self, request: Request, tokens: list[int]) -> None:
        self._slots.assign(request.session, request.tokens).slot.tokens = tokens


class _OracleRows:
    """The `TargetRows` of one request."""

    def __init__(self, request: Request, oracle: Oracle, n_vocab: int) -> None:
        self._request, self._oracle, self._n_vocab = request, oracle, n_vocab

    def argmax(self, row: int) -> int:
        ids = self._request.block.ids
        parents = self._request.block.parents or chain_parents(len(ids))
        path = [ids[node] for node in ancestors(parents, row - 1)]
        return self._oracle.next_token([*self._request.tokens, *path])

    def logits(self, row: int) -> NDArray[np.float32]:
        values = np.full(self._n_vocab, _UNLIKELY, np.float32)
        values[self.argmax(row)] = 0
        return values


def _missing(request: Request, cached: int) -> int:
    """Tokens to compute before there is a word on the block; the last but one is enough to be ready for it."""
    return max(0, len(request.tokens) - (not request.decide) - cached)
