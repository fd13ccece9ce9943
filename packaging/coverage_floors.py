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
    "daemon/acceptance_estimate.py",
    "daemon/acceptances.py",
    "daemon/ahead.py",
    "daemon/annotated_config.py",
    "daemon/atomic_file.py",
    "daemon/blocks.py",
    "daemon/brackets.py",
    "daemon/calibration.py",
    "daemon/circuit.py",
    "daemon/config*.py",
    "daemon/context_pieces.py",
    "daemon/cross_file.py",
    "daemon/display.py",
    "daemon/document_prompts.py",
    "daemon/grammars/document_grammar.py",
    "daemon/documents.py",
    "daemon/draft_worth.py",
    "daemon/drafting.py",
    "daemon/examination.py",
    "daemon/exemplar.py",
    "daemon/exemplar_files.py",
    "daemon/exemplar_search.py",
    "daemon/fading_share.py",
    "daemon/fim.py",
    "daemon/grammars/follower.py",
    "daemon/gamma.py",
    "daemon/gate.py",
    "daemon/generation.py",
    "daemon/globs.py",
    "daemon/grammars/catalogue.py",
    "daemon/grammars/messages.py",
    "daemon/grammars/subject.py",
    "daemon/grammars/trust.py",
    "daemon/healing.py",
    "daemon/ignore_rules.py",
    "daemon/ignored_documents.py",
    "daemon/imports.py",
    "daemon/key_shapes.py",
    "daemon/grammars/legality.py",
    "daemon/link_session.py",
    "daemon/loopback.py",
    "daemon/masked_places.py",
    "daemon/match_trust.py",
    "daemon/merge.py",
    "daemon/news.py",
    "daemon/open_texts.py",
    "daemon/opening.py",
    "daemon/other_files.py",
    "daemon/patience.py",
    "daemon/prefix_window.py",
    "daemon/prompt.py",
    "daemon/recall.py",
    "daemon/remembered_runs.py",
    "daemon/retention.py",
    "daemon/room.py",
    "daemon/scopes.py",
    "daemon/sequences.py",
    "daemon/grammars/run_grammar.py",
    "daemon/settings_schema.py",
    "daemon/shaping.py",
    "daemon/statistics.py",
    "daemon/text_drafts.py",
    "daemon/text_match.py",
    "daemon/thread_choice.py",
    "daemon/suffix_window.py",
    "daemon/toml_lines.py",
    "daemon/top_candidates.py",
    "daemon/trail.py",
    "daemon/workspace.py",
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
