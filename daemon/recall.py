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

    Closing brackets and quotes that the editor added right after the cursor are not a difference. Large
    documents cost two comparisons of memory, and only if the text near the cursor agrees.
    """
    typed = likely_typed(then, now)
    return typed if typed is not None and is_same_around(then, now) else None


def likely_typed(then: Place, now: Place) -> str | None:
    """The same as far as the text near the cursor tells, whatever the documents' sizes."""
    if then.document is now.document:
        return "" if then.offset == now.offset else None
    old, new = then.document.text, now.document.text
    added = now.characters_after - then.characters_after
    if now.offset < then.offset or not 0 <= added <= MOST_AUTO_CLOSED:
        return None
    if not AUTO_CLOSED.issuperset(new[now.offset : now.offset + added]):
        return None
    near = max(0, then.offset - _NEAR)
    return new[then.offset : now.offset] if new.startswith(old[near : then.offset], near) else None


def is_same_around(then: Place, now: Place) -> bool:
    """Whether all before and after what was typed (and closed by the editor) is as it was."""
    if then.document is now.document:
        return True
    old, new = then.document.text, now.document.text
    after = len(new) - then.characters_after
    return new.startswith(old[: then.offset]) and new.startswith(old[then.offset :], after)


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
        typed = likely_typed(candidate.place, now)
        if typed is None:
            continue
        text = candidate.known_text
        goes_on = len(text) > len(typed) and text.startswith(typed)
        if goes_on and is_same_around(candidate.place, now):  # last of all, since it reads the documents
            return candidate, typed
    return None
