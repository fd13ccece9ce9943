"""What the grammars cost, and how right they are: `python -m benchmarks.masks [--json]`.

CPU time of one thread, over the built-in grammars that have a generator of files, with the bundled model's vocabulary
(49k) and one of 152,064 tokens. Figures, each with its goal in `GOALS`:

- `search_*`: the draft's best legal token found from a row of logits, candidate selection included. At every step it
  is compared with the argmax under the full mask: another one ends the run. 49k: the real draft's logits along
  files of the languages (`--rows made-up`: rows that look like them); 152k: made-up rows.
- `full_mask_share`: steps at which none of the 64 best tokens was legal. `engine_share`: search and push / the
  model's own step (with real rows only).
- `cold_20kb_ms`, `key_p99_ms_20kb`, `edit_start_20kb_ms`, `pop32_us`, `step_200kb_over_1kb`: in documents.
- `load_*`, `memory_*`: from a grammar's text, or its compiled form, to the first state; growth of the process.
- `resync_single`, `resync_triple`: trials with one or three errors in a file, after which the true next 10 tokens are
  legal; `resync_wrong`: trials of both in which they are forbidden.
- `suffix_agree`: completions cut by 64 tokens of the suffix as by all of it; `suffix_trim_p99_ms`: one such scan, with
  the suffix in tokens already.
- `still_parses`: of real completions shown within files that parse, those after which the file still does, by lark's
  judgement; also by where the cursor was.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.dsl.files import GENERATORS
from benchmarks.dsl.grammars import Language, language_of
from benchmarks.machine import machine_info
from benchmarks.mask import completions as mask_completions
from benchmarks.mask import documents as mask_documents
from benchmarks.mask import loading as mask_loading
from benchmarks.mask import search as mask_search
from benchmarks.mask.search import Steps
from benchmarks.mask.vocabularies import MeasuredVocabulary, large, small
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.settings.config_sections import DraftConfig
from grammars.engine import TokenTable, load

GOALS: Final = {
    "search_p50_us_49k": "<= 60",
    "search_p99_us_49k": "<= 300",
    "search_p50_us_152k": "<= 80",
    "search_p99_us_152k": "<= 900",
    "search_max_us_49k": "<= 5000",
    "search_max_us_152k": "<= 5000",
    "full_mask_share": "<= 0.005",
    "engine_share": "<= 0.02",
    "cold_20kb_ms": "<= 100",
    "key_p99_ms_20kb": "<= 2",
    "edit_start_20kb_ms": "<= 120",
    "pop32_us": "<= 20",
    "step_200kb_over_1kb": "<= 1.3",
    "load_100_rules_ms": "<= 500",
    "load_1000_rules_ms": "<= 2000",
    "load_cached_ms": "<= 50",
    "resync_single": ">= 0.97",
    "resync_triple": ">= 0.93",
    "resync_wrong": "<= 0.02",
    "suffix_agree": ">= 0.95",
    "suffix_trim_p99_ms": "<= 1",
    "still_parses": ">= 0.98",
    "memory_49k_mb": "<= 60",
    "memory_152k_mb": "<= 150",
    "memory_per_grammar_mb": "<= 10",
}

Say = Callable[[str], None]


def search_figures(steps: Steps, name: str) -> dict[str, float]:
    """Microseconds by percentile."""
    return {
        f"search_p50_us_{name}": _percentile(steps.search_us, 50),
        f"search_p99_us_{name}": _percentile(steps.search_us, 99),
        f"search_max_us_{name}": max(steps.search_us),
        f"mask_p50_us_{name}": _percentile(steps.mask_us, 50),
        f"mask_p99_us_{name}": _percentile(steps.mask_us, 99),
    }


def document_figures(languages: Sequence[Language], table: TokenTable, seed: int) -> dict[str, float]:
    """Keys, jumps and steps in documents; the worst language's cold start and edit."""
    templates = mask_documents.templates_of(languages, table)
    times = [mask_documents.key_times(one, template, table, seed) for one, template in templates]
    pops = [us for one, template in templates for us in mask_documents.pop_us(one, template, table, seed)]
    ratios = [
        float(np.median(mask_documents.step_us(one, template, table, 200_000, seed)))
        / float(np.median(mask_documents.step_us(one, template, table, 1_000, seed)))
        for one, template in templates
    ]
    return {
        "cold_20kb_ms": max(ms for one in times for ms in one.cold),
        "key_p99_ms_20kb": _percentile([ms for one in times for ms in one.key], 99),
        "edit_start_20kb_ms": max(ms for one in times for ms in one.edit_at_start),
        "pop32_us": _percentile(pops, 99),
        "step_200kb_over_1kb": float(np.median(ratios)),
    }


def recovery_figures(
    languages: Sequence[Language], table: TokenTable, trials: int, seed: int
) -> dict[str, float]:
    """Shares of the trials of all languages."""
    templates = mask_documents.templates_of(languages, table)
    found = {
        errors: [
            mask_documents.recoveries(one, template, table, errors=errors, trials=trials, seed=seed)
            for one, template in templates
        ]
        for errors in (1, 3)
    }
    both = [*found[1], *found[3]]
    return {
        "resync_single": _share([one.right for one in found[1]], [one.trials for one in found[1]]),
        "resync_triple": _share([one.right for one in found[3]], [one.trials for one in found[3]]),
        "resync_wrong": _share([one.wrong for one in both], [one.trials for one in both]),
        "resync_8kb_p99_ms": _percentile([ms for one in both for ms in one.ms], 99),
    }


def suffix_figures(
    languages: Sequence[Language], table: TokenTable, cursors: int, seed: int
) -> dict[str, float]:
    """Over the cursors of all languages."""
    templates = mask_documents.templates_of(languages, table)
    found = [
        mask_documents.trims(one, template, table, cursors=cursors, seed=seed) for one, template in templates
    ]
    scans = [ms for one in found for ms in one.ms]
    return {
        "suffix_agree": _share([one.agree for one in found], [one.trials for one in found]),
        "suffix_trim_p50_ms": _percentile(scans, 50),
        "suffix_trim_p99_ms": _percentile(scans, 99),
    }


def measure(
    engine: LlamaEngine, languages: Sequence[Language], options: argparse.Namespace, say: Say
) -> dict[str, Any]:
    """The object that is printed. RuntimeError where search and mask disagree, or a valid file is refused."""
    few, many = _vocabularies(engine, options.ranks)
    say(f"vocabularies: {few.origin}; {many.origin}")
    memory_few, table = mask_loading.memory_mb(few)
    memory_many, wide = mask_loading.memory_mb(many)
    before = mask_loading.resident_mb()
    held = [load(one.compiled, table) for one in languages]
    per_grammar = (mask_loading.resident_mb() - before) / len(held)
    say("searching")
    if options.rows == "model":
        steps = mask_search.with_model(languages, table, engine, options.steps)
    else:
        steps = mask_search.with_made_up_rows(languages, table, options.steps, options.seed)
    wide_steps = mask_search.with_made_up_rows(languages, wide, options.steps, options.seed)
    figures: dict[str, float | None] = {
        **search_figures(steps, few.name),
        **search_figures(wide_steps, many.name),
        "full_mask_share": steps.full_masks / len(steps.search_us),
        "engine_share": mask_search.engine_share(steps),
        "first_was_legal": steps.first_was_legal / len(steps.search_us),
        "memory_49k_mb": memory_few,
        "memory_152k_mb": memory_many,
        "memory_per_grammar_mb": per_grammar,
    }
    say("typing")
    figures |= document_figures(languages, table, options.seed)
    say("recovering from errors")
    figures |= recovery_figures(languages, table, options.trials, options.seed)
    say("cutting completions")
    figures |= suffix_figures(languages, table, options.cursors, options.seed)
    say("loading")
    figures |= mask_loading.load_ms(table)
    say("completing")
    completed = {one.name: one.compiled for one in (*languages, language_of("proto3", options.seed))}
    figures |= mask_completions.figures(
        mask_completions.measure(engine, completed, table, options.places, options.seed)
    )
    return {
        "figures": {name: _rounded(value) for name, value in figures.items()},
        "goals": GOALS,
        "baseline": mask_loading.beside_lark(table, options.seed),
        "setting": {
            "rows_49k": options.rows,
            "steps": [len(steps.search_us), len(wide_steps.search_us)],
            "vocabularies": [few.origin, many.origin],
            "languages": [f"{one.name} ({one.origin} files)" for one in languages],
            "model": engine.model_name,
        },
        "machine": machine_info(),
    }


def _vocabularies(engine: LlamaEngine, ranks: Path | None) -> tuple[MeasuredVocabulary, MeasuredVocabulary]:
    few = small(engine.vocabulary, engine.model_name)
    return few, large(few, ranks)


def _percentile(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent))


def _share(parts: Sequence[int], wholes: Sequence[int]) -> float:
    return sum(parts) / sum(wholes)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--model", default="bundled", help="as draft.model in the configuration")
    parser.add_argument(
        "--cache", type=Path, help="folder for converted models; default: the user's cache folder"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: as the daemon chooses")
    parser.add_argument(
        "--rows", choices=("model", "made-up"), default="model", help="the 49k vocabulary's logits"
    )
    parser.add_argument("--ranks", type=Path, help="tiktoken ranks of a vocabulary of about 152k tokens")
    parser.add_argument("--languages", nargs="*", default=sorted(GENERATORS), help="built-in grammars")
    parser.add_argument("--steps", type=int, default=10_000, help="of the search, all languages together")
    parser.add_argument("--trials", type=int, default=60, help="broken files, for each language")
    parser.add_argument("--cursors", type=int, default=40, help="places for completions, for each language")
    parser.add_argument("--places", type=int, default=60, help="completed at, for each language")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    def say(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    cache = options.cache or DraftConfig().cache_path
    file = resolve_draft_model(options.model, cache, lambda what, fraction: say(f"{what}: {fraction:.0%}"))
    languages = [language_of(name, options.seed) for name in options.languages]
    with LlamaEngine(
        file.path, n_context=2048, n_sequences=1, threads=options.threads, model_name=file.name
    ) as engine:
        found = measure(engine, languages, options, say)
    sys.stdout.write(json.dumps(found, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
