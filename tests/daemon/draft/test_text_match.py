"""The longest match, against looking everywhere; equal ones; what is no match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.draft.text_match import (
    CONTINUED,
    LONGEST_COMPARED,
    LOOKED_AT,
    Match,
    common_ending,
    longest_match,
    rest_of_word,
)


@pytest.mark.parametrize(
    ("before", "texts", "expected"),
    [
        ("", ["abc"], None),
        ("ab", ["abc"], None),
        ("abc", [], None),
        ("abc", ["xyz", ""], None),
        ("abc", ["abc"], None),
        ("xabc", ["abcd"], Match("d", 3, 3)),
        ("xabc", ["abcd", "xabce"], Match("e", 4, 4)),
        ("xabc", ["abc1 abc2", "abc3"], Match("2", 3, 3)),
        ("f(a, b)\nf(", ["f(a, b)\nf("], None),
        ("  f(a", ["  f(a)", "\tf(a]"], Match(")", 5, 3)),
        ("aaaa", ["aaaa"], Match("a", 3, 3)),
    ],
    ids=[
        "nothing before", "too short", "no texts", "nowhere", "at its end", "before something", "the longer one",
        "the last in the first text", "itself", "blanks match too", "a run goes on",
    ],
)  # fmt: skip
def test_what_is_found(before: str, texts: list[str], expected: Match | None) -> None:
    assert longest_match(before, texts, 3) == expected


def test_no_more_than_the_longest_match_is_compared_and_told() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(LONGEST_COMPARED * 2))
    found = longest_match(text, [text + "y" * (CONTINUED + 5)], 3)
    assert found == Match("y" * CONTINUED, LONGEST_COMPARED, LONGEST_COMPARED)


def test_only_the_last_places_are_compared() -> None:
    """The match that is longer stands too far back, but for a needle that is long enough to find it alone."""
    places = "zabc1 " + "yabc2 " * (LOOKED_AT + 1)
    found = longest_match("zabc", [places], 3)
    assert found == Match("2 yabc2 yabc2 yabc2"[: len(found.continuation)] if found else "", 3, 3)
    longer = "(zabcdef)1 " + "(yabcdef)2 " * (LOOKED_AT + 1)
    assert longest_match("long enough (zabcdef)", ["long enough " + longer], 3) == Match(
        longer[9:][:CONTINUED], 21, 19
    )


@given(st.text("ab ", max_size=30), st.lists(st.text("ab ", max_size=30), max_size=3))
def test_nothing_longer_is_anywhere(before: str, texts: list[str]) -> None:
    def matched(text: str, end: int) -> int:
        return common_ending(before, text[:end])

    lengths = [matched(text, end) for text in texts for end in range(len(text))]
    best = max(lengths, default=0)
    found = longest_match(before, texts, 3)
    assert (found.matched if found else 0) == (best if best >= 3 else 0)
    if found:
        assert any(
            text[end:].startswith(found.continuation) and matched(text, end) == best
            for text in texts
            for end in range(len(text))
        )


@pytest.mark.parametrize(
    ("before", "texts", "rest"),
    [
        ("x = Cou", ["Counter Country Count", "Couple"], "nt"),
        ("x = Cou", ["Xcounter aCounter", "Couple"], "ple"),
        ("Cou", ["Cou"], ""),
        ("x = C", ["Counter"], ""),
        ("x = 12", ["123"], ""),
        ("Cou ", ["Counter"], ""),
        ("", ["Counter"], ""),
        ("状态", ["状态机"], "机"),
    ],
)
def test_the_rest_of_a_word(before: str, texts: list[str], rest: str) -> None:
    assert rest_of_word(before, texts) == rest


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_common_ending_is_the_longest(one: str, other: str) -> None:
    ending = common_ending(one, other)
    assert one[len(one) - ending :] == other[len(other) - ending :]
    assert ending == min(len(one), len(other)) or one[-ending - 1] != other[-ending - 1]
