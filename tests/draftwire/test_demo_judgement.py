"""Whether suggestions are legal, fit what follows, and say what the file has: a table."""

from __future__ import annotations

import pytest

from draftwire.demo.editor import Ghost, Suggested
from draftwire.demo.judgement import Shares, judged
from grammars.compiler import compile_text
from tests.fakes.orders import GRAMMAR

ORDERS = compile_text(GRAMMAR, file_name="orders.bnf")
FILE = "buy 1 a;\nsell 2 苹果;\nbuy 3 c;\n"


def shares(ghost: str, *, before: str = "buy 1 a;\nse", after: str = "\nbuy 3 c;\n") -> Shares:
    return judged(ORDERS, [Suggested(before, Ghost(ghost, 0, True), None, after=after)], FILE)


@pytest.mark.parametrize(
    ("ghost", "legal", "fitting", "as_in_the_file"),
    [
        ("ll 2 苹果;", 1, 1, 1),
        ("ll 2 苹", 1, 0, 1),
        ("ll 7 b;", 1, 1, 1),
        ("l", 1, 0, 1),
        ("lling", 0, 0, 0),
        ("rvice", 0, 0, 0),
    ],
)
def test_one_suggestion(ghost: str, legal: int, fitting: int, as_in_the_file: int) -> None:
    assert shares(ghost) == Shares(1, legal, fitting, 1, as_in_the_file)


def test_where_the_grammar_can_not_follow_nothing_is_judged() -> None:
    found = shares("ll", before="what is this se")
    assert (found.judged, found.legal_share, found.fitting_share, found.shown) == (0, None, None, 1)


def test_nothing_shown_is_no_share() -> None:
    found = judged(ORDERS, [], FILE)
    assert (found.legal_share, found.fitting_share, found.as_in_the_file_share) == (None, None, None)
    assert shares("").shown == 0


def test_at_the_end_of_a_file_any_legal_text_fits() -> None:
    assert shares("ll 2 ", after="\n").fitting == 1
