"""Completions in files that parse: where they are asked for, and how they are judged. No model."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.dsl.grammars import language_of
from benchmarks.mask import completions as mask_completions
from benchmarks.mask.completions import (
    FILE_CHARACTERS,
    Cursor,
    Outcome,
    cursors_in,
    figures,
    files_of,
    measure,
)
from grammars.compiled import CompiledGrammar
from tests.fakes.engine import FakeEngine
from tests.fakes.grammars import table_of

TEXT = "one = 1\n  two = 22\n\nthree = 333\n"


@pytest.fixture(scope="module")
def promql() -> CompiledGrammar:
    return language_of("promql", 1).compiled


def test_cursors_stand_where_one_types() -> None:
    """Of each kind, in the order of the file; not behind its last line, and not within a word."""
    found = cursors_in(TEXT, Random(1), 300, lambda text: True)
    assert {one.where for one in found} == {"new line", "line end", "mid-line"}
    assert [one.offset for one in found] == sorted(one.offset for one in found)
    for one in found:
        before, after = one.text[: one.offset], one.text[one.offset :]
        assert "three = 333" in after or one.where == "mid-line"
        if one.where == "mid-line":
            assert after[0] != "\n"
            assert not (before[-1:].isalnum() and after[0].isalnum())
        else:
            assert after[0] == "\n"
    assert {one.text for one in found if one.where == "new line"} == {
        "one = 1\n\n  two = 22\n\nthree = 333\n",
        "one = 1\n  two = 22\n  \n\nthree = 333\n",
    }


def test_a_new_line_is_opened_only_where_the_file_parses_with_it() -> None:
    found = cursors_in(TEXT, Random(1), 300, lambda text: False)
    assert {one.where for one in found} == {"line end", "mid-line"}


def test_files_are_real_ones_or_generated() -> None:
    assert files_of("promql", 1) == files_of("promql", 1) != files_of("promql", 2)
    shortest, longest = FILE_CHARACTERS
    real = files_of("proto3", 1)
    assert len(real) == 3
    assert all(shortest <= len(text) <= longest and "syntax" in text for text in real)


def test_what_counts_is_what_was_shown() -> None:
    def outcome(shown: str, *, right: bool, where: mask_completions.Where = "line end") -> Outcome:
        return Outcome("x", Cursor(where, TEXT, 7), shown, right)

    found = figures(
        [outcome("", right=True), outcome("a", right=True), outcome("b", right=False, where="mid-line")]
    )
    assert (found["still_parses"], found["completions_shown"], found["completions_asked"]) == (0.5, 2, 3)
    assert (found["still_parses_line_end"], found["still_parses_mid_line"]) == (1.0, 0.0)
    assert found["still_parses_new_line"] is None


def test_completions_are_the_daemons_and_the_whole_file_is_judged(promql: CompiledGrammar) -> None:
    """A model that says the same everywhere, and nonsense besides."""

    def says(prefix: bytes) -> bytes:
        begun = next(n for n in (4, 3, 2, 1, 0) if prefix.endswith(b" + 1"[:n]))
        return b" + 1"[begun:]

    engine = FakeEngine(says, alternatives=lambda prefix: [b"=", b"\n", b"1"])
    outcomes = measure(engine, {"promql": promql}, table_of(), 9, 1)
    shown = [one for one in outcomes if one.shown]
    assert 0 < len(shown) <= len(outcomes)
    assert all(one.still_parses for one in shown)


def test_a_completion_that_breaks_the_file_is_found(
    promql: CompiledGrammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def shows(*_: object) -> str:
        return " ) ("

    monkeypatch.setattr(mask_completions, "_shown", shows)
    outcomes = measure(FakeEngine(), {"promql": promql}, table_of(), 6, 1)
    assert {one.still_parses for one in outcomes if "#" not in one.cursor.text} <= {False}
    assert figures(outcomes)["still_parses"] == pytest.approx(0, abs=0.4)


def test_files_that_are_not_right_are_no_ground_for_a_figure(
    promql: CompiledGrammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = CompiledGrammar("other", "lark", 'start: "never"\n', 1)
    monkeypatch.setattr(mask_completions, "accepts", lambda grammar, text: True)
    with pytest.raises(ValueError, match=r"file0.*: the text before the cursor is not followed"):
        measure(FakeEngine(), {"promql": other}, table_of(), 3, 1)
    monkeypatch.setattr(mask_completions, "accepts", lambda grammar, text: False)
    with pytest.raises(ValueError, match="file 0 of promql does not parse"):
        measure(FakeEngine(), {"promql": promql}, table_of(), 3, 1)
