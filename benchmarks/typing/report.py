"""What one replay measured, as one row of plain values; and the figures of the whole run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from benchmarks.typing.peer import Waits
from benchmarks.typing.tally import Tally, percentiles
from benchmarks.typing.typist import Spared

FIGURES: Final = (
    "provisional_p50_ms",
    "provisional_p99_ms",
    "verified_p99_ms",
    "verified_over_floor_p99_ms",
    "type_through_p99_ms",
    "bridge_recall_p99_ms",
    "peer_ratio_p50",
    "peer_ratio_p99",
    "peer_ratio_new_p50",
    "peer_ratio_new_p99",
    "flicker",
    "settled",
    "keys_saved",
    "acceptance_rate",
    "accepted_per_round",
    "continuations_foreseen_share",
)
MOST_FLICKERS: Final = 20
"""Of which the report has the texts; and as many of what was misplaced."""
_COUNTS: Final = (
    "flicker",
    "flicker_on_key",
    "settled",
    "taken_back",
    "misplaced",
    "shown",
    "never_verified",
    "answered",
    "late",
    "empty",
    "overtaken",
)


def row_of(
    tallied: Tally,
    spared: Spared,
    stats: Mapping[str, Any],
    *,
    floor_ms: float | None,
) -> dict[str, Any]:
    """A row. `stats` are the daemon's own."""
    counts = tallied.counts
    row: dict[str, Any] = {"keys": counts["keys"]}
    latencies = {
        "provisional": tallied.provisional_ms,
        "verified": tallied.verified_ms,
        "type_through": tallied.type_through_ms,
        "recalled": tallied.recalled_ms,
        "cold": tallied.cold_ms,
        "all": tallied.all_ms,
        "new": tallied.new_ms,
    }
    for name, values in latencies.items():
        row |= spread(name, values)
    row |= {"floor_ms": floor_ms, "verified_over_floor_p99_ms": _over(row["verified_p99_ms"], floor_ms)}
    row |= {name: counts[name] for name in _COUNTS}
    row |= {name: count for name, count in sorted(counts.items()) if name.startswith("keys_")}
    row |= {"keys_saved": _rounded(spared.share), "keys_needed": spared.needed}
    acceptance = stats["acceptance"]
    row |= {name: acceptance[name] for name in ("rounds", "acceptance_rate", "accepted_per_round")}
    row["continuations_foreseen_share"] = stats["continuations_foreseen_share"]
    row["languages"] = stats["languages"]
    row["nothing"] = stats["nothing"]
    row["misplaced_what"] = tallied.misplaced[:MOST_FLICKERS]
    row["flickers"] = [asdict(flicker) for flicker in tallied.flickers[:MOST_FLICKERS]]
    return row


def figures_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The figures that goals are set for; None where the run did not measure one."""
    return {name: row.get(name) for name in FIGURES}


def ratios(row: Mapping[str, Any], peer: Mapping[str, Any]) -> dict[str, float | None]:
    """Ours / the peer's, of the time from a key to its text: of all keys that got one, and of new texts."""
    return {
        f"peer_ratio_{prefix}{level}": _rounded(_ratio(row[f"{keys}_{level}_ms"], peer[f"{keys}_{level}_ms"]))
        for prefix, keys in (("", "all"), ("new_", "new"))
        for level in ("p50", "p99")
    }


def peer_row(waits: Waits, keys: int) -> dict[str, Any]:
    """What the peer did: the time to text of the keys that got one before the next key."""
    return {
        "keys": keys,
        "answered": len(waits.all_ms),
        **spread("all", waits.all_ms),
        **spread("new", waits.new_ms),
    }


def lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """All rows side by side, for people: a line for each name."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [f"{name:28} " + "  ".join(_shown(row.get(name)) for row in rows) for name in names]


def spread(name: str, values_ms: Sequence[float]) -> dict[str, Any]:
    """How many there are, and three percentiles of them."""
    p50, p90, p99 = percentiles(values_ms, 50, 90, 99)
    return {f"{name}_n": len(values_ms), f"{name}_p50_ms": p50, f"{name}_p90_ms": p90, f"{name}_p99_ms": p99}


def _over(value: float | None, floor: float | None) -> float | None:
    return None if value is None or floor is None else round(value - floor, 2)


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or not theirs else ours / theirs


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(inner)}" for name, inner in value.items()) or "-"
    return "-" if value is None else str(value)
