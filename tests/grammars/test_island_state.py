"""A cursor in an island: the island's grammar, and what closes it."""

from __future__ import annotations

import numpy as np
import pytest

from grammars.cursor import GrammarState
from grammars.interface import CursorState, Mode, Rejection, Unconstrained
from grammars.island_state import OUTSIDE, Closer, IslandState
from tests.fakes.grammar_engine import CONTROL, PIECES, QUERIES, STOP, recogniser, token_table

TABLE = token_table()
QUOTED = QUERIES.replace("STRING: /'[^']*'/", 'STRING: /"[^"]*"/')
QUOTES = Closer('"""')
BRACE = Closer("%\\}")
LINE = Closer("^[`]{3}$")


def token(text: str | bytes) -> int:
    return PIECES.index(text.encode() if isinstance(text, str) else text)


def island(text: str, closer: Closer = QUOTES, rules: str = QUERIES) -> IslandState:
    inner = GrammarState(recogniser(rules, TABLE), TABLE)
    assert inner.extend(text.encode()) == len(text.encode())
    return IslandState(inner, closer, text.encode(), TABLE)


def answers(state: CursorState) -> tuple[object, ...]:
    return (state.mode, state.mask().tolist(), state.is_complete(), state.fits(TABLE.greedy(b" a FROM b;")))


@pytest.mark.parametrize(
    ("close", "known"),
    [
        ('"""', b'"'),
        ("^```", b"`"),
        ("^[`]{3}$", b""),
        ("\\n", b"\n"),
        ("%\\}", b"%}"),
        ("\\d", b""),
        ("」$", "」".encode()),
    ],
)
def test_which_bytes_a_close_ends_in(close: str, known: bytes) -> None:
    assert Closer(close).bytes == set(known)


def test_a_set_of_characters_closes_by_characters_not_by_their_bytes() -> None:
    closer = Closer("[」”]")
    text = "状态」".encode()
    assert closer.find(text, 0) == 6
    assert closer.find(text[1:], 0) == 5
    assert closer.find(text, 8) == 6
    assert closer.find("状态”。".encode()[:-1], 0) == 6
    assert closer.find("態」"[:1].encode() + text[6:8], 0) is None


def test_where_a_text_meets_its_close() -> None:
    closer = Closer("%\\}")
    assert closer.find_after(b"a %", b"} b") == 0
    assert closer.find_after(b"a", b"b %} c %}") == 2
    assert closer.find_after(b"%}", b"b") is None
    assert closer.begun_after(b"a %", b"") == 0
    assert closer.begun_after(b"a", b"b %") == 2
    assert closer.begun_after(b"a", b"b") is None


def test_what_closes_by_a_pattern_without_a_text_is_found_but_not_in_the_mask() -> None:
    state = island("SELECT a FROM b;", Closer('"{3}'))
    assert state.first_legal([token('"""')]) == 0
    assert not state.mask()[token('"""')]
    assert state.mask()[token("SELECT")]


@pytest.mark.parametrize(
    ("closer", "fixed"),
    [
        (QUOTES, b'"""'),
        (BRACE, b"%}"),
        (LINE, b""),
        (Closer("」"), "」".encode()),
        (Closer("\\s"), b""),
        (Closer("\\n"), b"\n"),
    ],
)
def test_a_fixed_close_is_known_as_such(closer: Closer, fixed: bytes) -> None:
    assert closer.text == fixed


def test_inside_the_grammar_holds() -> None:
    state = island("SELECT a")
    assert state.mode == Mode("masked")
    assert state.first_legal([CONTROL, STOP, token("="), token(" FROM")]) == 3
    assert state.fits(state.tokens(b" FROM b; =")) == len(state.tokens(b" FROM b;"))
    assert not state.is_complete()


def test_the_close_is_legal_where_the_island_may_end() -> None:
    assert island("SELECT a").first_legal([token('"""'), token('"')]) is None
    state = island("SELECT a FROM b")
    before = answers(state)
    assert state.first_legal([token('"""')]) is None
    assert state.push(token(";"))
    assert state.first_legal([STOP]) == 0
    assert state.first_legal([token('"""')]) == 0
    assert state.push(token('"""'))
    assert state.mode == Mode("unmasked", OUTSIDE)
    assert state.mask().all()
    assert state.is_complete()
    assert state.first_legal([token("=")]) == 0
    assert state.first_legal([]) is None
    assert state.fits([1, 2, 3]) == 3
    assert state.push(token("="))
    assert state.extend(b"= =") == 3
    state.pop(4)
    assert answers(state) == before


def test_a_close_may_come_in_pieces() -> None:
    """A first quote could open a string of the island's or close it: both stay open until it is told."""
    for rules in (QUERIES, QUOTED):
        state = island("SELECT a FROM b;", rules=rules)
        before = answers(state)
        assert state.push(token('"'))
        assert state.first_legal([token("a"), token('""')]) == 1
        assert state.fits(state.tokens(b" ")) == 0
        assert not state.is_complete()
        assert not state.mask()[token("a")]
        assert state.mask()[token('""')]
        assert state.push(token('""'))
        assert state.mode == Mode("unmasked", OUTSIDE)
        state.pop(2)
        assert answers(state) == before


def test_a_quote_of_the_island_is_no_close() -> None:
    state = island("SELECT ", rules=QUOTED)
    before = answers(state)
    assert state.push(token('"'))
    assert state.push(token('"'))
    assert state.mode == Mode("masked")
    assert state.first_legal([token('"'), token(" FROM")]) == 1
    assert state.extend(b" FROM b;") == 8
    assert state.push(token('"""'))
    assert state.mode == Mode("unmasked", OUTSIDE)
    state.pop(4)
    assert answers(state) == before


def test_a_close_in_the_middle_of_a_statement_is_none() -> None:
    state = island("SELECT ", rules=QUOTED)
    assert state.extend(b'"') == 1
    before = answers(state)
    assert not state.push(token('""'))
    state.pop(1)
    assert answers(state) == before


def test_what_was_begun_must_be_finished() -> None:
    state = island("SELECT a FROM b;")
    assert state.push(token('"'))
    assert state.extend(b"a") == 0
    assert not state.push(token("a"))
    assert state.mode == Mode("unmasked", "a token that the grammar does not allow was taken")
    assert not state.push(STOP)
    state.pop(2)
    assert not state.push(STOP)
    state.pop(1)
    assert state.mode == Mode("masked")


def test_text_may_end_within_a_close() -> None:
    state = island("SELECT a FROM b")
    assert state.extend(b'; "') == 3
    assert state.extend(b'"') == 1
    assert state.extend(b"x") == 0
    assert state.extend(b'") + 1') == 6
    assert state.mode.reason == OUTSIDE
    state.pop(4)
    assert state.extend(b'; = "') == 2
    assert state.extend(b'"') == 1
    state.pop(2)
    assert island("SELECT a").extend(b'"') == 0


def test_what_closes_by_a_pattern_is_seen_when_it_is_whole() -> None:
    state = island("SELECT a FROM b;\n", LINE)
    assert state.first_legal([token("`")]) is None
    assert state.extend(b"```") == 3
    assert state.mode == Mode("unmasked", OUTSIDE)
    state.pop(1)
    assert not state.mask()[token("`")]
    assert state.mask()[token("SELECT")]


def test_text_goes_up_to_a_close_that_is_not_allowed() -> None:
    state = island("SELECT a")
    assert state.extend(b', b""" + x') == 3
    assert state.mode == Mode("masked")
    assert state.extend(b' FROM b;""" + x') == 15
    assert state.mode.reason == OUTSIDE


def test_a_close_that_began_before_the_cursor_is_the_user_s() -> None:
    state = island('SELECT ""', rules=QUOTED)
    assert state.first_legal([token('"')]) == 0
    assert state.advance(b'" + x') != Rejection(0)


def test_the_mask_says_what_first_legal_says() -> None:
    for text in ("SELECT a", "SELECT a FROM b;", "SELECT a FROM b; "):
        for closer in (QUOTES, BRACE, LINE):
            state = island(text, closer)
            legal = [one for one in range(len(PIECES)) if state.first_legal([one]) == 0]
            assert np.flatnonzero(state.mask()).tolist() == legal
    with pytest.raises(ValueError, match="read-only"):
        state.mask()[0] = True


def test_advance_leaves_the_state_as_it_was() -> None:
    state = island("SELECT a")
    before = answers(state)
    inside = state.advance(b" FROM b")
    assert isinstance(inside, IslandState)
    assert not inside.is_complete()
    assert state.advance(b" FROM =") == Rejection(6)
    assert state.advance(b' FROM b""";') == Rejection(7)
    outside = state.advance(b' FROM b;""" )')
    assert isinstance(outside, Unconstrained)
    assert outside.mode.reason == OUTSIDE
    state.extend(b' FROM b;"""')
    after = state.advance(b"= =")
    assert isinstance(after, Unconstrained)
    state.pop(1)
    assert answers(state) == before


@pytest.mark.parametrize("wrong", [-1, len(PIECES)])
def test_a_token_outside_the_vocabulary_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="is not in a vocabulary of"):
        island("").push(wrong)


@pytest.mark.parametrize("count", [-1, 1])
def test_only_what_was_pushed_can_be_taken_back(count: int) -> None:
    with pytest.raises(ValueError, match="of 0 made"):
        island("").pop(count)
