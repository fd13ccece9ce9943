"""Which file is opened where, and what is typed in it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from benchmarks.editors.frames import Frame
from benchmarks.editors.visits import WrongText, check, visits_of
from benchmarks.typing.corpus import Source
from benchmarks.typing.replay import Plan
from benchmarks.typing.rhythm import Pauses

TEXT = "".join(f"def name_{number}(value):\n    return value + {number}\n\n" for number in range(40))


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Two files, one of which has nothing to type."""
    one, two = tmp_path / "one.py", tmp_path / "blank.py"
    one.write_text(TEXT)
    two.write_text("\n\n")
    sources = [Source(two, "\n\n"), Source(one, TEXT)]
    return Plan(sources=sources, keys=50, seed=1, pauses=Pauses(0.1), least=1)


def test_each_file_is_laid_out_with_what_is_typed_missing(plan: Plan, tmp_path: Path) -> None:
    visits = list(itertools.islice(visits_of(plan, tmp_path / "projects"), 2))
    assert [visit.path.name for visit in visits] == ["one.py", "one.py"]
    assert len({visit.path for visit in visits}) == 2
    for visit in visits:
        line, column = visit.place
        lines = visit.path.read_text().split("\n")
        assert lines[line][column:] == "", "the cursor stands at the end of its line"
        before = "\n".join([*lines[:line], lines[line]])
        assert TEXT.startswith(before + "".join(stroke.text for stroke in visit.strokes))


def test_an_editor_with_other_text_than_was_typed_is_not_measured(plan: Plan, tmp_path: Path) -> None:
    visit = next(visits_of(plan, tmp_path / "projects"))
    check(visit, [Frame(1.0, visit.strokes[-1].line, "ghost")])
    for frames in ([], [Frame(1.0, "something else", "")]):
        with pytest.raises(WrongText, match="is on the screen"):
            check(visit, frames)
