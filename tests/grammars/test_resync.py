"""The search for a way on after an error, on grammars where the right answer can be seen."""

from __future__ import annotations

import pytest

from grammars.interface import Recogniser
from grammars.resync import EVIDENCE, Found, Hit, Piece, search
from tests.fakes.grammar_engine import MACHINE, QUERIES, recogniser, token_table

TABLE = token_table()


def pieces(*texts: str) -> list[Piece]:
    return [
        Piece(TABLE.greedy(text.encode()), text.endswith((";", "{", "}", "\n")), not text.strip())
        for text in texts
    ]


def standing_after(rules: str, *texts: str) -> tuple[Recogniser, list[int]]:
    """A recogniser, and how many tokens lead back to the end of each text, the last first."""
    state, counts = recogniser(rules, TABLE), [0]
    for text in reversed(texts):
        counts.append(counts[-1] + len(TABLE.greedy(text.encode())))
    for text in texts:
        tokens = TABLE.greedy(text.encode())
        assert state.consume(tokens) == len(tokens)
    return state, counts


GOOD = "SELECT a FROM b;"


@pytest.mark.parametrize(
    ("rules", "before", "ahead", "hit"),
    [
        (QUERIES, [GOOD], ["SELECT ) FROM b;", GOOD, GOOD, GOOD], Hit(0, 1, 4)),
        (QUERIES, [GOOD], ["SELECT );", "FROM b;", "\n", GOOD, "\n", GOOD, GOOD, GOOD], Hit(0, 3, 7)),
        (QUERIES, [GOOD], ["SELECT );", GOOD], Hit(0, 1, 2)),
        (QUERIES, [GOOD, "SELECT a\n"], ["FORM b;", GOOD, GOOD, GOOD], Hit(1, 1, 4)),
        (MACHINE, ["状态机 a {", "状态 b {"], ["转移 ;", "转移 c;", "}", "}"], Hit(0, 1, 4)),
        (
            MACHINE,
            ["状态机 a {", "状态 b {", "状态 c {"],
            ["转移 }", "记录 “x”;", "记录 “y”;", "}"],
            Hit(2, 1, 4),
        ),
    ],
    ids=["next statement", "blank lines", "little evidence", "back and on", "nesting stays", "nesting goes"],
)
def test_the_nearest_way_on_is_found(rules: str, before: list[str], ahead: list[str], hit: Hit) -> None:
    """And what it was found by follows there."""
    state, back = standing_after(rules, *before)
    found = search(state, back, pieces(*ahead))
    assert found.hit == hit
    state, back = standing_after(rules, *before)
    state.rollback(back[hit.behind])
    for piece in pieces(*ahead)[hit.skipped : hit.evidence]:
        assert state.consume(piece.tokens) == len(piece.tokens)


@pytest.mark.parametrize(
    "ahead",
    [
        ["SELECT );"],
        ["SELECT );", "= = =;", ") ) );"],
        ["SELECT )", GOOD],
        ["SELECT );", "SELECT a"],
        ["SELECT );", "\n", "\n"],
    ],
    ids=["nothing after", "nothing fits", "no boundary", "nothing complete", "nothing but blanks"],
)
def test_without_a_way_on_the_recogniser_is_as_far_back_as_was_tried(ahead: list[str]) -> None:
    state, back = standing_after(QUERIES, GOOD, GOOD)
    found = search(state, back, pieces(*ahead))
    assert found.hit is None
    tokens = TABLE.greedy((GOOD * found.reached).encode())
    assert state.consume(tokens) == len(tokens)


def test_a_near_hit_is_not_looked_for_far_away() -> None:
    state, back = standing_after(QUERIES, *[GOOD] * 20)
    assert search(state, back, pieces("SELECT );", GOOD, GOOD, GOOD)).reached == 0


def test_a_string_that_takes_everything_is_no_way_on() -> None:
    """A quote too many: all that comes is legal in the string, and means nothing."""
    before = [GOOD, "SELECT ' a FROM c;"]
    ahead = pieces("SELECT 'y' FROM d;", GOOD, GOOD, GOOD)
    state, back = standing_after(QUERIES, *before)
    assert search(state, back, ahead).hit == Hit(0, 1, 4)
    state, back = standing_after(QUERIES, *before)
    assert search(state, back, ahead, TABLE.greedy("\U000effff".encode())) == Found(Hit(1, 1, 4), 1)


def test_the_start_of_a_text_is_a_place_too() -> None:
    fresh = recogniser(MACHINE, TABLE)
    ahead = pieces("转移 ;", "}", "状态机 b {", "}", "状态机 c {", "}")
    assert search(fresh, (0,), ahead) == Found(Hit(0, 2, 2 + EVIDENCE), 0)
    assert search(fresh, (0,), ahead[:2]) == Found(None, 0)
