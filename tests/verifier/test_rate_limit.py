"""The token bucket: bursts, refill, and how long to wait."""

from __future__ import annotations

import pytest

from verifier.rate_limit import TokenBucket


def test_a_burst_passes_then_the_rate_holds() -> None:
    bucket = TokenBucket(rate_per_s=10, burst=3, now_s=0.0)
    assert [bucket.take(0.0) for _ in range(3)] == [0, 0, 0]
    assert bucket.take(0.0) == pytest.approx(0.1)
    assert bucket.take(0.1) == 0
    assert bucket.take(0.15) == pytest.approx(0.05)


def test_it_never_holds_more_than_the_burst() -> None:
    bucket = TokenBucket(rate_per_s=10, burst=2, now_s=0.0)
    assert [bucket.take(100.0) > 0 for _ in range(3)] == [False, False, True]
