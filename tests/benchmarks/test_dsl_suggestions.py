"""What is legal, fits, and fits when trimmed: judged by a real grammar of statements."""

from __future__ import annotations

import pytest

from benchmarks.dsl_places import CursorPlace, SourceFile
from benchmarks.dsl_suggestions import judged, suffix_after
from benchmarks.dsl_tallies import Judgement
from grammars.compiled import CompiledGrammar
from grammars.cursor import GrammarState
from grammars.engine import TokenTable, load
from tests.fakes.engine import FakeEngine, byte_vocabulary

GRAMMAR = CompiledGrammar("toy", "lark", 'start: ("a" "b" ";")*\n', 1)


def state_after(text: bytes) -> GrammarState:
    vocabulary = byte_vocabulary()
    table = TokenTable(
        vocabulary.token_bytes, control_ids=vocabulary.control_ids, stop_ids=vocabulary.stop_ids
    )
    state = GrammarState(load(GRAMMAR, table), table)
    assert state.extend(text) == len(text)
    return state


@pytest.mark.parametrize(
    ("before", "suggestion", "after", "expected"),
    [
        (b"a", b"b;a", b"b;", Judgement(legal=True, fits=True, trimmed_fits=True)),
        (b"a", b"b;ab", b"b;", Judgement(legal=True, fits=False, trimmed_fits=True)),
        (b"a", b"b;", b"b;", Judgement(legal=True, fits=False, trimmed_fits=False)),
        (b"a", b"b;ax", b"b;", Judgement(legal=False, fits=False, trimmed_fits=True)),
        (b"a", b"x", b"b;", Judgement(legal=False, fits=False, trimmed_fits=False)),
        (b"a", b"b;", b"?", Judgement(legal=True, fits=True, trimmed_fits=True)),
    ],
)
def test_a_suggestion_is_judged_between_the_texts(
    before: bytes, suggestion: bytes, after: bytes, expected: Judgement
) -> None:
    """A text after the cursor that fitted no more than this before the suggestion need not fit better after it."""
    state = state_after(before)
    assert judged(state, list(suggestion), list(after)) == expected
    assert state.fits(list(b"b;")) == 2  # the state is where it was


def test_the_text_after_is_looked_at_as_far_as_it_matters() -> None:
    cursor = CursorPlace(SourceFile("a", "x" * 500), 1)
    assert suffix_after(cursor, FakeEngine()) == [ord("x")] * 64
