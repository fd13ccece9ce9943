"""A line of a file and the mark under the place: tabs, wide characters, long lines, line ends."""

from __future__ import annotations

import pytest

from draftwire.grammar.excerpts import excerpt, place_of, span_at, told
from grammars.diagnostics import Diagnostic, Span


@pytest.mark.parametrize(
    ("line", "span", "shown"),
    [
        ("abc", (2, 3), ["    abc", "     ^"]),
        ("abc def", (5, 8), ["    abc def", "        ^~~"]),
        ("\tab", (3, 4), ["    \tab", "    \t ^"]),
        ("状态 x", (4, 5), ["    状态 x", "         ^"]),
        ("x 状态", (3, 5), ["    x 状态", "      ^~~~"]),
        ("ab", (3, 4), ["    ab", "      ^"]),
        ("a\x1bb\r", (3, 4), ["    a b", "      ^"]),
    ],
)
def test_the_mark_stands_under_the_span(line: str, span: tuple[int, int], shown: list[str]) -> None:
    assert list(excerpt(f"first\n{line}\nlast", Span(2, span[0], 2, span[1]))) == shown


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert list(excerpt("abc\nde", Span(1, 2, 2, 1))) == ["    abc", "     ^~"]


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    shown, mark = excerpt("x" * 500 + "!" + "y" * 500, Span(1, 501, 1, 502))
    assert len(shown) < 200
    assert shown[mark.index("^")] == "!"


def test_a_place_outside_the_text_has_no_line() -> None:
    assert list(excerpt("a", Span(7, 1, 7, 2))) == []
    assert list(told(Diagnostic("error", "x", "wrong", "mend it"), "f.bnf", "a")) == [
        "f.bnf: error: wrong; mend it"
    ]


def test_places_count_from_one_in_characters() -> None:
    assert place_of("状\n态x", 0) == (1, 1)
    assert place_of("状\n态x", 3) == (2, 2)
    assert span_at("状\n态x", 2, 0) == Span(2, 1, 2, 2)


def test_nothing_of_a_hostile_file_reaches_the_terminal_as_a_command() -> None:
    said = list(
        told(Diagnostic("error", "x", "\x1b[2Jrule\x07", span=Span(1, 1, 1, 2)), "f.bnf", "\x1b[31mred")
    )
    assert said == ["f.bnf:1:1: error:  [2Jrule ", "     [31mred", "    ^"]
