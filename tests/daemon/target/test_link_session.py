"""The daemon's end of a session: frame by frame, and against a naive verifier with frames under way."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from daemon.target.link_session import Committed, Desynced, LinkSession
from speculation.epochs import after_edit, after_reject
from speculation.messages import Cancel, Context, Draft, Open, Verdict
from speculation.paths import EMPTY_PATH, path_hash

FIRST = after_edit(0)


def session(context: list[int] | None = None) -> LinkSession:
    """Session 7, whose verifier has this context, if any."""
    one = LinkSession(Open(7), credit=8, n_vocab=1000)
    if context is not None:
        one.edit(context)
    return one


def verdict(
    before: list[int],
    accepted: list[int],
    next_id: int,
    *,
    drafted: int = 0,
    epoch: int = FIRST,
    path: list[int] | None = None,
) -> Verdict:
    """What a verifier with the commit `before` says."""
    commit = [*before, *accepted, next_id]
    return Verdict(
        7, epoch, 1, len(before), drafted, len(accepted), next_id, len(commit), path_hash(commit), path or []
    )


def test_the_first_context_is_sent_whole() -> None:
    """There is nothing to keep."""
    assert session().edit([1, 2, 3]) == Context(7, FIRST, 0, EMPTY_PATH, [1, 2, 3])


@pytest.mark.parametrize(
    ("context", "keep", "append"),
    [
        ([1, 2, 3, 4], 3, [4]),
        ([1, 2, 9], 2, [9]),
        ([1, 2], 1, [2]),
        ([1, 2, 3], 2, [3]),
        ([1, 2, 3, 5, 6, 7], 5, [7]),
        ([1, 2, 3, 5, 6], 4, [6]),
        ([9], 0, [9]),
        ([], 0, []),
    ],
)
def test_an_edit_sends_what_differs(context: list[int], keep: int, append: list[int]) -> None:
    """From the common beginning with the commit on, the target's own tokens included; the last one always."""
    one = session([1, 2, 3])
    one.verdict(verdict([1, 2, 3], [], 5))
    one.verdict(verdict([1, 2, 3, 5], [], 6))
    assert one.edit(context) == Context(7, after_edit(FIRST), keep, path_hash([1, 2, 3, 5, 6][:keep]), append)
    assert one.committed_ids == context


def test_drafts_continue_each_other() -> None:
    """Each frame's base is the end of the one before; the sequence number never comes back."""
    one = session([1, 2])
    assert one.draft([5, 6, 7], 2) == Draft(7, FIRST, 1, 2, path_hash([1, 2]), [5, 6])
    assert one.sent([5, 6, 7]) == 2
    assert one.draft([5, 6, 7], 1) == Draft(7, FIRST, 2, 4, path_hash([1, 2, 5, 6]), [7])
    one.edit([1, 2, 5])
    assert one.sent([5]) == 0
    assert one.draft([8], 1).seq == 3


def test_a_tail_that_diverged_is_sent_from_there() -> None:
    """A guard: a generation's tail changes by verdicts only."""
    one = session([1])
    one.draft([5, 6], 2)
    assert one.sent([5, 9]) == 1
    assert one.draft([5, 9], 1) == Draft(7, FIRST, 2, 2, path_hash([1, 5]), [9])


@pytest.mark.parametrize(("tail", "count"), [([], 1), ([5], 2), ([5, 6], 0)])
def test_only_what_the_tail_has_can_be_sent(tail: list[int], count: int) -> None:
    """A mistake of the caller."""
    with pytest.raises(ValueError, match="in the tail"):
        session([1]).draft(tail, count)


@pytest.mark.parametrize(
    ("accepted", "next_id", "drafted", "ahead", "epoch"),
    [
        ([5, 6, 7], 8, 3, 0, FIRST),  # all and a bonus
        ([5, 6], 9, 3, 0, after_reject(FIRST)),  # a correction
        ([], 9, 3, 0, after_reject(FIRST)),
        ([5], 6, 1, 1, FIRST),  # the bonus is what was drafted: the rest stays under way
        ([5], 9, 1, 0, FIRST),  # it is not
        ([], 5, 0, 2, FIRST),  # decoded alone, as drafted
        ([], 9, 0, 0, FIRST),
    ],
)
def test_a_verdict_moves_the_commit(
    accepted: list[int], next_id: int, drafted: int, ahead: int, epoch: int
) -> None:
    """What stays under way is what continues it; a reject raises the epoch."""
    one = session([1])
    one.draft([5, 6, 7], 3)
    got = one.verdict(verdict([1], accepted, next_id, drafted=drafted))
    assert got == Committed((*accepted, next_id), drafted, len(accepted), "", 0, 0)
    assert one.committed_ids == [1, *accepted, next_id]
    tail = [5, 6, 7][len(accepted) + 1 :] if ahead else [20]
    assert one.sent(tail) == ahead
    assert one.draft([*tail, 30], 1 if ahead else 2).epoch == epoch


def test_a_verdict_may_name_its_path() -> None:
    """As it does where the draft was a tree."""
    one = session([1])
    assert one.verdict(verdict([1], [4, 5], 6, drafted=5, path=[4, 5])) == Committed(
        (4, 5, 6), 5, 2, "", 0, 0
    )


def test_stale_and_repeated_verdicts_have_no_effect() -> None:
    """Made before an edit, before a reject, or sent twice."""
    one = session([1])
    one.draft([5], 1)
    said = verdict([1], [5], 6, drafted=1)
    assert one.verdict(said) is not None
    assert one.verdict(said) is None
    rejecting = verdict([1, 5, 6], [], 7, drafted=1)
    assert one.verdict(rejecting) is not None
    assert one.verdict(rejecting) is None
    one.edit([1, 5])
    assert one.verdict(verdict([1, 5], [], 9)) is None
    assert one.committed_ids == [1, 5]


@pytest.mark.parametrize(
    "impossible",
    [
        verdict([1, 2], [], 9),  # of another place
        verdict([1], [5, 6], 9, drafted=2),  # accepts what was not sent
        verdict([4], [], 9),  # of another commit
        verdict([1], [], 9, epoch=after_reject(FIRST)),  # a reject was missed
        verdict([1], [], 9, epoch=after_edit(FIRST)),  # an edit that was never made
    ],
)
def test_impossible_verdicts_are_noticed(impossible: Verdict) -> None:
    """Then nothing counts until the next edit, which sends everything."""
    one = session([1])
    one.draft([5], 1)
    with pytest.raises(Desynced, match="session 7"):
        one.verdict(impossible)
    assert one.verdict(verdict([1], [5], 6, drafted=1)) is None
    assert one.edit([1, 2]) == Context(7, after_edit(FIRST), 0, EMPTY_PATH, [1, 2])
    assert one.verdict(verdict([1, 2], [], 6, epoch=after_edit(FIRST))) is not None


def test_a_refused_context_is_sent_whole() -> None:
    """The verifier did not know what to keep."""
    one = session([1, 2, 3])
    one.lost_track()
    assert one.edit([1, 2, 3, 4]).keep_len == 0


def test_cancelling() -> None:
    """Under the epoch of the moment."""
    assert session([1]).cancel() == Cancel(7, FIRST)
    assert session().cancel(close=True) == Cancel(7, 0, close=True)


class NaiveVerifier:
    """Lists, and hashes computed from scratch."""

    def __init__(self) -> None:
        self.commit: list[int] = []
        self.pending: list[int] = []
        self.epoch = 0

    def take(self, frame: Context | Draft) -> None:
        if isinstance(frame, Context):
            assert path_hash(self.commit[: frame.keep_len]) == frame.keep_hash
            self.commit = self.commit[: frame.keep_len] + frame.append
            self.pending, self.epoch = [], frame.epoch
            return
        path = self.commit + self.pending
        if frame.epoch == self.epoch and path_hash(path[: frame.base_pos]) == frame.base_hash:
            new = path[: frame.base_pos] + frame.ids
            if new[: len(path)] == path[: len(new)]:
                self.pending = max(path, new, key=len)[len(self.commit) :]

    def round(self, n: int, accepted: int, next_id: int) -> Verdict:
        """Judge the first `n` pending tokens: `accepted` of them stand."""
        stands = self.pending[:accepted]
        said = verdict(self.commit, stands, next_id, drafted=n, epoch=self.epoch)
        ids = [*stands, next_id]
        goes_on = accepted == n and self.pending[: len(ids)] == ids
        self.pending = self.pending[len(ids) :] if goes_on else []
        self.commit += ids
        if accepted < n:
            self.epoch = after_reject(self.epoch)
        return said


class Session(RuleBasedStateMachine):
    """Frames are delivered in order, at any time; nothing is lost; tokens are few, so that they often agree."""

    def __init__(self) -> None:
        super().__init__()
        self.session, self.verifier = LinkSession(Open(7), 8, 2**32), NaiveVerifier()
        self.up: deque[Context | Draft] = deque()
        self.down: deque[Verdict] = deque()
        self.tail: list[int] = []
        self.context: list[int] = []
        self.edit([1])

    @rule(context=st.lists(st.integers(0, 2), min_size=1, max_size=5))
    def edit(self, context: list[int]) -> None:
        self.context, self.tail = context, []
        self.up.append(self.session.edit(context))

    @rule(more=st.lists(st.integers(0, 2), min_size=1, max_size=4))
    def accept_and_go_on(self, more: list[int]) -> None:
        self.edit([*self.session.committed_ids, *more])

    @rule(ids=st.lists(st.integers(0, 2), min_size=1, max_size=4), kept=st.integers(0, 2))
    def draft(self, ids: list[int], kept: int) -> None:
        self.tail += ids
        count = len(self.tail) - self.session.sent(self.tail) - kept
        if count > 0:
            self.up.append(self.session.draft(self.tail, count))

    @precondition(lambda self: self.up)
    @rule()
    def reach_verifier(self) -> None:
        self.verifier.take(self.up.popleft())

    @precondition(lambda self: self.verifier.commit)
    @rule(n=st.integers(0, 4), accepted=st.integers(0, 4), next_id=st.integers(0, 2))
    def round(self, n: int, accepted: int, next_id: int) -> None:
        n = min(n, len(self.verifier.pending))
        accepted = min(accepted, n)
        if accepted < n and self.verifier.pending[accepted] == next_id:
            next_id = 3
        self.down.append(self.verifier.round(n, accepted, next_id))

    @precondition(lambda self: self.down)
    @rule(twice=st.booleans())
    def reach_daemon(self, twice: bool) -> None:
        said = self.down.popleft()
        got = self.session.verdict(said)
        if got is not None:
            agrees = tuple(self.tail[: len(got.ids)]) == got.ids and got.accepted == got.drafted
            self.tail = self.tail[len(got.ids) :] if agrees else []
        if twice:
            assert self.session.verdict(said) is None

    @invariant()
    def both_agree_when_nothing_is_under_way(self) -> None:
        if not self.up and not self.down:
            assert self.session.committed_ids == self.verifier.commit
            assert self.session.cancel().epoch == self.verifier.epoch
            assert self.verifier.pending == self.tail[: self.session.sent(self.tail)]

    @invariant()
    def the_commit_continues_the_context(self) -> None:
        assert self.session.committed_ids[: len(self.context)] == self.context


Session.TestCase.settings = settings(max_examples=80, stateful_step_count=30)
test_against_a_naive_verifier = Session.TestCase
