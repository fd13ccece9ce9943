"""The session's rules, one test each, and a stateful run against a naive model of what must come out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from speculation.epochs import after_edit, after_reject
from speculation.messages import Cancel, Context, Draft, Error, Open, Resume, SparseQ, Verdict
from speculation.paths import EMPTY_PATH, path_hash
from tests.fakes.target import FakeTarget, hashed_logits
from verifier.engine import Decided, Failed, Prefilled
from verifier.reference import greedy_continuation
from verifier.session import Session
from verifier.session_events import Dropped, Effect, Event, Limits, Released, Round, RoundDone, Send

EDIT = after_edit(0)
CONTEXT = [1, 2, 3]
STOP = 7
LIMITS = Limits(n_vocab=8, max_context=40, max_draft=8, credit=12, stop_ids=frozenset({STOP}))


class Bench:
    """A session with context CONTEXT, and a hand to drive it: events at a time, rounds with results of our choice."""

    def __init__(
        self, opened: Open | None = None, limits: Limits = LIMITS, context: Sequence[int] = CONTEXT
    ) -> None:
        self.session = Session(5, opened or Open(1, max_tokens=20), limits)
        self.now = 0.0
        self.give(Context(1, EDIT, 0, EMPTY_PATH, list(context)))

    def give(self, event: Event) -> list[Effect]:
        return self.session.handle(event, self.now)

    def draft(
        self, ids: Sequence[int], *, seq: int = 1, epoch: int | None = None, base: int | None = None
    ) -> list[Effect]:
        """A DRAFT on the committed path (at `base`, or its end)."""
        commit = self.session.commit
        base = len(commit) if base is None else base
        epoch = self.session.epoch if epoch is None else epoch
        return self.give(Draft(1, epoch, seq, base, path_hash(commit[:base]), list(ids)))

    def begin(self) -> Round:
        begun = self.session.next_round(self.now)
        assert begun is not None
        return begun

    def end(self, begun: Round, accepted: int, next_id: int) -> list[Effect]:
        return self.give(RoundDone(begun, Decided(tuple(range(accepted)), next_id), 1000))

    def round(self, accepted: int, next_id: int) -> Verdict:
        """A whole round; the verdict it sends."""
        return only_verdict(self.end(self.begin(), accepted, next_id))


def only_verdict(effects: Sequence[Effect]) -> Verdict:
    [verdict] = [e.message for e in effects if isinstance(e, Send) and isinstance(e.message, Verdict)]
    return verdict


def error_code(effects: Sequence[Effect]) -> str:
    [error] = [e.message for e in effects if isinstance(e, Send) and isinstance(e.message, Error)]
    assert error.session == 1
    return error.code


def reasons(effects: Sequence[Effect]) -> dict[str, int]:
    return {e.reason: e.n_tokens for e in effects if isinstance(e, Dropped)}


# -- without drafts


def test_without_a_draft_the_target_decodes_one_token_a_round() -> None:
    bench = Bench()
    verdict = bench.round(0, 4)
    assert (verdict.seq, verdict.drafted, verdict.accepted, verdict.base_pos, verdict.next_id) == (
        0,
        0,
        0,
        3,
        4,
    )
    assert (verdict.commit_len, verdict.commit_hash) == (4, path_hash([1, 2, 3, 4]))
    assert bench.round(0, 5).commit_len == 5
    assert bench.session.commit == [1, 2, 3, 4, 5]


def test_draft_wait_only_prefills_until_it_runs_out_and_is_not_repeated() -> None:
    bench = Bench(Open(1, max_tokens=20, draft_wait_ms=50))
    prefill = bench.begin()
    assert not prefill.request.decide
    assert bench.give(RoundDone(prefill, Prefilled(0), 10)) == []
    assert bench.session.next_round(49.0) is None
    assert bench.session.wake_at_ms() == 50.0
    bench.now = 50.0
    bench.round(0, 4)
    assert bench.session.wake_at_ms() == 50.0, "no second wait"
    bench.draft([5])
    bench.round(1, 6)
    assert bench.session.wake_at_ms() == 100.0, "a draft came: wait for the next one"


def test_a_draft_ends_the_wait() -> None:
    bench = Bench(Open(1, max_tokens=20, draft_wait_ms=1000))
    bench.give(RoundDone(bench.begin(), Prefilled(0), 10))
    bench.draft([4])
    assert bench.begin().request.block.ids == (4,)


def test_an_unfinished_prefill_asks_again_and_takes_what_came_meanwhile() -> None:
    bench = Bench()
    assert bench.give(RoundDone(bench.begin(), Prefilled(100), 10)) == []
    bench.draft([4, 5])
    assert bench.round(2, 6).accepted == 2


def test_only_one_round_runs_at_a_time() -> None:
    bench = Bench()
    bench.begin()
    assert bench.session.next_round(0.0) is None
    assert bench.session.wake_at_ms() is None


# -- verdicts


def test_full_accept_commits_draft_and_bonus_in_the_same_epoch() -> None:
    bench = Bench()
    bench.draft([4, 5], seq=3)
    verdict = bench.round(2, 6)
    assert (verdict.seq, verdict.drafted, verdict.accepted, verdict.next_id) == (3, 2, 2, 6)
    assert bench.session.commit == [1, 2, 3, 4, 5, 6]
    assert verdict.epoch == bench.session.epoch == EDIT


@pytest.mark.parametrize("accepted", [0, 1, 2])
def test_reject_commits_the_correction_and_raises_the_epoch(accepted: int) -> None:
    bench = Bench()
    bench.draft([4, 5, 6])
    verdict = bench.round(accepted, 0)
    assert (verdict.epoch, verdict.drafted, verdict.accepted) == (EDIT, 3, accepted)
    assert bench.session.commit == [1, 2, 3, *[4, 5, 6][:accepted], 0]
    assert bench.session.epoch == after_reject(EDIT)


def test_frames_are_taken_whole_up_to_max_draft_and_answered_with_the_last_seq() -> None:
    bench = Bench()
    bench.draft([4, 5, 6])
    bench.give(Draft(1, EDIT, 2, 6, path_hash([1, 2, 3, 4, 5, 6]), [0, 1, 2]))
    bench.give(Draft(1, EDIT, 3, 9, path_hash([1, 2, 3, 4, 5, 6, 0, 1, 2]), [3, 4, 5]))
    begun = bench.begin()
    assert begun.request.block.ids == (4, 5, 6, 0, 1, 2)
    assert only_verdict(bench.end(begun, 6, 3)).seq == 2
    assert bench.begin().request.block.ids == (4, 5), "the bonus confirmed the next frame's first token"


def test_what_arrives_during_a_round_goes_on_if_the_bonus_fits() -> None:
    bench = Bench()
    bench.draft([4, 5])
    begun = bench.begin()
    bench.give(Draft(1, EDIT, 2, 5, path_hash([1, 2, 3, 4, 5]), [6, 0, 1]))
    assert reasons(bench.end(begun, 2, 6)) == {}
    assert bench.begin().request.block.ids == (0, 1)


def test_what_arrives_during_a_round_is_dropped_if_the_bonus_contradicts() -> None:
    bench = Bench()
    bench.draft([4, 5])
    begun = bench.begin()
    bench.give(Draft(1, EDIT, 2, 5, path_hash([1, 2, 3, 4, 5]), [6, 0, 1]))
    assert reasons(bench.end(begun, 2, 3)) == {"tail_rejected": 3}
    assert bench.session.epoch == EDIT, "the hashes protect; no new epoch"
    assert bench.begin().request.block.ids == ()


def test_a_frame_used_up_by_the_bonus_is_answered_by_that_verdict() -> None:
    bench = Bench()
    bench.draft([4, 5])
    begun = bench.begin()
    bench.give(Draft(1, EDIT, 2, 5, path_hash([1, 2, 3, 4, 5]), [6]))
    verdict = only_verdict(bench.end(begun, 2, 6))
    assert only_verdict(bench.draft([6], seq=2, base=5)) == verdict


def test_after_a_reject_nothing_pending_survives_even_if_the_correction_equals_the_draft() -> None:
    """Block mode may reject a block and then draw the very token it had drafted there."""
    bench = Bench()
    bench.draft([4, 5, 6])
    begun = bench.begin()
    bench.give(Draft(1, EDIT, 2, 6, path_hash([1, 2, 3, 4, 5, 6]), [0]))
    assert reasons(bench.end(begun, 1, 5)) == {"tail_rejected": 1}
    assert bench.session.commit == [1, 2, 3, 4, 5]
    assert bench.begin().request.block.ids == ()


def test_a_tree_verdict_carries_the_path() -> None:
    bench = Bench()
    bench.give(Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4, 5, 6], [-1, -1, 1]))
    begun = bench.begin()
    assert begun.request.block.parents == (-1, -1, 1)
    verdict = only_verdict(bench.give(RoundDone(begun, Decided((1, 2), 0), 1)))
    assert (verdict.path, verdict.accepted, verdict.drafted, verdict.next_id) == ([5, 6], 2, 3, 0)
    assert bench.session.commit == [1, 2, 3, 5, 6, 0]


def test_a_tree_behind_a_chain_joins_its_round() -> None:
    bench = Bench()
    bench.draft([4, 5])
    tree = Draft(1, EDIT, 2, 5, path_hash([1, 2, 3, 4, 5]), [6, 0, 1], [-1, -1, 0])
    assert reasons(bench.give(tree)) == {}
    block = bench.begin().request.block
    assert (block.ids, block.parents) == ((4, 5, 6, 0, 1), (-1, 0, 1, 1, 2))


def test_a_tree_that_came_too_late_or_is_built_upon_is_dropped() -> None:
    bench = Bench()
    bench.give(Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4, 5], [-1, -1]))
    assert reasons(bench.draft([6], seq=2)) == {"off_path": 1}
    begun = bench.begin()
    bench.give(RoundDone(begun, Decided((0,), 2), 1))
    late = Draft(1, bench.session.epoch, 3, 3, path_hash(CONTEXT), [4, 5], [-1, -1])
    assert reasons(bench.give(late)) == {"off_path": 2}


# -- the end of generation


def test_a_stop_token_in_the_accepted_run_ends_it_there() -> None:
    """Tokens after it are not committed, and from it on none counts as drafted."""
    bench = Bench()
    bench.draft([4, STOP, 5])
    verdict = bench.round(3, 6)
    assert (verdict.finish, verdict.next_id, verdict.accepted, verdict.drafted) == ("stop", STOP, 1, 1)
    assert bench.session.commit == [1, 2, 3, 4, STOP]
    assert bench.session.epoch == EDIT
    assert bench.session.wake_at_ms() is None


def test_stop_beats_length() -> None:
    bench = Bench(Open(1, max_tokens=1))
    assert bench.round(0, STOP).finish == "stop"


def test_the_clients_stop_ids_replace_the_models_own() -> None:
    bench = Bench(Open(1, max_tokens=9, stop_ids=[2]))
    assert bench.round(0, STOP).finish == ""
    assert bench.round(0, 2).finish == "stop"


def test_length_cuts_the_block_so_that_the_next_token_is_the_last() -> None:
    bench = Bench(Open(1, max_tokens=3))
    bench.draft([4, 5, 6, 0])
    begun = bench.begin()
    assert begun.request.block.ids == (4, 5)
    verdict = only_verdict(bench.end(begun, 2, 6))
    assert (verdict.finish, verdict.drafted, verdict.seq, verdict.commit_len) == ("length", 2, 1, 6)


def test_a_tree_is_cut_by_depth() -> None:
    bench = Bench(Open(1, max_tokens=2))
    bench.give(Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4, 5, 6], [-1, 0, -1]))
    block = bench.begin().request.block
    assert (block.ids, block.parents) == ((4, 6), (-1, -1))


def test_a_full_context_ends_generation() -> None:
    bench = Bench(limits=Limits(8, 5, 8, 12, frozenset()))
    bench.draft([4, 5, 6])
    begun = bench.begin()
    assert begun.request.block.ids == (4,)
    assert only_verdict(bench.end(begun, 1, 5)).finish == "context_full"


def test_max_tokens_zero_generates_nothing() -> None:
    assert Bench(Open(1, max_tokens=0)).session.wake_at_ms() is None


def test_after_the_end_drafts_are_dropped_and_answered_ones_replayed() -> None:
    bench = Bench(Open(1, max_tokens=2))
    bench.draft([4])
    verdict = bench.round(1, 5)
    assert verdict.finish == "length"
    assert only_verdict(bench.draft([4], seq=1, base=3)) == verdict
    assert reasons(bench.draft([6], seq=2)) == {"finished": 1}


# -- what is dropped


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (Draft(1, EDIT + 1, 1, 3, path_hash(CONTEXT), [4]), "stale_epoch"),
        (Draft(1, EDIT, 1, 3, 99, [4]), "off_path"),
        (Draft(1, EDIT, 1, 4, path_hash(CONTEXT), [4]), "off_path"),
        (Draft(1, EDIT, 1, 2, path_hash([1, 2]), [4]), "off_path"),
        (Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4] * 13), "over_credit"),
    ],
)
def test_a_draft_off_the_path_is_dropped_and_harmless(draft: Draft, reason: str) -> None:
    bench = Bench()
    assert reasons(bench.give(draft)) == {reason: len(draft.ids)}
    assert bench.begin().request.block.ids == ()


def test_a_draft_before_any_context_is_dropped() -> None:
    session = Session(5, Open(1), LIMITS)
    assert reasons(session.handle(Draft(1, 0, 1, 0, EMPTY_PATH, [4]), 0.0)) == {"no_context": 1}


def test_late_tokens_that_the_target_said_itself_are_skipped() -> None:
    bench = Bench()
    bench.round(0, 4)
    bench.round(0, 5)
    assert reasons(bench.draft([4, 5, 6, 0], base=3)) == {"overlapped": 2}
    assert bench.begin().request.block.ids == (6, 0)


def test_late_tokens_that_contradict_the_target_drop_the_frame() -> None:
    bench = Bench()
    bench.round(0, 4)
    assert reasons(bench.draft([5, 6], base=3)) == {"off_path": 2}


def test_a_frame_with_nothing_new_is_no_work() -> None:
    bench = Bench(Open(1, max_tokens=20, draft_wait_ms=100))
    bench.now = 100.0
    bench.round(0, 4)
    assert reasons(bench.draft([4], base=3)) == {"overlapped": 1}
    assert bench.begin().request.block.ids == ()


@pytest.mark.parametrize("begun", [False, True])
def test_a_duplicate_of_a_pending_frame_is_dropped(begun: bool) -> None:
    bench = Bench()
    bench.draft([4, 5])
    if begun:
        bench.begin()
    assert reasons(bench.draft([4, 5])) == {"duplicate": 2}


def test_a_duplicate_of_an_answered_frame_gets_the_same_verdict() -> None:
    bench = Bench()
    bench.draft([4, 5])
    verdict = bench.round(1, 6)
    assert only_verdict(bench.draft([4, 5], epoch=EDIT, base=3)) == verdict


def test_only_the_last_verdicts_are_kept() -> None:
    bench = Bench(Open(1, max_tokens=1000), Limits(8, 1000, 8, 12, frozenset()))
    for seq in range(1, 67):
        bench.draft([4], seq=seq)
        bench.round(1, 5)
    effects = bench.draft([4], seq=1, base=3)
    assert reasons(effects) == {"overlapped": 1}


# -- errors


@pytest.mark.parametrize(
    ("context", "code"),
    [
        (Context(1, after_edit(EDIT), 2, 99, [4]), "context_mismatch"),
        (Context(1, after_edit(EDIT), 9, path_hash(CONTEXT), [4]), "context_mismatch"),
        (Context(1, after_edit(EDIT), 0, EMPTY_PATH, []), "bad_frame"),
        (Context(1, after_edit(EDIT), 0, EMPTY_PATH, [1] * 40), "context_too_long"),
        (Context(1, after_edit(EDIT), 0, EMPTY_PATH, [8]), "token_out_of_range"),
    ],
)
def test_a_context_that_does_not_fit_stops_generation_until_one_does(context: Context, code: str) -> None:
    bench = Bench()
    assert error_code(bench.give(context)) == code
    assert bench.session.next_round(0.0) is None
    assert bench.give(Context(1, context.epoch, 0, EMPTY_PATH, [6])) == []
    assert bench.begin().request.tokens == [6]


def test_the_very_first_context_may_be_refused_and_sent_again_under_epoch_zero() -> None:
    session = Session(5, Open(1), LIMITS)
    assert error_code(session.handle(Context(1, 0, 3, 1, [4]), 0.0)) == "context_mismatch"
    assert session.handle(Context(1, 0, 0, EMPTY_PATH, [4]), 0.0) == []
    assert session.next_round(0.0) is not None


@pytest.mark.parametrize(
    ("draft", "mode", "code"),
    [
        (Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [8]), "match", "token_out_of_range"),
        (
            Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4], None, [SparseQ([4, 8], [1, 65535])]),
            "ratio",
            "token_out_of_range",
        ),
        (Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4]), "ratio", "bad_frame"),
        (Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4, 5], [-1, -1]), "block", "unsupported_mode"),
    ],
)
def test_a_draft_the_mode_or_the_vocabulary_has_no_place_for(draft: Draft, mode: str, code: str) -> None:
    bench = Bench(Open(1, mode=mode, temperature=1.0))  # type: ignore[arg-type]
    assert error_code(bench.give(draft)) == code
    assert bench.begin().request.block.ids == ()


def test_q_stays_with_its_token() -> None:
    bench = Bench(Open(1, mode="ratio", temperature=1.0, max_tokens=20))
    q = [SparseQ([token], [65536]) for token in (4, 5, 6)]
    bench.round(0, 4)
    bench.give(Draft(1, EDIT, 1, 3, path_hash(CONTEXT), [4, 5, 6], None, q))
    assert bench.begin().request.block.q == (q[1], q[2])


def test_a_failed_round_ends_generation_with_an_error() -> None:
    bench = Bench()
    assert bench.session.number == 1
    assert error_code(bench.give(RoundDone(bench.begin(), Failed("why"), 1))) == "internal"
    assert bench.session.next_round(0.0) is None


# -- contexts, cancel, resume


def test_a_context_edit_drops_what_is_pending_and_makes_the_running_round_stale() -> None:
    bench = Bench()
    bench.draft([4, 5])
    begun = bench.begin()
    assert reasons(bench.give(Context(1, after_edit(EDIT), 2, path_hash([1, 2]), [6]))) == {"stale_round": 2}
    assert bench.session.commit == [1, 2, 6]
    assert bench.session.next_round(0.0) is None, "the engine still works for this session"
    assert reasons(bench.end(begun, 2, 6)) == {"stale_round": 2}
    assert bench.begin().request.tokens == [1, 2, 6]


def test_an_older_context_is_dropped() -> None:
    bench = Bench()
    assert reasons(bench.give(Context(1, EDIT, 0, EMPTY_PATH, [4]))) == {"stale_context": 0}
    bench.draft([4])
    bench.round(0, 5)
    assert reasons(bench.give(Context(1, bench.session.epoch, 0, EMPTY_PATH, [4]))) == {"stale_context": 0}


def test_cancel_stops_and_the_next_context_starts_again() -> None:
    bench = Bench()
    bench.draft([4])
    begun = bench.begin()
    assert reasons(bench.give(Cancel(1, EDIT))) == {"finished": 1}
    assert bench.give(Cancel(1, EDIT)) == []
    assert reasons(bench.end(begun, 1, 5)) == {"stale_round": 1}
    assert bench.session.commit == CONTEXT
    bench.give(Context(1, after_edit(EDIT), 3, path_hash(CONTEXT), [4]))
    assert bench.begin().request.tokens == [*CONTEXT, 4]


def test_a_cancel_of_an_earlier_edit_is_dropped() -> None:
    bench = Bench()
    bench.give(Context(1, after_edit(EDIT), 3, path_hash(CONTEXT), [4]))
    assert reasons(bench.give(Cancel(1, EDIT))) == {"stale_cancel": 0}
    assert bench.session.next_round(0.0) is not None


def test_a_closed_session_is_released_and_takes_only_its_last_round() -> None:
    bench = Bench()
    begun = bench.begin()
    assert bench.give(Cancel(1, EDIT, close=True)) == [Released()]
    assert bench.end(begun, 0, 4) == []
    with pytest.raises(KeyError):
        bench.draft([4])


def test_resume_sends_one_verdict_a_token() -> None:
    bench = Bench(Open(1, max_tokens=3))
    bench.draft([4, 5])
    bench.round(2, 6)
    effects = bench.give(Resume(1, 4, path_hash([1, 2, 3, 4])))
    verdicts = [e.message for e in effects if isinstance(e, Send) and isinstance(e.message, Verdict)]
    assert [(v.base_pos, v.next_id, v.commit_len, v.finish) for v in verdicts] == [
        (4, 5, 5, ""),
        (5, 6, 6, "length"),
    ]
    assert verdicts[-1].commit_hash == path_hash([1, 2, 3, 4, 5, 6])


def test_resume_from_another_path_is_an_error() -> None:
    assert error_code(Bench().give(Resume(1, 3, 99))) == "context_mismatch"


def test_times_are_reported() -> None:
    bench = Bench()
    bench.now = 7.0
    assert bench.session.brings_first_token
    begun = bench.begin()
    assert begun.queue_us == 7000
    assert only_verdict(bench.end(begun, 0, 4)).verify_us == 1000
    assert not bench.session.brings_first_token
    bench.now = 9.0
    assert (bench.session.next_round(9.0) or begun).queue_us == 2000


# -- against a naive model

TOKENS = st.integers(0, 3)


class AnyOrderOfFrames(RuleBasedStateMachine):
    """However DRAFT frames are reordered, doubled, late or lost: the commit is the target's own continuation."""

    def __init__(self) -> None:
        super().__init__()
        plain, rare_stop = hashed_logits(4), np.array([0, 0, 0, -1.5], dtype=np.float32)
        self.target = FakeTarget(4, logits=lambda tokens: plain(tokens) + rare_stop)
        self.seq = 0
        self.network: list[Draft] = []
        self.running: Round | None = None
        self.told: list[int] = []
        """The sequence as the verdicts tell it."""
        self.sent: list[int] = []
        """What was drafted beyond it."""

    @initialize(max_tokens=st.integers(1, 12), wait=st.sampled_from([0, 5]))
    def open(self, max_tokens: int, wait: int) -> None:
        self.now = 0.0
        limits = Limits(4, 30, 6, 10, frozenset({3}))
        self.session = Session(1, Open(1, max_tokens=max_tokens, draft_wait_ms=wait), limits)
        self.context: list[int] = []
        self.epoch = 0
        self.edit([0], 0)

    @rule(append=st.lists(TOKENS, min_size=1, max_size=4), keep=st.integers(0, 30))
    def edit(self, append: list[int], keep: int) -> None:
        """The user types; what the client knows of the commit is what it was told."""
        keep = min(keep, len(self.told), 20)
        self.context = [*self.told[:keep], *append]
        self.epoch = after_edit(self.epoch)
        effects = self.session.handle(
            Context(1, self.epoch, keep, path_hash(self.told[:keep]), append), self.now
        )
        assert not any(isinstance(e, Send) for e in effects)
        self.told, self.sent = list(self.context), []

    @rule(
        count=st.integers(1, 3),
        wrong=st.sampled_from([None, None, 0, 1, 2]),
        straight=st.sampled_from([True, True, False]),
    )
    def draft_ahead(self, count: int, wrong: int | None, straight: bool) -> None:
        """Go on drafting behind what was sent, as a daemon does: mostly right, and mostly delivered at once."""
        path = self.told + self.sent
        ids = greedy_continuation(self.target, path, count)
        if wrong is not None and wrong < count:
            ids[wrong] = (ids[wrong] + 1) % 4
        self.sent += ids
        frame = self.frame(len(path), path, ids)
        if straight:
            self.session.handle(frame, self.now)
        self.network.append(frame)

    @precondition(lambda self: self.running is None)
    @rule(before=st.integers(1, 3), after=st.integers(1, 3), wrong=st.sampled_from([None, 0, 1]))
    def draft_during_a_round(self, before: int, after: int, wrong: int | None) -> None:
        self.draft_ahead(before, None, straight=True)
        self.begin_round()
        self.draft_ahead(after, wrong, straight=True)
        if self.running is not None:
            self.end_round()

    @rule(data=st.data(), ids=st.lists(TOKENS, min_size=1, max_size=4))
    def draft_anywhere(self, data: st.DataObject, ids: list[int]) -> None:
        """Draft anything from anywhere on the target's own path."""
        path = self.context + greedy_continuation(self.target, self.context, 12)
        self.network.append(self.frame(data.draw(st.integers(0, len(path))), path, ids))

    def frame(self, base: int, path: list[int], ids: list[int]) -> Draft:
        self.seq += 1
        return Draft(1, self.session.epoch, self.seq, base, path_hash(path[:base]), ids)

    @precondition(lambda self: self.network)
    @rule(data=st.data(), keep=st.booleans())
    def deliver(self, data: st.DataObject, keep: bool) -> None:
        index = data.draw(st.integers(0, len(self.network) - 1))
        frame = self.network[index] if keep else self.network.pop(index)
        for effect in self.session.handle(frame, self.now):
            assert not isinstance(effect, Send) or isinstance(effect.message, Verdict)

    @precondition(lambda self: self.network)
    @rule()
    def lose(self) -> None:
        self.network.pop()

    @rule(ms=st.integers(0, 6))
    def time_passes(self, ms: int) -> None:
        self.now += ms

    @precondition(lambda self: self.running is None)
    @rule()
    def begin_round(self) -> None:
        self.running = self.session.next_round(self.now)

    @precondition(lambda self: self.running is not None)
    @rule()
    def end_round(self) -> None:
        assert self.running is not None
        done, self.running = self.running, None
        [result] = self.target.verify([done.request])
        for effect in self.session.handle(RoundDone(done, result, 1), self.now):
            if isinstance(effect, Send):
                assert isinstance(effect.message, Verdict)
                self.tell(effect.message)

    def tell(self, verdict: Verdict) -> None:
        """A client that only sees verdicts ends up with the same commit."""
        assert verdict.base_pos == len(self.told)
        assert verdict.accepted <= verdict.drafted
        committed = [
            *self.session.commit[verdict.base_pos : verdict.base_pos + verdict.accepted],
            verdict.next_id,
        ]
        self.told += committed
        self.sent = self.sent[len(committed) :] if self.sent[: len(committed)] == committed else []
        assert (verdict.commit_len, verdict.commit_hash) == (len(self.told), path_hash(self.told))
        if verdict.finish == "stop":
            assert verdict.next_id == 3

    @invariant()
    def commit_is_the_targets_own_continuation(self) -> None:
        if not hasattr(self, "session"):
            return
        commit = self.session.commit
        assert commit == self.told
        said = commit[len(self.context) :]
        assert commit[: len(self.context)] == self.context
        assert said == greedy_continuation(self.target, self.context, len(said), {3})


TestAnyOrderOfFrames = AnyOrderOfFrames.TestCase
TestAnyOrderOfFrames.settings = settings(max_examples=100, stateful_step_count=50)
