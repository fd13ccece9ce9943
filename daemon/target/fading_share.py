"""A share that follows what happens lately: on each occasion all that was before it comes to weigh less. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FadingShare:
    """How often something was so. `keeps`: what an occasion is worth after one more, in (0, 1)."""

    keeps: float
    occasions: float = 0.0
    """Their weights, together."""
    were_so: float = 0.0
    """Those of the occasions on which it was so."""

    @property
    def value(self) -> float:
        """The share, from 0 to 1; there is none before the first occasion."""
        return self.were_so / self.occasions

    def add(self, *, was_so: bool) -> None:
        """One more occasion."""
        self.occasions = self.occasions * self.keeps + 1
        self.were_so = self.were_so * self.keeps + was_so
