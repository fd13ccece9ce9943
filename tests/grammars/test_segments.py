"""Cutting texts after boundaries, and finding what two texts have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammars.segments import LONGEST, Cutter, Segment, common_beginning, common_length, place


def pieces(text: str, boundaries: tuple[str, ...], limit: int | None = None) -> list[str]:
    cutter, start, found = Cutter(boundaries), 0, []
    while (segment := cutter.next(text, start, len(text) if limit is None else limit)) is not None:
        found.append(text[start : segment.end])
        start = segment.end
    return found


@pytest.mark.parametrize(
    ("text", "boundaries", "expected"),
    [
        ("a;b;c", (";",), ["a;", "b;"]),
        ("a\nb", (), ["a\n"]),
        ("if end_if; x", ("end_if", "end_if;", ""), ["if end_if;"]),
        ("状态；下", ("；",), ["状态；"]),
        ("", (";",), []),
        (".*;x", (".*",), [".*"]),
    ],
)
def test_a_segment_ends_after_a_boundary(text: str, boundaries: tuple[str, ...], expected: list[str]) -> None:
    """The longest that fits; a line end is always one; patterns of regular expressions are texts."""
    assert pieces(text, boundaries) == expected


def test_no_segment_ends_beyond_the_limit() -> None:
    assert pieces("a;b;", (";",), limit=3) == ["a;"]
    assert Cutter((";;",)).next("a;;", 0, 2) is None


def test_a_long_stretch_is_cut_where_no_statement_ends() -> None:
    text = "x" * (LONGEST + 5) + ";"
    assert Cutter((";",)).next(text, 0, len(text)) == Segment(LONGEST, is_boundary=False)
    assert Cutter((";",)).next(text, LONGEST, len(text)) == Segment(len(text), is_boundary=True)


@given(st.text("ab;\n", max_size=400), st.integers(0, 400))
def test_a_segment_depends_on_the_text_up_to_its_end_alone(text: str, more: int) -> None:
    cutter = Cutter((";", "a;b"))
    segment = cutter.next(text, 0, len(text))
    if segment is not None:
        assert cutter.next(text[: segment.end] + "b;" * more, 0, segment.end) == segment


@given(st.text("ab", max_size=12), st.text("ab", max_size=12), st.sets(st.integers(1, 12)))
def test_common_length_counts_the_lengths_that_hold(one: str, other: str, lengths: set[int]) -> None:
    ascending = sorted(length for length in lengths if length <= len(one))
    expected = sum(other.startswith(one[:length]) for length in ascending)
    assert common_length(one, other, ascending) == expected


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_common_beginning_is_the_longest(one: str, other: str) -> None:
    beginning = common_beginning(one, other)
    assert one[:beginning] == other[:beginning]
    assert beginning == min(len(one), len(other)) or one[beginning] != other[beginning]


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(0, "line 1, column 1"), (2, "line 1, column 3"), (3, "line 2, column 1"), (5, "line 2, column 3")],
)
def test_a_place_counts_from_one(offset: int, expected: str) -> None:
    assert place("状a\nbc", offset) == expected
