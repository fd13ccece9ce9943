"""A draft that is an oracle: what it says, what it counts, and that it keeps to what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.emulation.known_texts import KnownTexts
from benchmarks.emulation.oracle_draft import OracleEngine
from benchmarks.emulation.oracle_target import Oracle
from daemon.draft.engine import EngineFailed
from tests.fakes.engine import byte_vocabulary
from tests.fakes.oracle import byte_tokens

TEXT = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def engine() -> OracleEngine:
    return OracleEngine(Oracle(KnownTexts([TEXT]), byte_tokens(fim=False)), byte_vocabulary(fim=False))


def test_it_says_the_text_it_knows(engine: OracleEngine) -> None:
    ids = engine.tokenize(TEXT[:9])
    while len(ids) < len(TEXT):
        ids.append(int(engine.next_candidates(0, ids).ids[0]))
    assert bytes(ids).decode() == TEXT
    assert int(engine.next_candidates(0, ids).ids[0]) in engine.vocabulary.stop_ids


def test_candidates_are_distinct_and_the_first_is_by_far_the_likeliest(engine: OracleEngine) -> None:
    found = engine.next_candidates(0, engine.tokenize(TEXT[:9]))
    assert len(set(found.ids.tolist())) == len(found.ids)
    assert list(found.logits) == sorted(found.logits, reverse=True)
    assert 0 < found.entropy < 0.5


def test_what_is_not_allowed_is_not_said(engine: OracleEngine) -> None:
    ids, allowed = engine.tokenize(TEXT[:9]), np.zeros(engine.vocabulary.n_vocab, bool)
    allowed[[65, 66]] = True
    assert engine.next_candidates(0, ids, allowed).ids.tolist() == [65, 66]
    allowed[TEXT.encode()[9]] = True
    assert engine.next_candidates(0, ids, allowed).ids[0] == TEXT.encode()[9]


def test_it_counts_what_a_model_would_evaluate(engine: OracleEngine) -> None:
    """Of what it holds already, the last token alone."""
    ids = engine.tokenize(TEXT)
    for known, evaluated in ((9, 9), (12, 12), (12, 13), (4, 14)):
        engine.next_candidates(1, ids[:known])
        assert engine.evaluated_tokens() == evaluated


def test_once_closed_it_fails_as_any_engine(engine: OracleEngine) -> None:
    engine.abort(0)
    engine.close()
    with pytest.raises(EngineFailed):
        engine.tokenize("x")
    with pytest.raises(EngineFailed):
        engine.next_candidates(0, [1])
