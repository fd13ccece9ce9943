"""Rows and figures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.typing.peer import Waits
from benchmarks.typing.report import FIGURES, figures_of, lines, peer_row, ratios, row_of
from benchmarks.typing.tally import Tally
from benchmarks.typing.typist import Spared

STATS: dict[str, Any] = {
    "acceptance": {
        "rounds": 4,
        "drafted": 10,
        "accepted": 5,
        "acceptance_rate": 0.5,
        "accepted_per_round": 1.25,
    },
    "continuations_foreseen_share": 0.9,
    "languages": {"python": {"rounds": 4}},
    "nothing": {"mid_word": 2},
}
TALLIED = Tally(
    Counter({"keys": 10, "keys_type": 9, "flicker": 1, "settled": 2}),
    provisional_ms=[40.0, 60.0],
    verified_ms=[90.0],
    type_through_ms=[1.0],
)


def row() -> dict[str, Any]:
    return row_of(TALLIED, Spared(needed=20, pressed=15), STATS, floor_ms=50.0)


def test_a_row_has_every_figure_that_has_a_goal() -> None:
    figures = figures_of(row())
    assert set(figures) == set(FIGURES)
    assert figures["provisional_p50_ms"] == 50.0
    assert figures["verified_over_floor_p99_ms"] == 40.0
    assert (figures["flicker"], figures["settled"], figures["keys_saved"]) == (1, 2, 0.25)
    assert (figures["acceptance_rate"], figures["accepted_per_round"]) == (0.5, 1.25)
    assert figures["continuations_foreseen_share"] == 0.9
    assert (figures["peer_ratio_p50"], figures["peer_ratio_p99"]) == (None, None)


def test_the_rest_of_a_row() -> None:
    made = row()
    assert (made["keys"], made["keys_type"], made["keys_needed"]) == (10, 9, 20)
    assert (made["nothing"], made["languages"]) == (STATS["nothing"], STATS["languages"])
    assert (made["cold_n"], made["cold_p99_ms"]) == (0, None)


def test_without_keys_or_a_floor_there_are_no_figures_and_no_error() -> None:
    made = row_of(Tally(), Spared(), STATS, floor_ms=None)
    assert made["verified_over_floor_p99_ms"] is None
    assert made["keys_saved"] is None


def test_ratios_to_the_peer() -> None:
    peer = peer_row(Waits([1.0, 200.0, 200.0], new_ms=[200.0, 200.0]), keys=10)
    assert (peer["keys"], peer["answered"]) == (10, 3)
    found = ratios(row(), peer)
    assert (found["peer_ratio_p50"], found["peer_ratio_new_p50"]) == (0.2, 0.25)
    assert set(ratios(row(), peer_row(Waits(), keys=10)).values()) == {None}


def test_lines_for_people() -> None:
    said = lines([{"a": 1, "b": None}, {"a": 2, "nothing": {"mid_word": 2}}])
    assert [line.split() for line in said] == [
        ["a", "1", "2"],
        ["b", "-", "-"],
        ["nothing", "-", "mid_word", "2"],
    ]
