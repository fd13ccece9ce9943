"""A real target at a pace says what it says without, and its steps take no less."""

from __future__ import annotations

from pathlib import Path

from benchmarks.emulation.pace import Pace
from benchmarks.emulation.paced_decoder import paced
from tests.fakes.tiny_model import load_tiny
from verifier.engine import Request
from verifier.reference import GREEDY_RULE, greedy_continuation
from verifier.torch_engine import TorchEngine


def test_the_same_text_at_another_pace(tmp_path: Path) -> None:
    model, slept = load_tiny(tmp_path), []
    pace = Pace(60_000, sleep=slept.append)
    slow = paced(model, pace)
    assert slow.name == f"{model.name} (emulated: at least 60000 ms a forward)"
    engines = [TorchEngine(one, n_slots=2, chunk_tokens=64) for one in (model, slow)]
    context = [3, 1, 4, 1, 5]
    texts = [greedy_continuation(engine, context, 12) for engine in engines]
    assert texts[0] == texts[1]
    assert pace.forwards == len(slept) == 12
    assert all(50 < seconds <= 60 for seconds in slept)


def test_a_step_with_nothing_to_compute_is_no_forward(tmp_path: Path) -> None:
    """As when a key brings no new token: no time passes."""
    pace = Pace(60_000, sleep=lambda _: None)
    engine = TorchEngine(paced(load_tiny(tmp_path), pace), n_slots=2, chunk_tokens=64)
    ready = Request(1, [3, 1, 4], GREEDY_RULE, 0, decide=False)
    engine.verify([ready])
    engine.verify([ready])
    assert pace.forwards == 1
