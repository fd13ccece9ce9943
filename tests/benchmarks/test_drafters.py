"""The drafters benchmark: places and texts, the counts of one path, the figures."""

from __future__ import annotations

import random

import pytest

from benchmarks.drafters import FOLDERS, Bench, Corpus, _corpus, _places, _texts, figures_of
from benchmarks.dsl.places import CursorPlace, SourceFile
from tests.fakes.engine import FakeEngine

LINE = "connection.execute(statement)"


def test_places_lie_within_files_one_after_the_other() -> None:
    files = [SourceFile(name, name * 3000) for name in "ab"]
    found = list(_places(files, 4, random.Random(1)))
    assert [cursor.file.path for cursor in found] == ["a", "b", "a", "b"]
    assert all(1000 <= cursor.offset <= 2800 for cursor in found)
    before, after, other = _texts(found[0], files)
    assert (before + after, other) == (files[0].text, files[1].text)


@pytest.mark.parametrize("name", FOLDERS)
def test_files_of_installed_packages(name: str) -> None:
    assert len(_corpus(name).files) >= 2


def test_what_is_counted_along_a_path() -> None:
    """Each position with a match, by its length: who named the judge's token."""
    file = SourceFile("a.py", f"{LINE}\nconnection.ex;")
    cursor = CursorPlace(file, len(file.text) - 1)
    bench = Bench(FakeEngine(lambda prefix: b"X"), None)  # type: ignore[arg-type]
    ids = list(file.text[:-1].encode())
    bench._follow(Corpus("python", [file, SourceFile("b.py", "")], None), "file", cursor, ids, b"eX", None)
    assert bench.counts == {("python", "file", 12): [2, 1, 1, 0, 0]}


def test_figures_are_over_all_languages_of_a_kind() -> None:
    counts = {
        ("python", "file", 12): [6, 3, 2, 0, 0],
        ("c", "file", 12): [4, 4, 1, 0, 0],
        ("proto3", "target", 24): [2, 1, 2, 0, 0],
    }
    assert figures_of(counts) == {
        "match_right_file_12": 0.7, "model_right_file_12": 0.3, "positions_file_12": 10,
        "match_right_grammar_target_24": 0.5, "model_right_grammar_target_24": 1.0,
        "positions_grammar_target_24": 2,
    }  # fmt: skip
