"""Both ends of the protocol against each other: the daemon's session and generation, the verifier's session.

Messages cross as encoded frames, in order but with any delay; rounds take time, drafts are right or wrong, the user
edits in between. Whatever happens, what is committed is the target's own continuation.
"""

from __future__ import annotations

import random
from collections import Counter, deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.target.gamma import tokens_to_send
from daemon.target.link_session import LinkSession
from speculation.codec import decode, encode
from speculation.messages import Cancel, Context, Draft, Open, Verdict
from speculation.paths import path_hash
from tests.fakes.engine import byte_vocabulary
from verifier.engine import Block, Decided, Prefilled
from verifier.session import Session
from verifier.session_events import Effect, Round, RoundDone, Send
from verifier.session_events import Limits as VerifierLimits

VOCABULARY = byte_vocabulary()
EOS = VOCABULARY.special_ids["eos"]
WORDS = [97, 98, 99, EOS]
CREDIT, MAX_TOKENS, DRAFT_WAIT_MS = 10, 14, 20
PLACE = Place(Document("file:///f", "python", 1, ""), 0)


def target(ids: list[int]) -> int:
    """The target's next token: a function of all that stands before; one in sixteen times it ends."""
    drawn = path_hash(ids) >> 20
    return EOS if drawn % 16 == 0 else WORDS[drawn // 16 % 3]


def judge(tokens: list[int], block: Block) -> Decided:
    """Match mode: the draft is followed as long as it says what the target says."""
    path, accepted = list(tokens), 0
    while accepted < len(block.ids) and block.ids[accepted] == target(path):
        path.append(block.ids[accepted])
        accepted += 1
    return Decided(tuple(range(accepted)), target(path))


class Ends:
    """A daemon and a verifier with a line between them; each method is one thing that can happen next."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.counts: Counter[str] = Counter()
        self.connect()
        self.edit([1])

    def connect(self) -> None:
        """A new connection: both ends begin anew, and what was on the line is lost."""
        opened = Open(3, stop_ids=[EOS], max_tokens=MAX_TOKENS, draft_wait_ms=DRAFT_WAIT_MS)
        limits = VerifierLimits(VOCABULARY.n_vocab, 4096, 8, CREDIT, frozenset({EOS}))
        self.session, self.verifier = (
            LinkSession(opened, CREDIT, VOCABULARY.n_vocab),
            Session(1, opened, limits),
        )
        self.up: deque[bytes] = deque()
        self.down: deque[bytes] = deque()
        self.running: Round | None = None

    # -- the daemon

    def edit(self, context: list[int]) -> None:
        """The user typed: another context, another generation."""
        self.generation = Generation(PLACE, context, VOCABULARY, Limits(MAX_TOKENS, 8))
        self.up.append(encode(self.session.edit(context)))

    def type_along(self, n: int) -> None:
        """The user accepted the first `n` tokens of what is known."""
        known = self.generation.ids
        self.edit(known[: max(1, min(len(self.generation.context) + n, len(known)))])

    def draft(self, *, right: bool) -> None:
        """Draft a token and send what is due."""
        if self.generation.drafted_to_the_end:
            return
        says = target(self.generation.ids)
        self.generation.draft(says if right else WORDS[(WORDS.index(says) + 1) % 4], 0.1)
        self.send_drafts()

    def send_drafts(self) -> None:
        generation = self.generation
        sent = self.session.sent(generation.tail)
        due = tokens_to_send([1.0] * len(generation.tail), sent)
        count = min(due, self.session.credit - sent)
        if count > 0:
            self.up.append(encode(self.session.draft(generation.tail, count)))

    def cancel(self) -> None:
        self.up.append(encode(self.session.cancel()))

    def reach_daemon(self) -> None:
        message = decode(self.down.popleft())
        assert isinstance(message, Verdict), message
        committed = self.session.verdict(message)
        if committed is None:
            self.counts["stale"] += 1
            return
        self.counts["drafted"] += committed.drafted
        self.counts["accepted"] += committed.accepted
        self.counts["tokens"] += len(committed.ids)
        self.generation.commit(committed.ids, committed.finish)
        self.send_drafts()

    # -- the verifier

    def reach_verifier(self) -> None:
        message = decode(self.up.popleft())
        assert isinstance(message, Context | Draft | Cancel)
        self.post(self.verifier.handle(message, self.now_ms))

    def start_round(self) -> None:
        if self.running is None:
            self.running = self.verifier.next_round(self.now_ms)

    def end_round(self) -> None:
        if self.running is None:
            return
        request, self.running, round_ = self.running.request, None, self.running
        result = judge(request.tokens, request.block) if request.decide else Prefilled(0)
        self.post(self.verifier.handle(RoundDone(round_, result, 1), self.now_ms))

    def post(self, effects: list[Effect]) -> None:
        self.down.extend(encode(effect.message) for effect in effects if isinstance(effect, Send))

    def pass_time(self, ms: float) -> None:
        self.now_ms += ms

    # -- what always holds

    def check(self) -> None:
        generation = self.generation
        path = list(generation.context)
        for token in generation.committed:
            assert token == target(path)
            path.append(token)
        assert self.session.committed_ids == path
        if not self.up and not self.down:
            assert self.verifier.commit == path
            assert self.session.cancel().epoch == self.verifier.epoch

    def settle(self) -> None:
        """Let everything happen that can, with no more drafts."""
        for _ in range(500):
            while self.up:
                self.reach_verifier()
            self.start_round()
            self.end_round()
            while self.down:
                self.reach_daemon()
            self.check()
            if self.generation.target_finish and not self.up:
                return
            self.pass_time(DRAFT_WAIT_MS)
        raise AssertionError("the target never came to an end")


class Protocol(RuleBasedStateMachine):
    """Hypothesis chooses what happens next."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = Ends()
        self.cancelled = False

    @rule(context=st.lists(st.sampled_from(WORDS[:3]), min_size=1, max_size=4))
    def edit(self, context: list[int]) -> None:
        self.ends.edit(context)
        self.cancelled = False

    @rule(n=st.integers(0, 6))
    def type_along(self, n: int) -> None:
        self.ends.type_along(n)
        self.cancelled = False

    @rule(right=st.lists(st.booleans(), min_size=1, max_size=6))
    def draft(self, right: list[bool]) -> None:
        for one in right:
            self.ends.draft(right=one)

    @precondition(lambda self: self.ends.up)
    @rule()
    def reach_verifier(self) -> None:
        self.ends.reach_verifier()

    @precondition(lambda self: self.ends.down)
    @rule()
    def reach_daemon(self) -> None:
        self.ends.reach_daemon()

    @rule()
    def start_round(self) -> None:
        self.ends.start_round()

    @rule()
    def end_round(self) -> None:
        self.ends.end_round()

    @rule(ms=st.sampled_from([1, DRAFT_WAIT_MS]))
    def pass_time(self, ms: int) -> None:
        self.ends.pass_time(ms)

    @rule()
    def cancel(self) -> None:
        self.ends.cancel()
        self.cancelled = True

    @rule()
    def lose_connection(self) -> None:
        """The daemon goes on from what it knows."""
        known = [*self.ends.generation.context, *self.ends.generation.committed]
        self.ends.connect()
        self.ends.edit(known)
        self.cancelled = False

    @invariant()
    def what_is_committed_is_the_targets(self) -> None:
        self.ends.check()

    def teardown(self) -> None:
        """In the end the target's continuation is whole."""
        if not self.cancelled:
            self.ends.settle()


Protocol.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
test_committed_text_is_the_targets_own = Protocol.TestCase


@pytest.mark.parametrize("right_share", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_acceptance_follows_the_drafts_quality(right_share: float, seed: int) -> None:
    """Over many edits with random delays: right drafts are accepted, wrong ones are not."""
    chance, ends = random.Random(seed), Ends()
    for context in range(30):
        ends.edit([97, context])
        while not ends.generation.target_finish:
            steps = [ends.start_round, ends.end_round, lambda: ends.pass_time(1)]
            steps += [lambda: ends.draft(right=chance.random() < right_share)] * 4
            steps += [ends.reach_verifier] * 2 * bool(ends.up) + [ends.reach_daemon] * 2 * bool(ends.down)
            chance.choice(steps)()
            ends.check()
    rate = ends.counts["accepted"] / max(1, ends.counts["drafted"])
    assert ends.counts["tokens"] > 30
    assert ends.counts["drafted"] > 30
    assert rate == right_share if right_share in (0, 1) else 0.2 < rate < 1
