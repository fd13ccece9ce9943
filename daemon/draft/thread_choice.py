"""How many threads the draft model decodes with: the number that was fastest lately, found out on its own tokens. Pure.

    steady   every token is timed; the median of the last few is what a token takes
    trial    another number decodes some tokens: now and then, and soon when tokens take much longer, or less long, than
             they did when the number was chosen. It is over at the first token that takes far too long.

No token is decoded for this alone. Beside other work two threads can take a hundred times as long as one (each waits
for the other at every one of the barriers of a token, and the other may not be running), and on a free machine less:
so what is right changes while the daemon runs. A trial that changed nothing makes the next one wait for twice as long.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Mapping
from typing import Final

STEADY_TOKENS: Final = 5
TRIAL_TOKENS: Final = 4
"""The first of them is not counted: threads may have to be made for it."""
DEPARTED: Final = 1.5
"""Tokens that take so many times what they did, or that part of it, are a reason for a trial."""
FAR_TOO_LONG: Final = 2.0
"""Times what the number in force takes."""
WORTH_IT: Final = 0.9
"""Of the time in force: with less gain than that the number stays."""
FIRST_REST_S: Final = 2.0
LONGEST_REST_S: Final = 64.0


class ThreadChoice:
    """Chooses of the numbers in `token_s`: seconds a token took with each, as far as measured, else None."""

    def __init__(self, token_s: Mapping[int, float | None]) -> None:
        """ValueError if there is no number, or one below 1."""
        if not token_s or min(token_s) < 1:
            raise ValueError(f"numbers of threads are from 1 on: {sorted(token_s)}")
        measured = {count: seconds for count, seconds in token_s.items() if seconds is not None}
        self._token_s: dict[int, float] = measured
        self._counts = tuple(sorted(token_s))
        self._chosen = min(measured, key=lambda count: measured[count]) if measured else self._counts[-1]
        self._recent: deque[float] = deque(maxlen=STEADY_TOKENS)
        self._to_try: list[int] = []
        self._tried: list[float] = []
        """Seconds of the tokens decoded with the first of `_to_try`."""
        self._rest_s = FIRST_REST_S
        self._trial_at: float | None = None
        """No trial before that; None until the first token."""

    @property
    def chosen(self) -> int:
        """The number in force."""
        return self._chosen

    @property
    def token_s(self) -> Mapping[int, float]:
        """Seconds a token took with each number when it was last measured."""
        return self._token_s

    @property
    def count(self) -> int:
        """How many threads decode the next token."""
        return self._to_try[0] if self._to_try else self._chosen

    def took(self, seconds: float, now: float) -> None:
        """A token was decoded with `count` threads in so many seconds."""
        if self._to_try:
            self._take_trial(seconds, now)
            return
        self._recent.append(seconds)
        if self._trial_at is None:
            self._trial_at = now + FIRST_REST_S
        if len(self._recent) == STEADY_TOKENS and now >= self._trial_at and self._is_worth_a_trial(now):
            self._token_s[self._chosen] = statistics.median(self._recent)
            self._to_try = [count for count in self._counts if count != self._chosen]

    def _is_worth_a_trial(self, now: float) -> bool:
        """Tokens take another time than when the number was chosen; or it is long since anybody looked."""
        assert self._trial_at is not None, "set with the first token"
        if len(self._counts) == 1:
            return False
        known, seconds = self._token_s.get(self._chosen), statistics.median(self._recent)
        has_departed = known is None or not 1 / DEPARTED <= seconds / known <= DEPARTED
        return has_departed or now >= self._trial_at + LONGEST_REST_S

    def _take_trial(self, seconds: float, now: float) -> None:
        self._tried.append(seconds)
        counted = self._tried[1:]
        too_long = bool(counted) and seconds > FAR_TOO_LONG * self._token_s[self._chosen]
        if len(self._tried) == TRIAL_TOKENS or too_long:
            self._token_s[self._to_try.pop(0)] = seconds if too_long else statistics.median(counted)
            self._tried = []
        if not self._to_try:
            self._choose(now)

    def _choose(self, now: float) -> None:
        """The trial is over."""
        best = min(self._token_s, key=lambda count: self._token_s[count])
        changes = self._token_s[best] < WORTH_IT * self._token_s[self._chosen]
        self._rest_s = FIRST_REST_S if changes else min(2 * self._rest_s, LONGEST_REST_S)
        self._chosen = best if changes else self._chosen
        self._trial_at = now + self._rest_s
        self._recent.clear()
