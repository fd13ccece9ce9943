"""Is what was shown as verified the target's own? Held against what the target says alone, where that is cheap to ask.

Of an oracle it is: it is a function of the text before the cursor. Each suggestion is followed from the key that
brought it, while it is typed along, to its last update. Suggestions that came back from memory are not looked at: they
were when they first came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from benchmarks.typing.events import Display, Event, Key, Opened

SaysAlone = Callable[[str, int], bytes]
"""(text before the cursor, bytes wanted) -> what the target says there, at least as long unless it ends before."""


@dataclass(slots=True)
class Lossless:
    """What the check found."""

    checked: int = 0
    """Displays with verified text."""
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """Shown as verified, and what the target says instead."""


def check(events: Iterable[Event], says: SaysAlone) -> Lossless:
    """Look at every display with verified text; the events have the text around each key."""
    found = Lossless()
    origin: str | None = None
    key: Key | None = None
    for event in events:
        match event:
            case Opened():
                origin = key = None
            case Key():
                if origin is not None and not _goes_along(origin, event, says):
                    origin = None
                key = event
            case Display() if key is not None and key.sides is not None:
                before = key.sides[0]
                if event.cause == "answer":
                    origin = origin if event.recalled else before
                if event.verified and origin is not None:
                    _compare(found, origin, before[len(origin) :] + event.text[: event.verified], says)
            case _:
                pass
    return found


def _said(origin: str, at_least: int, says: SaysAlone) -> bytes:
    """What the target says there; from before a blank on if it says that first (`daemon/prompts/healing.py`)."""
    if origin.endswith(" "):
        said = says(origin[:-1], at_least + 1)
        if said.startswith(b" "):
            return said[1:]
    return says(origin, at_least)


def _goes_along(origin: str, key: Key, says: SaysAlone) -> bool:
    """Whether the key is one that types on from the origin what the target would say."""
    assert key.sides is not None, "the editor has kept the text"
    before = key.sides[0]
    typed = before[len(origin) :].encode()
    return (
        before.startswith(origin)
        and key.kind != "backspace"
        and _said(origin, len(typed), says).startswith(typed)
    )


def _compare(found: Lossless, origin: str, shown: str, says: SaysAlone) -> None:
    data = shown.encode()
    said = _said(origin, len(data), says)
    found.checked += 1
    if not said.startswith(data):
        found.wrong.append((shown, said.decode(errors="replace")))
