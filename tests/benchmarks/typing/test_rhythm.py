"""The rhythm has the quantiles that were recorded."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.typing.rhythm import GAP_MS, HELD_MS, OVERLAPPED_MS, Pauses, between_keys_s, quantile


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0.0, 20), (0.001, 20), (0.25, 74), (0.375, 84.9), (0.5, 96), (0.999, 1528), (1.0, 1528)],
)
def test_quantiles_and_what_lies_between_them(level: float, expected: float) -> None:
    assert quantile(OVERLAPPED_MS, level) == pytest.approx(expected, abs=0.1)


def test_the_mean_is_near_that_of_the_recording() -> None:
    """Overlapped keys 112 ms on average, others 95 ms held and a gap of 123 ms: 171 ms in all."""
    draw = Random(1)
    drawn = [between_keys_s(draw) for _ in range(20_000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.171, rel=0.05)
    assert min(drawn) >= (HELD_MS[0] + GAP_MS[0]) / 1000
    assert max(drawn) <= OVERLAPPED_MS[-1] / 1000 + HELD_MS[-1] / 1000


def test_pauses_are_drawn_from_their_span_and_capped() -> None:
    draw = Random(1)
    drawn = [Pauses(cap_s=1.0).drawn((0.4, 3.0), draw) for _ in range(1000)]
    assert min(drawn) >= 0.4
    assert max(drawn) == 1.0
    assert sum(pause < 1.0 for pause in drawn) > 300
