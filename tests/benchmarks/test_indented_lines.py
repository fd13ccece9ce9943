"""The benchmark of indented lines: its places, its tabs, and what it holds against the file."""

from __future__ import annotations

import random

from benchmarks.dsl.places import SourceFile
from benchmarks.indented_lines import Right, measure, places, with_tabs
from tests.fakes.engine import FakeEngine, following

SOURCE = "def f():\n    total = 1\n    if total:\n        return total\n"


def test_each_step_of_the_indentation_becomes_a_tab() -> None:
    assert with_tabs(SOURCE) == "def f():\n\ttotal = 1\n\tif total:\n\t\treturn total\n"
    assert with_tabs("a {\n  b\n   c\n}\n") == "a {\n\tb\n\t c\n}\n"
    assert with_tabs("a\n\tb\n") == "a\n\tb\n"


def test_places_are_behind_the_indentation_of_lines_in_order() -> None:
    found = places(SOURCE, 9, random.Random(1))
    assert [SOURCE[at:].partition("\n")[0] for at in found] == ["if total:", "return total"]
    assert len(places(SOURCE, 1, random.Random(1))) == 1


def test_the_word_is_the_files_where_the_model_is_asked_before_the_blank() -> None:
    """This one goes on from blanks alone with another line end, as real ones do."""

    def says(prefix: bytes) -> bytes:
        return b"\n" if prefix.endswith(b"    ") else following(SOURCE)(prefix)

    engine = FakeEngine(says, extra_tokens=[b" total", b" if", b" return"])
    found: Right = {}
    at = SOURCE.index("total = 1")
    measure(engine, SourceFile("a.py", SOURCE), [at], "spaces", found)
    assert found == {
        "right_as_it_stands_spaces": [False],
        "right_as_asked_spaces": [True],
        "begins_so_spaces": [True],
    }
