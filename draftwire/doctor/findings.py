"""What a check found. Knows nothing of how it was found or how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "info", "warning", "failed"]
Hop = Literal["installation", "editor", "bridge", "daemon", "grammars", "model", "verifier"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome. `fix` says what to do; only a warning or a failure has one."""

    hop: Hop
    check: str
    level: Level
    text: str
    fix: str = ""

    def __post_init__(self) -> None:
        if self.level == "failed" and not self.fix:
            raise ValueError(f"{self.check}: a failure must name a fix")


def shortened(digest: str) -> str:
    """A digest to tell two files by at a glance: "sha256:" and twelve of its digits."""
    kind, colon, digits = digest.rpartition(":")
    return f"{kind}{colon}{digits[:12]}"
