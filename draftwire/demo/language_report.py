"""What the demonstration of a grammar prints at its end: without it and with it, side by side; the JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from draftwire.demo.check import Claim, Finding
from draftwire.demo.judgement import Shares
from draftwire.demo.report import (
    Part,
    all_hold,
    figures_of,
    mismatches,
    percentile,
    share,
    side_by_side,
    verdict,
)
from draftwire.grammar.conformance import Verdict
from draftwire.grammar.excerpts import place_of


@dataclass(frozen=True, slots=True)
class Compared:
    """One part: what was typed and shown, and what the grammar says of it."""

    part: Part
    shares: Shares
    modes: Mapping[str, int]
    """Requests by how much the daemon's grammar knew."""
    nothing: Mapping[str, int]
    """Requests that got nothing, by reason."""
    claims: Sequence[Claim]


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed under what."""

    grammar: str
    file: Path
    text: str
    verdict: Verdict
    """Of the grammar on the file."""
    can_be_left_out: bool
    """The file follows the grammar as well without each of the statements that were typed."""


def tables(console: Console, typed: Typed, compared: Sequence[Compared], findings: Sequence[Finding]) -> None:
    """The figures side by side, how the grammar fared, and the verdict on losslessness."""
    after = "the text after them" if typed.can_be_left_out else "the beginning of the text after them"
    parts = [one.part for one in compared]
    own = [
        ("suggestions legal under it", [_of(one.shares.legal_share, one.shares.judged) for one in compared]),
        (
            f"that fit {after}",
            [_of(one.shares.fitting_share, one.shares.judged) for one in compared],
        ),
        (
            "whose first word is the file's",
            [_of(one.shares.as_in_the_file_share, one.shares.shown) for one in compared],
        ),
    ]
    side_by_side(console, parts, [*figures_of(parts), *own])
    for one in compared:
        for title, counts in (("requests", one.modes), ("nothing shown", one.nothing)):
            if counts:
                said = "; ".join(f"{count} {name}" for name, count in counts.items())
                console.print(Text(f"{one.part.title}, {title}: {said}", "dim"))
    if not typed.can_be_left_out:
        console.print(
            "The file breaks without any of these statements: whether a suggestion fits is judged by the beginning of "
            "the text after it only."
        )
    verdict(console, findings)
    console.print(
        "Figures of a few places, with a target that is small and does not know your language: it writes, and accepts, "
        "what a large one would not. The grammar constrains the draft; of the target's text it only cuts the end. "
        "Draft and target share this machine: so few latencies say nothing of the difference."
    )


def as_json(typed: Typed, compared: Sequence[Compared], findings: Sequence[Finding]) -> str:
    """One object."""
    found = typed.verdict
    line, column = place_of(typed.text, found.offset)
    parses = found.outcome == "parses"
    plain, masked = compared
    figures = {
        "grammar": typed.grammar,
        "file": str(typed.file),
        "parses": parses,
        "first_error": None if parses else {"line": line, "column": column, "expected": list(found.expected)},
        "statements_can_be_left_out": typed.can_be_left_out,
        "plain": _figures(plain),
        "masked": _figures(masked),
        "verified_equals_target": all_hold(findings),
        "verified_checked": len(findings),
        "verified_mismatches": mismatches(findings),
    }
    return json.dumps(figures, indent=2, ensure_ascii=False)


def _figures(one: Compared) -> dict[str, Any]:
    part = one.part
    return {
        "keys": part.session.keys,
        "suggestions": len(part.session.suggested),
        "first_ghost_p50_ms": percentile(part.latencies_ms, 50),
        "first_ghost_p99_ms": percentile(part.latencies_ms, 99),
        "rounds": part.acceptance["rounds"],
        "acceptance_rate": part.acceptance["acceptance_rate"],
        "accepted_per_round": part.acceptance["accepted_per_round"],
        "judged": one.shares.judged,
        "legal_share": one.shares.legal_share,
        "fitting_share": one.shares.fitting_share,
        "as_in_the_file_share": one.shares.as_in_the_file_share,
        "modes": dict(one.modes),
        "nothing": dict(one.nothing),
    }


def _of(value: float | None, count: int) -> str:
    return f"{share(value)} of {count}"
