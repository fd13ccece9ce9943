"""Which session has which of the engine's sequences (KV caches), and who gives way to whom. Pure state.

A session that drafts keeps its sequence until it rests; of those at rest the least recently used is taken over. While
all are drafting the others wait: taking turns on too few caches would read a whole prompt anew for every token.

A session that works ahead of its user (`defer`) comes after all that somebody waits for, and after those that began
to work ahead later: while one of them drafts it gets no sequence, and loses the one it has if that is needed. It takes
none over that was used after it asked, nor that of the user's last draft.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass


@dataclass(slots=True)
class _Lent:
    sequence: int
    at: int
    """When it was last used (a count)."""


class Sequences:
    """`count` sequences, numbered from 0, and the sessions that want them."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._lent: OrderedDict[int, _Lent] = OrderedDict()
        """By session, least recently used first."""
        self._drafting: set[int] = set()
        """Sessions that keep their sequences for now."""
        self._deferred: dict[int, int] = {}
        """Sessions that nobody waits for, and when they began."""
        self._latest: int | None = None
        """The session that somebody waited for last."""
        self._ticks = itertools.count()

    def defer(self, session: int) -> None:
        """Nobody waits for what the session drafts from now on, until it rests or `hurry` is called."""
        self._deferred[session] = next(self._ticks)

    def hurry(self, session: int) -> None:
        """Somebody waits for it."""
        self._deferred.pop(session, None)

    def lend(self, session: int) -> int | None:
        """The session's sequence, its own until it rests; None while it has to wait."""
        if any(self._precedes(other, session) for other in self._drafting):
            return None
        sequence = self._found(session)
        if sequence is None:
            return None
        is_deferred = session in self._deferred
        if not is_deferred:
            self._latest = session
        self._drafting.add(session)
        self._lent[session] = _Lent(sequence, self._deferred[session] if is_deferred else next(self._ticks))
        self._lent.move_to_end(session)
        return sequence

    def of(self, session: int) -> int | None:
        """The sequence that the session has, or had last and nobody else since."""
        return self._lent[session].sequence if session in self._lent else None

    def giving_way(self, session: int) -> list[int]:
        """The sessions that draft and have to stop for this one."""
        return [
            other for other in self._deferred if other in self._drafting and self._precedes(session, other)
        ]

    def hand_over(self, session: int, to: int) -> bool:
        """Let `to` go on with the sequence of `session`, and that one rest with `to`'s.

        False while `to` drafts, or where another one has taken it.
        """
        if to in self._drafting or session not in self._lent:
            return False
        given, old = self._lent.pop(session), self._lent.pop(to, None)
        self._lent[to] = _Lent(given.sequence, next(self._ticks))
        self.rest(session)
        if old is not None:
            self._lent[session] = _Lent(old.sequence, -1)
            self._lent.move_to_end(session, last=False)
        return True

    def rest(self, session: int) -> None:
        """The session drafts nothing for now: another one may have its sequence, if one needs it."""
        self._drafting.discard(session)
        self._deferred.pop(session, None)

    def forget(self, session: int) -> None:
        """The session is over; its sequence is the first to be lent again."""
        self.rest(session)
        if session in self._lent:
            self._lent.move_to_end(session, last=False)
            self._lent[session].at = -1
        if self._latest == session:
            self._latest = None

    def _found(self, session: int) -> int | None:
        """The sequence the session has, one that nobody has yet, or one taken over."""
        own = self.of(session)
        if own is not None:
            return own
        if len(self._lent) < self.count:
            return len(self._lent)
        free = next((other for other in self._lent if self._may_take(session, other)), None)
        if free is None:
            return None
        self._drafting.discard(free)
        return self._lent.pop(free).sequence

    def _may_take(self, session: int, other: int) -> bool:
        if other in self._drafting:
            return self._precedes(session, other)
        began = self._deferred.get(session)
        return began is None or (self._lent[other].at < began and other != self._latest)

    def _precedes(self, session: int, other: int) -> bool:
        """Whether the other gives way to this one."""
        if session == other or other not in self._deferred:
            return False
        return session not in self._deferred or self._deferred[session] > self._deferred[other]
