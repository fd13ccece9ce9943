"""What is counted, and how it is summed up; nothing of it is code text."""

import msgspec
import pytest

from daemon.statistics import KEPT_REQUESTS, MOST_MODES, GrammarUse, Request, Statistics, percentiles
from daemon.target.link_session import Committed


def committed(drafted: int, accepted: int) -> Committed:
    return Committed((0,) * (accepted + 1), drafted, accepted, "", 0, 0)


def test_nothing_counted_yet() -> None:
    """Rates that have no value are None, percentiles are left out."""
    snapshot = Statistics().snapshot()
    assert snapshot["acceptance"]["acceptance_rate"] is None
    assert snapshot["acceptance"]["accepted_per_round"] is None
    assert snapshot["first_ghost_ms"] == {"count": 0}
    assert snapshot["languages"] == {}


def test_rounds_by_language() -> None:
    """Rounds without a draft count as tokens of the target alone, not against the draft."""
    statistics = Statistics()
    statistics.round("python", committed(4, 3), 0.05)
    statistics.round("python", committed(4, 4), 0.07)
    statistics.round("go", committed(2, 0), 0.06)
    statistics.round("go", committed(0, 0), 0.02)
    snapshot = statistics.snapshot()
    assert snapshot["languages"] == {
        "go": {"rounds": 1, "drafted": 2, "accepted": 0, "acceptance_rate": 0.0, "accepted_per_round": 0.0},
        "python": {
            "rounds": 2, "drafted": 8, "accepted": 7, "acceptance_rate": 0.875, "accepted_per_round": 3.5,
        },
    }  # fmt: skip
    assert snapshot["acceptance"]["acceptance_rate"] == 0.7
    assert snapshot["target_alone_tokens"] == 1
    assert snapshot["verdict_ms"]["count"] == 4


def test_ux_52_acceptance_by_drafter() -> None:
    """A round counts for every drafter that has a token in it; what comes after the first rejection is rejected."""
    statistics = Statistics()
    statistics.round("python", committed(4, 2), 0.05, ["match", "model", "model", "match"])
    statistics.round("python", committed(1, 1), 0.05, ["healing"])
    statistics.round("python", committed(0, 0), 0.05, [])
    drafters = statistics.snapshot()["drafters"]
    assert {name: (row["rounds"], row["drafted"], row["accepted"]) for name, row in drafters.items()} == {
        "match": (1, 2, 1), "model": (1, 2, 1), "healing": (1, 1, 1),
    }  # fmt: skip


def test_ux_52_where_texts_came_from_and_what_was_kept_of_them() -> None:
    statistics = Statistics()
    for source in ("draft", "stopgap", "draft"):
        statistics.answered(Request("a.py", "python", 0.01, 5, None, source=source), 0.02)
    statistics.answered(Request("a.py", "python", 0.01, 0, "timeout"), 0.02)
    statistics.was_kept(30, 10, 5)
    snapshot = statistics.snapshot()
    assert snapshot["sources"] == {"draft": 2, "stopgap": 1}
    assert snapshot["key_to_ghost_ms"] == {"count": 3, "p50": 20.0, "p90": 20.0, "p99": 20.0}
    assert snapshot["kept"]["after 30 s"] == {
        "suggestions": 1, "whole_share": 0.0, "characters_share": 0.5,
    }  # fmt: skip


def test_requests_and_what_became_of_them() -> None:
    """Every empty answer is counted by its reason; the last ones are kept (ux-28, ux-44, ux-52)."""
    statistics = Statistics()
    for number in range(KEPT_REQUESTS + 10):
        reason = "timeout" if number % 2 else None
        statistics.answered(Request(f"f{number}.py", "python", 0.01, 5, reason))  # type: ignore[arg-type]
    statistics.drafted(1)
    assert statistics.snapshot()["continuations_foreseen_share"] is None
    statistics.ends, statistics.foreseen = 3, 2
    statistics.was_accepted("all", 5)
    statistics.was_accepted("word", 2)
    snapshot = statistics.snapshot()
    assert (snapshot["requests"], snapshot["suggestions"], snapshot["nothing"]) == (60, 30, {"timeout": 30})
    assert (snapshot["accepted"], snapshot["accepted_characters"]) == ({"all": 1, "word": 1}, 7)
    assert (snapshot["drafted_tokens"], snapshot["continuations_foreseen_share"]) == (1, 0.6667)
    assert snapshot["first_ghost_ms"] == {"count": 30, "p50": 10.0, "p90": 10.0, "p99": 10.0}
    assert len(snapshot["last_requests"]) == KEPT_REQUESTS
    assert snapshot["last_requests"][-1]["document"] == "f59.py"
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(snapshot)) == snapshot


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0.001], {"count": 1, "p50": 1.0, "p90": 1.0, "p99": 1.0}),
        ([n / 1000 for n in range(101)], {"count": 101, "p50": 50.0, "p90": 90.0, "p99": 99.0}),
    ],
)
def test_percentiles(seconds: list[float], expected: dict[str, float]) -> None:
    """In milliseconds, from any iterable."""
    assert percentiles(iter(seconds)) == expected


def test_what_grammars_had_to_do() -> None:
    """Summed over runs; requests counted by how much their grammar knew."""
    statistics = Statistics()
    assert statistics.snapshot()["grammar"]["engine_share"] is None
    statistics.grammar.add(GrammarUse(searches=3, checks=4, engine_s=0.002, draft_s=0.1))
    statistics.grammar.add(GrammarUse(searches=1, checks=64, full_masks=1, engine_s=0.002, draft_s=0.1))
    for mode in ("masked", "", "masked", "unmasked: not trusted"):
        statistics.answered(Request("a.sql", "sql", 0.01, 5, None, mode))
    snapshot = statistics.snapshot()
    assert snapshot["grammar"] == {
        "searches": 4, "checks": 68, "full_masks": 1, "repeated_tokens": 0, "late_answers": 0, "stuck_calls": 0,
        "illegal_target_runs": 0, "trimmed_characters": 0, "engine_ms": 4.0, "engine_share": 0.02,
        "requests": {"masked": 2, "unmasked: not trusted": 1},
    }  # fmt: skip
    assert snapshot["last_requests"][-1]["grammar"] == "unmasked: not trusted"


def test_reasons_without_number_are_counted_as_others() -> None:
    """Some name a line of the text."""
    statistics = Statistics()
    for line in range(100):
        statistics.answered(Request("a.sql", "sql", 0.01, 5, None, f"unmasked: line {line}"))
    requests = statistics.snapshot()["grammar"]["requests"]
    assert len(requests) == MOST_MODES + 1
    assert requests["others"] == 100 - MOST_MODES
