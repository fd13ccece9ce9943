"""What one verifier has accepted of drafts, by language: how likely the next token is, and whether drafting pays. Pure.

A language of which nothing is known begins with what is known of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from daemon.target.acceptance_estimate import AcceptanceEstimate
from daemon.target.draft_worth import DraftWorth, Worth


@dataclass(frozen=True, slots=True)
class LanguageAcceptance:
    """What was accepted of drafts in one language."""

    estimate: AcceptanceEstimate
    worth: DraftWorth = field(default_factory=DraftWorth)


class Acceptances:
    """What was accepted, by language."""

    def __init__(self) -> None:
        self._all = AcceptanceEstimate()
        self._languages: dict[str, LanguageAcceptance] = {}

    def of(self, language: str) -> LanguageAcceptance:
        """What is known of this language."""
        if language not in self._languages:
            self._languages[language] = LanguageAcceptance(AcceptanceEstimate(self._all.rates()))
        return self._languages[language]

    def heard(
        self, language: str, tail: Sequence[int], entropies: Sequence[float], ids: Sequence[int], now: float
    ) -> None:
        """The target's next tokens are `ids` where `tail` was drafted, each of it at its entropy (nats).

        It tells of each draft token up to the first that is another: whether it was sent does not matter.
        """
        known = self.of(language)
        for drafted, entropy, token in zip(tail, entropies, ids, strict=False):
            accepted = drafted == token
            self._all.observe(entropy, accepted=accepted)
            known.estimate.observe(entropy, accepted=accepted)
            known.worth.observe(accepted=accepted, now=now)
            if not accepted:
                break

    def summary(self, now: float) -> dict[str, str]:
        """What drafts of each language are worth, in words; languages in the order of their names."""
        return {name: known.worth.in_words(now) for name, known in sorted(self._languages.items())}

    def warning(self, now: float) -> str:
        """Where the target agrees with too few of the drafts, in a sentence; "" if it does everywhere."""
        poor, off = self._of_worth("poor", now), self._of_worth("off", now)
        parts = [f"drafts are often wrong in {poor}"] if poor else []
        if off:
            parts.append(f"drafts are mostly wrong in {off}, where the verifier writes alone for now")
        return "; ".join(parts)

    def _of_worth(self, worth: Worth, now: float) -> str:
        names = (name for name, known in sorted(self._languages.items()) if known.worth.worth(now) == worth)
        return ", ".join(names)
