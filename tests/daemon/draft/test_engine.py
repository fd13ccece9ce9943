"""What every DraftEngine does alike: the test engine, and llama.cpp with a tiny random model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from daemon.draft.engine import Candidates, DraftEngine, EngineFailed
from daemon.draft.llama_engine import LlamaEngine
from tests.fakes.engine import FakeEngine, following
from tests.fakes.tiny_gguf import tiny_llama


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(params=["fake", "llama.cpp"])
def engine(request: pytest.FixtureRequest, tiny: Path) -> Iterator[DraftEngine]:
    made: DraftEngine = (
        FakeEngine(following("def f():\n    return 1\n"), fim=True, n_context=512, n_sequences=2)
        if request.param == "fake"
        else LlamaEngine(tiny, n_context=512, n_sequences=2, threads=1)
    )
    yield made
    made.close()


def same(a: Candidates, b: Candidates) -> bool:
    """Equal up to the rounding that another batch split brings."""
    return bool(np.allclose(a.logits, b.logits, atol=1e-3)) and a.ids[0] == b.ids[0]


def test_only_new_tokens_are_evaluated(engine: DraftEngine) -> None:
    ids = engine.tokenize("def f():")
    engine.next_candidates(0, ids)
    assert engine.evaluated_tokens() == len(ids)
    engine.next_candidates(0, [*ids, 40, 41])
    assert engine.evaluated_tokens() == len(ids) + 2


def test_what_was_just_asked_costs_nothing(engine: DraftEngine) -> None:
    ids = engine.tokenize("def f():")
    first = engine.next_candidates(0, ids)
    second = engine.next_candidates(0, ids)
    assert second is first
    assert engine.evaluated_tokens() == len(ids)


def test_a_step_back_to_a_known_place_costs_nothing_and_keeps_what_follows(engine: DraftEngine) -> None:
    ids = engine.tokenize("def f():")
    known = engine.next_candidates(0, ids)
    longer = engine.next_candidates(0, [*ids, 40])
    before = engine.evaluated_tokens()
    assert engine.next_candidates(0, ids) is known
    assert engine.next_candidates(0, [*ids, 40]) is longer
    assert engine.evaluated_tokens() == before


def test_a_step_back_inside_a_prefill_evaluates_one_token(engine: DraftEngine) -> None:
    """The candidates there were never computed, though the ids are held."""
    ids = engine.tokenize("def f():")
    engine.next_candidates(0, ids)
    engine.next_candidates(0, ids[:4])
    assert engine.evaluated_tokens() == len(ids) + 1


def test_a_contradiction_rolls_back_to_the_common_prefix(engine: DraftEngine) -> None:
    ids = engine.tokenize("def f():")
    engine.next_candidates(0, [*ids, 40, 41, 42])
    before = engine.evaluated_tokens()
    engine.next_candidates(0, [*ids, 40, 43])
    assert engine.evaluated_tokens() == before + 1


def test_rollback_equals_replay(engine: DraftEngine) -> None:
    """After a detour, candidates are those of a sequence that never took it."""
    ids = engine.tokenize("def f():")
    engine.next_candidates(0, [*ids, 90, 91, 92])
    after_detour = engine.next_candidates(0, [*ids, 40])
    assert same(after_detour, engine.next_candidates(1, [*ids, 40]))


def test_sequences_do_not_disturb_each_other(engine: DraftEngine) -> None:
    ids, others = engine.tokenize("def f():"), engine.tokenize("import os\nos.")
    alone = engine.next_candidates(0, ids)
    engine.next_candidates(1, others)
    more = engine.next_candidates(0, [*ids, 10])
    assert same(more, engine.next_candidates(1, [*ids, 10]))
    assert engine.next_candidates(0, ids) is alone


def test_candidates_are_sorted_and_their_entropy_is_that_of_their_softmax(engine: DraftEngine) -> None:
    found = engine.next_candidates(0, engine.tokenize("def f():"))
    assert len(found.ids) == 64 == len(set(found.ids.tolist()))
    assert np.all(np.diff(found.logits) <= 0)
    weights = np.exp(found.logits - found.logits[0], dtype=np.float64)
    weights /= weights.sum()
    assert found.entropy == pytest.approx(-(weights * np.log(weights)).sum(), abs=1e-5)


@pytest.mark.parametrize("in_between", ["nothing", "another sequence", "a longer path"])
def test_the_best_of_what_is_allowed(engine: DraftEngine, in_between: str) -> None:
    """Asked for right after the search that found none of the best allowed, or after other work."""
    ids = engine.tokenize("def f():")
    best = engine.next_candidates(0, ids)
    if in_between == "another sequence":
        engine.next_candidates(1, ids[:5])
    elif in_between == "a longer path":
        engine.next_candidates(0, [*ids, 40])
    before = engine.evaluated_tokens()
    allowed = np.ones(engine.vocabulary.n_vocab, np.bool_)
    allowed[best.ids[:3]] = False
    found = engine.next_candidates(0, ids, allowed)
    assert allowed[found.ids].all()
    assert found.ids[:10].tolist() == best.ids[3:13].tolist()
    assert np.all(np.diff(found.logits) <= 0)
    assert engine.evaluated_tokens() - before <= (in_between != "nothing")
    assert same(engine.next_candidates(0, ids), best)  # what is remembered is what nothing was forbidden of


def test_one_allowed_token_is_the_only_candidate(engine: DraftEngine) -> None:
    allowed = np.zeros(engine.vocabulary.n_vocab, np.bool_)
    allowed[200] = True
    found = engine.next_candidates(0, [65, 66], allowed)
    assert found.ids.tolist() == [200]
    assert found.entropy == 0.0


@pytest.mark.parametrize("size", [-1, 0, 1])
def test_an_unusable_mask_is_a_value_error(engine: DraftEngine, size: int) -> None:
    """One of another vocabulary, or one that leaves nothing."""
    with pytest.raises(ValueError, match="allowed"):
        engine.next_candidates(0, [1], np.zeros(engine.vocabulary.n_vocab + size, np.bool_))
    assert engine.evaluated_tokens() == 0


@pytest.mark.parametrize(
    ("sequence", "ids"),
    [(0, []), (0, [-1]), (0, [100_000]), (0, [1] * 513), (2, [1]), (-1, [1])],
    ids=["empty", "negative id", "unknown id", "too long", "no such sequence", "negative sequence"],
)
def test_bad_calls_are_value_errors_and_change_nothing(
    engine: DraftEngine, sequence: int, ids: list[int]
) -> None:
    with pytest.raises(ValueError):
        engine.next_candidates(sequence, ids)
    assert engine.evaluated_tokens() == 0
    engine.next_candidates(0, [1, 2])


def test_the_longest_sequence_fits(engine: DraftEngine) -> None:
    engine.next_candidates(0, [65] * engine.n_context)
    engine.next_candidates(1, [66] * engine.n_context)
    assert engine.evaluated_tokens() == 2 * engine.n_context


@pytest.mark.parametrize(
    "text", ["", "a", "a\0b", "héllo 你好 🤗🏳️‍🌈", "\r\n\t", "<|im_end|><|fim_prefix|>", "﻿x"]
)
def test_tokens_of_a_text_are_its_bytes_and_never_special(engine: DraftEngine, text: str) -> None:
    ids = engine.tokenize(text)
    assert b"".join(engine.vocabulary.token_bytes[i] for i in ids) == text.encode()
    assert not engine.vocabulary.control_ids & set(ids)


def test_a_lone_surrogate_becomes_a_question_mark(engine: DraftEngine) -> None:
    ids = engine.tokenize("a\ud800b")
    assert b"".join(engine.vocabulary.token_bytes[i] for i in ids) == b"a?b"


def test_abort_of_what_does_not_run_does_nothing(engine: DraftEngine) -> None:
    engine.abort(0)
    engine.next_candidates(0, [1, 2])
    engine.abort(0)
    engine.abort(1)
    engine.next_candidates(0, [1, 2, 3])
    assert engine.evaluated_tokens() == 3


def test_a_closed_engine_says_so(engine: DraftEngine) -> None:
    engine.close()
    engine.close()
    with pytest.raises(EngineFailed, match="closed"):
        engine.next_candidates(0, [1])
    with pytest.raises(EngineFailed, match="closed"):
        engine.tokenize("x")
    engine.abort(0)


def test_specials_never_reach_the_editor_and_some_end_a_generation(engine: DraftEngine) -> None:
    vocabulary = engine.vocabulary
    assert {"eos", "fim_pre", "fim_suf", "fim_mid"} <= vocabulary.special_ids.keys()
    assert set(vocabulary.special_ids.values()) <= vocabulary.control_ids
    assert vocabulary.special_ids["eos"] in vocabulary.stop_ids <= vocabulary.control_ids
