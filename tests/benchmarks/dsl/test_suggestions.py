"""What is legal, fits, and fits when trimmed: judged by a real grammar of statements."""

from __future__ import annotations

import pytest

from benchmarks.dsl.suggestions import judged
from benchmarks.dsl.tallies import Judgement
from grammars.compiled import CompiledGrammar
from grammars.cursor import GrammarState
from grammars.engine import TokenTable, load
from tests.fakes.engine import byte_vocabulary

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
    ("before", "suggestion", "after", "legal", "fits", "is_shown", "trimmed_fits"),
    [
        (b"a", b"b;a", b"b;", True, True, True, True),
        (b"a", b"b;ab", b"b;", True, False, True, True),
        (b"a", b"b;", b"b;", True, False, False, False),
        (b"a", b"b;ax", b"b;", False, False, True, True),
        (b"a", b"x", b"b;", False, False, False, False),
        (b"a", b"b;", b"?", True, True, True, True),
    ],
)
def test_a_suggestion_is_judged_between_the_texts(
    before: bytes,
    suggestion: bytes,
    after: bytes,
    legal: bool,
    fits: bool,
    is_shown: bool,
    trimmed_fits: bool,
) -> None:
    """A text after the cursor that fitted no further than this before the suggestion need not fit better after it."""
    state = state_after(before)
    pieces = [bytes([one]) for one in suggestion]
    expected = Judgement(legal=legal, fits=fits, is_shown=is_shown, trimmed_fits=trimmed_fits)
    assert judged(state, pieces, after) == expected
    assert state.fits(list(b"b;")) == 2  # the state is where it was
