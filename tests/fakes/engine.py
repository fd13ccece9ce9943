"""A draft engine without a model: bytes are tokens, and a function says which text comes next.

It counts evaluated tokens and reuses common prefixes as `daemon/draft/llama_engine.py` does, can be held in the
middle of an evaluation, obeys `abort`, and can be told to fail. It knows nothing of llama.cpp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from daemon.draft.engine import Aborted, Candidates, EngineFailed, Vocabulary
from daemon.draft.top_candidates import check_allowed
from speculation.paths import common_length
from speculation.vocabulary import fingerprint

SPECIALS: dict[str, bytes] = {
    "bos": b"<|bos|>",
    "eos": b"<|eos|>",
    "eot": b"<|eot|>",
    "pad": b"<|pad|>",
    "fim_pre": b"<|fim_prefix|>",
    "fim_suf": b"<|fim_suffix|>",
    "fim_mid": b"<|fim_middle|>",
}
"""In id order from 256 on; what the tokens are called in a prompt's bytes."""
FIRST_SPECIAL = 256
FIRST_EXTRA = FIRST_SPECIAL + len(SPECIALS)
MAX_CANDIDATES = 64


def byte_vocabulary(extra_tokens: Sequence[bytes] = (), *, fim: bool = True) -> Vocabulary:
    """256 byte tokens (id = byte), the specials from 256 on, then `extra_tokens`.

    Without `fim` the fim ids exist but are no special ids: a model that can't fill in the middle.
    """
    names = list(SPECIALS)
    special_ids = {
        name: FIRST_SPECIAL + i for i, name in enumerate(names) if fim or not name.startswith("fim_")
    }
    token_bytes = [bytes([i]) for i in range(256)] + list(SPECIALS.values()) + list(extra_tokens)
    return Vocabulary(
        fingerprint=fingerprint(token_bytes, special_ids),
        token_bytes=token_bytes,
        special_ids=special_ids,
        control_ids=frozenset(range(FIRST_SPECIAL, FIRST_EXTRA)),
        stop_ids=frozenset({special_ids["eos"], special_ids["eot"]}),
    )


def following(*texts: str) -> Callable[[bytes], bytes]:
    """A continuation that knows `texts` by heart.

    After a prefix comes the rest of the first text that starts with it; else what follows, in any text, the
    longest tail of the prefix found there; else nothing (end of text).
    """
    known = [text.encode() for text in texts]

    def continuation(prefix: bytes) -> bytes:
        for text in known:
            if text.startswith(prefix):
                return text[len(prefix) :]
        for start in range(max(0, len(prefix) - 256), len(prefix)):
            for text in known:
                at = text.rfind(prefix[start:])
                if at >= 0:
                    return text[at + len(prefix) - start :]
        return b""

    return continuation


@dataclass
class _Held:
    """What one sequence has evaluated, and the lengths whose candidates are remembered."""

    ids: list[int] = field(default_factory=list)
    known: dict[int, Candidates] = field(default_factory=dict)

    def truncate(self, length: int) -> None:
        del self.ids[length:]
        self.known = {n: candidates for n, candidates in self.known.items() if n <= length}


class FakeEngine:
    """`DraftEngine` that proposes what `continuation(bytes so far)` says, in longest tokens; at its end, eos.

    confidence: probability of that token, a number or a function of the bytes so far; the rest is spread
    evenly over the other candidates. 1/64 is the uniform model. alternatives: further candidates as bytes,
    best first, that come before the arbitrary ones (the bytes from 0 up).
    """

    def __init__(
        self,
        continuation: Callable[[bytes], bytes] = lambda prefix: b"",
        *,
        confidence: float | Callable[[bytes], float] = 0.9,
        alternatives: Callable[[bytes], Sequence[bytes]] = lambda prefix: (),
        extra_tokens: Sequence[bytes] = (),
        fim: bool = False,
        n_sequences: int = 4,
        n_context: int = 4096,
        model_name: str = "fake-bytes",
    ) -> None:
        self.vocabulary = byte_vocabulary(extra_tokens, fim=fim)
        self.model_name = model_name
        self.n_sequences = n_sequences
        self.n_context = n_context
        self.splits_at_lines = True
        self.prompt_start: Sequence[int] = ()
        self.calls: list[tuple[int, list[int]]] = []
        """Every (sequence, ids) asked for."""
        self.aborts: list[int] = []
        """Every sequence `abort` was called for, whether or not it was running."""
        self._continuation = continuation
        self._confidence = confidence
        self._alternatives = alternatives
        self._extra = list(extra_tokens)
        self._held = [_Held() for _ in range(n_sequences)]
        self._evaluated = 0
        self._state = threading.Condition()
        self._tokens_until_hold: int | None = None
        self._is_held = False
        self._running: int | None = None
        self._abort_at: int | None = None
        self._failure: str | None = None
        self._closed = False

    # --- DraftEngine

    def tokenize(self, text: str) -> list[int]:
        """Extra tokens greedily (longest first), bytes otherwise."""
        self._check_open()
        data, ids = text.encode(errors="replace"), []
        while data:
            token, length = self._longest_token(data)
            ids.append(token)
            data = data[length:]
        return ids

    def next_candidates(
        self, sequence: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        self._check_open()
        wanted = list(ids)
        self._check(sequence, wanted)
        check_allowed(allowed, self.vocabulary.n_vocab)
        self.calls.append((sequence, wanted))
        if self._failure is not None:
            raise EngineFailed(self._failure)
        held = self._held[sequence]
        common = common_length(held.ids, wanted)
        if common == len(wanted) and common in held.known:
            return self._allowed(held.known[common], allowed)
        held.truncate(min(common, len(wanted) - 1))
        self._evaluate(sequence, held, wanted)
        held.known[len(wanted)] = self._candidates(wanted)
        return self._allowed(held.known[len(wanted)], allowed)

    def evaluated_tokens(self) -> int:
        return self._evaluated

    def abort(self, sequence: int, keep: int = 0) -> None:
        with self._state:
            self.aborts.append(sequence)
            if self._running == sequence:
                self._abort_at = keep
                self._state.notify_all()

    def close(self) -> None:
        self._closed = True

    # --- what a test does to it

    def hold(self, *, after_tokens: int = 0) -> None:
        """From now on an evaluation waits, after `after_tokens` more tokens, until `release` or `abort`."""
        with self._state:
            self._tokens_until_hold = after_tokens

    def release(self) -> None:
        """Let a held evaluation, and all later ones, run."""
        with self._state:
            self._tokens_until_hold = None
            self._state.notify_all()

    def wait_until_held(self, timeout_s: float = 10.0) -> None:
        """Return once an evaluation waits; TimeoutError if none does in time."""
        with self._state:
            if not self._state.wait_for(lambda: self._is_held, timeout_s):
                raise TimeoutError("no evaluation was held")

    def fail_with(self, message: str | None) -> None:
        """Every further evaluation raises EngineFailed(message); None: no more."""
        self._failure = message

    # --- the model

    def _evaluate(self, sequence: int, held: _Held, wanted: list[int]) -> None:
        with self._state:
            self._running, self._abort_at = sequence, None
            try:
                for token in wanted[len(held.ids) :]:
                    self._wait_if_held(held)
                    if self._is_aborted(held):
                        raise Aborted(f"sequence {sequence}: stopped after {len(held.ids)} tokens")
                    held.ids.append(token)
                    self._evaluated += 1
            finally:
                self._running = None

    def _is_aborted(self, held: _Held) -> bool:
        return self._abort_at is not None and len(held.ids) >= self._abort_at

    def _wait_if_held(self, held: _Held) -> None:
        if self._tokens_until_hold is None:
            return
        if self._tokens_until_hold > 0:
            self._tokens_until_hold -= 1
            return
        self._is_held = True
        self._state.notify_all()
        self._state.wait_for(lambda: self._is_aborted(held) or self._tokens_until_hold is None)
        self._is_held = False

    def _candidates(self, wanted: list[int]) -> Candidates:
        so_far = b"".join(self.vocabulary.token_bytes[i] for i in wanted)
        rest = self._continuation(so_far)
        best = self._longest_token(rest)[0] if rest else self.vocabulary.special_ids["eos"]
        ids = [best]
        for text in self._alternatives(so_far):
            ids.append(self._longest_token(text)[0])
        ids = list(dict.fromkeys(ids + list(range(MAX_CANDIDATES + len(ids)))))[:MAX_CANDIDATES]
        confidence = self._confidence(so_far) if callable(self._confidence) else self._confidence
        return _ranked(ids, confidence)

    def _allowed(self, best: Candidates, allowed: NDArray[np.bool_] | None) -> Candidates:
        """The best that are allowed; tokens that are no candidates come after those that are, in id order."""
        if allowed is None:
            return best
        others = [i for i in range(self.vocabulary.n_vocab) if i not in set(best.ids.tolist())]
        ranked = [i for i in [*best.ids.tolist(), *others] if allowed[i]]
        return _ranked(ranked[:MAX_CANDIDATES], 0.9 if len(ranked) > 1 else 1.0)

    def _longest_token(self, data: bytes) -> tuple[int, int]:
        fitting = [
            (len(token), -i) for i, token in enumerate(self._extra) if token and data.startswith(token)
        ]
        if not fitting:
            return data[0], 1
        length, minus_index = max(fitting)
        return FIRST_EXTRA - minus_index, length

    def _check_open(self) -> None:
        if self._closed:
            raise EngineFailed("the engine was closed")

    def _check(self, sequence: int, ids: list[int]) -> None:
        if not 0 <= sequence < self.n_sequences:
            raise ValueError(f"sequence {sequence}: this engine has {self.n_sequences}")
        if not 0 < len(ids) <= self.n_context:
            raise ValueError(f"{len(ids)} ids: a sequence holds 1 to {self.n_context}")
        if min(ids) < 0 or max(ids) >= self.vocabulary.n_vocab:
            raise ValueError(f"token ids must be from 0 to {self.vocabulary.n_vocab - 1}")


def _ranked(ids: list[int], confidence: float) -> Candidates:
    """`ids[0]` with probability `confidence`, the others evenly, each a hair less likely than the one before."""
    others = max((1.0 - confidence) / max(len(ids) - 1, 1), 1e-9)
    logits = np.log(np.array([confidence] + [others] * (len(ids) - 1))) - 1e-4 * np.arange(len(ids))
    weights = np.exp(logits - logits[0])
    weights /= weights.sum()
    entropy = float(-(weights * np.log(weights)).sum())
    return Candidates(ids=np.array(ids, np.int32), logits=logits.astype(np.float32), entropy=entropy)
