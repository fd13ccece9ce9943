"""How well drafts are accepted on DSLs: `python -m benchmarks.dsl_acceptance [--json] [--dsl NAME ...] [--quick]`.

Two drafts (the bundled one, and the same model two layers short: a draft that is bad) and two targets: the verifier's
torch engine on the bundled weights in float32, and `truth`, which says what stands in the file: a stand-in for a
strong target that knows the language. Settings: *cold*, within the first 200 tokens of a file (the comments it
begins with not counted), where `plain` and `masked` have no context; *warm*, further in, after one other file of the
project. Blocks are made by a rule of thumb (`dsl/thumb_blocks.py`).

Variants: `plain` (no mask), `masked` (the draft alone is masked; the target never is), `exemplar` and
`exemplar_masked` (the same with one other file of the language first, where it is cold), `alone` (masked, without the
other file, where it is warm), `best` (what ships: masked, the other file, and repetitions are followed without asking
the model: `daemon/draft/text_match.py`, as far as matches are trusted at first). Under `strict` the target is masked
as well (mask on both).

Figures, for each DSL and setting: `plain_DSL_SETTING`, `masked_...`, `best_...`: accepted draft tokens of those
verified, the bundled draft; with `_shallow28`: the bad one; with `_truth`: the bundled one against the file.
`legal_plain_DSL_SETTING`, `legal_masked_...`: the share of suggestions of 12 tokens, or up to the line's end, that
the grammar allows. `rows` has the rest: accepted tokens per round (the correction and bonus tokens not counted),
first tokens, what fits the text after the cursor, before and after trimming, without and with the verifier.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import torch

from benchmarks.dsl.bench import MAIN_DRAFT, POOR_DRAFT, Bench
from benchmarks.dsl.grammars import language_of
from benchmarks.dsl.places import SETTINGS, WINDOW_TOKENS
from benchmarks.dsl.targets import StrictTarget
from benchmarks.machine import machine_info
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.settings.config import DraftConfig
from verifier.bundled import bundled_model
from verifier.model.load import load_gguf
from verifier.torch_engine import TorchEngine

DSLS: Final = ("proto3", "graphql", "sql", "st", "fsm_zh", "promql")
PLACES: Final = 200
QUICK_DSLS: Final = ("proto3", "sql")
QUICK_PLACES: Final = 12
DRAFTS: Final = {MAIN_DRAFT: "bundled", POOR_DRAFT: "bundled:shallow28"}
POSITIONS: Final = WINDOW_TOKENS + 64
"""A prompt, and what is drafted and said after it."""


def measure(
    names: Sequence[str], count: int, seed: int, threads: int, folders: Sequence[Path] = ()
) -> dict[str, object]:
    """The report: figures, rows and machine."""
    figures: dict[str, float] = {}
    rows: dict[str, object] = {}
    files: dict[str, str] = {}
    with ExitStack() as stack:
        bench = _bench(stack, threads)
        for name in names:
            language = language_of(name, seed, folders)
            files[name] = f"{len(language.files)} {language.origin} files"
            for setting in SETTINGS:
                started = time.monotonic()
                counts = bench.measure(language, setting, count)
                figures |= counts.figures(f"{name}_{setting}")
                rows[f"{name} {setting}"] = counts.rows()
                _say(f"{name} {setting}: {time.monotonic() - started:.0f} s")
    machine = machine_info() | {
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    return {
        "figures": figures,
        "rows": rows,
        "files": files,
        "places": count,
        "seed": seed,
        "machine": machine,
    }


def _bench(stack: ExitStack, threads: int) -> Bench:
    """All models loaded; the drafts are closed with the stack."""
    cache = DraftConfig().cache_path
    engines: dict[str, LlamaEngine] = {}
    for name, spec in DRAFTS.items():
        _say(f"loading the draft model {spec}")
        file = resolve_draft_model(spec, cache)
        engines[name] = stack.enter_context(
            LlamaEngine(file.path, n_context=POSITIONS, n_sequences=2, threads=threads, model_name=file.name)
        )
    _say("loading the target")
    model = load_gguf(bundled_model(), n_positions=POSITIONS)
    target = TorchEngine(model, n_slots=2, chunk_tokens=WINDOW_TOKENS)
    strict = StrictTarget(model, POSITIONS)
    return Bench(engines, target, strict)


def _say(text: str) -> None:
    sys.stderr.write(f"dsl_acceptance: {text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dsl_acceptance", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--dsl", nargs="+", default=(), metavar="NAME", help=f"default: {' '.join(DSLS)}")
    parser.add_argument("--positions", type=int, default=0, help="cursor places a DSL and setting")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_PLACES} places of {' and '.join(QUICK_DSLS)}"
    )
    parser.add_argument(
        "--files", nargs="+", type=Path, default=(), metavar="FOLDER", help="more folders with real files"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the generated files")
    parser.add_argument("--threads", type=int, default=0, help="of each model; 0: as many as seem sensible")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    names = options.dsl or (QUICK_DSLS if options.quick else DSLS)
    count = options.positions or (QUICK_PLACES if options.quick else PLACES)
    report = measure(names, count, options.seed, options.threads, options.files)
    sys.stdout.write(json.dumps(report, indent=None if options.json else 2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
