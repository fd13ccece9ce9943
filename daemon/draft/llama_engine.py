"""The draft model in llama.cpp: `DraftEngine` on the low-level API.

Each sequence remembers the ids it has evaluated and the candidates it found, so that a call evaluates only what is
new: the longest common prefix stays in the KV cache, the rest is rolled back. It knows nothing of prompts,
grammars or sessions, and runs in whatever thread calls it (the calls into llama.cpp release the GIL).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from daemon.draft.engine import Aborted, Candidates, EngineFailed
from daemon.draft.gguf_file import GgufInvalid, check_gguf
from daemon.draft.llama_library import llama, loading, why
from daemon.draft.llama_threads import LlamaThreads
from daemon.draft.llama_vocabulary import read_vocabulary
from daemon.draft.top_candidates import check_allowed, top_candidates
from speculation.paths import common_length

BATCH_TOKENS = 64
"""Tokens per llama_decode. An abort loses the batch under way, so a batch is short: 64 tokens took 0.1 s, and
prefilled 3 % (1 thread) to 15 % (2 threads) slower than 128; at 32 the weights are no longer reused and prefill
is three times slower."""
_DECODED, _NO_SLOT, _ABORTED = 0, 1, 2

# llama.cpp asks after every node of the graph (about 900 a token) whether to stop. A Python callback would take
# the GIL each time and wait for whatever else Python does; so the callback is C's strlen, and its argument a string
# that is empty (0, go on) until `abort` puts a character into it (1, stop).
_LIBC = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
_IS_SET = ctypes.cast(_LIBC.strlen, llama.ggml_abort_callback)


@dataclass(slots=True)
class _Sequence:
    """What one sequence holds in the KV cache, and the candidates known after the first n ids of it."""

    ids: list[int] = field(default_factory=list)
    known: dict[int, Candidates] = field(default_factory=dict)

    def truncate(self, length: int) -> None:
        for n in range(length + 1, len(self.ids) + 1):
            self.known.pop(n, None)
        del self.ids[length:]


class LlamaEngine:
    """A GGUF model as `DraftEngine`; a context manager. One thread at a time, but for `abort`.

    n_context: tokens each sequence may hold (less, if the model was trained on less). threads: 0 finds out, and goes
    on to while it runs. Raises EngineFailed if the file is missing, damaged, or no model that can draft.
    """

    def __init__(
        self,
        path: Path,
        *,
        n_context: int = 2048,
        n_sequences: int = 4,
        threads: int = 0,
        model_name: str | None = None,
    ) -> None:
        self.model_name = model_name or path.stem
        self.n_sequences = n_sequences
        self._path = path
        self._flag = ctypes.create_string_buffer(2)
        self._turn = threading.Lock()
        self._running: int | None = None
        self._abort_at: int | None = None
        """Set by `abort`: the evaluation under way ends once this many ids are evaluated."""
        self._batch_start = 0
        self._evaluated = 0
        self._logits_after: tuple[int, int] | None = None
        """Sequence and number of ids that the context's logits belong to; None if they belong to no end."""
        self._held = [_Sequence() for _ in range(n_sequences)]
        self.threads = LlamaThreads(threads)
        self._model: Any = None
        self._context: Any = None
        self._batch: Any = None
        try:
            self._model = _load_model(path)
            self.vocabulary = read_vocabulary(self._model)
            self.n_context = min(n_context, llama.llama_model_n_ctx_train(self._model))
            self._context = self._new_context(self.threads.most)
        except BaseException:
            self.close()
            raise
        self._memory = llama.llama_get_memory(self._context)
        self._vocab = llama.llama_model_get_vocab(self._model)
        self.splits_at_lines = llama.llama_vocab_type(self._vocab) == llama.LLAMA_VOCAB_TYPE_BPE
        bos = llama.llama_vocab_bos(self._vocab)
        wants_bos = bos >= 0 and llama.llama_vocab_get_add_bos(self._vocab)
        self.prompt_start: Sequence[int] = (bos,) if wants_bos else ()
        self._batch = _new_batch()

    def tokenize(self, text: str) -> list[int]:
        """Text -> ids. No special token is added or parsed; what UTF-8 can't say (a lone surrogate) becomes "?"."""
        self._check_open()
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        ids = np.empty(room, np.int32)
        pointer = ids.ctypes.data_as(llama.llama_token_p)
        count = llama.llama_tokenize(self._vocab, data, len(data), pointer, room, False, False)
        if count < 0:
            raise EngineFailed(f"{self._path}: its tokenizer makes more tokens of a text than it has bytes")
        return [int(i) for i in ids[:count]]

    def next_candidates(
        self, sequence: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        self._check_open()
        held, wanted = self._held_by(sequence), list(ids)
        self._check_ids(wanted)
        check_allowed(allowed, self.vocabulary.n_vocab)
        common = common_length(held.ids, wanted)
        if common == len(wanted):
            if allowed is None and common in held.known:
                return held.known[common]
            if allowed is not None and self._logits_after == (sequence, common):
                return self._candidates(allowed)
        # The last id is evaluated even if it is held: only an evaluation gives its logits.
        self._roll_back(sequence, held, min(common, len(wanted) - 1))
        with self._abortable(sequence):
            while len(held.ids) < len(wanted):
                self._begin_batch(sequence, held)
                self._evaluate(sequence, held, wanted[len(held.ids) :][:BATCH_TOKENS], len(wanted))
        self._logits_after = (sequence, len(wanted))
        known = held.known[len(wanted)] = self._candidates()
        return known if allowed is None else self._candidates(allowed)

    def evaluated_tokens(self) -> int:
        return self._evaluated

    def decode_with(self, threads: int) -> float:
        """Decode one token of no meaning, in sequence 0, with so many threads; the seconds it took."""
        self._check_open()
        held = self._held[0]
        self._roll_back(0, held, 0 if len(held.ids) >= BATCH_TOKENS else len(held.ids))
        with self._abortable(0):
            began = time.perf_counter()
            self._evaluate(0, held, [0], len(held.ids) + 1, threads)
            return time.perf_counter() - began

    def abort(self, sequence: int, keep: int = 0) -> None:
        with self._turn:
            if self._running == sequence:
                self._abort_at = keep
                if keep <= self._batch_start:
                    self._flag[0] = b"\x01"

    def close(self) -> None:
        """Free the model; safe to call twice."""
        if self._batch is not None:
            llama.llama_batch_free(self._batch)
        if self._context is not None:
            llama.llama_free(self._context)
        if self._model is not None:
            llama.llama_model_free(self._model)
        self._batch = self._context = self._model = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- the steps of an evaluation

    def _roll_back(self, sequence: int, held: _Sequence, length: int) -> None:
        """Keep the first `length` ids of the sequence; all of it goes where the model can't cut its memory."""
        if length >= len(held.ids):
            return
        if not llama.llama_memory_seq_rm(self._memory, sequence, length, -1):
            llama.llama_memory_seq_rm(self._memory, sequence, -1, -1)
            length = 0
        held.truncate(length)

    def _begin_batch(self, sequence: int, held: _Sequence) -> None:
        """Raises Aborted if `abort` was called and all it wanted kept is evaluated."""
        with self._turn:
            self._batch_start = len(held.ids)
            if self._abort_at is not None and self._batch_start >= self._abort_at:
                raise Aborted(f"sequence {sequence}: stopped with {self._batch_start} tokens evaluated")

    def _evaluate(
        self, sequence: int, held: _Sequence, chunk: list[int], goal: int, threads: int = 0
    ) -> None:
        """One llama_decode. Logits are computed for the last id of the goal only."""
        start, end = len(held.ids), len(held.ids) + len(chunk)
        batch = self._batch
        batch.n_tokens = len(chunk)
        for i, token in enumerate(chunk):
            batch.token[i] = token
            batch.pos[i] = start + i
            batch.seq_id[i][0] = sequence
            batch.logits[i] = 0
        batch.logits[len(chunk) - 1] = end == goal
        self._logits_after = None
        status = self.threads.decode(self._context, batch, threads)
        done = len(chunk) if status == _DECODED else self._length(sequence) - start
        held.ids += chunk[: max(done, 0)]
        held.truncate(start + done)
        self._evaluated += max(done, 0)
        if status == _ABORTED:
            raise Aborted(f"sequence {sequence}: stopped with {len(held.ids)} of {goal} tokens evaluated")
        if status != _DECODED:
            reason = "its KV cache is full" if status == _NO_SLOT else f"llama_decode gave {status}"
            raise EngineFailed(f"{self._path} can't be evaluated ({reason}): restart with `draftwire daemon`")

    def _length(self, sequence: int) -> int:
        """Tokens the KV cache really holds of the sequence."""
        return int(llama.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def _candidates(self, allowed: NDArray[np.bool_] | None = None) -> Candidates:
        pointer = llama.llama_get_logits_ith(self._context, -1)
        logits = np.ctypeslib.as_array(pointer, (self.vocabulary.n_vocab,))
        try:
            return top_candidates(
                logits if allowed is None else np.where(allowed, logits, np.float32(-np.inf))
            )
        except ValueError as broken:
            raise EngineFailed(
                f"{self._path} computes no usable numbers ({broken}): the file is damaged, fetch it again"
            ) from broken

    @contextlib.contextmanager
    def _abortable(self, sequence: int) -> Iterator[None]:
        with self._turn:
            self._running = sequence
            self._abort_at = None
            self._flag[0] = b"\x00"
        try:
            yield
        finally:
            with self._turn:
                self._running = None

    # --- checks and loading

    def _check_open(self) -> None:
        if self._context is None:
            raise EngineFailed(f"{self._path}: the engine was closed; make a new one")

    def _held_by(self, sequence: int) -> _Sequence:
        if not 0 <= sequence < self.n_sequences:
            raise ValueError(f"sequence {sequence}: this engine has {self.n_sequences}")
        return self._held[sequence]

    def _check_ids(self, ids: list[int]) -> None:
        if not 0 < len(ids) <= self.n_context:
            raise ValueError(f"{len(ids)} ids: a sequence holds 1 to {self.n_context}")
        if min(ids) < 0 or max(ids) >= self.vocabulary.n_vocab:
            raise ValueError(f"token ids must be from 0 to {self.vocabulary.n_vocab - 1}")

    def _new_context(self, threads: int) -> Any:
        params = llama.llama_context_default_params()
        params.n_ctx = self.n_context * self.n_sequences
        params.n_seq_max = self.n_sequences
        params.n_batch = params.n_ubatch = BATCH_TOKENS
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = False
        params.no_perf = True
        # On a CPU flash attention makes a token at 1,024 of context cost 42 ms instead of 20 (1 thread, Q4_0).
        if not llama.llama_supports_gpu_offload():
            params.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.abort_callback = _IS_SET
        params.abort_callback_data = ctypes.addressof(self._flag)
        with loading() as errors:
            context = llama.llama_init_from_model(self._model, params)
        if not context:
            raise EngineFailed(
                f"{self._path}: no memory for {self.n_sequences} x {self.n_context} tokens ({why(errors)}): "
                "lower draft.context_tokens in the configuration"
            )
        if llama.llama_pooling_type(context) > llama.LLAMA_POOLING_TYPE_NONE:
            llama.llama_free(context)
            raise EngineFailed(f"{self._path} is an embedding model: choose a model that generates text")
        return context


def _load_model(path: Path) -> Any:
    try:
        check_gguf(path)
    except GgufInvalid as invalid:
        raise EngineFailed(str(invalid)) from invalid
    params = llama.llama_model_default_params()
    # A prompt is tokenised piece by piece: a piece must not get a space in front of it (SentencePiece).
    override = (llama.llama_model_kv_override * 2)()
    override[0].key = b"tokenizer.ggml.add_space_prefix"
    override[0].tag = llama.LLAMA_KV_OVERRIDE_TYPE_BOOL
    override[0].value.val_bool = False
    params.kv_overrides = override
    with loading() as errors:
        model = llama.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise EngineFailed(
            f"llama.cpp can't load {path} ({why(errors)}): fetch it again, or choose another model"
        )
    unfit = _why_unfit(model)
    if unfit:
        llama.llama_model_free(model)
        raise EngineFailed(f"{path} is {unfit}: choose a causal language model with full attention")
    return model


def _why_unfit(model: Any) -> str | None:
    if llama.llama_model_has_encoder(model) or not llama.llama_model_has_decoder(model):
        return "an encoder model, which can't draft"
    if llama.llama_model_is_recurrent(model) or llama.llama_model_is_hybrid(model):
        return "a recurrent model, whose state can't be rolled back token by token"
    if llama.llama_model_is_diffusion(model):
        return "a diffusion model, which doesn't draft token by token"
    return None


def _new_batch() -> Any:
    batch = llama.llama_batch_init(BATCH_TOKENS, 0, 1)
    for i in range(BATCH_TOKENS):
        batch.n_seq_id[i] = 1
    return batch
