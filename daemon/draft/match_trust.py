"""Which matches are followed instead of asking the model: those that the target has proved better than it. Pure.

Where a match was found and the target has spoken, it is known whether the match named its token; and whether the model
did, if that was asked. Both are counted by the length of the match, older positions weighing less, beside made-up ones
that say what was measured on real files with a weak and a strong target (RESULTS.md, `drafters`). So with a target that
is hardly better than the draft model only the longest matches are followed, with a strong one shorter ones as well.
"""

from __future__ import annotations

from typing import Final

from daemon.target.fading_share import FadingShare

SHORTEST: Final = 6
"""Characters: of shorter matches nothing is kept."""
_MADE_UP: Final = 24.0
"""Positions that the beginning is worth."""
_KEEPS: Final = 0.99
"""What each position is worth once another has come."""


def _beginning(share: float) -> FadingShare:
    return FadingShare(_KEEPS, _MADE_UP, share * _MADE_UP)


class MatchTrust:
    """One language's."""

    def __init__(self) -> None:
        # From so many characters on: the share of positions where the match was right, and where the model was.
        self._classes = {
            96: (_beginning(0.87), _beginning(0.73)),
            48: (_beginning(0.88), _beginning(0.70)),
            24: (_beginning(0.86), _beginning(0.67)),
            12: (_beginning(0.74), _beginning(0.68)),
            SHORTEST: (_beginning(0.51), _beginning(0.63)),
        }

    def follows(self, matched: int) -> bool:
        """Whether a match of so many characters, at least SHORTEST, is followed."""
        match, model = self._shares(matched)
        return match.value >= model.value

    def judged(self, matched: int, *, match: bool, model: bool | None) -> None:
        """The target has spoken where such a match was: who was right. model None: it was not asked."""
        of_match, of_model = self._shares(matched)
        of_match.add(was_so=match)
        if model is not None:
            of_model.add(was_so=model)

    def _shares(self, matched: int) -> tuple[FadingShare, FadingShare]:
        return next(shares for least, shares in self._classes.items() if least <= matched)
