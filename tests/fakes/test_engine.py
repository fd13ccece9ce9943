"""What tests do to the test engine: scripts, holds, aborts, failures."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from daemon.draft.engine import Aborted, EngineFailed
from tests.fakes.engine import FIRST_EXTRA, FakeEngine, following


def test_it_continues_as_scripted_and_ends() -> None:
    engine, text = FakeEngine(following("ab = 1")), b""
    ids = engine.tokenize("ab")
    while (best := int(engine.next_candidates(0, ids).ids[0])) not in engine.vocabulary.stop_ids:
        ids.append(best)
        text += engine.vocabulary.token_bytes[best]
    assert text == b" = 1"


def test_a_text_is_followed_from_the_middle() -> None:
    assert following("one two three")(b"xxx two") == b" three"
    assert following("one")(b"zzz") == b""


def test_the_longest_extra_token_is_proposed() -> None:
    engine = FakeEngine(following("return x"), extra_tokens=[b"re", b"return", b"retu"])
    assert engine.tokenize("return") == [FIRST_EXTRA + 1]
    assert engine.next_candidates(0, engine.tokenize("z")).ids[0] == engine.vocabulary.special_ids["eos"]
    assert engine.next_candidates(0, [114, 101]).ids[0] == ord("t")


@pytest.mark.parametrize("confidence", [1.0, 0.9, 0.5, 1 / 64])
def test_confidence_is_the_probability_of_the_best(confidence: float) -> None:
    found = FakeEngine(confidence=confidence).next_candidates(0, [1])
    weights = np.exp(found.logits - found.logits.max())
    assert weights[0] / weights.sum() == pytest.approx(confidence, abs=0.01)
    if confidence == 1 / 64:
        assert found.entropy == pytest.approx(np.log(64), abs=1e-3)


def test_alternatives_come_next() -> None:
    engine = FakeEngine(following("ab"), alternatives=lambda prefix: [b"x", b"y"])
    assert engine.next_candidates(0, [97]).ids[:3].tolist() == [ord("b"), ord("x"), ord("y")]


def test_a_held_evaluation_goes_on_when_released() -> None:
    engine = FakeEngine(following("abc"))
    engine.hold(after_tokens=1)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(engine.next_candidates, 0, [97, 98])
        engine.wait_until_held()
        assert engine.evaluated_tokens() == 1
        engine.release()
        assert answer.result(10).ids[0] == ord("c")


def test_an_abort_ends_a_held_evaluation_and_keeps_what_was_done() -> None:
    engine = FakeEngine(following("abc"))
    engine.hold(after_tokens=1)
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(engine.next_candidates, 0, [97, 98])
        engine.wait_until_held()
        engine.abort(1)
        assert not answer.done()
        engine.abort(0)
        with pytest.raises(Aborted):
            answer.result(10)
    engine.release()
    engine.next_candidates(0, [97, 98])
    assert (engine.evaluated_tokens(), engine.aborts) == (2, [1, 0])


def test_nothing_held_times_out() -> None:
    with pytest.raises(TimeoutError):
        FakeEngine().wait_until_held(0.0)


def test_it_fails_when_told() -> None:
    engine = FakeEngine()
    engine.fail_with("out of memory")
    with pytest.raises(EngineFailed, match="out of memory"):
        engine.next_candidates(0, [1])
    engine.fail_with(None)
    engine.next_candidates(0, [1])


def test_without_fim_there_are_no_fim_ids() -> None:
    assert "fim_pre" in FakeEngine(fim=True).vocabulary.special_ids
    assert "fim_pre" not in FakeEngine().vocabulary.special_ids
