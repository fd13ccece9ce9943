"""A walk through grammars: what people write passes at once, what would be slow while typing does not."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.grammars.exercise import byte_table, exercise
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import GrammarError
from grammars.emit import HEADER
from grammars.engine import load
from grammars.interface import RecogniserFailed

LISTS = 'start: (ID "=" VALUE ";")*\nVALUE: /[0-9]+/ | /"[^"]*"/\nID: /[a-zé规]+/\n%ignore /[ \\n]+/\n'


def walk(text: str, samples: Sequence[bytes] = ()) -> None:
    exercise(load(CompiledGrammar("x", "lark", f"{HEADER}\n{text}", 1), byte_table()), samples)


def error_of(text: str, samples: Sequence[bytes] = ()) -> str:
    with pytest.raises(GrammarError) as caught:
        walk(text, samples)
    return f"{caught.value.diagnostics[0].code}: {caught.value.diagnostics[0].message}"


def test_an_ordinary_grammar_passes_in_no_time() -> None:
    started = time.thread_time()
    walk(LISTS, [b"a = 12;\n", '规 = "é"; ?'.encode(), b"", b"?"])
    walk('start: "ab"\n')
    assert time.thread_time() - started < 0.5


def test_masks_that_get_slower_with_every_token_are_refused() -> None:
    ambiguous = 'start: e\ne: e "+" e | e "*" e | e e | "x" | "(" e ")"\n'
    assert error_of(ambiguous).startswith("slow-masks: what may come next takes ")


@pytest.mark.parametrize("count", [300, 3000])
def test_repetitions_that_multiply_are_refused_as_slow_or_too_much(count: int) -> None:
    """Which of the two it is depends on how fast the machine is and on where the engine's limits are."""
    inner = f'"a"{{1,{count}}}'
    refused = error_of(f"start: (({inner}){{1,300}}){{1,300}}\n")
    assert refused.startswith(
        ("slow-masks: what may come next takes ", "engine-limit: the engine gives up on")
    )


class Scripted:
    """A recogniser whose masks are given; it takes what they allow."""

    def __init__(self, masks: list[bytes], *, fails: bool = False, takes: int = 1) -> None:
        self.masks, self.fails, self.takes = masks, fails, takes
        self.consumed: list[int] = []

    def consume(self, tokens: Sequence[int]) -> int:
        self.consumed += tokens
        return self.takes

    def mask(self) -> NDArray[np.bool_]:
        if self.fails:
            raise RecogniserFailed("too many items")
        allowed = np.zeros(257, dtype=np.bool_)
        allowed[list(self.masks[min(len(self.consumed), len(self.masks) - 1)])] = True
        return allowed

    def valid(self, tokens: Sequence[int]) -> int:
        raise AssertionError("not needed")

    def rollback(self, count: int) -> None:
        raise AssertionError("not needed")

    def accepting(self) -> bool:
        raise AssertionError("not needed")

    def copy(self) -> Scripted:
        self.consumed.clear()
        return self


def test_a_walk_ends_with_the_text() -> None:
    ends = Scripted([b"a", b"b", b""])
    exercise(ends, [])
    assert bytes(ends.consumed) == b"ab"


def test_a_byte_that_is_not_taken_after_all_ends_it() -> None:
    stubborn = Scripted([b"\x00\xff", b"b"], takes=0)
    exercise(stubborn, [])
    assert len(stubborn.consumed) == 1


def test_a_failure_is_an_error_of_the_grammar() -> None:
    with pytest.raises(GrammarError, match=r"gives up .* too many items"):
        exercise(Scripted([b"a"], fails=True), [b"a"])
