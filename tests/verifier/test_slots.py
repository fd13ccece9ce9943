"""Slots: who owns which, and what of a common prefix is kept."""

from __future__ import annotations

import pytest

from verifier.slots import SlotTable


def test_an_owner_keeps_its_slot() -> None:
    table = SlotTable(2)
    first = table.assign(1, [1, 2])
    first.slot.tokens = [1, 2, 3]
    again = table.assign(1, [1, 2, 4])
    assert (again.slot, again.cached, again.copy_from) == (first.slot, 2, None)


def test_a_freed_slot_serves_the_session_that_continues_it() -> None:
    table = SlotTable(3)
    for owner, tokens in ((1, [9]), (2, [5, 6, 7]), (3, [5, 1])):
        table.assign(owner, tokens).slot.tokens = tokens
    for owner in (1, 2, 3):
        table.release(owner)
    assigned = table.assign(4, [5, 6, 8])
    assert (assigned.slot.number, assigned.cached, assigned.copy_from) == (1, 2, None)


def test_a_prefix_held_by_a_live_session_is_copied() -> None:
    table = SlotTable(2)
    table.assign(1, [5, 6, 7]).slot.tokens = [5, 6, 7]
    assigned = table.assign(2, [5, 6, 8])
    assert (assigned.slot.number, assigned.cached, assigned.copy_from) == (1, 2, 0)


def test_without_a_common_prefix_the_slot_with_least_to_lose_is_taken_then_the_longest_unused() -> None:
    table = SlotTable(3)
    for owner, tokens in ((1, [1, 1, 1]), (2, [2, 2]), (3, [3, 3])):
        table.assign(owner, tokens).slot.tokens = tokens
    for owner in (1, 3, 2):
        table.release(owner)
    assert table.assign(4, [9]).slot.number == 2
    assert table.assign(5, [9]).slot.number == 1


def test_with_all_slots_taken_the_one_used_longest_ago_changes_hands() -> None:
    table = SlotTable(2)
    table.assign(1, [1]).slot.tokens = [1]
    table.assign(2, [2]).slot.tokens = [2]
    table.assign(1, [1])
    assert table.assign(3, [2, 5]).slot.number == 1
    assert table.assign(2, [2]).slot.number == 0, "1 had not been used since"


def test_a_slot_that_the_step_needs_does_not_change_hands() -> None:
    table = SlotTable(1)
    table.assign(1, [1])
    with pytest.raises(LookupError):
        table.assign(2, [1], busy={1, 2})
    table.release(7)
    assert table.n_free == 0
    table.release(1)
    assert table.n_free == 1
    table.assign(2, [1], busy={2})
