"""What is known of a run under its grammar: whether it is in force, and how much of which text fits. Pure state.

A text that may not be shown whole is cut at its end, so that text before the cursor + suggestion + text after it
stays what the grammar allows, as far as it was. What the legality engine has not yet looked at is held back, so that
nothing is shown that would have to be shortened; what is shown grows with what was examined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from daemon.statistics import GrammarUse
from grammars.interface import Mode

State = Literal["none", "reading", "in force", "off", "held back"]

GROWN_CHARACTERS: Final = 12
"""A text is examined anew when it has grown by so much, a few tokens, or by a line."""


@dataclass(slots=True)
class RunGrammar:
    """One run's. It starts without a grammar."""

    state: State = "none"
    """none: there is no grammar; reading: the text above is being followed; off: all is shown, see `mode` for the
    reason; held back: nothing is."""
    mode: str = ""
    """For people: "masked", "resynced: ...", "unmasked: ...", "held back: ..."; empty without a grammar."""
    read_by: float = float("inf")
    """When the text above must have been followed, or the run does without."""
    use: GrammarUse = field(default_factory=GrammarUse)
    _fits: dict[tuple[int, str], int] = field(default_factory=dict)
    """(Characters after the cursor, text from the run's place on) -> how many of its characters fit."""

    def turn_off(self, reason: str) -> None:
        """From here on this run does without its grammar."""
        self.state, self.mode = "off", f"unmasked: {reason}"

    def hold_back(self, reason: str) -> None:
        """Nothing of this run is shown: its grammar is not there, and any of it might be none of the language."""
        self.state, self.mode = "held back", f"held back: {reason}"

    def follows(self, mode: Mode | None) -> None:
        """The text so far has been followed, this well. Where it could not be, the run does without.

        None: there is no grammar at this place.

        Later on, after a token of the target's that is not legal, nothing is legal or not: but what of the text
        fits is known as before.
        """
        if mode is None:
            self.state, self.mode = "none", ""
        elif mode.kind == "unmasked" and self.state == "reading":
            self.turn_off(mode.reason)
        else:
            self.state = "in force"
            self.mode = f"{mode.kind}: {mode.reason}" if mode.reason else mode.kind

    @property
    def trims(self) -> bool:
        """Whether what is shown is cut to what fits."""
        return self.state in ("reading", "in force")

    def examined(self, text: str, characters_after: int, fitting: int) -> None:
        """The first `fitting` characters of `text` fit before the text after the cursor, which is that long.

        What fitted of a beginning of the text still does: what is shown only grows.
        """
        _, known = self._known(text, characters_after)
        self._fits[characters_after, text] = max(fitting, known)

    def has_grown(self, text: str, characters_after: int) -> bool:
        """Whether there is enough in `text` that was not examined to make that worth while."""
        examined, _ = self._known(text, characters_after)
        return examined == 0 or len(text) - examined >= GROWN_CHARACTERS or "\n" in text[examined:]

    def knows(self, text: str, characters_after: int) -> bool:
        """Whether it is known how much of the text fits, or does not matter."""
        return not self.trims or not text or (characters_after, text) in self._fits

    def fitting(self, text: str, characters_after: int) -> str:
        """As much of `text` as is known to fit. Once that is not asked any more: all, but what is known not to fit."""
        if self.state == "held back":
            return ""
        examined, fitting = self._known(text, characters_after)
        return text[:fitting] if self.trims or fitting < examined else text

    def _known(self, text: str, characters_after: int) -> tuple[int, int]:
        """How long the longest examined text is that is a beginning of `text`, and how much of it fits."""
        beginnings = (
            (len(examined), fitting)
            for (after, examined), fitting in self._fits.items()
            if after == characters_after and text.startswith(examined)
        )
        return max(beginnings, default=(0, 0))
