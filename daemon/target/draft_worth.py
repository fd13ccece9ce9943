"""Whether drafts of a language are worth drafting, by what the target accepted of them. Pure: the clock is a parameter.

    on --- below OFF_BELOW over JUDGED_TOKENS ---> off --- after a hold ---> on trial --- JUDGED_TOKENS later ---> on
     ^ below WARN_BELOW: on, but poor               ^----------- below again (hold doubles) ------'

What counts is the share of draft tokens that were the target's own, of those whose predecessors were right. It does not
depend on the length of blocks, as the share of all tokens verified does: of a long block that fails early most are
rejected unseen.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, Literal

OFF_BELOW: Final = 0.3
WARN_BELOW: Final = 0.6
WINDOW_TOKENS: Final = 200
JUDGED_TOKENS: Final = 100
"""So many are looked at before a judgement."""
FIRST_HOLD_S: Final = 60.0
LONGEST_HOLD_S: Final = 960.0

Worth = Literal["unknown", "good", "poor", "off"]


@dataclass(slots=True)
class DraftWorth:
    """The worth of the drafts of one language."""

    _judged: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW_TOKENS))
    _off_until: float | None = None
    _hold_s: float = 0.0

    @property
    def rate(self) -> float | None:
        """The share accepted in the window; None if it is too small to tell."""
        return sum(self._judged) / len(self._judged) if len(self._judged) >= JUDGED_TOKENS else None

    def drafts(self, now: float) -> bool:
        """Whether the draft model has a part now."""
        return self._off_until is None or now >= self._off_until

    def worth(self, now: float) -> Worth:
        """In a word."""
        if not self.drafts(now):
            return "off"
        rate = self.rate
        return "unknown" if rate is None else "poor" if rate < WARN_BELOW else "good"

    def in_words(self, now: float) -> str:
        """For people, with the share."""
        rate = self.rate
        return self.worth(now) + ("" if rate is None else f", {rate:.0%} the target's own")

    def observe(self, *, accepted: bool, now: float) -> None:
        """One draft token was the target's own, or was not. While drafts are off, what is still told is old."""
        if not self.drafts(now):
            return
        self._judged.append(accepted)
        rate = self.rate
        if rate is None:
            return
        if rate < OFF_BELOW:
            self._hold_s = min(self._hold_s * 2 or FIRST_HOLD_S, LONGEST_HOLD_S)
            self._off_until = now + self._hold_s
            self._judged.clear()
        else:
            self._off_until, self._hold_s = None, 0.0
