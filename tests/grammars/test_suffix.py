"""Trimming a suggestion to what leaves the suffix viable."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars.cursor import GrammarState
from grammars.interface import CursorState, Unconstrained
from grammars.suffix import FAR_BYTES, Fit, Outset, Suffix, longest_fit, reach
from tests.fakes.grammar_engine import QUERIES, recogniser, token_table

TABLE = token_table()
TEMPLATE = recogniser(QUERIES, TABLE)
LONG = " FROM b;" + "\nSELECT a FROM b;" * 80


def state_after(text: str) -> GrammarState:
    state = GrammarState(TEMPLATE.copy(), TABLE)
    assert state.extend(text.encode()) == len(text.encode())
    return state


@pytest.mark.parametrize(
    ("before", "text", "cuts", "suffix", "kept", "whole"),
    [
        ("SELECT a", ", b FROM c", [3], " FROM d;", ", b", True),
        ("SELECT a", ", b FROM c", [2, 3], LONG, ", b", True),
        ("SELECT a", ", b", [1], LONG, ", b", True),
        ("SELECT a", " FROM c;", [], LONG, "", True),
        ("SELECT a", " FROM c; SELECT b", [8], LONG, " FROM c; SELECT b", True),
        ("SELECT a", ", (b = 1", [2, 3, 4], LONG, "", True),
        ("SELECT ", "a, = b", [1, 2], " FROM b;", "a", True),
        ("SELECT ", "=", [], LONG, "", False),
        ("SELECT a FROM b", "; ", [1], "", "; ", True),
        ("SELECT a FROM b", "; SELECT c", [2], " \n", "; SELECT c", True),
        ("", "SELECT a FROM b; SELECT", [16], "-- end", "SELECT a FROM b;", True),
        ("", "SELECT a", [6], ";", "SELECT a", False),
        ("SELECT a FROM ", "b", [], "c; SELECT = d;", "b", False),
        ("SELECT a, ", "b", [], " b FROM c;", "", True),
    ],
)
def test_the_longest_cut_that_fits_best_is_kept(
    before: str, text: str, cuts: list[int], suffix: str, kept: str, *, whole: bool
) -> None:
    state = state_after(before)
    fit = longest_fit(state, text.encode(), [*cuts, len(text)], suffix.encode())
    assert (text[: fit.cut], fit.whole) == (kept, whole)


@pytest.mark.parametrize(
    ("before", "text", "cuts", "suffix", "kept"),
    [
        ("SELECT ", "a, 'x", [1, 3], LONG, "a"),
        ("SELECT ", "'x", [], "' FROM b;" + LONG[8:], "'x"),
        ("SELECT a -- c", "x (", [], " more\n" + LONG, "x ("),
        ("SELECT a", "-- so", [], "\n" + LONG, "-- so"),
        ("SELECT a", " -- so", [1], ", b\n FROM c;" + LONG[8:], " "),
    ],
    ids=[
        "left open",
        "closed by the suffix",
        "in a comment before",
        "up to the line's end",
        "before the line's rest",
    ],
)
def test_a_string_or_comment_that_swallows_the_suffix_is_cut_away(
    before: str, text: str, cuts: list[int], suffix: str, kept: str
) -> None:
    fit = longest_fit(state_after(before), text.encode(), [*cuts, len(text)], suffix.encode())
    assert (text[: fit.cut], fit.whole) == (kept, True)


@pytest.mark.parametrize(
    ("text", "suffix", "kept"),
    [
        ("a (b", " c" * 80, "a "),
        ("a (b)", " c" * 80, "a (b)"),
        ('a "(" b', " c" * 80, 'a "(" b'),
        ("a (b", ") c" + " c" * 80, "a (b"),
    ],
    ids=["missed at the end of the file", "closed", "in quotes", "closed by the suffix"],
)
def test_a_bracket_left_open_is_cut_away_where_none_was_missing(text: str, suffix: str, kept: str) -> None:
    """The window alone would not tell: what comes may all stand in the bracket."""
    rules = 'start: item*\nitem: "(" item* ")" | /[a-z]/ | /"[^"]*"/\n%ignore / +/\n'
    state = GrammarState(recogniser(rules, TABLE), TABLE)
    assert longest_fit(state, text.encode(), [1, 2, len(text)], suffix.encode()) == Fit(len(kept), True, 64)


def test_no_more_than_the_window_is_looked_at() -> None:
    state = state_after("SELECT a")
    assert longest_fit(state, b"", [], LONG.encode() + b" = = =") == Fit(0, whole=True, accepted=64)
    assert longest_fit(state, b"", [], Suffix(state.tokens, LONG.encode(), tokens=5)) == Fit(0, True, 5)


FAR_REMARK = " -- " + "x" * 100 + "\n"


@pytest.mark.parametrize(
    ("before", "suffix", "missing"),
    [
        ("SELECT a", FAR_REMARK + "FROM b;", 0),
        ("SELECT a", FAR_REMARK + "FROM b; SELECT", 1),
        ("SELECT a,", FAR_REMARK + "FROM b;", 6),
        ("SELECT a", FAR_REMARK * (FAR_BYTES // 100), 1),
    ],
    ids=["to the end", "all of it", "not so far", "as far as is looked"],
)
def test_how_far_a_suffix_follows(before: str, suffix: str, missing: int) -> None:
    """At the end of a text that may end there, one more."""
    state = state_after(before)
    after = Suffix(state.tokens, suffix.encode())
    assert len(after.far) > len(after.window)
    assert reach(state, after) == len(after.far) + 1 - missing
    assert reach(state, after) == len(after.far) + 1 - missing


@pytest.mark.parametrize("suffix", ["", " \n" * 200, " FROM b;"])
def test_of_a_short_suffix_the_window_tells_all(suffix: str) -> None:
    state = state_after("SELECT a")
    assert reach(state, Suffix(state.tokens, suffix.encode())) == 0


@pytest.mark.parametrize(
    ("above", "text", "cuts", "suffix"),
    [
        ("SELECT a", ", (b, c", [1, 3, 4, 5], LONG),
        ("SELECT ", "a, 'x y", [1, 3, 4], LONG),
        ("SELECT a -- c", " d\n, (b, c", [2, 4, 6, 7], "\n" + LONG),
        ("SELECT a -- c", " d (e", [2, 4], "\n" + LONG),
    ],
)
def test_of_a_text_that_grows_only_what_is_new_is_looked_at(
    above: str, text: str, cuts: list[int], suffix: str
) -> None:
    """What was opened in its beginning counts, and what the cursor stood in before it."""
    state = state_after(above)
    after = Suffix(state.tokens, suffix.encode())
    outset = Outset.at(state, after)
    whole = longest_fit(state, text.encode(), [*cuts, len(text)], after)
    best = longest_fit(state, b"", (), after)
    for seen, cut in pairwise([0, *cuts, len(text)]):
        state.extend(text[:seen].encode())
        fit = longest_fit(
            state, text[seen:cut].encode(), [cut - seen], after, outset=outset, before=text[:seen].encode()
        )
        state.pop(1)
        if fit.cut and (fit.whole, fit.accepted) >= (best.whole, best.accepted):
            best = Fit(cut, fit.whole, fit.accepted)
    assert best.cut == whole.cut


def test_a_suffix_is_prepared_once_for_all_places() -> None:
    suffix = Suffix(state_after("").tokens, b" FROM d;")
    for before in ("SELECT ", "SELECT a", "SELECT (", "SELECT a FROM", "SELECT a FROM b;"):
        prepared = longest_fit(state_after(before), b"b, c", [1, 4], suffix)
        assert prepared == longest_fit(state_after(before), b"b, c", [1, 4], suffix.text)


def test_nothing_is_cut_between_the_cuts() -> None:
    """Also not at the end of the text."""
    fit = longest_fit(state_after("SELECT "), b"abc, d", [1, 3], LONG.encode())
    assert fit == Fit(3, whole=True, accepted=64)


def test_without_a_grammar_all_of_it_is_kept() -> None:
    state: CursorState = Unconstrained(5, "none")
    assert longest_fit(state, b"= =", [1, 3], b") )") == Fit(3, whole=True, accepted=3)


@settings(max_examples=60)
@given(
    before=st.sampled_from(["", "SELECT a", "SELECT (", "SELECT a FROM b;", "SELECT 'x"]),
    text=st.text("SELECTFROMab,;()=' \n状", max_size=12),
    suffix=st.sampled_from([" FROM b;", ", b FROM c;\nSELECT a FROM b;", ")", "' FROM c;", "", "= ="]),
    data=st.data(),
)
def test_what_fitted_before_fits_afterwards(before: str, text: str, suffix: str, data: st.DataObject) -> None:
    """And the state is as it was."""
    state = state_after(before)
    empty, after = state.fits(state.tokens(suffix.encode())), suffix.encode()
    cuts = data.draw(st.lists(st.integers(0, len(text.encode())), max_size=4))
    fit = longest_fit(state, text.encode(), cuts, after)
    assert fit.accepted >= empty
    assert fit.cut in {0, *cuts}
    with pytest.raises(ValueError, match="of 1 made"):
        state.pop(2)
    assert state.fits(state.tokens(after)) == empty
    assert state.extend(text.encode()[: fit.cut]) == fit.cut
    assert state.fits(state.tokens(after)) == fit.accepted
