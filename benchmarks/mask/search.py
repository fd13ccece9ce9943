"""Part of `benchmarks.masks`: the search for a legal token at every step of real text, and what else a step asks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.dsl.grammars import Language
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.llama_library import llama
from daemon.draft.top_candidates import top_candidates
from grammars.cursor import GrammarState
from grammars.engine import TokenTable, load

BLOCK = 16
"""Steps whose rows of logits are held at a time."""
MODEL_CHUNK = 512
"""Steps with one beginning of the model's context."""
ILLEGAL_SHARE = 0.05
"""Of made-up rows: how often another token than the text's is the best. The real draft: 0.4 to 11 % of steps."""


@dataclass(slots=True)
class Steps:
    """Microseconds of CPU for each step, and what came out."""

    search_us: list[float] = field(default_factory=list)
    """Candidates taken from the logits, and the first legal one of them (or the mask's best)."""
    mask_us: list[float] = field(default_factory=list)
    push_us: list[float] = field(default_factory=list)
    decode_us: list[float] = field(default_factory=list)
    """Wall time of the model's own step."""
    full_masks: int = 0
    checks: int = 0
    first_was_legal: int = 0


def step_through(
    state: GrammarState, table: TokenTable, tokens: Sequence[int], rows: Iterator[NDArray[np.float32]]
) -> Steps:
    """Search at each of `tokens` before it is pushed. RuntimeError unless it finds what the full mask would have.

    In blocks: first the searches, each of a row that was made just before, as a draft's is; then the masks, which would
    leave the processor's caches cold.
    """
    steps = Steps()
    for start in range(0, len(tokens), BLOCK):
        block = tokens[start : start + BLOCK]
        logits, found = [], []
        for token in block:
            logits.append(next(rows))
            found.append(_searched(state, logits[-1], token, steps))
        state.pop(len(block))
        for row, token, best in zip(logits, block, found, strict=True):
            _compared(state, row, best, steps)
            if not state.push(token):
                raise RuntimeError(f"a token of a valid file is refused: {table.token_bytes[token]!r}")
    return steps


def _searched(state: GrammarState, logits: NDArray[np.float32], token: int, steps: Steps) -> int:
    """The best legal token; the state is then after `token`."""
    start = time.thread_time_ns()
    candidates = top_candidates(logits)
    index = state.first_legal(candidates.ids)  # type: ignore[arg-type]
    found = best_allowed(logits, state.mask()) if index is None else int(candidates.ids[index])
    end = time.thread_time_ns()
    state.push(token)
    steps.push_us.append((time.thread_time_ns() - end) / 1e3)
    steps.search_us.append((end - start) / 1e3)
    steps.full_masks += index is None
    steps.checks += len(candidates.ids) if index is None else index + 1
    steps.first_was_legal += index == 0
    return found


def _compared(state: GrammarState, logits: NDArray[np.float32], found: int, steps: Steps) -> None:
    """RuntimeError if the full mask's best is another than `found`."""
    start = time.thread_time_ns()
    mask = state.mask()
    steps.mask_us.append((time.thread_time_ns() - start) / 1e3)
    if state.mode.kind != "masked":
        raise RuntimeError(f"the engine failed along a valid file: {state.mode.reason}")
    if best_allowed(logits, mask) != found:
        raise RuntimeError(f"the search found {found}, the full mask has {best_allowed(logits, mask)}")


def best_allowed(logits: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
    """Argmax over the allowed ones; the lowest id of equals."""
    return int(np.where(mask, logits, -np.inf).argmax())


def made_up_rows(tokens: Sequence[int], n_vocab: int, seed: int) -> Iterator[NDArray[np.float32]]:
    """A row of logits for each token, the best in it but for ILLEGAL_SHARE; the noise is turned each time."""
    random = np.random.default_rng(seed)
    noise = random.normal(size=n_vocab).astype(np.float32)
    for token in tokens:
        row = np.roll(noise, int(random.integers(n_vocab)))
        row[random.integers(n_vocab, size=64)] += np.float32(4)
        row[token] = 12
        if random.random() < ILLEGAL_SHARE:
            row[random.integers(n_vocab, size=8)] = 13 + random.random(8).astype(np.float32)
        yield row


def with_made_up_rows(languages: Sequence[Language], table: TokenTable, count: int, seed: int) -> Steps:
    """`count` steps over all languages, of rows that look like a draft model's."""
    total = Steps()
    share = -(-count // len(languages))
    for language in languages:
        text = "".join(file.text for file in language.files[:1]).encode()
        tokens = [token for token in table.greedy(text) if token < table.n_vocab][:share]
        state = GrammarState(load(language.compiled, table), table)
        add(total, step_through(state, table, tokens, made_up_rows(tokens, table.n_vocab, seed)))
    return total


def with_model(languages: Sequence[Language], table: TokenTable, engine: LlamaEngine, count: int) -> Steps:
    """`count` steps over all languages with the logits of the real draft, the file before it as its context."""
    total = Steps()
    share = -(-count // len(languages))
    for language in languages:
        tokens = engine.tokenize(language.files[0].text)[:share]
        state = GrammarState(load(language.compiled, table), table)
        decode: list[float] = []
        steps = step_through(state, table, tokens, model_rows(engine, tokens, decode))
        steps.decode_us = decode
        add(total, steps)
    return total


def model_rows(
    engine: LlamaEngine, tokens: Sequence[int], decode_us: list[float]
) -> Iterator[NDArray[np.float32]]:
    """The model's logits before each of `tokens`; how long each took is added to `decode_us`, prefill left out."""
    n_vocab = engine.vocabulary.n_vocab
    for position in range(len(tokens)):
        begin = max(0, position // MODEL_CHUNK * MODEL_CHUNK - MODEL_CHUNK)
        context = [*engine.prompt_start, *tokens[begin:position]] or [0]
        start = time.perf_counter_ns()
        engine.next_candidates(0, context)
        if position % MODEL_CHUNK:
            decode_us.append((time.perf_counter_ns() - start) / 1e3)
        logits = np.ctypeslib.as_array(llama.llama_get_logits_ith(engine._context, -1), (n_vocab,))
        yield logits.copy()


def engine_share(steps: Steps) -> float | None:
    """Time for legality / time for the model, per token; None where no model was asked."""
    if not steps.decode_us:
        return None
    ours = float(np.mean(steps.search_us) + np.mean(steps.push_us))
    return ours / float(np.mean(steps.decode_us))


def add(total: Steps, more: Steps) -> None:
    """Add the steps of another file."""
    total.search_us += more.search_us
    total.mask_us += more.mask_us
    total.push_us += more.push_us
    total.decode_us += more.decode_us
    total.full_masks += more.full_masks
    total.checks += more.checks
    total.first_was_legal += more.first_was_legal
