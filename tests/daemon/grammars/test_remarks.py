"""Where a drafted comment may be one that is opened in the middle of a statement."""

from __future__ import annotations

import pytest

from daemon.grammars.remarks import signs_within_statements


@pytest.mark.parametrize(
    ("line_before", "text", "found"),
    [
        ("", "x = 1 -- one", [6]),
        ("x = ", "-- one", [0]),
        ("", "-- a\n  -- b\n\n-- c", []),
        ("x = 1;", " -- one", []),
        ("", "x = 1; -- one\ny -- two", [16]),
        ("", "x # one -- two", [2, 8]),
        ("x", "-#- one", [1]),
        ("\n", "-- one", []),
    ],
)
def test_behind_a_statement_that_goes_on(line_before: str, text: str, found: list[int]) -> None:
    signs = list(signs_within_statements(text, line_before, ("#", "--"), (";", "\n")))
    assert [offset for offset, _ in signs] == found
    assert all(text.startswith(sign, offset) for offset, sign in signs)


def test_the_longest_sign_counts_and_a_language_without_any_has_none() -> None:
    assert list(signs_within_statements("x --- y", "", ("--", "---"), ())) == [(2, "---")]
    assert not list(signs_within_statements("x # y", "", (), ()))
