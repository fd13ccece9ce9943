"""What our draft loop costs beside llama.cpp itself: `python -m benchmarks.draft_step [--json]`.

Figure `loop_over_raw`: time per drafted token through `LlamaEngine.next_candidates` (greedy, the best candidate
appended) / time per token of a bare llama_decode + argmax over the logits, in the same context with the same threads
and from the same place. Both take turns in one process, block by block, so that other load meets both; the figure is
the median of the blocks' ratios, and at most 1.10 is wanted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.machine import machine_info
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.llama_library import llama
from daemon.draft.models import resolve_draft_model
from daemon.settings.config_sections import DraftConfig

OURS, RAW = 0, 1
"""The sequences of the two loops."""
TEXT = Path(__file__).read_text(encoding="utf-8")


@dataclass(slots=True)
class Timings:
    """Seconds a token, and a block's ratio ours / raw."""

    ours: list[float] = field(default_factory=list)
    raw: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)


def draft(engine: LlamaEngine, prompt: list[int], count: int) -> tuple[list[int], list[float]]:
    """`count` greedy tokens through our loop, and the seconds each took."""
    ids, seconds = list(prompt), []
    engine.next_candidates(OURS, ids[:-1])
    for _ in range(count):
        start = time.perf_counter()
        ids.append(int(engine.next_candidates(OURS, ids).ids[0]))
        seconds.append(time.perf_counter() - start)
    return ids[len(prompt) :], seconds


class RawLoop:
    """The same in bare calls: llama_decode of one token, argmax over its logits."""

    def __init__(self, engine: LlamaEngine, prompt: list[int]) -> None:
        self._context = engine._context
        self._memory = llama.llama_get_memory(self._context)
        self._n_vocab = engine.vocabulary.n_vocab
        self._prompt = prompt
        self._batch = llama.llama_batch_init(1, 0, 1)
        self._batch.n_tokens, self._batch.n_seq_id[0], self._batch.seq_id[0][0] = 1, 1, RAW
        self._batch.logits[0] = 1
        engine.next_candidates(RAW, prompt[:-1])

    def draft(self, count: int) -> tuple[list[int], list[float]]:
        """`count` greedy tokens after the prompt, and the seconds each took."""
        start_at = len(self._prompt) - 1
        llama.llama_memory_seq_rm(self._memory, RAW, start_at, -1)
        token, ids, seconds = self._prompt[-1], [], []
        for position in range(start_at, start_at + count):
            start = time.perf_counter()
            self._batch.token[0], self._batch.pos[0] = token, position
            if llama.llama_decode(self._context, self._batch) != 0:
                raise RuntimeError("llama_decode failed")
            logits = np.ctypeslib.as_array(llama.llama_get_logits_ith(self._context, -1), (self._n_vocab,))
            token = int(logits.argmax())
            seconds.append(time.perf_counter() - start)
            ids.append(token)
        return ids, seconds

    def close(self) -> None:
        llama.llama_batch_free(self._batch)


def measure(engine: LlamaEngine, rounds: int, block: int, say: Callable[[str], None]) -> Timings:
    """`rounds` blocks of each loop in turn. RuntimeError if they do not draft the same tokens."""
    prompt = engine.tokenize(TEXT)[:256]
    raw, timings = RawLoop(engine, prompt), Timings()
    try:
        for n in range(rounds + 1):
            our_ids, ours = draft(engine, prompt, block)
            raw_ids, bare = raw.draft(block)
            if our_ids != raw_ids:
                raise RuntimeError(f"the two loops disagree: {our_ids} and {raw_ids}")
            forget(engine, len(prompt) - 1)
            if n > 0:  # the first round warms up
                timings.ours += ours
                timings.raw += bare
                timings.ratios.append(sum(ours) / sum(bare))
                say(f"round {n} of {rounds}: ours / raw = {timings.ratios[-1]:.3f}")
    finally:
        raw.close()
    return timings


def forget(engine: LlamaEngine, length: int) -> None:
    """Make the engine evaluate again what comes after its first `length` tokens: a call that contradicts them."""
    held = engine._held[OURS].ids[:length]
    engine.next_candidates(OURS, [*held, 0])


def prefill_ms(engine: LlamaEngine) -> float:
    """Milliseconds for 256 tokens that the engine has not seen."""
    start = time.perf_counter()
    engine.next_candidates(OURS, [0, *engine.tokenize(TEXT)[:255]])
    return (time.perf_counter() - start) * 1e3


def report(engine: LlamaEngine, timings: Timings) -> dict[str, object]:
    """The object that is printed."""

    def ms(seconds: list[float], percent: float) -> float:
        return round(float(np.percentile(seconds, percent)) * 1e3, 3)

    return {
        "figures": {"loop_over_raw": round(float(np.median(timings.ratios)), 4)},
        "baseline": {
            "model": engine.model_name,
            "threads": int(llama.llama_n_threads(engine._context)),
            "tokens": len(timings.ours),
            "ours_ms_p50": ms(timings.ours, 50),
            "ours_ms_p99": ms(timings.ours, 99),
            "raw_ms_p50": ms(timings.raw, 50),
            "raw_ms_p99": ms(timings.raw, 99),
            "prefill_256_ms": round(prefill_ms(engine), 1),
        },
        "machine": machine_info(),
    }


def main() -> None:
    """Measure the bundled model (or `--model`) and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--model", default="bundled", help="as draft.model in the configuration")
    parser.add_argument(
        "--cache", type=Path, help="folder for converted models; default: the user's cache folder"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: as the daemon chooses")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--block", type=int, default=16, help="tokens a round")
    options = parser.parse_args()

    def say(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    cache = options.cache or DraftConfig().cache_path
    file = resolve_draft_model(options.model, cache, lambda what, fraction: say(f"{what}: {fraction:.0%}"))
    with LlamaEngine(
        file.path, n_context=1024, n_sequences=2, threads=options.threads, model_name=file.name
    ) as engine:
        found = report(engine, measure(engine, options.rounds, options.block, say))
    sys.stdout.write(json.dumps(found, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
