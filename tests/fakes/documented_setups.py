"""The configurations that docs/other-editors.md gives, as a test of a client needs them.

A fence with a name after its language is a file of that name, in the section of its client.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "other-editors.md"
_SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```(\w+) ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections() -> dict[str, str]:
    """What the document says, by the client's heading."""
    parts = _SECTION.split(DOCUMENT.read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def setups(client: str) -> dict[str, str]:
    """The client's files, by name."""
    return {name: text for _, name, text in _FENCE.findall(sections()[client])}


def setup(client: str, name: str) -> str:
    """One file of the client's; KeyError if the document does not have it."""
    return setups(client)[name]
