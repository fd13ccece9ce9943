"""The target's side of a run against a scripted link: what goes out when, and what comes of what comes in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from msgspec import structs

from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.run import Run
from daemon.settings.config import Config
from daemon.statistics import Statistics
from daemon.target.acceptances import Acceptances
from daemon.target.draft_worth import FIRST_HOLD_S, JUDGED_TOKENS
from daemon.target.target_side import MOST_FRESH_STARTS, PREFILL_ALLOWANCE_S, TargetSide
from speculation.messages import Cancel, Context, Draft, Error, Message, Open, Verdict
from speculation.paths import path_hash
from tests.fakes.engine import byte_vocabulary
from tests.fakes.link import FakeLink

CONTEXT = list(b"def f(x):\n    return ")
ANSWER = b"x + 1\n"
EOS = 257
SESSION = 5
DEADLINE_S = 1.0
TOKEN_S = 0.05
COMPLETION = Config().completion


class ScriptedLink(FakeLink):
    """A link that verifies nothing by itself: tests hand the verdicts over."""

    def send(self, message: Message) -> None:
        self.sent.append(message)


def next_token(ids: list[int]) -> int:
    rest = ANSWER[len(ids) - len(CONTEXT) :]
    return rest[0] if rest else EOS


@dataclass
class Side:
    """A TargetSide with what it told the completer. Time stands still until a test moves it."""

    link: FakeLink | None
    now: float = 100.0
    overtaken: int = 0
    published: int = 0
    statistics: Statistics = field(default_factory=Statistics)

    def __post_init__(self) -> None:
        self.target = TargetSide(SESSION, self.link, self, self.statistics, lambda: self.now)

    def overtook(self, run: Run) -> None:
        self.overtaken += 1

    def publish(self, run: Run) -> None:
        self.published += 1

    def run(self) -> Run:
        place = Place(Document("file:///a.py", "python", 1, bytes(CONTEXT).decode()), len(CONTEXT))
        return Run(Generation(place, CONTEXT, byte_vocabulary(), Limits(32, 8)), self.now)

    def begun(self) -> Run:
        run = self.run()
        self.begin(run)
        return run

    def begin(self, run: Run) -> None:
        self.target.begin(run, COMPLETION, frozenset({EOS}), TOKEN_S)

    def draft(self, run: Run, text: bytes, entropy: float = 0.0) -> None:
        """One token at a time, as the draft model does."""
        for token in text:
            run.generation.draft(token, entropy)
            self.target.advance(run)

    def sent(self, kind: type[Message]) -> list[Message]:
        assert self.link is not None
        return [message for message in self.link.sent if isinstance(message, kind)]

    def kinds(self) -> list[str]:
        assert self.link is not None
        return [type(message).__name__ for message in self.link.sent]


def scripted(credit: int = 16) -> Side:
    return Side(ScriptedLink(next_token, credit=credit))


def verifying(credit: int = 16) -> Side:
    return Side(FakeLink(next_token, credit=credit))


def verdict(side: Side, accepted: int, next_id: int) -> Verdict:
    """True to the last CONTEXT and the DRAFTs sent: the first `accepted` of their tokens were judged right."""
    context = side.sent(Context)[-1]
    drafts = side.sent(Draft)
    assert isinstance(context, Context)
    draft = [token for message in drafts if isinstance(message, Draft) for token in message.ids]
    base = context.keep_len + len(context.append)
    path = [*CONTEXT[: context.keep_len], *context.append, *draft[:accepted], next_id]
    end = base + accepted + 1
    return Verdict(SESSION, context.epoch, 1, base, accepted, accepted, next_id, end, path_hash(path))


# --- what goes out


def test_a_run_begins_with_open_and_context() -> None:
    side = scripted()
    run = side.begun()
    assert side.kinds() == ["Open", "Context"]
    [opening], [context] = side.sent(Open), side.sent(Context)
    assert isinstance(opening, Open)
    assert isinstance(context, Context)
    assert (opening.session, opening.stop_ids, opening.draft_wait_ms) == (SESSION, [EOS], 0)
    assert (context.keep_len, context.append) == (0, CONTEXT)
    assert run.awaited
    assert run.allowance_s == pytest.approx(len(CONTEXT) * PREFILL_ALLOWANCE_S)


def test_the_next_run_sends_the_difference_in_the_same_session() -> None:
    side = scripted()
    side.begun()
    run = side.begun()
    assert side.kinds() == ["Open", "Context", "Context"]
    assert side.sent(Context)[-1].append == CONTEXT[-1:]  # type: ignore[attr-defined]
    assert run.allowance_s == pytest.approx(PREFILL_ALLOWANCE_S)


@pytest.mark.parametrize("why", ["no link", "down"])
def test_without_a_link_nothing_happens(why: str) -> None:
    side = Side(None) if why == "no link" else scripted()
    if side.link is not None:
        side.link.up = False
    run = side.begun()
    side.draft(run, ANSWER)
    side.target.check_deadline(run, 0.0)
    side.target.end(run)
    side.target.close()
    assert not side.target.awaits(run)
    assert side.target.max_context is None
    assert side.link is None or side.link.sent == []


@pytest.mark.parametrize(
    ("entropy", "credit", "frames"),
    [
        (0.0, 16, [b"x", b" ", b"+", b" ", b"1", b"\n", b"z", b"z"]),
        (2.0, 16, [b"x", b" "]),
        (0.0, 3, [b"x", b" ", b"+"]),
    ],
    ids=["as they are drafted", "two where they are uncertain", "no more than the credit"],
)
def test_which_frames_go_out(entropy: float, credit: int, frames: list[bytes]) -> None:
    side = scripted(credit)
    run = side.begun()
    side.draft(run, ANSWER + b"zz", entropy)
    assert [bytes(message.ids) for message in side.sent(Draft)] == frames  # type: ignore[attr-defined]


def test_on_the_same_machine_four_tokens_go_out_together_and_the_rest_at_the_end() -> None:
    side = scripted()
    assert side.link is not None
    side.link.shares_machine = True
    run = side.begun()
    side.draft(run, ANSWER + bytes([0]))
    assert [bytes(message.ids) for message in side.sent(Draft)] == [b"x + "]  # type: ignore[attr-defined]
    side.draft(run, b"z")
    assert len(side.sent(Draft)) == 2
    [opening] = side.sent(Open)
    assert isinstance(opening, Open)
    assert opening.draft_wait_ms == 400


def test_new_credit_holds_at_once() -> None:
    side = scripted(credit=3)
    run = side.begun()
    side.draft(run, b"x + 1\nz")
    side.target.credit(16)
    side.target.advance(run)
    assert [bytes(message.ids) for message in side.sent(Draft)] == [b"x", b" ", b"+", b" 1\nz"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("finish", "cancels"), [("", 1), ("stop", 0)])
def test_the_end_of_a_run_cancels_what_the_target_still_does(finish: str, cancels: int) -> None:
    """ux-4."""
    side = scripted()
    run = side.begun()
    run.generation.target_finish = finish  # type: ignore[assignment]
    side.target.end(run)
    assert len(side.sent(Cancel)) == cancels


def test_the_end_of_an_older_run_cancels_nothing() -> None:
    side = scripted()
    older = side.begun()
    side.begun()
    side.target.end(older)
    assert side.sent(Cancel) == []


# --- verdicts


def test_a_verdict_extends_the_run_and_everybody_is_told() -> None:
    side = scripted()
    run = side.begun()
    side.draft(run, b"x + 1")
    side.now += 0.2
    side.target.verdict(verdict(side, 4, ord("1")))
    assert bytes(run.generation.committed) == b"x + 1"
    assert (side.overtaken, side.published, run.heard_at, run.allowance_s) == (1, 1, side.now, 0.0)
    assert side.statistics.by_language["python"].accepted == 4
    assert side.link is not None
    assert side.link.hits == 1


def test_a_run_goes_on_round_by_round_to_the_targets_end() -> None:
    side = verifying()
    run = side.begun()
    assert isinstance(side.link, FakeLink)
    while side.target.awaits(run):
        assert side.link.step()
    assert bytes(run.generation.committed[:-1]) == ANSWER
    assert run.generation.target_finish == "stop"


@pytest.mark.parametrize(
    "changes",
    [
        {"commit_hash": 1},
        {"accepted": 50, "drafted": 60},
        {"base_pos": 0},
        {"next_id": 10**6},
        {"commit_len": 10**9},
    ],
    ids=["hash", "more than was sent", "elsewhere", "no token of the vocabulary", "length"],
)
def test_a_verdict_that_cannot_be_true_starts_the_context_again_a_few_times(
    changes: dict[str, int],
) -> None:
    side = scripted()
    run = side.begun()
    for _ in range(MOST_FRESH_STARTS):
        assert run.awaited
        side.target.verdict(structs.replace(verdict(side, 0, changes.get("next_id", ord("x"))), **changes))
    assert len(side.sent(Context)) == 1 + MOST_FRESH_STARTS
    assert all(message.keep_len == 0 for message in side.sent(Context))  # type: ignore[attr-defined]
    side.target.verdict(structs.replace(verdict(side, 0, changes.get("next_id", ord("x"))), **changes))
    assert len(side.sent(Context)) == 1 + MOST_FRESH_STARTS
    assert not run.awaited
    assert side.sent(Cancel)[-1].close  # type: ignore[attr-defined]
    assert run.generation.committed == []


def test_the_next_run_tries_again() -> None:
    side = scripted()
    side.begun()
    for _ in range(MOST_FRESH_STARTS + 1):
        side.target.error(Error("context_mismatch", "keep_hash", SESSION))
    run = side.begun()
    assert side.kinds()[-2:] == ["Open", "Context"]
    side.target.verdict(verdict(side, 0, ord("x")))
    assert bytes(run.generation.committed) == b"x"


def test_a_verdict_for_a_run_that_is_over_still_extends_it() -> None:
    """It may be recalled later."""
    side = scripted()
    run = side.begun()
    run.finished = True
    side.target.verdict(verdict(side, 0, ord("x")))
    assert bytes(run.generation.committed) == b"x"


def test_a_run_that_is_over_is_not_started_again() -> None:
    side = scripted()
    run = side.begun()
    run.finished = True
    side.target.error(Error("context_mismatch", "keep_hash", SESSION))
    assert len(side.sent(Context)) == 1


# --- losing the target


@pytest.mark.parametrize("how", ["lost", "displaced", "error"])
def test_a_run_without_its_session_goes_on_alone_and_the_next_opens_it_anew(how: str) -> None:
    side = scripted()
    run = side.begun()
    late = verdict(side, 0, ord("x"))
    if how == "error":
        side.target.error(Error("too_many_sessions", "full", SESSION))
    else:
        getattr(side.target, how)()
    assert not run.awaited
    assert len(side.sent(Cancel)) == (how != "lost")
    side.draft(run, ANSWER)
    assert side.sent(Draft) == []
    side.target.verdict(late)
    assert run.generation.committed == []
    side.begun()
    assert side.kinds()[-2:] == ["Open", "Context"]


@pytest.mark.asyncio
async def test_who_hears_is_woken_when_the_target_is_lost() -> None:
    side = scripted()
    run = side.begun()
    hearing = asyncio.create_task(side.target.hear(run, 60.0))
    await asyncio.sleep(0)
    side.target.lost()
    async with asyncio.timeout(5):
        await hearing


@pytest.mark.asyncio
async def test_hearing_ends_at_the_deadline() -> None:
    side = scripted()
    run = side.begun()
    side.now += len(CONTEXT) * PREFILL_ALLOWANCE_S + DEADLINE_S
    async with asyncio.timeout(5):
        await side.target.hear(run, DEADLINE_S)


@pytest.mark.parametrize(
    ("after_s", "missed"),
    [(0.0, False), (DEADLINE_S, False), (DEADLINE_S + len(CONTEXT) * PREFILL_ALLOWANCE_S, True)],
    ids=["at once", "while the context is being read", "after that"],
)
def test_a_late_verdict_is_missed_once(after_s: float, missed: bool) -> None:
    side = scripted()
    run = side.begun()
    side.now += after_s
    for _ in range(2):
        side.target.check_deadline(run, DEADLINE_S)
    assert side.link is not None
    assert (run.awaited, side.link.misses) == (not missed, int(missed))


def test_a_verdict_after_its_deadline_extends_the_run_but_is_no_hit() -> None:
    side = scripted()
    run = side.begun()
    side.now += 60
    side.target.check_deadline(run, DEADLINE_S)
    side.target.verdict(verdict(side, 0, ord("x")))
    assert bytes(run.generation.committed) == b"x"
    assert side.link is not None
    assert side.link.hits == 0


@pytest.mark.parametrize("session_lost_before", [False, True])
def test_closing_leaves_nothing_with_the_link(session_lost_before: bool) -> None:
    side = scripted()
    side.begun()
    if session_lost_before:
        side.target.lost()
    side.target.close()
    side.target.close()
    assert side.link is not None
    assert side.link._users == {}
    assert len(side.sent(Cancel)) == (not session_lost_before)


def test_what_the_target_can_hold_is_remembered_while_the_link_is_down() -> None:
    side = scripted()
    assert side.target.max_context == 4096
    assert side.link is not None
    side.link.up = False
    assert side.target.max_context == 4096


# --- reading before there is a run


def read(side: Side, ids: list[int]) -> bool:
    return side.target.read(ids, COMPLETION, frozenset({EOS}), TOKEN_S)


def test_what_is_read_ahead_is_stopped_at_its_first_word_and_counts_as_no_round() -> None:
    """The run that follows sends what is new; what the target said is its own business."""
    link = FakeLink(next_token)
    side = Side(link)
    assert read(side, CONTEXT[:-3])
    assert [type(message) for message in link.sent] == [Open, Context]
    assert link.step()
    assert [type(message) for message in link.sent[2:]] == [Cancel]
    assert (side.published, side.statistics.target_alone_tokens, link.hits) == (0, 0, 0)
    run = side.begun()
    assert side.target.awaits(run)
    assert [type(message) for message in link.sent[3:]] == [Context]
    assert len(link.sent[-1].append) == 3  # type: ignore[attr-defined]
    assert link.step()
    assert not isinstance(link.sent[-1], Cancel)
    assert run.generation.committed


def test_a_run_that_begins_before_the_first_word_is_not_stopped() -> None:
    """The verdict that comes is the run's."""
    link = FakeLink(next_token)
    side = Side(link)
    assert read(side, CONTEXT[:-1])
    run = side.begun()
    assert link.step()
    assert not [message for message in link.sent if isinstance(message, Cancel)]
    assert bytes(run.generation.committed) == ANSWER[:1]


@pytest.mark.parametrize("trouble", ["no link", "link down", "at work"])
def test_nothing_is_read_ahead_where_the_verifier_cannot_be_had(trouble: str) -> None:
    """Nor is it asked for: that is a run's business."""
    link = None if trouble == "no link" else FakeLink(next_token)
    side = Side(link)
    if link is not None:
        link.up = trouble != "link down"
    run = side.begun() if trouble == "at work" else None
    before = [] if link is None else list(link.sent)
    assert not read(side, CONTEXT)
    assert link is None or (link.sent, link.wanted) == (before, 0)
    if run is not None:
        run.finished = True
        assert read(side, CONTEXT)


def test_a_session_that_is_refused_while_it_is_read_is_opened_anew_by_a_run() -> None:
    """As after any error."""
    link = ScriptedLink(next_token)
    side = Side(link)
    assert read(side, CONTEXT)
    side.target.error(Error("context_too_long", "too long", SESSION))
    side.begun()
    assert len([message for message in link.sent if isinstance(message, Open)]) == 2


# --- what drafts are worth


def taught(side: Side, language: str, *, accepted: bool) -> None:
    """The target of this link accepted all of so many tokens of the language, or none."""
    assert side.link is not None
    for _ in range(JUDGED_TOKENS):
        side.link.acceptances.heard(language, [1], [1.5], [1 if accepted else 2], side.now)


def test_verdicts_teach_how_likely_tokens_are_accepted() -> None:
    """Of five tokens the target agrees with three; what comes after the first that is wrong says nothing."""
    side = scripted()
    run = side.begun()
    side.draft(run, b"x + 2;")
    side.target.verdict(verdict(side, 4, ord("1")))
    assert side.link is not None
    known = side.link.acceptances.of("python")
    assert known.estimate.rate(0.0) < Acceptances().of("python").estimate.rate(0.0)


def test_where_the_target_agrees_with_uncertain_drafts_more_of_them_go_out() -> None:
    side = scripted()
    taught(side, "python", accepted=True)
    run = side.begun()
    side.draft(run, ANSWER, 1.5)
    assert len(side.sent(Draft)) == len(ANSWER)


@pytest.mark.parametrize(("language", "drafts"), [("python", False), ("go", True)])
def test_a_language_whose_drafts_are_mostly_wrong_is_left_to_the_target(language: str, drafts: bool) -> None:
    """... for as long as that has a part in the run, and until it is tried again."""
    side = scripted()
    taught(side, language, accepted=False)
    run = side.begun()
    assert side.target.wants_drafts(run) == drafts
    run.awaited = False
    assert side.target.wants_drafts(run)
    side.now += FIRST_HOLD_S
    assert side.target.wants_drafts(side.begun())


def test_a_run_that_the_target_has_no_part_in_is_drafted() -> None:
    side = scripted()
    taught(side, "python", accepted=False)
    side.begun()
    assert side.target.wants_drafts(side.run())
    assert Side(None).target.wants_drafts(side.run())


def test_that_drafts_are_given_up_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    side = scripted()
    run = side.begun()
    for n in range(JUDGED_TOKENS):
        side.draft(run, b"z")
        side.target._learn(run, b"x" if n % 8 else b"z")
    said = [record.message for record in caplog.records if "mostly wrong" in record.message]
    assert said == ["drafts in python are mostly wrong; the verifier writes alone there for now"]
