"""Legality at a cursor: lazily, in place, with exact returns, and with reasons where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars.cursor import GrammarState
from grammars.engine import TokenTable
from grammars.interface import CursorState, Mode, Rejection, Stale
from tests.fakes.grammar_engine import (
    CONTROL,
    MACHINE,
    OTHER_STOP,
    PIECES,
    QUERIES,
    STOP,
    FailingRecogniser,
    recogniser,
    token_table,
)

TABLE = token_table()


def token(text: str) -> int:
    return PIECES.index(text.encode())


def state_after(text: str, rules: str = QUERIES, table: TokenTable = TABLE) -> GrammarState:
    state = GrammarState(recogniser(rules, table), table)
    assert state.extend(text.encode()) == len(text.encode())
    return state


def failing_state(*methods: str) -> tuple[GrammarState, FailingRecogniser]:
    """A state after `SELECT`, whose recogniser gives up at these calls from now on."""
    inner = FailingRecogniser(recogniser(QUERIES, TABLE))
    state = GrammarState(inner, TABLE)
    assert state.extend(b"SELECT ") == 7
    inner.fail.update(methods)
    return state, inner


def answers(state: CursorState) -> tuple[object, ...]:
    """All that can be asked without moving."""
    return (state.mode, state.mask().tolist(), state.is_complete(), state.fits(TABLE.greedy(b" a FROM b;")))


def test_it_is_a_cursor_state() -> None:
    state: CursorState = state_after("")
    assert state.mode == Mode("masked")
    assert state.fits(state.tokens(b"SELECT a =")) == len(state.tokens(b"SELECT a"))


@pytest.mark.parametrize(
    ("before", "candidates", "first"),
    [
        ("", ["=", "SEL", "SELECT"], 1),
        ("SELECT a", [";", ",", " FROM"], 1),
        ("SELECT a FROM b", [")", " WH"], 1),
        ("SELECT a FROM b", [")", "{"], None),
        ("SELECT a", [], None),
    ],
)
def test_the_first_legal_candidate_is_found(before: str, candidates: list[str], first: int | None) -> None:
    state = state_after(before)
    assert state.first_legal([token(text) for text in candidates]) == first
    assert state.first_legal(np.array([token(text) for text in candidates], dtype=np.int32)) == first


def test_stop_tokens_are_legal_where_the_text_may_end_and_control_tokens_never() -> None:
    state = state_after("SELECT a FROM b")
    assert state.first_legal([CONTROL, STOP, OTHER_STOP]) is None
    assert not state.mask()[[CONTROL, STOP, OTHER_STOP]].any()
    state.push(token(";"))
    assert state.is_complete()
    assert state.first_legal([CONTROL, OTHER_STOP]) == 1
    assert state.mask()[[STOP, OTHER_STOP]].all()
    assert not state.mask()[CONTROL]


def test_nothing_but_a_return_comes_after_a_stop() -> None:
    state = state_after("SELECT a FROM b;")
    before = answers(state)
    assert state.push(STOP)
    assert state.is_complete()
    assert state.first_legal([token("SELECT"), STOP]) is None
    assert not state.mask().any()
    assert state.fits(TABLE.greedy(b" ")) == 0
    assert state.extend(b" ") == 0
    assert state.advance(b" ") == Rejection(0)
    assert not isinstance(state.advance(b""), Rejection)
    state.pop(1)
    assert not state.push(token(" a"))
    assert state.mode.kind == "unmasked"
    state.pop(2)
    assert answers(state) == before


@pytest.mark.parametrize("illegal", [token(")"), CONTROL, STOP])
def test_an_illegal_token_leaves_the_mask_until_it_is_taken_back(illegal: int) -> None:
    state = state_after("SELECT a")
    before = answers(state)
    assert not state.push(illegal)
    assert state.mode == Mode("unmasked", "a token that the grammar does not allow was taken")
    assert not state.push(token(")"))
    assert state.extend(b")))") == 3
    assert state.first_legal([token("{")]) == 0
    assert state.first_legal([]) is None
    assert state.mask().all()
    assert state.is_complete()
    assert state.fits([token(")")] * 3) == 3
    after = state.advance(b"}{")
    assert not isinstance(after, Rejection)
    assert after.mode.kind == "unmasked"
    state.pop(3)
    assert answers(state) == before


@pytest.mark.parametrize("wrong", [-1, len(PIECES)])
def test_a_token_outside_the_vocabulary_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="is not in a vocabulary of"):
        state_after("").push(wrong)


def test_only_what_was_pushed_can_be_taken_back() -> None:
    state = state_after("")
    state.push(token("SELECT"))
    for count in (3, -1):
        with pytest.raises(ValueError, match="of 2 made"):
            state.pop(count)
    state.pop(0)
    state.pop(2)


@pytest.mark.parametrize(
    ("before", "text", "position"),
    [
        ("", "SELECT a FROM b WHERE c = )", 26),
        ("", "SELECT a FORM b;", 10),
        ("", "SELECT 状态 FROM 状;。", 23),
        ("SELECT a FROM b;", "x", 0),
    ],
)
def test_a_rejection_names_the_byte(before: str, text: str, position: int) -> None:
    """The first that can not go on, in the middle of a token and after characters of three bytes."""
    state = state_after(before)
    assert state.advance(text.encode()) == Rejection(position)
    assert state.extend(text.encode()) == position
    assert state.mode == Mode("masked")


def test_a_rejection_says_what_was_expected_where_that_is_known() -> None:
    asked: list[bytes] = []

    def expected(more: bytes) -> tuple[str, ...]:
        asked.append(more)
        return ("NAME", '"("')

    state = GrammarState(recogniser(QUERIES, TABLE), TABLE, Mode("masked"), expected)
    assert state.advance(b"SELECT )") == Rejection(7, ("NAME", '"("'))
    state.push(token("SELECT"))
    assert state.advance(b")") == Rejection(0)
    assert asked == [b"SELECT "]


def test_advance_leaves_the_state_as_it_was() -> None:
    state = state_after("SELECT ")
    before = answers(state)
    after = state.advance("状".encode()[:2])
    assert isinstance(after, GrammarState)
    assert after.push(PIECES.index("状".encode()[2:]))
    assert answers(state) == before
    with pytest.raises(ValueError, match="of 1 made"):
        after.pop(2)


@settings(max_examples=40)
@given(data=st.data())
def test_going_back_is_as_never_having_gone(data: st.DataObject) -> None:
    """Whatever is pushed, legal or not: after as many pops every answer is as before; replay equals rollback."""
    text = data.draw(
        st.sampled_from(["", "SELECT a", "SELECT a FROM b;", "SELECT '状", "SELECT a FROM b -- x"])
    )
    state, replayed = state_after(text), state_after(text)
    before = answers(state)
    tokens = data.draw(st.lists(st.integers(0, len(PIECES) - 1), max_size=6))
    kept = data.draw(st.integers(0, len(tokens)))
    for one in tokens:
        state.push(one)
    state.pop(len(tokens) - kept)
    for one in tokens[:kept]:
        replayed.push(one)
    assert answers(state) == answers(replayed)
    state.pop(kept)
    assert answers(state) == before


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (QUERIES, "SELECT a, '状 b' FROM b -- 态\n;"),
        (MACHINE, "状态机 a { 状态 态机 { 转移 b; } 记录 “完”; }"),
    ],
)
def test_the_mask_is_the_same_however_the_text_came(rules: str, text: str) -> None:
    data = text.encode()
    by_bytes = state_after("", rules)
    for n in range(len(data)):
        whole = GrammarState(recogniser(rules, TABLE), TABLE).advance(data[:n])
        assert not isinstance(whole, Rejection)
        assert answers(whole) == answers(by_bytes)
        assert by_bytes.extend(data[n : n + 1]) == 1


def test_a_mask_can_not_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        state_after("").mask()[0] = True


def test_a_retired_state_answers_nothing() -> None:
    state = state_after("SELECT a")
    state.push(token(","))
    assert state.retire()
    assert state.retire()
    for ask in (
        lambda: state.mode,
        lambda: state.first_legal([1]),
        lambda: state.mask(),
        lambda: state.push(1),
        lambda: state.extend(b""),
        lambda: state.pop(0),
        lambda: state.fits([1]),
        lambda: state.is_complete(),
        lambda: state.advance(b""),
    ):
        with pytest.raises(Stale):
            ask()


@pytest.mark.parametrize(
    ("method", "ask", "answer"),
    [
        ("valid", lambda state: state.first_legal([token("=")]), 0),
        ("valid", lambda state: state.fits([5, 6]), 2),
        ("mask", lambda state: bool(state.mask().all()), True),
        ("accepting", lambda state: state.is_complete(), True),
        ("consume", lambda state: state.push(token("=")), True),
        ("consume", lambda state: state.extend(b"=="), 2),
    ],
)
def test_a_failure_of_the_engine_unmasks_the_state(method: str, ask: object, answer: object) -> None:
    """For good, with the reason: pops are still good for their count."""
    state, inner = failing_state(method)
    assert ask(state) == answer  # type: ignore[operator]
    inner.fail.clear()
    assert state.mode == Mode("unmasked", "the grammar is too much for the engine here: too many items")
    assert state.mask().all()
    assert state.first_legal([token("{")]) == 0
    assert state.push(token("{"))
    state.pop(2)
    after = state.advance(b"}")
    assert not isinstance(after, Rejection)
    assert after.mode == state.mode
    assert not state.retire()


def test_a_failure_while_going_on_in_a_copy_unmasks_the_copy() -> None:
    state, _ = failing_state("copy")
    after = state.advance(b"a")
    assert not isinstance(after, Rejection)
    assert after.mode.kind == "unmasked"
    assert state.mode == Mode("masked")
