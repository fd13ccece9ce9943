"""docs/behaviour.md says where each behaviour is tested: the tests are there, and none of them goes unnoticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = (ROOT / "docs" / "behaviour.md").read_text(encoding="utf-8")
ROWS = {int(row[0]): row[1] for row in re.findall(r"^\| (\d+) \| .* \| (.*) \|$", TABLE, re.MULTILINE)}
"""Behaviour -> where it is tested."""


def named_in(text: str) -> set[int]:
    """The behaviours that a file names: as ux-12, ux_12 in a test's name, or ux-10..ux-12."""
    found = {
        int(number) for number in re.findall(r"\bux[-_](\d+)|_ux_(\d+)", text) for number in number if number
    }
    for first, last in re.findall(r"ux-(\d+)\.\.\s*ux-(\d+)", text):
        found |= set(range(int(first), int(last) + 1))
    return found


def test_every_behaviour_has_a_line() -> None:
    assert list(ROWS) == list(range(1, 53))


@pytest.mark.parametrize("number", ROWS)
def test_it_is_named_where_it_is_tested(number: int) -> None:
    """By the files of its line; only what is wholly an editor's own has none."""
    files = re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)`", ROWS[number].partition(" (`benchmarks")[0])
    assert files or "the editor's own" in ROWS[number]
    for file in files:
        assert number in named_in((ROOT / file).read_text(encoding="utf-8")), (
            f"{file} does not name ux-{number}"
        )


def test_no_test_names_what_is_not_there() -> None:
    here = Path(__file__).resolve()
    files = [
        file for folder in ("tests", "benchmarks") for file in (ROOT / folder).rglob("*.py") if file != here
    ]
    named = set().union(*(named_in(file.read_text(encoding="utf-8")) for file in files))
    assert named <= set(ROWS)


def test_how_behaviours_are_named() -> None:
    """A slip in how they are found would make the tests above prove nothing."""
    assert named_in("def test_ux_9_x() -> None: (ux-1, ux-12). ux-3..ux-5, flux-8, # ux-7") == {
        1,
        3,
        4,
        5,
        7,
        9,
        12,
    }
