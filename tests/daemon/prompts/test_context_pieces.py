"""How files are cut, which pieces are chosen, and in which order they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.documents import Document, Place
from daemon.prompts.context_pieces import (
    AFTER,
    BEFORE,
    FEWEST_LINES,
    MOST_LINES,
    Piece,
    Source,
    arranged,
    choose,
    pieces_of,
    words_around,
    worth,
)


def function(name: str, *words: str) -> str:
    body = [f"    {word}()\n" for word in words]
    return "".join([f"def {name}():\n", *body, *["    pass\n"] * (FEWEST_LINES - 1 - len(body)), "\n"])


WANTED = function("wanted", "parse_header", "read_body")
OTHER = function("other", "draw_line", "fill_area")
COMMON = function("common", "parse_header")
WORDS = frozenset({"parse_header", "read_body", "unknown"})


def place(text: str, offset: int) -> Place:
    return Place(Document("file:///a.py", "python", 1, text), offset)


def test_words_are_those_around_the_cursor() -> None:
    text = "far_before " + " " * BEFORE + "here at ab c1d" + " " * AFTER + "far_after"
    assert words_around(place(text, len("far_before ") + BEFORE)) == {"here", "c1d"}


def test_files_are_cut_where_statements_begin() -> None:
    assert list(pieces_of(WANTED + OTHER)) == [(0, WANTED), (len(WANTED), OTHER)]


def test_short_statements_are_joined_and_long_ones_cut() -> None:
    assert list(pieces_of("x = 1\ny = 2\n")) == [(0, "x = 1\ny = 2\n")]
    line = "    something()\n"
    assert [text.count("\n") for _, text in pieces_of(line * (2 * MOST_LINES + 3))] == [
        MOST_LINES,
        MOST_LINES,
        3,
    ]


def test_blank_pieces_are_left_out() -> None:
    assert list(pieces_of("\n" * (3 * MOST_LINES))) == []
    assert list(pieces_of("")) == []


@given(st.text(alphabet="ab \n)", max_size=400))
def test_pieces_are_the_text_in_its_order(text: str) -> None:
    end = 0
    for start, piece in pieces_of(text):
        assert text[start : start + len(piece)] == piece
        assert text[end:start].strip() == ""
        end = start + len(piece)
    assert text[end:].strip() == ""


def test_the_piece_most_alike_is_chosen() -> None:
    sources = [Source("b.py", OTHER + WANTED)]
    assert choose(WORDS, sources, len(WANTED)) == (Piece("b.py", len(OTHER), WANTED),)


def test_what_shares_one_word_says_nothing() -> None:
    assert choose(WORDS, [Source("b.py", COMMON)], 10_000) == ()
    assert choose(frozenset(), [Source("b.py", WANTED)], 10_000) == ()


def test_pieces_stand_in_the_order_of_files_and_lines() -> None:
    sources = [Source("b.py", WANTED), Source("a.py", OTHER + WANTED)]
    found = choose(WORDS, sources, 10_000)
    assert [(one.name, one.start) for one in found] == [("a.py", len(OTHER)), ("b.py", 0)]
    assert choose(WORDS, sources[::-1], 10_000) == found


def test_a_piece_that_is_too_long_leaves_room_for_another() -> None:
    long = function("long", "parse_header", "read_body", "parse_header", "read_body")
    short = "read_body(parse_header)\n"
    found = choose(WORDS, [Source("a.py", long), Source("b.py", short)], len(short))
    assert [one.text for one in found] == [short]


@pytest.mark.parametrize(("spots", "first"), [((), "a.py"), ((len(OTHER) + 5,), "b.py")])
def test_where_the_user_has_been_counts_for_more(spots: tuple[int, ...], first: str) -> None:
    sources = [Source("a.py", WANTED), Source("b.py", OTHER + WANTED, spots)]
    assert [one.name for one in choose(WORDS, sources, len(WANTED))] == [first]


def test_pieces_are_worth_nothing_where_they_no_longer_are() -> None:
    sources = [Source("b.py", OTHER + WANTED)]
    found = choose(WORDS, sources, 10_000)
    assert worth(WORDS, found, sources) > 0
    assert worth(WORDS, found, [Source("b.py", WANTED)]) == 0
    assert worth(frozenset({"draw_line", "fill_area"}), found, sources) == 0


def test_what_stays_stands_first_in_its_old_order() -> None:
    a, b, c, d = (Piece(name, 0, name) for name in "abcd")
    assert arranged((d, b), (a, b, c, d)) == (d, b, a, c)
    assert arranged((), (a, b)) == (a, b)
    assert arranged((a, b), ()) == ()
