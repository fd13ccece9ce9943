"""Epochs: edits and rejects never meet in one number."""

import pytest

from speculation.epochs import MAX_EPOCH, REJECT_BITS, after_edit, after_reject, same_edit
from speculation.messages import Cancel


def test_edits_and_rejects_count_apart() -> None:
    assert after_edit(0) == 1 << REJECT_BITS
    assert after_reject(after_edit(0)) == (1 << REJECT_BITS) + 1
    assert after_edit(after_reject(after_edit(0))) == 2 << REJECT_BITS


def test_an_edit_and_a_reject_at_the_same_moment_never_collide() -> None:
    """The daemon edits while the verifier rejects: the two histories have different numbers for ever."""
    epochs = [after_edit(7 << REJECT_BITS), after_reject(7 << REJECT_BITS)]
    for _ in range(3):
        epochs = [step(epoch) for epoch in epochs for step in (after_edit, after_reject)]
    edited = {epoch for epoch in epochs[:8] if same_edit(epoch, 8 << REJECT_BITS)}
    rejected = {epoch for epoch in epochs[8:] if same_edit(epoch, 7 << REJECT_BITS)}
    assert not edited & rejected


def test_same_edit() -> None:
    edit = after_edit(0)
    assert same_edit(edit, after_reject(edit))
    assert not same_edit(edit, after_edit(edit))


def test_rejects_do_not_run_into_the_next_edit() -> None:
    last = after_edit(0) + (1 << REJECT_BITS) - 1
    with pytest.raises(OverflowError, match="too many rejects"):
        after_reject(last)
    assert after_reject(last - 1) == last


def test_the_largest_epoch_is_a_field_of_a_message() -> None:
    assert Cancel(session=1, epoch=MAX_EPOCH).epoch == 2**52 - 1
