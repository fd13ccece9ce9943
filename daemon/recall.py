"""Recall: does a continuation found before still fit the buffer as it is now?

Typing along a suggestion, backspacing over what was typed, and accepting a part of it all keep the prefix equal
to "prefix then + start of the continuation"; the rest of the continuation is then the answer, with no model run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from daemon.documents import Place

AUTO_CLOSED = frozenset(")]}>\"'`")
"""Characters editors insert after the cursor by themselves."""
MOST_AUTO_CLOSED = 4
_NEAR = 64
"""Characters before the cursor that are compared first, since they tell most differences cheaply."""


def typed_since(then: Place, now: Place) -> str | None:
    """What was typed at `then` to get to `now`; None if the texts differ in any other way.

    Closing brackets and quotes that the editor added right after the cursor are not a difference.
    """
    if then.document is now.document:
        return "" if then.offset == now.offset else None
    old, new = then.document.text, now.document.text
    old_after, new_after = len(old) - then.offset, len(new) - now.offset
    added = new_after - old_after
    if now.offset < then.offset or not 0 <= added <= MOST_AUTO_CLOSED:
        return None
    near = max(0, then.offset - _NEAR)
    if new[near : then.offset] != old[near : then.offset]:
        return None
    if not AUTO_CLOSED.issuperset(new[now.offset : now.offset + added]):
        return None
    if new[: then.offset] != old[: then.offset] or new[now.offset + added :] != old[then.offset :]:
        return None
    return new[then.offset : now.offset]


def rest_after(continuation: str, typed: str) -> str | None:
    """What is left of a continuation of which `typed` was typed; None if it was not typed along it."""
    return continuation[len(typed) :] if continuation.startswith(typed) else None


class Known(Protocol):
    """A continuation that may be recalled."""

    @property
    def place(self) -> Place: ...

    @property
    def known_text(self) -> str: ...


K = TypeVar("K", bound=Known)


def best_fit(known: Iterable[K], now: Place) -> tuple[K, str] | None:
    """The first of `known` (newest first) that fits at `now` with text left, and what was typed of it."""
    for candidate in known:
        typed = typed_since(candidate.place, now)
        if typed is not None and rest_after(candidate.known_text, typed):
            return candidate, typed
    return None
