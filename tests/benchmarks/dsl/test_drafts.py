"""Draft tokens under each policy."""

from __future__ import annotations

from collections.abc import Collection

from benchmarks.dsl.drafts import Drafted, Drafter, Policy
from grammars.interface import Unconstrained
from tests.fakes.allowing import Allowing
from tests.fakes.engine import FIRST_SPECIAL, FakeEngine, following


def drafted(engine: FakeEngine, text: bytes, policy: Policy, allowed: Collection[int] = range(256)) -> bytes:
    state = Allowing(engine.vocabulary.n_vocab, allowed)
    found = Drafter(engine, 0).draft(list(text), state, policy, 4)
    state.pop(0)  # all that was pushed is taken back: one more would raise
    return bytes(found.ids)


def test_a_plain_draft_says_what_the_model_says() -> None:
    assert drafted(FakeEngine(following("abcdef")), b"ab", Policy(), allowed=b"x") == b"cdef"


def test_a_masked_draft_takes_the_best_that_is_allowed() -> None:
    engine = FakeEngine(following("abcdef"), alternatives=lambda prefix: [b"y", b"x"])
    assert drafted(engine, b"ab", Policy(masked=True), allowed=b"xy") == b"yyyy"


def test_where_none_of_the_candidates_is_allowed_the_whole_vocabulary_is_asked() -> None:
    engine = FakeEngine(following("abcdef"))
    assert drafted(engine, b"ab", Policy(masked=True), allowed=b"\xf0") == b"\xf0" * 4


def test_where_nothing_is_allowed_the_draft_ends() -> None:
    assert drafted(FakeEngine(following("abcdef")), b"ab", Policy(masked=True), allowed=b"") == b""


def test_a_draft_ends_where_the_model_ends() -> None:
    engine = FakeEngine(following("abc"))
    state = Allowing(engine.vocabulary.n_vocab, range(FIRST_SPECIAL))
    found = Drafter(engine, 0).draft(list(b"ab"), state, Policy(), 4)
    assert (bytes(found.ids), found.ended) == (b"c", True)


def test_a_long_match_goes_before_the_model_if_it_is_allowed() -> None:
    engine = FakeEngine(following("nothing"))
    follow = Policy(masked=True, matches=True)
    once = b"select other"
    assert drafted(engine, once + b" one; " + once, follow) == b" one"
    assert engine.calls == []
    assert not drafted(engine, once + b" one; " + once, follow, allowed=b"n").startswith(b" ")
    assert not drafted(engine, once + b" one; " + once[-11:], follow).startswith(b" one")
    assert not drafted(engine, once + b" one; " + once, Policy(masked=True)).startswith(b" one")


def test_blocks_are_made_by_the_rule_of_thumb() -> None:
    engine = FakeEngine(following("abcdefghijklmnop"), confidence=1.0)
    state = Unconstrained(engine.vocabulary.n_vocab, "for a test")
    sure = Drafter(engine, 0).block(list(b"ab"), state, Policy())
    unsure = Drafter(FakeEngine(following("abcdef"), confidence=0.1), 0).block(list(b"ab"), state, Policy())
    assert (len(sure.block), len(unsure.block)) == (8, 2)
    assert Drafted([1, 2, 3], [0.0, 2.0, 0.0]).block == [1, 2]
