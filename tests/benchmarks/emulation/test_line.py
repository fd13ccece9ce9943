"""One direction of a network: delays add up, order stays, the same seed gives the same line."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.emulation.line import MOST_TRIES, SEGMENT_BYTES, Line, Network


def test_nothing_in_between_takes_no_time() -> None:
    assert Line(Network(), "a").arrival_s(3.0, 10_000) == 3.0


@pytest.mark.parametrize("round_trip_ms", [0, 20, 40, 80])
def test_each_direction_takes_half_of_the_round_trip(round_trip_ms: float) -> None:
    line = Line(Network(round_trip_ms), "a")
    assert line.arrival_s(1.0, 64) == pytest.approx(1.0 + round_trip_ms / 2000)
    assert line.arrival_s(5.0, 64) == pytest.approx(5.0 + round_trip_ms / 2000)


def test_bytes_wait_for_those_before_them_on_a_slow_line() -> None:
    """At 1000 bytes/s, 100 bytes take 0.1 s, and the next 100 come out 0.1 s later though given at once."""
    line = Line(Network(20, bytes_per_s=1000), "a")
    assert line.arrival_s(0.0, 100) == pytest.approx(0.11)
    assert line.arrival_s(0.0, 100) == pytest.approx(0.21)
    assert line.arrival_s(1.0, 100) == pytest.approx(1.11)


def test_jitter_only_delays_and_is_seeded() -> None:
    network = Network(20, jitter_ms=8)
    delays = [Line(network, "a").arrival_s(0.0, 1)] + [
        Line(network, str(seed)).arrival_s(0.0, 1) for seed in range(200)
    ]
    assert all(0.010 <= delay <= 0.018 for delay in delays)
    assert max(delays) - min(delays) > 0.006
    assert delays[0] == Line(network, "a").arrival_s(0.0, 1)


def test_a_lost_segment_stalls_what_is_behind_it() -> None:
    """The stall is the timeout on top of a round trip, and nothing overtakes it."""
    network = Network(20, loss=0.3, retransmit_ms=200)
    line = Line(network, "a")
    waits = [line.arrival_s(at / 1000, 64) - at / 1000 for at in range(1000)]
    stalled = [i for i, wait in enumerate(waits) if wait > 0.011]
    first = stalled[0]
    assert waits[first] == pytest.approx(0.010 + 0.220)
    assert all(
        w >= waits[first] - (i - first) / 1000 for i, w in enumerate(waits[first : first + 200], first)
    )


def test_losses_come_as_often_as_asked_and_end() -> None:
    """Far apart, so that no segment waits for another's."""
    line = Line(Network(loss=0.1), "a")
    lost = sum(line.arrival_s(at * 1e5, 64) > at * 1e5 for at in range(5000))
    assert 400 < lost < 600
    worst = Line(Network(loss=0.999), "a").arrival_s(0.0, 64)
    assert worst == pytest.approx((2**MOST_TRIES - 1) * 0.2)


def test_a_large_lot_is_lost_more_easily() -> None:
    """It arrives when the last of its segments does."""
    line = Line(Network(loss=0.05), "a")
    lost = sum(line.arrival_s(at * 1e5, 20 * SEGMENT_BYTES) > at * 1e5 for at in range(500))
    assert 0.5 < lost / 500 < 0.8  # 1 - 0.95^20 = 0.64


@given(
    network=st.builds(
        Network,
        round_trip_ms=st.floats(0, 100),
        jitter_ms=st.floats(0, 50),
        loss=st.floats(0, 0.5),
        bytes_per_s=st.sampled_from([0.0, 1e4, 1e6]),
    ),
    lots=st.lists(st.tuples(st.floats(0, 0.05), st.integers(0, 5000)), max_size=30),
    seed=st.text(max_size=3),
)
def test_order_is_kept_and_nothing_comes_early(
    network: Network, lots: list[tuple[float, int]], seed: str
) -> None:
    line, again, sent, last = Line(network, seed), Line(network, seed), 0.0, 0.0
    for pause, n_bytes in lots:
        sent += pause
        arrival = line.arrival_s(sent, n_bytes)
        assert arrival >= max(last, sent + network.round_trip_ms / 2000)
        assert arrival == again.arrival_s(sent, n_bytes)
        last = arrival


@pytest.mark.parametrize(
    "wrong",
    [
        {"round_trip_ms": -1},
        {"jitter_ms": -1},
        {"retransmit_ms": float("inf")},
        {"bytes_per_s": float("nan")},
        {"loss": 1.0},
        {"loss": -0.1},
    ],
)
def test_what_is_no_network_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"0 or more"):
        Network(**wrong)


def test_it_says_what_it_is() -> None:
    assert str(Network(40)) == "round trip 40 ms"
    whole = Network(40, jitter_ms=5, loss=0.01, bytes_per_s=1e6)
    assert str(whole) == "round trip 40 ms, jitter up to 5 ms each way, loss 1.00%, 1e+06 bytes/s"


def test_the_hidden_randomness_of_the_process_is_not_used() -> None:
    """Lines draw from generators of their own."""
    random.seed(1)
    before = random.getstate()
    line = Line(Network(20, jitter_ms=5, loss=0.5), "a")
    for at in itertools.islice(itertools.count(), 20):
        line.arrival_s(float(at), 64)
    assert random.getstate() == before
