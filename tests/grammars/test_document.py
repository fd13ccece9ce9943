"""The state at any cursor: incremental, after errors, and honest where it does not know."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars.document import LONGEST_TEXT, GrammarDocument
from grammars.interface import CursorState, Mode, Rejection, Stale
from tests.fakes.grammar_engine import (
    MACHINE,
    PIECES,
    QUERIES,
    FailingRecogniser,
    compiled,
    recogniser,
    token_table,
)

TABLE = token_table()
TEMPLATES = {rules: recogniser(rules, TABLE) for rules in (QUERIES, MACHINE)}

FILE = "-- 报表\nSELECT a, b FROM c;\n\nSELECT (12), 'x y'\n  FROM 订单\n  WHERE d = 1;\n" * 3
NESTED = "状态机 a {\n  状态 b {\n    转移 c;\n    状态 d {\n      转移 e;\n    }\n  }\n  记录 “完”;\n}\n" * 3


def document(rules: str = QUERIES) -> GrammarDocument:
    return GrammarDocument(TEMPLATES[rules], compiled(rules), TABLE)


def answers(state: CursorState) -> tuple[object, ...]:
    return (state.mode, state.mask().tolist(), state.is_complete(), state.fits(TABLE.greedy(b" a FROM b;")))


@pytest.mark.parametrize(("rules", "text"), [(QUERIES, FILE), (MACHINE, NESTED)])
def test_at_every_cursor_the_text_goes_on(rules: str, text: str) -> None:
    """In one document, forwards: masked, and the true rest of the text follows."""
    followed = document(rules)
    for offset in range(len(text) + 1):
        state = followed.at(text, offset)
        assert state.mode == Mode("masked")
        rest = TABLE.greedy(text[offset:].encode())
        assert state.fits(rest) == len(rest)


def test_an_empty_file_begins_a_text() -> None:
    state = document().at("", 0)
    assert state.mode == Mode("masked")
    assert state.is_complete()
    assert state.first_legal([PIECES.index(b"=")]) is None


@settings(max_examples=60)
@given(st.data())
def test_an_edited_document_answers_like_a_new_one(data: st.DataObject) -> None:
    """Any edits, any cursors, pushes left behind: as if the text had been followed from its start."""
    rules, text = data.draw(st.sampled_from([(QUERIES, FILE), (MACHINE, NESTED)]))
    followed = document(rules)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 20)))
        inserted = data.draw(
            st.sampled_from(["", ";", "\n", ") (", "SELECT a FROM b;\n", "'", "{", "}\n", "a" * 300])
        )
        text = text[:start] + inserted + text[end:]
        offset = data.draw(st.integers(0, len(text)))
        state = followed.at(text, offset)
        fresh = document(rules).at(text, offset)
        if fresh.mode.kind == "masked" or state.mode.kind == "masked":
            assert answers(state) == answers(fresh)
        for token in data.draw(st.lists(st.integers(0, len(PIECES) - 1), max_size=3)):
            state.push(token)


def test_bytes_before_the_cursor_can_be_left_out() -> None:
    """For token healing: also over a boundary, and inside a character."""
    text = "SELECT a\n  FROM 订单"
    for back in range(len(text.encode()) + 1):
        state = document().at(text, len(text), back_bytes=back)
        rest = TABLE.greedy((text.encode()[len(text.encode()) - back :]) + b";")
        assert state.fits(rest) == len(rest)
    assert answers(document().at(text, 3, back_bytes=9)) == answers(document().at("", 0))


def test_a_state_overtaken_by_another_is_stale() -> None:
    followed = document()
    first = followed.at(FILE, 40)
    first.push(PIECES.index(b" a"))
    second = followed.at(FILE, 40)
    with pytest.raises(Stale):
        first.mask()
    assert answers(second) == answers(document().at(FILE, 40))
    followed.prepare(FILE, 41)
    with pytest.raises(Stale):
        second.push(5)


def test_a_long_text_is_followed_in_slices() -> None:
    text = FILE * 20
    followed = document()
    state = followed.at(text, len(text), budget_bytes=1000)
    assert state.mode == Mode("unmasked", "reading the file")
    slices = 1
    while not followed.prepare(text, len(text), budget_bytes=1000):
        slices += 1
    assert slices > 3
    assert followed.at(text, len(text), budget_bytes=1).mode == Mode("masked")


@settings(max_examples=25)
@given(st.data())
def test_a_text_followed_in_one_go_is_followed_as_in_slices(data: st.DataObject) -> None:
    """Errors or none: what is so short that it is followed segment by segment comes to the same state."""
    rules, text = data.draw(st.sampled_from([(QUERIES, FILE * 12), (MACHINE, NESTED * 10)]))
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.sampled_from([")", "=", "'", "}"])) + text[place:]
    offset = data.draw(st.integers(len(text) // 2, len(text)))
    slices = document(rules)
    for _ in range(len(text)):
        if slices.prepare(text, offset, budget_bytes=400):
            break
    assert answers(document(rules).at(text, offset)) == answers(slices.at(text, offset))


def test_a_text_that_is_too_long_is_not_followed() -> None:
    text = " " * (LONGEST_TEXT + 1)
    assert document().at(text, len(text)).mode.reason == "the file is longer than 1,500,000 characters"


def test_a_rejection_from_a_document_says_what_was_expected() -> None:
    state = document().at(FILE, len(FILE))
    assert state.advance(b"SELECT a =") == Rejection(9, ('","', '"FROM"'))
    middle = document().at("SELECT a;", 8, back_bytes=2)
    assert middle.advance(b" ;") == Rejection(1, ("NAME", "NUMBER", "STRING", '"("'))


# Errors -----------------------------------------------------------------------------------------------------


def test_on_the_line_of_an_error_nothing_is_masked() -> None:
    text = FILE + "SELECT a FORM b"
    state = document().at(text, len(text))
    lines = text.count("\n") + 1
    assert state.mode == Mode("unmasked", f"line {lines}, column 11 is not as the grammar has it")
    complete = text + "; "
    assert document().at(complete, len(complete)).mode == state.mode


def test_after_an_error_higher_up_the_text_is_followed_again() -> None:
    text = FILE.replace("c;", "c d;", 1)
    state = document().at(text, len(text))
    assert state.mode == Mode("resynced", "resumed after the error at line 2, column 20")
    assert state.is_complete()
    assert state.first_legal([PIECES.index(b";")]) is None
    assert state.advance(b"=") == Rejection(0)


def test_nesting_outlives_an_error() -> None:
    text = NESTED.replace("转移 c;", "转移 ;", 1)
    cursor = text.index("转移 e;") + 5
    state = document(MACHINE).at(text, cursor)
    assert state.mode.kind == "resynced"
    rest = TABLE.greedy(text[cursor:].encode())
    assert state.fits(rest) == len(rest)


def test_the_first_of_many_errors_is_named() -> None:
    text = (FILE * 3).replace("c;", "c d;")
    assert document().at(text, len(text)).mode.reason.endswith("line 2, column 20")


def test_a_mended_error_is_forgotten() -> None:
    followed = document()
    wrong = FILE.replace("c;", "c d;", 1)
    assert followed.at(wrong, len(wrong)).mode.kind == "resynced"
    assert followed.at(FILE, len(FILE)).mode == Mode("masked")


def test_evidence_may_be_edited_away() -> None:
    """The way on after an error rests on the statements after it: an edit there asks the question anew."""
    followed = document()
    wrong = FILE.replace("c;", "c d;", 1)
    assert followed.at(wrong, len(wrong)).mode.kind == "resynced"
    other = wrong.replace("WHERE d = 1;", "WHERE d = = 1;", 1)
    assert answers(followed.at(other, len(other))) == answers(document().at(other, len(other)))


def test_until_a_statement_after_the_error_is_complete_nothing_is_masked() -> None:
    """And then it is, without an edit elsewhere."""
    followed = document()
    text = "SELECT a FORM b;\nSELECT c FROM d;\nSELECT"
    kinds = [followed.at(text, offset).mode.kind for offset in range(len(text) + 1)]
    assert kinds == ["masked"] * 11 + ["unmasked"] * (33 - 11) + ["resynced"] * (len(text) + 1 - 33)


def test_where_nothing_fits_the_document_stays_unmasked() -> None:
    followed = document()
    text = "SELECT a FROM b;\n" + "= = =;\n" * 60
    reason = "line 2, column 1 is not as the grammar has it"
    for cursor in (len(text) - 40, len(text), len(text) - 80, 60):
        assert followed.at(text, cursor).mode == Mode("unmasked", reason)
    mended = "SELECT a FROM b;\n" * 30
    assert followed.at(mended, len(mended)).mode == Mode("masked")


def test_what_was_taken_back_in_vain_is_followed_again() -> None:
    """What was skipped before among it."""
    followed = document()
    wrong = "SELECT a = b;\n" + "SELECT a FROM b;\n" * 3 + "= = =;\n" * 3
    assert followed.at(wrong, len(wrong)).mode.kind == "unmasked"
    cursor = wrong.index("= = =;")
    assert answers(followed.at(wrong, cursor)) == answers(document().at(wrong, cursor))
    followed = document()
    good = "SELECT a FROM b;\nSELECT\n c\n FROM d;"
    text = good + "\n" + "= = =;\n" * 3
    assert followed.at(text, len(text)).mode.kind == "unmasked"
    assert answers(followed.at(text, len(good))) == answers(document().at(good, len(good)))


def test_begun_anew_where_nothing_of_the_old_fits() -> None:
    """More statements of another kind than are taken back: what comes after the error begins a text of its own."""
    rules = 'start: ("a" ";")* | ("b" ";" "c" ";")*\nWS: /[ \\n]+/\n%ignore WS\n'
    followed = GrammarDocument(recogniser(rules, TABLE), compiled(rules), TABLE)
    text = "a;" * 40 + "=;\n" + "b;\nc;\n" * 4
    state = followed.at(text, len(text))
    assert state.mode == Mode("resynced", "resumed after the error at line 1, column 81")
    assert state.first_legal([PIECES.index(b"a"), PIECES.index(b"c"), PIECES.index(b"b")]) == 2
    again = text + "=;\n" + "b;c;\n" * 4
    state = followed.at(again, len(again) - 3)
    assert state.first_legal([PIECES.index(b"a"), PIECES.index(b"b"), PIECES.index(b"c")]) == 2
    assert followed.at(text, 20).mode == Mode("masked")
    assert followed.at(text, len(text)).mode.kind == "resynced"


def test_in_a_language_that_takes_all_characters_a_way_on_is_found_too() -> None:
    rules = 'start: ("=" /[^=;]+/ ";" | /[^=;]/ "b;")*\n'
    followed = GrammarDocument(recogniser(rules, TABLE), compiled(rules), TABLE)
    text = "=a;" * 4 + "=;\n" + "=c;" * 4
    assert followed.at(text, len(text)).mode.kind == "resynced"


def test_half_a_surrogate_pair_is_an_error_like_any_other() -> None:
    text = "SELECT \ud83d"
    assert document().at(text, len(text)).mode.reason == "line 1, column 8 is not as the grammar has it"


# Failures of the engine -------------------------------------------------------------------------------------


def failing_document(*methods: str) -> tuple[GrammarDocument, set[str]]:
    template = FailingRecogniser(recogniser(QUERIES, TABLE))
    followed = GrammarDocument(template, compiled(QUERIES), TABLE)
    template.fail.update(methods)
    return followed, template.fail


def test_a_text_that_the_engine_gave_up_on_is_left_alone_until_it_is_another() -> None:
    followed, fail = failing_document("consume")
    reason = "the grammar is too much for the engine here: too many items"
    assert followed.at(FILE, 30).mode == Mode("unmasked", reason)
    fail.clear()
    assert followed.at(FILE, 35).mode == Mode("unmasked", reason)
    assert followed.at(FILE, 3).mode == Mode("masked")
    assert followed.at(" " + FILE, 35).mode == Mode("masked")


def test_the_same_before_the_first_boundary() -> None:
    followed, fail = failing_document("consume")
    assert followed.at("SELECT", 6).mode.kind == "unmasked"
    fail.clear()
    assert followed.at("SELECT", 6).mode.kind == "unmasked"
    assert followed.at("SELEC", 5).mode == Mode("masked")


def test_a_document_whose_states_fail_again_and_again_is_left_alone() -> None:
    followed, fail = failing_document()
    for _ in range(3):
        state = followed.at(FILE, 30)
        assert state.mode == Mode("masked")
        fail.add("mask")
        assert state.mask().all()
        assert state.mode.kind == "unmasked"
        fail.clear()
    reason = "the engine failed on this file again and again"
    assert followed.at(FILE, 30).mode == Mode("unmasked", reason)


# Many errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "text"), [(QUERIES, FILE * 4), (MACHINE, NESTED * 3)])
def test_one_error_anywhere_leaves_the_end_of_the_text_right(rules: str, text: str) -> None:
    """A small version of `benchmarks.masks`: the true next tokens are legal after nearly every corruption.

    Not after all: a brace that is gone is missed later.
    """
    chance = random.Random(7)
    wrong = right = 0
    for _ in range(60):
        at = chance.randrange(len(text) // 2)
        bad = text[:at] + chance.choice(["", ") ", "= ", "{ ", "'"]) + text[at + chance.randrange(5) :]
        cursor = len(bad) - 30
        state = document(rules).at(bad, cursor)
        rest = TABLE.greedy(bad[cursor:].encode())
        if state.mode.kind != "unmasked":
            right += state.fits(rest) == len(rest)
            wrong += state.fits(rest) != len(rest)
    assert right >= 54
    assert wrong <= 4
