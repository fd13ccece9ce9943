"""Sequences: who has which, who waits, who gives way, and whose is taken over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.draft.sequences import Sequences

A, B, C, D, E = 11, 12, 13, 14, 15


def lent(count: int, *sessions: int) -> Sequences:
    """So many sequences, of which these sessions have drafted in one each, in this order; all are at rest."""
    sequences = Sequences(count)
    for session in sessions:
        sequences.lend(session)
        sequences.rest(session)
    return sequences


def test_a_session_keeps_its_sequence_and_others_wait_for_one() -> None:
    """Until it rests."""
    sequences = Sequences(2)
    assert [sequences.lend(session) for session in (A, B, C)] == [0, 1, None]
    assert sequences.lend(A) == 0
    sequences.rest(B)
    assert sequences.lend(C) == 1
    assert (sequences.of(A), sequences.of(B), sequences.of(C)) == (0, None, 1)


@pytest.mark.parametrize(("used_again", "taken"), [([], 0), ([A], 1), ([A, B], 2), ([B, A, C], 1)])
def test_the_least_recently_used_is_taken_over(used_again: list[int], taken: int) -> None:
    """Whoever used it first."""
    sequences = lent(3, A, B, C)
    for session in used_again:
        sequences.lend(session)
        sequences.rest(session)
    assert sequences.lend(D) == taken


def test_a_forgotten_sessions_sequence_goes_first() -> None:
    """Also where it was used last."""
    sequences = lent(3, A, B, C)
    sequences.forget(C)
    sequences.forget(E)
    assert sequences.lend(D) == 2


# --- working ahead


def test_who_works_ahead_waits_while_somebody_is_waited_for() -> None:
    """Though there are sequences for both."""
    sequences = Sequences(2)
    sequences.lend(A)
    sequences.defer(B)
    assert sequences.lend(B) is None
    sequences.rest(A)
    assert sequences.lend(B) == 1


def test_who_works_ahead_gives_way() -> None:
    """To those somebody waits for, and to those that began to work ahead later; not while it drafts nothing."""
    sequences = Sequences(3)
    for session in (A, B, C):
        sequences.defer(session)
    sequences.lend(A)
    assert sequences.giving_way(B) == [A]
    sequences.lend(B)
    assert sequences.giving_way(A) == []
    assert sequences.giving_way(C) == [A, B]
    assert sequences.giving_way(D) == [A, B]
    sequences.rest(A)
    assert sequences.giving_way(D) == [B]
    sequences.hurry(B)
    assert sequences.giving_way(D) == []


def test_who_works_ahead_loses_its_sequence_to_who_is_waited_for() -> None:
    """And has another later."""
    sequences = Sequences(1)
    sequences.defer(A)
    assert sequences.lend(A) == 0
    assert sequences.lend(B) == 0
    assert (sequences.of(A), sequences.lend(A)) == (None, None)
    sequences.rest(B)
    sequences.forget(B)
    assert sequences.lend(A) == 0


def test_who_works_ahead_takes_none_that_was_used_after_it_asked() -> None:
    """Thirty documents opened at once: the last are made ready, and nobody makes them unready again."""
    sequences = Sequences(4)
    documents = list(range(30))
    for document in documents:
        sequences.defer(document)
    for document in reversed(documents):
        if sequences.lend(document) is not None:
            sequences.rest(document)
    assert [document for document in documents if sequences.of(document) is not None] == [26, 27, 28, 29]


def test_who_works_ahead_never_takes_the_sequence_of_the_users_last_draft() -> None:
    """Whatever is opened meanwhile, there the user is most likely to go on."""
    sequences = lent(2, A, B)
    for session in (C, D, E):
        sequences.defer(session)
        assert sequences.lend(session) == 0
        sequences.rest(session)
    assert sequences.of(B) == 1


@given(st.lists(st.tuples(st.sampled_from(["lend", "rest", "forget", "defer", "hurry"]), st.integers(0, 5))))
def test_no_two_sessions_share_a_sequence_and_nobody_waits_for_who_gives_way(
    calls: list[tuple[str, int]],
) -> None:
    """After any calls; somebody waits for a session unless it is deferred."""
    sequences = Sequences(3)
    deferred: set[int] = set()
    keeping: set[int] = set()
    for call, session in calls:
        found = getattr(sequences, call)(session)
        if call == "defer":
            deferred.add(session)
        elif call != "lend":
            deferred.discard(session)
        if call in ("rest", "forget"):
            keeping.discard(session)
        if call == "lend" and session not in deferred:
            assert (found is None) == (session not in keeping and len(keeping - deferred) == 3)
        if found is not None:
            keeping.add(session)
        held = [held for one in range(6) if (held := sequences.of(one)) is not None]
        assert len(held) == len(set(held))
        assert set(held) <= {0, 1, 2}
        keeping = {one for one in keeping if sequences.of(one) is not None}


def test_a_sequence_is_handed_over_and_the_old_one_is_the_next_to_be_lent() -> None:
    sequences = lent(3, A, B)
    sequences.defer(C)
    assert sequences.lend(C) == 2
    assert sequences.hand_over(C, A)
    assert (sequences.of(A), sequences.of(C)) == (2, 0)
    assert sequences.lend(D) == 0
    assert sequences.of(C) is None


def test_a_sequence_is_handed_over_to_who_has_none() -> None:
    sequences = lent(2, A)
    sequences.lend(B)
    assert sequences.hand_over(B, C)
    assert (sequences.of(B), sequences.of(C), sequences.lend(D)) == (None, 1, 0)


def test_who_drafts_is_handed_nothing() -> None:
    sequences = Sequences(2)
    sequences.lend(A)
    sequences.lend(B)
    assert not sequences.hand_over(B, A)
    assert (sequences.of(A), sequences.of(B)) == (0, 1)


def test_what_was_taken_can_not_be_handed_over() -> None:
    """From who works ahead, by who is waited for."""
    sequences = Sequences(1)
    sequences.defer(A)
    assert (sequences.lend(A), sequences.lend(B)) == (0, 0)
    sequences.rest(B)
    assert not sequences.hand_over(A, C)
    assert sequences.of(B) == 0
