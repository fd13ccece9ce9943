"""Targets: each says the same whatever was drafted, and asks no more than it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.dsl.targets import StrictTarget, TargetText
from tests.fakes.allowing import Allowing
from tests.fakes.target import FakeTarget
from tests.fakes.tiny_model import N_VOCAB, load_tiny, write_model
from verifier.errors import EngineFailed
from verifier.reference import greedy_continuation
from verifier.torch_engine import TorchEngine

CONTEXT = [1, 2, 3]


def test_accepted_is_what_the_targets_own_text_begins_with() -> None:
    own = greedy_continuation(FakeTarget(), CONTEXT, 6)
    target = TargetText(FakeTarget(), 0, ())
    wrong = (own[2] + 1) % 7
    assert target.accepted(CONTEXT, [*own[:2], wrong]) == 2
    assert target.accepted(CONTEXT, own[:5]) == 5
    assert target.accepted(CONTEXT, own[:1]) == 1
    assert target.accepted(CONTEXT, []) == 0
    assert target.text(CONTEXT, 6) == own
    assert target.accepted([3, 2, 1], own[:1]) == int(
        greedy_continuation(FakeTarget(), [3, 2, 1], 1) == own[:1]
    )


def test_what_is_known_is_not_asked_again() -> None:
    engine = FakeTarget()
    target = TargetText(engine, 0, ())
    own = target.text(CONTEXT, 4)
    asked = len(engine.batches)
    assert target.accepted(CONTEXT, own) == 4
    assert target.text(CONTEXT, 3) == own[:3]
    assert len(engine.batches) == asked


def test_a_long_context_takes_several_steps() -> None:
    own = greedy_continuation(FakeTarget(), [1] * 50, 2)
    assert TargetText(FakeTarget(chunk_tokens=16), 0, ()).text([1] * 50, 2) == own


def test_after_the_end_there_is_nothing() -> None:
    first, second = greedy_continuation(FakeTarget(), CONTEXT, 2)
    target = TargetText(FakeTarget(), 0, {second})
    expected = [] if first == second else [first]
    assert target.text(CONTEXT, 5) == expected
    assert target.accepted(CONTEXT, [first, second, 1, 1]) == len(expected) + 1


def test_a_target_that_fails_is_no_measurement() -> None:
    engine = FakeTarget()
    engine.fail_session = 0
    with pytest.raises(EngineFailed, match="told to"):
        TargetText(engine, 0, ()).accepted(CONTEXT, [1])


def test_a_strict_target_never_says_what_is_forbidden(tmp_path: Path) -> None:
    model = load_tiny(write_model(tmp_path))
    own = greedy_continuation(TorchEngine(model, n_slots=1, chunk_tokens=64), CONTEXT, 4)
    strict = StrictTarget(model, 64)
    assert strict.accepted(CONTEXT, own, Allowing(N_VOCAB, range(N_VOCAB))) == 4
    without = Allowing(N_VOCAB, set(range(N_VOCAB)) - set(own))
    assert strict.accepted(CONTEXT, own, without) == 0
    assert strict.accepted(CONTEXT, [7, 7], Allowing(N_VOCAB, [7])) == 2
    assert strict.accepted(CONTEXT, [7], Allowing(N_VOCAB, [])) == 0
