"""Which rule for sending draft tokens gives the most verified tokens: `python -m benchmarks.gamma [--json]`.

Drafts and targets are recorded once along real files (`rounds/recording.py`); then every rule (`rounds/rules.py`) is
replayed on the recording, in virtual time, with both ends' real state machines between them (`rounds/rounds.py`), for
draft tokens of 5 and 17 ms, round trips of 0 to 80 ms and steps of the target of 15 to 55 ms. Rules that learn do so
as they go. Times are given, not measured: a replay does not depend on the machine's load, and two of one recording
are the same.

Figures, over all pairs of models, steps and draft times at one round trip R: `median_over_fixed_R`,
`worst_over_fixed_R`: what the daemon does / the best block of a fixed length from 1 to 16 tokens (chosen for each
setting by itself, afterwards); `median_over_thumb_R`: / blocks by the rule of thumb; `median_over_marginal_R`: /
blocks by the marginal rule; `worst_over_alone_R`: / the target without drafts; `median_over_all_R`: / sending every
token; `rows_R`, `rows_all_R`: rows that the target computes for each verified token, at most. `trees`: see
`rounds/trees.py`. `rows` has tokens per second.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.machine import machine_info
from benchmarks.rounds.recording import Passage, Recording, recording
from benchmarks.rounds.rounds import Rounds, Rule, Setting
from benchmarks.rounds.rules import Alone, FixedBlocks, FixedStream, MarginalBlocks, Shipped, ThumbBlocks
from benchmarks.rounds.trees import TreeBlocks, tree_rate

GAMMAS: Final = range(1, 17)
ROUND_TRIPS_MS: Final = (0, 20, 40, 80)
SETTINGS: Final = (
    *(Setting(5, trip, step) for trip, step in product(ROUND_TRIPS_MS, (15, 30, 55))),
    *(Setting(17, trip, 30) for trip in ROUND_TRIPS_MS),
    Setting(5, 40, 55, row_ms=3),
)
"""The last one, where the target is slow with each row, counts for no figure."""
QUICK_SETTINGS: Final = (Setting(5, 20, 30), Setting(5, 40, 30))
TREE_GAMMAS: Final = (2, 3, 4, 6, 8, 12)
TREE_SETTINGS: Final = tuple(Setting(token, trip, 30) for token, trip in product((5, 17), (20, 40)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule came to on all passages of a pair."""

    rate: float
    """Verified tokens per second."""
    rows: float
    """That the target computed for each verified token."""


def replay(passages: Sequence[Passage], rule: Rule, setting: Setting) -> Outcome:
    """All passages one after another under one rule, which learns from each for the next."""
    duration_ms, rows = 0.0, 0
    for passage in passages:
        rounds = Rounds(passage, rule, setting)
        duration_ms += rounds.run()
        rows += rounds.rows
    tokens = sum(len(passage.draws) for passage in passages)
    return Outcome(1000 * tokens / duration_ms, rows / tokens)


def compare(passages: Sequence[Passage], setting: Setting) -> dict[str, Outcome | int]:
    """Every rule at one setting, and which fixed length was the best."""
    fixed = {gamma: replay(passages, FixedBlocks(gamma, patient=False), setting) for gamma in GAMMAS}
    best = max(fixed, key=lambda gamma: fixed[gamma].rate)
    return {
        "alone": replay(passages, Alone(), setting),
        "fixed": fixed[best],
        "gamma": best,
        "thumb": replay(passages, ThumbBlocks(patient=True), setting),
        "marginal": replay(passages, MarginalBlocks(), setting),
        "all": replay(passages, FixedStream(1), setting),
        "fours": replay(passages, FixedStream(4), setting),
        "shipped": replay(passages, Shipped(), setting),
    }


def measure(recorded: Recording, *, quick: bool) -> dict[str, object]:
    """The report: figures, rows, and what was recorded."""
    cells: dict[tuple[str, Setting], dict[str, Outcome | int]] = {}
    for pair, passages in _shuffled(recorded).items():
        for setting in QUICK_SETTINGS if quick else SETTINGS:
            cells[pair, setting] = compare(passages, setting)
            _say(f"{pair}: {setting}")
    return {
        "figures": _figures(cells),
        "trees": [] if quick else [row for pair in _shuffled(recorded).items() for row in _trees(*pair)],
        "rows": [_row(pair, setting, cell) for (pair, setting), cell in cells.items()],
        "recording": {pair: _summary(passages) for pair, passages in recorded.pairs.items()},
        "seed": recorded.seed,
        "machine": machine_info(),
    }


def _shuffled(recorded: Recording) -> dict[str, list[Passage]]:
    """The passages in an order in which languages take turns at random."""
    return {
        pair: Random(recorded.seed).sample(passages, len(passages))
        for pair, passages in recorded.pairs.items()
    }


def _figures(cells: dict[tuple[str, Setting], dict[str, Outcome | int]]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for trip in sorted({setting.round_trip_ms for _, setting in cells}):
        here = [
            cell
            for (_, setting), cell in cells.items()
            if setting.round_trip_ms == trip and not setting.row_ms
        ]
        for other in ("fixed", "thumb", "marginal", "alone", "all"):
            ratios = [_outcome(cell, "shipped").rate / _outcome(cell, other).rate for cell in here]
            figures[f"median_over_{other}_{trip:.0f}"] = round(statistics.median(ratios), 3)
            figures[f"worst_over_{other}_{trip:.0f}"] = round(min(ratios), 3)
        for name, rule in (("rows", "shipped"), ("rows_all", "all")):
            rows = [_outcome(cell, rule).rows for cell in here]
            figures[f"{name}_{trip:.0f}"] = round(max(rows), 3)
    return figures


def _outcome(cell: dict[str, Outcome | int], rule: str) -> Outcome:
    outcome = cell[rule]
    assert isinstance(outcome, Outcome)
    return outcome


def _row(pair: str, setting: Setting, cell: dict[str, Outcome | int]) -> dict[str, object]:
    times = {
        "token_ms": setting.token_ms,
        "round_trip_ms": setting.round_trip_ms,
        "verify_ms": setting.verify_ms,
        "row_ms": setting.row_ms,
    }
    rates = {name: round(value.rate, 1) for name, value in cell.items() if isinstance(value, Outcome)}
    rows = {f"{name}_rows": round(_outcome(cell, name).rows, 3) for name in ("all", "shipped")}
    return {"pair": pair, **times, **rates, **rows, "gamma": cell["gamma"]}


def _trees(pair: str, passages: Sequence[Passage]) -> list[dict[str, object]]:
    """Blocks with a branch, at the best length for each setting, beside blocks without and the daemon's rule."""
    rows: list[dict[str, object]] = []
    for setting in TREE_SETTINGS:
        rates = {
            "blocks": max(replay(passages, FixedBlocks(g, patient=True), setting).rate for g in TREE_GAMMAS),
            "shipped": replay(passages, Shipped(), setting).rate,
        }
        for paid in (False, True):
            name = "tree" if paid else "tree_for_free"
            rates[name] = max(tree_rate(passages, TreeBlocks(g, 3, paid=paid), setting) for g in TREE_GAMMAS)
        times = {"token_ms": setting.token_ms, "round_trip_ms": setting.round_trip_ms}
        rows.append({"pair": pair, **times, **{name: round(rate, 1) for name, rate in rates.items()}})
        _say(f"trees, {pair}: draft {setting.token_ms} ms, round trip {setting.round_trip_ms} ms")
    return rows


def _summary(passages: Sequence[Passage]) -> dict[str, float]:
    """Of the recording: tokens, and how many of them the draft would have said too, by language."""
    draws = [draw for passage in passages for draw in passage.draws]
    summary: dict[str, float] = {"tokens": len(draws)}
    for language in sorted({passage.language for passage in passages}):
        ranks = [draw.rank for passage in passages if passage.language == language for draw in passage.draws]
        summary[language] = round(ranks.count(0) / len(ranks), 3)
    summary["all"] = round(sum(draw.rank == 0 for draw in draws) / len(draws), 3)
    summary["second"] = round(sum(draw.rank == 1 for draw in draws) / len(draws), 3)
    return summary


def _say(text: str) -> None:
    sys.stderr.write(f"gamma: {text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--quick", action="store_true", help="round trips of 20 and 40 ms alone, no trees")
    parser.add_argument("--seed", type=int, default=1, help="of the places in files (default 1)")
    parser.add_argument("--places", type=int, default=6, help="in files of each language (default 6)")
    parser.add_argument("--tokens", type=int, default=48, help="after each place (default 48)")
    parser.add_argument("--recording", type=Path, help="where it is kept (default: the temporary folder)")
    options = parser.parse_args()
    name = f"draftwire-gamma-{options.seed}-{options.places}-{options.tokens}.json"
    path = options.recording or Path(tempfile.gettempdir()) / name
    report = measure(recording(path, options.seed, options.places, options.tokens), quick=options.quick)
    sys.stdout.write(json.dumps(report, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
