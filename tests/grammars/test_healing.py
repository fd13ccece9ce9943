"""Token healing under a grammar: every cursor inside a token keeps the true text legal."""

from __future__ import annotations

import numpy as np
import pytest

from grammars.document import GrammarDocument
from grammars.healing import Healed
from grammars.interface import CursorState, Mode, Rejection, Unconstrained
from grammars.pieces import agrees
from tests.fakes.grammar_engine import MACHINE, PIECES, QUERIES, compiled, recogniser, token_table

TABLE = token_table()
TEXTS = [
    (QUERIES, "-- 报表\nSELECT a, (状态) FROM 机;\n"),
    (MACHINE, "状态机 a {\n  状态 b { 转移 c; }\n  记录 “完”;\n}\n"),
]


def token(text: str | bytes) -> int:
    return PIECES.index(text.encode() if isinstance(text, str) else text)


def healed(before: str, pending: bytes) -> Healed:
    state = GrammarDocument(recogniser(QUERIES, TABLE), compiled(QUERIES), TABLE).at(before, len(before))
    return Healed(state, pending, TABLE)


def answers(state: CursorState) -> tuple[object, ...]:
    return (state.mode, state.mask().tolist(), state.is_complete(), state.fits(TABLE.greedy(b" a FROM b;")))


@pytest.mark.parametrize(("rules", "text"), TEXTS)
def test_at_every_byte_the_true_continuation_is_legal(rules: str, text: str) -> None:
    """The last 1 to 7 bytes pending, in any tokenisation of what is to come: the longest tokens, and single bytes."""
    data = text.encode()
    template = recogniser(rules, TABLE)
    followed = GrammarDocument(template, compiled(rules), TABLE)
    for end in range(1, len(data)):
        for back in range(1, min(8, end + 1)):
            characters = len(data[:end].decode(errors="ignore"))
            before = len(text[:characters].encode())
            if before - back < 0:
                continue
            inner = followed.at(text, characters, back_bytes=back)
            state = Healed(inner, data[before - back : before], TABLE)
            for tokens in (
                TABLE.greedy(data[before - back :]),
                [TABLE.byte_tokens[b] for b in data[before - back :]],
            ):
                tokens = tokens[:12]
                for one in tokens:
                    assert state.first_legal([one]) == 0
                    assert state.push(one)
                state.pop(len(tokens))


@pytest.mark.parametrize(
    ("before", "pending", "legal"),
    [
        ("", b"SEL", {"SELECT", "SEL", "S"}),
        ("SELECT a", b" FR", {" FROM", " FR", " "}),
        ("SELECT a FROM b", b" W", {" WHERE", " WH", " "}),
        ("SELECT a FROM b", b" FR", {" "}),
        ("SELECT ", "状态".encode()[:4], {"状态", "状", "状".encode()[:1]}),
    ],
)
def test_the_mask_is_what_agrees_and_is_legal(before: str, pending: bytes, legal: set[str | bytes]) -> None:
    state = healed(before, pending)
    assert {PIECES[one] for one in np.flatnonzero(state.mask())} == {
        text.encode() if isinstance(text, str) else text for text in legal
    }
    everything = range(len(PIECES))
    assert [one for one in everything if state.first_legal([one]) == 0] == np.flatnonzero(
        state.mask()
    ).tolist()
    with pytest.raises(ValueError, match="read-only"):
        state.mask()[0] = True


def test_without_a_grammar_the_bytes_must_come_all_the_same() -> None:
    state = Healed(Unconstrained(len(PIECES), "none"), b"SE", TABLE)
    expected = [one for one, piece in enumerate(PIECES) if one > 2 and agrees(piece, b"SE")]
    assert np.flatnonzero(state.mask()).tolist() == expected
    assert state.mode == Mode("unmasked", "none")


def test_a_short_token_leaves_the_rest_to_come() -> None:
    state = healed("", b"SELEC")
    before = answers(state)
    assert state.push(token("SEL"))
    assert state.pending == b"EC"
    assert state.first_legal([token("a"), token("ECT")]) == 1
    assert state.push(token("ECT"))
    assert state.pending == b""
    assert state.mode == Mode("masked")
    assert state.first_legal([token("="), token(" a")]) == 1
    assert state.mask()[token(" a")]
    assert state.push(token(" a"))
    state.pop(1)
    assert not state.push(token("="))
    assert state.mode.kind == "unmasked"
    state.pop(0)
    state.pop(3)
    assert answers(state) == before


def test_a_token_that_contradicts_the_text_leaves_the_mask() -> None:
    state = healed("", b"SEL")
    before = answers(state)
    assert not state.push(token("a"))
    assert state.mode == Mode(
        "unmasked", "a token was taken that does not go on from the text before the cursor"
    )
    assert not state.push(token("a"))
    assert state.extend(b"xyz") == 3
    assert state.first_legal([5]) == 0
    assert state.first_legal([]) is None
    assert state.mask().all()
    assert state.is_complete()
    assert state.fits([1, 2]) == 2
    after = state.advance(b"anything")
    assert not isinstance(after, Rejection)
    assert after.mode == state.mode
    state.pop(3)
    assert answers(state) == before


@pytest.mark.parametrize("wrong", [-1, len(PIECES)])
def test_a_token_outside_the_vocabulary_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="is not in a vocabulary of"):
        healed("", b"S").push(wrong)


@pytest.mark.parametrize("count", [-1, 1])
def test_only_what_was_pushed_can_be_taken_back(count: int) -> None:
    with pytest.raises(ValueError, match="of 0 made"):
        healed("", b"S").pop(count)


def test_text_begins_with_the_pending_bytes_too() -> None:
    state = healed("", b"SEL")
    assert state.extend(b"SE") == 2
    assert state.pending == b"L"
    assert state.extend(b"LECT a =") == 7
    assert state.pending == b""
    state.pop(2)
    assert state.extend(b"SEX") == 2
    assert state.pending == b"L"


def test_what_follows_follows_the_pending_bytes() -> None:
    state = healed("SELECT a FROM b", b";\n")
    assert state.is_complete()
    assert state.fits(state.tokens(b"SELECT a =")) == len(state.tokens(b"SELECT a"))
    assert not healed("", b"SEL").is_complete()
    assert healed("", b"=").fits([token("a")]) == 0
    assert not healed("", b"=").is_complete()


def test_advance_leaves_the_state_as_it_was() -> None:
    state = healed("", b"SELECT")
    before = answers(state)
    part = state.advance(b"SEL")
    assert isinstance(part, Healed)
    assert part.pending == b"ECT"
    whole = state.advance(b"SELECT a")
    assert not isinstance(whole, Rejection)
    assert whole.first_legal([token(" FROM")]) == 0
    assert state.advance(b"SELL") == Rejection(3)
    assert state.advance(b"SELECT =") == Rejection(7, ("NAME", "NUMBER", "STRING", '"("'))
    assert answers(state) == before
