"""Texts held against a grammar: a table of verdicts."""

from __future__ import annotations

import pytest

from draftwire.grammar.conformance import Judge
from grammars.compiler import compile_text
from grammars.expectation import LONGEST_PREFIX
from grammars.interface import RecogniserFailed
from tests.fakes.orders import GRAMMAR, SHORT, TEXT


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(compile_text(GRAMMAR, file_name="orders.bnf"))


@pytest.mark.parametrize(
    ("text", "outcome", "offset", "found", "expected"),
    [
        (TEXT, "parses", len(TEXT), "", ()),
        ("", "ends too early", 0, "", ('"buy"', '"sell"', '"付款"')),
        ("buy 1 a", "ends too early", 7, "", ('";"',)),
        (SHORT, "ends too early", len(SHORT), "", ("name",)),
        ("buy x;", "error", 4, "x", ("amount",)),
        ("付款 苹果;\n付錢 a;", "error", 8, "付錢", ('"buy"', '"sell"', '"付款"')),
        ("buy 1 a;\nbuy\n;", "error", 13, ";", ("amount",)),
        ("buyer 1 a;", "error", 3, "buyer", ()),
    ],
)
def test_a_verdict(
    judge: Judge, text: str, outcome: str, offset: int, found: str, expected: tuple[str, ...]
) -> None:
    verdict = judge.judge(text)
    assert (verdict.outcome, verdict.offset, verdict.found) == (outcome, offset, found)
    if expected:
        assert set(verdict.expected) == set(expected)


def test_half_a_character_is_the_place_of_the_whole(judge: Judge) -> None:
    """The first byte is that of a character that may come; the place is where the character begins."""
    verdict = judge.judge("付款 \u82f1;")
    assert (verdict.outcome, verdict.offset) == ("error", 3)


@pytest.mark.parametrize(
    ("end", "outcome", "at", "found"),
    [
        ("", "parses", 0, ""),
        ("buy 1 a", "ends too early", 7, ""),
        ("buy 1 苹果x;\n", "error", 8, "苹果x"),
        ("付款 \u82f1;", "error", 3, "英"),
        ("buy 1 \ud800;", "error", 6, "\ud800"),
    ],
)
def test_a_large_text_is_followed_by_words_to_the_same_place(
    judge: Judge, end: str, outcome: str, at: int, found: str
) -> None:
    small, large = (judge.judge(TEXT * times + end) for times in (1, 1200))
    assert (small.outcome, small.offset, small.found) == (outcome, len(TEXT) + at, found)
    assert (large.outcome, large.offset, large.found) == (outcome, len(TEXT) * 1200 + at, found)
    assert large.expected == (small.expected if len((TEXT * 1200).encode()) < LONGEST_PREFIX else ())


def test_an_engine_that_gives_up_is_told(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecogniserFailed("too many items")

    monkeypatch.setattr("draftwire.grammar.conformance.consume_bytes", fail)
    verdict = judge.judge("a")
    assert (verdict.outcome, verdict.reason) == ("too much", "too many items")
