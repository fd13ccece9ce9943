"""Which session owns which cache slot, and which tokens each slot's rows hold. Pure bookkeeping.

The slots are a cache. A session keeps its slot until another one needs it and it was used longest ago. A freed slot
keeps its tokens: the next session that starts with the same ones does not compute them again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from speculation.paths import common_length


@dataclass(slots=True)
class Slot:
    """One slot: who owns it (None: free) and the tokens whose keys and values its rows hold."""

    number: int
    owner: int | None = None
    tokens: list[int] = field(default_factory=list)
    used_at: int = 0


@dataclass(frozen=True, slots=True)
class Assigned:
    """A session's slot, how many leading tokens it already holds, and whether they must first be copied there."""

    slot: Slot
    cached: int
    copy_from: int | None = None


class SlotTable:
    """Assigns `n_slots` slots to sessions."""

    def __init__(self, n_slots: int) -> None:
        self._slots = [Slot(number) for number in range(n_slots)]
        self._by_owner: dict[int, Slot] = {}
        self._uses = 0

    def assign(self, owner: int, tokens: list[int], busy: Collection[int] = ()) -> Assigned:
        """The owner's slot, else the free one with the longest common prefix (the longest unused on ties).

        If none is free, the one used longest ago whose owner is not among `busy` changes hands. Of a prefix that
        another slot holds and this one does not, it says where to copy it from. LookupError if all are busy.
        """
        self._uses += 1
        slot = self._by_owner.get(owner)
        if slot is not None:
            slot.used_at = self._uses
            return Assigned(slot, common_length(slot.tokens, tokens))
        shared = [common_length(slot.tokens, tokens) for slot in self._slots]
        slot = self._available(shared, busy)
        slot.owner, slot.used_at = owner, self._uses
        self._by_owner[owner] = slot
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] > shared[slot.number]:
            return Assigned(slot, shared[best], copy_from=best)
        return Assigned(slot, shared[slot.number])

    def release(self, owner: int) -> None:
        """Free the owner's slot; nothing happens if it has none."""
        slot = self._by_owner.pop(owner, None)
        if slot is not None:
            self._uses += 1
            slot.owner, slot.used_at = None, self._uses

    @property
    def n_free(self) -> int:
        return len(self._slots) - len(self._by_owner)

    def _available(self, shared: list[int], busy: Collection[int]) -> Slot:
        """A free slot, else one that its owner can do without."""
        free = [slot for slot in self._slots if slot.owner is None]
        if free:
            return max(free, key=lambda s: (shared[s.number], -len(s.tokens), -s.used_at))
        idle = [slot for slot in self._slots if slot.owner not in busy]
        if not idle:
            raise LookupError(f"all {len(self._slots)} slots are busy")
        slot = min(idle, key=lambda s: s.used_at)
        assert slot.owner is not None
        del self._by_owner[slot.owner]
        return slot
