"""The state that allows everything, and the values that cross the interface."""

from __future__ import annotations

import numpy as np
import pytest

from grammars import CursorState, Mode, Rejection, Unconstrained


@pytest.fixture
def state() -> CursorState:
    return Unconstrained(5, "no grammar for this language")


def test_it_says_why(state: CursorState) -> None:
    assert state.mode == Mode("unmasked", "no grammar for this language")


def test_everything_may_come_next(state: CursorState) -> None:
    assert state.mask().dtype == np.bool_
    assert state.mask().tolist() == [True] * 5
    assert state.first_legal([4, 2]) == 0
    assert state.first_legal(np.array([3, 1], dtype=np.int32).tolist()) == 0
    assert state.first_legal([]) is None
    assert state.fits([1, 2, 3]) == 3
    assert state.is_complete()


def test_the_mask_can_not_be_written_to(state: CursorState) -> None:
    with pytest.raises(ValueError, match="read-only"):
        state.mask()[0] = False


def test_any_text_is_followed_and_leaves_the_state_as_it_was(state: CursorState) -> None:
    state.push(1)
    after = state.advance(b"\xff any text")
    assert not isinstance(after, Rejection)
    assert after.mode == state.mode
    with pytest.raises(ValueError, match="of 0 made"):
        after.pop(1)
    state.pop(1)


def test_only_what_was_pushed_can_be_taken_back(state: CursorState) -> None:
    assert state.push(0)
    assert state.push(4)
    state.pop(2)
    state.pop(0)
    for count in (1, -1):
        with pytest.raises(ValueError, match="pushes to take back of 0 made"):
            state.pop(count)


def test_text_counts_as_one_push(state: CursorState) -> None:
    assert state.extend("状态".encode()[:4]) == 4
    assert state.fits(state.tokens(b"abc")) == 3
    state.pop(1)


@pytest.mark.parametrize("token", [-1, 5])
def test_a_token_outside_the_vocabulary_is_refused(state: CursorState, token: int) -> None:
    with pytest.raises(ValueError, match="not in a vocabulary of 5"):
        state.push(token)


@pytest.mark.parametrize(("kind", "reason"), [("masked", "x"), ("unmasked", ""), ("resynced", "")])
def test_a_mode_has_a_reason_unless_it_is_masked(kind: str, reason: str) -> None:
    with pytest.raises(ValueError, match="only masked goes without a reason"):
        Mode(kind, reason)  # type: ignore[arg-type]
    assert Mode("masked").reason == ""
    assert Mode("resynced", "error on line 3").kind == "resynced"


def test_a_rejection_names_the_place() -> None:
    assert Rejection(3, ("SEMICOLON",)).position == 3
