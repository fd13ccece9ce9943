"""What the demonstration prints: ghost text as it appears, and the tables at the end. Also the JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from draftwire.demo.check import Finding
from draftwire.demo.editor import Ghost, Session

VERIFIED = "green"
PROVISIONAL = "italic bright_black"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the demonstration and what was measured in it."""

    title: str
    session: Session
    acceptance: dict[str, Any]
    """The daemon's counts of rounds with the verifier (`acceptance` of its statistics)."""

    @property
    def latencies_ms(self) -> list[float]:
        waits = (suggested.key_to_ghost_ms for suggested in self.session.suggested)
        return [wait_ms for wait_ms in waits if wait_ms is not None]


class Screen:
    """Prints the cursor's line whenever the ghost text changes."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self._console = console
        self.quiet = quiet
        self._last = ""

    def title(self, text: str) -> None:
        if not self.quiet:
            self._console.rule(f"[bold]{text}")

    def note(self, text: str) -> None:
        if not self.quiet:
            self._console.print(Text(text, "dim"))

    def ghost(self, buffer: str, ghost: Ghost | None) -> None:
        """The cursor's line, the verified part of the ghost text, the provisional part."""
        line = Text(buffer[buffer.rfind("\n") + 1 :], "bold")
        if ghost is not None:
            line.append("▏", "bold")
            line.append(_on_one_line(ghost.text[: ghost.verified]), VERIFIED)
            provisional = _on_one_line(ghost.text[ghost.verified :])
            # Without colours the difference must still be seen.
            line.append(
                provisional if self._console.color_system else f"[{provisional}]" * bool(provisional),
                PROVISIONAL,
            )
        if not self.quiet and line.markup != self._last:
            self._last = line.markup
            self._console.print(line, soft_wrap=True)


def tables(console: Console, parts: Sequence[Part], findings: Sequence[Finding]) -> None:
    """The figures of each part, side by side, and the verdict on losslessness."""
    side_by_side(console, parts, figures_of(parts))
    verdict(console, findings)
    console.print(
        "The target here is as small as its draft: this shows the mechanism. Real pairs are named in the README."
    )


Row = tuple[str, list[str]]
"""A name, and a value for each part."""


def figures_of(parts: Sequence[Part]) -> list[Row]:
    """What is counted of every part."""
    return [
        ("keys typed", [str(part.session.keys) for part in parts]),
        ("suggestions shown", [str(len(part.session.suggested)) for part in parts]),
        ("key to first ghost, P50", [_ms(percentile(part.latencies_ms, 50)) for part in parts]),
        ("key to first ghost, P99", [_ms(percentile(part.latencies_ms, 99)) for part in parts]),
        ("rounds with the verifier", [str(part.acceptance["rounds"]) for part in parts]),
        ("acceptance rate", [share(part.acceptance["acceptance_rate"]) for part in parts]),
        (
            "accepted per round (bonus apart)",
            [_number(part.acceptance["accepted_per_round"]) for part in parts],
        ),
    ]


def side_by_side(console: Console, parts: Sequence[Part], rows: Sequence[Row]) -> None:
    """A table with a column for each part."""
    table = Table(title="What happened", show_lines=False)
    table.add_column("")
    for part in parts:
        table.add_column(part.title, justify="right")
    for name, values in rows:
        table.add_row(name, *values)
    console.print(table)


def verdict(console: Console, findings: Sequence[Finding]) -> None:
    """Whether what was shown as verified is the target's own; if not, where it is not."""
    wrong = [finding for finding in findings if not finding.holds]
    holds = "[red]NO[/red]" if wrong or not findings else "[green]yes[/green]"
    console.print(
        f"Verified text equals the target's own greedy continuation ({len(findings)} checked): {holds}"
    )
    for finding in wrong:
        console.print(
            Text(f"  shown as verified: {finding.claim.verified!r}\n  the target alone:  {finding.target!r}")
        )


def as_json(online: Part, offline: Part, poor: Part, findings: Sequence[Finding]) -> str:
    """One object; the top-level figures are those of the part with the verifier."""
    figures = {
        "keys": online.session.keys + offline.session.keys + poor.session.keys,
        "suggestions": len(online.session.suggested),
        "first_ghost_p50_ms": percentile(online.latencies_ms, 50),
        "first_ghost_p99_ms": percentile(online.latencies_ms, 99),
        "acceptance_rate": online.acceptance["acceptance_rate"],
        "accepted_per_round": online.acceptance["accepted_per_round"],
        "rounds": online.acceptance["rounds"],
        "verified_equals_target": all_hold(findings),
        "verified_checked": len(findings),
        "verified_mismatches": mismatches(findings),
        "offline_suggestions": len(offline.session.suggested),
        "offline_first_ghost_p50_ms": percentile(offline.latencies_ms, 50),
        "offline_first_ghost_p99_ms": percentile(offline.latencies_ms, 99),
        "poor_draft_acceptance_rate": poor.acceptance["acceptance_rate"],
        "poor_draft_accepted_per_round": poor.acceptance["accepted_per_round"],
        "poor_draft_rounds": poor.acceptance["rounds"],
    }
    return json.dumps(figures, indent=2)


def all_hold(findings: Sequence[Finding]) -> bool:
    """Whether there was something to check, and all of it was the target's own."""
    return bool(findings) and all(finding.holds for finding in findings)


def mismatches(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """What was shown as verified and is not the target's own, for JSON."""
    return [
        {"shown": finding.claim.verified, "target": finding.target}
        for finding in findings
        if not finding.holds
    ]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """A percentile, one decimal; None of nothing."""
    return round(float(np.percentile(values, percent)), 1) if values else None


def _on_one_line(text: str) -> str:
    return text.replace("\n", "⏎")


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"


def share(value: float | None) -> str:
    """In percent."""
    return "-" if value is None else f"{100 * value:.0f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
