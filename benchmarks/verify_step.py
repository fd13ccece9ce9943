"""What a verify step costs: `python -m benchmarks.verify_step [--json]`.

Figure `verify8_over_decode1`: one engine step of 8 rows (the last committed token and 7 draft tokens) with 512 tokens
of context / one plain decode step of the same engine. Figure `ours_over_transformers`: our decoder's forward /
transformers', both float32 on CPU with the same weights (the bundled model, dequantised), the same rows and the same
rows' logits; the worst of three shapes (1 row, 8 rows, 512 rows), each of which is a figure of its own. At most 1.0 is
wanted. Both sides of a figure take turns; a figure is the median of the pairwise ratios.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import torch
import transformers

from benchmarks.machine import machine_info
from verifier.bundled import bundled_model
from verifier.engine import Block, Request
from verifier.model.config import DecoderConfig
from verifier.model.decoder import Decoder, Segment
from verifier.model.gguf_file import GgufFile
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel, load_gguf
from verifier.model.weights import GgufTensors
from verifier.reference import GREEDY_RULE, greedy_continuation
from verifier.torch_engine import TorchEngine

CONTEXT = 512
VERIFY_ROWS = 8
SHAPES = {"decode1": 1, f"verify{VERIFY_ROWS}": VERIFY_ROWS, f"prefill{CONTEXT}": CONTEXT}
IDS = [(7919 * i) % 40_000 + 100 for i in range(CONTEXT + VERIFY_ROWS)]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two steps whose times are compared, `first` / `second`, and what each is called."""

    figure: str
    first_name: str
    first: Callable[[], object]
    second_name: str
    second: Callable[[], object]
    rounds: int


def engine_pair(model: LoadedModel, rounds: int) -> Pair:
    """A verify of 8 rows and a plain decode step of one engine."""
    engine = TorchEngine(model, n_slots=2, chunk_tokens=CONTEXT)
    context = IDS[:CONTEXT]
    draft = greedy_continuation(engine, context, VERIFY_ROWS - 1)
    verify = Request(1, context, GREEDY_RULE, 0, Block(tuple(draft)))
    decode = Request(2, context, GREEDY_RULE, 0)
    return Pair(
        "verify8_over_decode1",
        "engine_verify8",
        lambda: engine.verify([verify]),
        "engine_decode1",
        lambda: engine.verify([decode]),
        rounds,
    )


def our_forward(decoder: Decoder, rows: int) -> Callable[[], object]:
    """Our decoder over `rows` new tokens after 512 (a prefill: after none), logits of all (a prefill: of the last)."""
    cache = KVCache(decoder.config, 1, CONTEXT + VERIFY_ROWS, device=decoder.device, dtype=decoder.dtype)
    if rows == CONTEXT:
        segment = Segment(0, 0, IDS[:CONTEXT])
    else:
        decoder.logits([Segment(0, 0, IDS[:CONTEXT])], cache)
        segment = Segment(0, CONTEXT, IDS[CONTEXT : CONTEXT + rows], n_wanted=rows)
    return lambda: decoder.logits([segment], cache)


def their_forward(model: transformers.PreTrainedModel, rows: int) -> Callable[[], object]:
    """The same in transformers, with its own dynamic cache, cut back after each call."""
    cache = transformers.DynamicCache(config=model.config)
    context, new = torch.tensor([IDS[:CONTEXT]]), torch.tensor([IDS[CONTEXT : CONTEXT + rows]])

    def prefill() -> object:
        with torch.inference_mode():
            return model(context, cache=transformers.DynamicCache(config=model.config), logits_to_keep=1)

    def step() -> object:
        with torch.inference_mode():
            logits = model(new, cache=cache).logits
        cache.crop(-rows)
        return logits

    if rows == CONTEXT:
        return prefill
    with torch.inference_mode():
        model(context, cache=cache, logits_to_keep=1)
    return step


def transformers_model(config: DecoderConfig) -> transformers.PreTrainedModel:
    """The bundled model's dequantised weights in transformers' own Llama, with its default (SDPA) attention."""
    source = GgufTensors(GgufFile(bundled_model()), config)
    their_config = transformers.LlamaConfig(
        hidden_size=config.hidden,
        intermediate_size=config.intermediate,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=config.n_kv_heads,
        vocab_size=config.n_vocab,
        max_position_embeddings=config.max_positions,
        rms_norm_eps=config.norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        tie_word_embeddings=config.tied_head,
    )
    model = transformers.LlamaForCausalLM(their_config).eval()
    model.load_state_dict({name: source.read(name) for name in source.names}, strict=False, assign=True)
    model.tie_weights()
    return model


def in_turn(pair: Pair) -> tuple[list[float], list[float]]:
    """Seconds of both steps, measured A B A B after one of each to warm up."""
    firsts: list[float] = []
    seconds: list[float] = []
    for n in range(pair.rounds + 1):
        for step, times in ((pair.first, firsts), (pair.second, seconds)):
            started = time.perf_counter()
            step()
            if n:
                times.append(time.perf_counter() - started)
    return firsts, seconds


def measure(rounds: int) -> dict[str, object]:
    """The report: figures (ratios), baseline (milliseconds), machine."""
    _say("loading the bundled model, ours and transformers'")
    model = load_gguf(bundled_model(), n_positions=CONTEXT + 2 * VERIFY_ROWS)
    theirs = transformers_model(model.decoder.config)
    _check_same(model.decoder, theirs)
    pairs = [engine_pair(model, rounds)] + [
        Pair(
            f"ours_over_transformers_{shape}",
            f"ours_{shape}",
            our_forward(model.decoder, rows),
            f"transformers_{shape}",
            their_forward(theirs, rows),
            max(5, rounds // 5) if rows == CONTEXT else rounds,
        )
        for shape, rows in SHAPES.items()
    ]
    figures: dict[str, float] = {}
    baseline: dict[str, float] = {}
    for pair in pairs:
        firsts, seconds = in_turn(pair)
        figures[pair.figure] = round(
            statistics.median(a / b for a, b in zip(firsts, seconds, strict=True)), 3
        )
        for name, times in ((pair.first_name, firsts), (pair.second_name, seconds)):
            baseline[f"{name}_median_ms"] = round(1000 * statistics.median(times), 2)
            baseline[f"{name}_p99_ms"] = round(1000 * sorted(times)[int(0.99 * (len(times) - 1) + 0.5)], 2)
        _say(f"{pair.figure}: {figures[pair.figure]}")
    figures["ours_over_transformers"] = max(figures[f"ours_over_transformers_{shape}"] for shape in SHAPES)
    machine = machine_info() | {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "torch_threads": torch.get_num_threads(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    return {"figures": figures, "baseline": baseline, "machine": machine}


def _check_same(decoder: Decoder, theirs: transformers.PreTrainedModel) -> None:
    """Two models that say different things are not worth timing. Raises RuntimeError."""
    cache = KVCache(decoder.config, 1, 32, device=decoder.device, dtype=decoder.dtype)
    ours = decoder.logits([Segment(0, 0, IDS[:16], n_wanted=16)], cache)
    with torch.inference_mode():
        difference = float((theirs(torch.tensor([IDS[:16]])).logits[0] - ours).abs().max())
    if difference > 1e-2:
        raise RuntimeError(f"our logits and transformers' differ by {difference}")


def _say(text: str) -> None:
    sys.stderr.write(f"verify_step: {text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verify_step", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--rounds", type=int, default=30, help="pairs a figure is the median of")
    parser.add_argument("--threads", type=int, default=0, help="torch threads; 0: torch decides")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    sys.stdout.write(json.dumps(measure(options.rounds), indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
