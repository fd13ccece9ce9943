"""Claims held against the target alone: which prompt it is asked with. The target is scripted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from daemon.documents import Document, Place
from daemon.prompts.exemplar import Candidate
from daemon.prompts.prompt import Prompt
from draftwire.demo import check as module
from draftwire.demo.check import Claim, Finding, Opening, _checked
from grammars.pieces import PieceIndex
from tests.fakes.engine import FakeEngine

OPENING = Opening(Candidate("b.ord", "buy 1 a;\n" * 3), "a.ord", "--")
WINDOW = 256


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The prompts that the target got; it goes on with what stands after "says:" in the beginning, or "?"."""
    prompts: list[str] = []

    def continuation(_target: Any, ids: Sequence[int], _count: int, _stop_ids: object) -> list[int]:
        text = bytes(ids).decode()
        prompts.append(text)
        return list(b"with" if text.startswith("-- file: b.ord") else b"less")

    monkeypatch.setattr(module, "greedy_continuation", continuation)
    return prompts


def checked(claim: Claim, window: int = WINDOW) -> Finding:
    target: Any = None
    engine: Any = FakeEngine()
    return _checked(claim, engine, PieceIndex(engine.vocabulary.token_bytes), target, window)


def test_a_claim_without_an_opening_is_asked_as_it_stands(asked: list[str]) -> None:
    assert checked(Claim("abc ", "le")).holds
    assert asked == ["abc "]


def test_an_opening_stands_first(asked: list[str]) -> None:
    assert checked(Claim("abc ", "with", opening=OPENING)).holds
    [prompt] = asked
    assert prompt.startswith("-- file: b.ord\nbuy 1 a;\n")
    assert prompt.endswith("-- file: a.ord\nabc ")


def test_what_was_asked_for_before_the_opening_was_found_is_checked_without(asked: list[str]) -> None:
    assert checked(Claim("abc ", "less", opening=OPENING)).holds
    assert len(asked) == 2
    assert not checked(Claim("abc ", "lost", opening=OPENING)).holds


def test_the_window_starts_where_it_did_when_the_document_was_opened(asked: list[str]) -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    claim = Claim(text + "line 1", "less", start=len(text))
    assert checked(claim, window=64).holds
    engine = FakeEngine()
    daemons = Prompt(
        engine.tokenize,
        window_tokens=64,
        splits_at_lines=engine.splits_at_lines,
        start=engine.prompt_start,
    )
    for length in range(len(text), len(claim.before) + 1):
        ids = daemons.ids(Place(Document("a", "x", 1, claim.before[:length]), length))
    assert asked == [bytes(ids).decode()]
