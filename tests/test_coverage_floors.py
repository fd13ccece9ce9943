"""The coverage floors: full, partial, missing and overall, on made-up reports."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "packaging" / "coverage_floors.py"


@pytest.fixture
def shortfalls() -> Callable[[dict[str, Any]], list[str]]:
    names = runpy.run_path(str(SCRIPT))
    return names["shortfalls"]  # type: ignore[no-any-return]


def report(overall: float = 90.0, **changes: tuple[list[int], list[list[int]]]) -> dict[str, Any]:
    """A report in which every file of the list is covered, but for `changes`."""
    names = runpy.run_path(str(SCRIPT))
    files = {pattern.replace("*", "x"): ([], []) for pattern in names["FULL"]} | changes
    return {
        "totals": {"percent_covered": overall},
        "files": {
            name: {
                "missing_lines": lines,
                "missing_branches": branches,
                "summary": {"percent_covered": 50.0 if lines or branches else 100.0},
            }
            for name, (lines, branches) in files.items()
        },
    }


def test_all_well(shortfalls: Callable[[dict[str, Any]], list[str]]) -> None:
    assert shortfalls(report()) == []
    assert shortfalls(report(**{"verifier/cli.py": ([1], [])})) == []


@pytest.mark.parametrize("missing", [([3], []), ([], [[1, 2]])])
def test_a_line_or_a_branch_that_is_missing_in_full_code(
    shortfalls: Callable[[dict[str, Any]], list[str]], missing: tuple[list[int], list[list[int]]]
) -> None:
    [problem] = shortfalls(report(**{"daemon/screen/merge.py": missing}))
    assert problem.startswith("daemon/screen/merge.py: 50.0 % covered, must be 100 %")


def test_below_the_overall_floor(shortfalls: Callable[[dict[str, Any]], list[str]]) -> None:
    assert shortfalls(report(overall=10)) == ["overall: 10.0 % covered, must be 85 %"]


def test_a_file_of_the_list_that_was_not_measured(shortfalls: Callable[[dict[str, Any]], list[str]]) -> None:
    without = report()
    del without["files"]["daemon/screen/merge.py"]
    [problem] = shortfalls(without)
    assert problem.startswith("daemon/screen/merge.py: no such file was measured")
