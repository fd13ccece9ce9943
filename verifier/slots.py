"""Which session owns which cache slot, and which tokens each slot's rows hold. Pure bookkeeping.

A freed slot keeps its tokens: the next session that starts with the same ones does not compute them again.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Slot:
    """One slot: who owns it (None: free) and the tokens whose keys and values its rows hold."""

    number: int
    owner: int | None = None
    tokens: list[int] = field(default_factory=list)
    freed_at: int = 0


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
        self._releases = 0

    def assign(self, owner: int, tokens: list[int]) -> Assigned:
        """The owner's slot, else the free one with the longest common prefix (the longest unused on ties).

        Of a prefix that another slot holds and this one does not, it says where to copy it from. LookupError if no
        slot is free.
        """
        slot = self._by_owner.get(owner)
        if slot is not None:
            return Assigned(slot, common_prefix(slot.tokens, tokens))
        shared = [common_prefix(slot.tokens, tokens) for slot in self._slots]
        free = [slot for slot in self._slots if slot.owner is None]
        if not free:
            raise LookupError(f"all {len(self._slots)} slots are taken")
        slot = max(free, key=lambda s: (shared[s.number], -len(s.tokens), -s.freed_at))
        slot.owner = owner
        self._by_owner[owner] = slot
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] > shared[slot.number]:
            return Assigned(slot, shared[best], copy_from=best)
        return Assigned(slot, shared[slot.number])

    def release(self, owner: int) -> None:
        """Free the owner's slot; nothing happens if it has none."""
        slot = self._by_owner.pop(owner, None)
        if slot is not None:
            self._releases += 1
            slot.owner, slot.freed_at = None, self._releases

    @property
    def n_free(self) -> int:
        return len(self._slots) - len(self._by_owner)


def common_prefix(a: list[int], b: list[int]) -> int:
    """How many leading tokens are equal, by halving: comparing slices is far faster than comparing items."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
