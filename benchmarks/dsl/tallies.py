"""What `benchmarks.dsl_acceptance` counts, and the shares it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Rounds:
    """Blocks and how they were judged by one target."""

    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    first: int = 0
    """Rounds whose first draft token was accepted."""

    def add(self, drafted: int, accepted: int) -> None:
        """Count one block. An empty one is a round as well: nothing was accepted."""
        self.rounds += 1
        self.drafted += drafted
        self.accepted += accepted
        self.first += accepted > 0

    @property
    def acceptance(self) -> float:
        """Accepted draft tokens of those verified."""
        return share(self.accepted, self.drafted)

    def report(self) -> dict[str, float]:
        """acceptance; accepted tokens per round, without the correction or bonus token; first tokens accepted."""
        return {
            "acceptance": self.acceptance,
            "accepted_per_round": round(self.accepted / max(1, self.rounds), 2),
            "drafted_per_round": round(self.drafted / max(1, self.rounds), 2),
            "first_token": share(self.first, self.rounds),
            "rounds": self.rounds,
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a parser says of one suggestion."""

    legal: bool
    """The grammar allows every token of it."""
    fits: bool
    """... and the text after the cursor can go on as before."""
    is_shown: bool
    """Trimming leaves some of it ..."""
    trimmed_fits: bool
    """... which fits."""


@dataclass(slots=True)
class Suggestions:
    """Suggestions, and of how many each is true."""

    count: int = 0
    legal: int = 0
    fits: int = 0
    shown: int = 0
    trimmed_fits: int = 0

    def add(self, one: Judgement) -> None:
        """Count one suggestion."""
        self.count += 1
        self.legal += one.legal
        self.fits += one.fits
        self.shown += one.is_shown
        self.trimmed_fits += one.trimmed_fits

    def report(self) -> dict[str, float]:
        """Shares of all suggestions: legal, fitting as they are, shown after trimming; fitting, of those shown."""
        return {
            "legal": share(self.legal, self.count),
            "fits": share(self.fits, self.count),
            "shown_trimmed": share(self.shown, self.count),
            "trimmed_fits": share(self.trimmed_fits, self.shown),
            "suggestions": self.count,
        }


def share(part: int, whole: int) -> float:
    """part / whole to four places; 0 of nothing."""
    return round(part / whole, 4) if whole else 0.0
