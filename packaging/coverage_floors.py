"""Fail where branch coverage is below its floor. Prints nothing if all is well.

Run after pytest, on the .coverage file that it left. The lists below are the one place that says which code must
be covered in full: what is pure, and whose mistakes would show wrong text.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

FULL: Final = (
    "speculation/*",
    "grammars/*",
    "daemon/ahead.py",
    "daemon/atomic_file.py",
    "daemon/documents.py",
    "daemon/draft/calibration.py",
    "daemon/draft/drafting.py",
    "daemon/draft/match_trust.py",
    "daemon/draft/sequences.py",
    "daemon/draft/text_drafts.py",
    "daemon/draft/text_match.py",
    "daemon/draft/thread_choice.py",
    "daemon/draft/top_candidates.py",
    "daemon/examination.py",
    "daemon/gate.py",
    "daemon/generation.py",
    "daemon/globs.py",
    "daemon/grammars/catalogue.py",
    "daemon/grammars/document_grammar.py",
    "daemon/grammars/follower.py",
    "daemon/grammars/legality.py",
    "daemon/grammars/messages.py",
    "daemon/grammars/run_grammar.py",
    "daemon/grammars/subject.py",
    "daemon/grammars/trust.py",
    "daemon/loopback.py",
    "daemon/prompts/blocks.py",
    "daemon/prompts/context_pieces.py",
    "daemon/prompts/cross_file.py",
    "daemon/prompts/document_prompts.py",
    "daemon/prompts/exemplar.py",
    "daemon/prompts/exemplar_files.py",
    "daemon/prompts/exemplar_search.py",
    "daemon/prompts/fim.py",
    "daemon/prompts/healing.py",
    "daemon/prompts/ignore_rules.py",
    "daemon/prompts/imports.py",
    "daemon/prompts/key_shapes.py",
    "daemon/prompts/masked_places.py",
    "daemon/prompts/open_texts.py",
    "daemon/prompts/opening.py",
    "daemon/prompts/other_files.py",
    "daemon/prompts/prefix_window.py",
    "daemon/prompts/prompt.py",
    "daemon/prompts/room.py",
    "daemon/prompts/suffix_window.py",
    "daemon/prompts/workspace.py",
    "daemon/recall.py",
    "daemon/remembered_runs.py",
    "daemon/scopes.py",
    "daemon/screen/brackets.py",
    "daemon/screen/display.py",
    "daemon/screen/loops.py",
    "daemon/screen/merge.py",
    "daemon/screen/news.py",
    "daemon/screen/patience.py",
    "daemon/screen/shaping.py",
    "daemon/serving/ignored_documents.py",
    "daemon/serving/retention.py",
    "daemon/serving/trail.py",
    "daemon/settings/*.py",
    "daemon/statistics.py",
    "daemon/target/acceptance_estimate.py",
    "daemon/target/acceptances.py",
    "daemon/target/circuit.py",
    "daemon/target/draft_worth.py",
    "daemon/target/fading_share.py",
    "daemon/target/gamma.py",
    "daemon/target/link_session.py",
)
"""Every line and branch."""

OVERALL_PERCENT: Final = 85.0


def main() -> int:
    """The exit status: 0 if every floor is kept."""
    problems = shortfalls(_report())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def shortfalls(report: dict[str, Any]) -> list[str]:
    """What lies below its floor in a report of `coverage json`, one line each."""
    problems = [
        f"{name}: {data['summary']['percent_covered']:.1f} % covered, must be 100 %; "
        f"missing lines {data['missing_lines']}, branches {data['missing_branches']}"
        for name, data in sorted(report["files"].items())
        if _in_full(name) and (data["missing_lines"] or data["missing_branches"])
    ]
    problems += [
        f"{pattern}: no such file was measured; mend the list in {Path(__file__).name}"
        for pattern in FULL
        if not any(fnmatch(name, pattern) for name in report["files"])
    ]
    overall = report["totals"]["percent_covered"]
    if overall < OVERALL_PERCENT:
        problems.append(f"overall: {overall:.1f} % covered, must be {OVERALL_PERCENT:g} %")
    return problems


def _in_full(name: str) -> bool:
    return any(fnmatch(Path(name).as_posix(), pattern) for pattern in FULL)


def _report() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "coverage.json"
        subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(file)], check=True)
        report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return report


if __name__ == "__main__":
    sys.exit(main())
