"""One session as a state machine: messages and round results in, messages out. No I/O, no clock, no model.

    phase        CONTEXT      DRAFT           round result   CANCEL      RESUME
    opened       generating   drop            -              -           resend
    generating   generating   pending         commit         finished    resend
    finished     generating   replay or drop  drop           -           resend
    closed       raises       raises          drop           raises      raises

A CANCEL that closes leads from any phase to closed. A pair not in `_TABLE` raises. Rounds are pulled: the scheduler
asks `next_round(now)`, runs it and returns a RoundDone. At most one round of a session runs at a time; what arrives
meanwhile is kept, and a CONTEXT or CANCEL makes its result stale.

When a wait for drafts runs out, the target decodes by itself, one token a round. It waits `draft_wait_ms` after a
CONTEXT and after each round that took in a draft; a wait that ran out is not repeated until a draft comes.

A fully accepted block whose bonus token contradicts what is pending behind it drops that, without a new epoch: the base
hashes of the dropped frames, and of frames still on their way, no longer fit the path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto

from speculation.epochs import REJECT_BITS, after_reject
from speculation.messages import Cancel, Context, Draft, Error, ErrorCode, Finish, Open, Resume, Verdict
from speculation.sampling import Sampling
from verifier.engine import Block, Decided, Failed, Prefilled, Request, Rule
from verifier.path import SpeculativePath
from verifier.session_events import (
    Dropped,
    DropReason,
    Effect,
    Event,
    Limits,
    Released,
    Round,
    RoundDone,
    Send,
)

_KEPT_VERDICTS = 64
_MAX_U32 = 2**32 - 1
_NO_EPOCH = -1
"""Before the first CONTEXT: earlier than any epoch."""


class Phase(Enum):
    OPENED = auto()
    GENERATING = auto()
    FINISHED = auto()
    CLOSED = auto()


class Session:
    """One session; `key` is its engine-wide name."""

    def __init__(self, key: int, opened: Open, limits: Limits) -> None:
        self.key, self.phase, self.epoch = key, Phase.OPENED, _NO_EPOCH
        self._open, self._limits = opened, limits
        self._rule = Rule(opened.mode, Sampling(opened.temperature, opened.top_p, opened.top_k), opened.seed)
        self._stop_ids = frozenset(opened.stop_ids) or limits.stop_ids
        self._path = SpeculativePath()
        self._running: Round | None = None
        self._finish: Finish = ""
        self._context_len = 0
        self._prefilled = False
        self._ready_ms = 0.0
        self._wait_until_ms = 0.0
        self._answered: dict[tuple[int, int], Verdict] = {}

    @property
    def number(self) -> int:
        """What the client calls this session."""
        return self._open.session

    @property
    def commit(self) -> list[int]:
        """A copy of the committed tokens."""
        return self._path.committed()

    def handle(self, event: Event, now_ms: float) -> list[Effect]:
        """Take in one event. KeyError for an event that can't occur in this phase."""
        return _TABLE[self.phase, type(event)](self, event, now_ms)

    def wake_at_ms(self) -> float | None:
        """When `next_round` has work next, if nothing else happens; None if it never has."""
        if self.phase is not Phase.GENERATING or self._running:
            return None
        return self._ready_ms if self._path.frames or not self._prefilled else self._wait_until_ms

    @property
    def brings_first_token(self) -> bool:
        """Whether nothing has been generated yet under this CONTEXT."""
        return self._path.commit_len == self._context_len

    def next_round(self, now_ms: float) -> Round | None:
        """The work there is now; the session then expects its RoundDone."""
        ready_ms = self.wake_at_ms()
        if ready_ms is None or now_ms < ready_ms:
            return None
        taken = self._path.take(self._limits.max_draft, self._room() - 1)
        decide = bool(taken.seqs) or now_ms >= self._wait_until_ms
        self._running = Round(
            Request(self.key, self._path.committed(), self._rule, self.epoch, taken.block, decide),
            taken.seqs,
            taken.n_tokens,
            queue_us=round(1000 * (now_ms - ready_ms)),
        )
        return self._running

    def _room(self) -> int:
        """Tokens the commit may still grow by under this CONTEXT."""
        generated = self._path.commit_len - self._context_len
        return min(self._open.max_tokens - generated, self._limits.max_context - self._path.commit_len)

    # -- events

    def _context(self, message: Context, now_ms: float) -> list[Effect]:
        if message.epoch >> REJECT_BITS <= self.epoch >> REJECT_BITS:
            return [Dropped("stale_context")]
        refused = self._refusal_of(message)
        if refused is not None:  # what the user has now is unknown here: stop until a CONTEXT fits
            return [*self._stop("cancelled"), refused]
        effects = _dropped("stale_round", self._path.drop_pending())
        self._path.edit(message.keep_len, message.append)
        self.phase, self.epoch, self._finish = Phase.GENERATING, message.epoch, ""
        self._context_len, self._prefilled = self._path.commit_len, False
        self._ready_ms, self._wait_until_ms = now_ms, now_ms + self._open.draft_wait_ms
        if self._open.max_tokens == 0:
            self._stop("length")
        return effects

    def _refusal_of(self, message: Context) -> Send | None:
        length = message.keep_len + len(message.append)
        if not self._path.is_committed(message.keep_len, message.keep_hash):
            return self._error(
                "context_mismatch", "keep_hash is not on the committed path: send the whole context"
            )
        if length == 0:
            return self._error("bad_frame", "an empty context: send at least one token")
        if length >= self._limits.max_context:
            most = self._limits.max_context - 1
            return self._error("context_too_long", f"a context of {length} tokens: send at most {most}")
        return self._out_of_range(message.append)

    def _draft(self, message: Draft, now_ms: float) -> list[Effect]:
        answered = self._answered.get((message.epoch, message.seq))
        if answered is not None:
            return [Send(answered), Dropped("duplicate", len(message.ids))]
        refused = self._refusal_of_draft(message)
        if refused is not None:
            return [refused]
        reason, overlap = self._placement(message)
        if reason is not None:
            return [Dropped(reason, len(message.ids))]
        if overlap < len(message.ids):
            if not self._path.frames:
                self._ready_ms = now_ms
            self._path.add(message, overlap)
        return _dropped("overlapped", overlap)

    def _placement(self, message: Draft) -> tuple[DropReason | None, int]:
        """Why the draft has no place on the path, or None and how many of its tokens are there already."""
        if self.phase is not Phase.GENERATING:
            return ("finished" if self.phase is Phase.FINISHED else "no_context"), 0
        if message.epoch != self.epoch:
            return "stale_epoch", 0
        running = self._running.seqs if self._running else ()
        if message.seq in running or any(frame.seq == message.seq for frame in self._path.frames):
            return "duplicate", 0
        overlap = self._path.overlap(message)
        if overlap is None:
            return "off_path", 0
        if self._path.n_pending + len(message.ids) - overlap > self._limits.credit:
            return "over_credit", 0
        return None, overlap

    def _refusal_of_draft(self, message: Draft) -> Send | None:
        sparse = [q.ids for q in message.q or ()]
        out_of_range = self._out_of_range([*message.ids, *(token for ids in sparse for token in ids)])
        if out_of_range is not None:
            return out_of_range
        if not self._rule.by_ratio:
            return None
        if message.parents is not None:
            return self._error("unsupported_mode", f"{self._rule.mode} mode verifies chains: send no parents")
        if message.q is None:
            return self._error("bad_frame", f"{self._rule.mode} mode needs q with every draft token")
        return None

    def _cancel(self, message: Cancel, now_ms: float) -> list[Effect]:
        if message.close:
            self.phase = Phase.CLOSED
            return [Released()]
        if self.phase is Phase.GENERATING and message.epoch >> REJECT_BITS < self.epoch >> REJECT_BITS:
            return [Dropped("stale_cancel")]
        return self._stop("cancelled") if self.phase is Phase.GENERATING else []

    def _resume(self, message: Resume, now_ms: float) -> list[Effect]:
        known = self._path.is_committed(message.commit_len, message.commit_hash)
        if not known or message.commit_len < self._context_len:
            return [
                self._error("context_mismatch", "commit_hash is not on the committed path: send a CONTEXT")
            ]
        last = self._path.commit_len - 1
        return [
            Send(self._verdict(position, finish=self._finish if position == last else ""))
            for position in range(message.commit_len, self._path.commit_len)
        ]

    def _round_done(self, event: RoundDone, now_ms: float) -> list[Effect]:
        done, self._running = event.round, None
        if done.request.epoch != self.epoch:
            return [Dropped("stale_round", done.n_taken)]
        if isinstance(event.result, Prefilled):
            self._prefilled = event.result.remaining == 0
            return []
        if isinstance(event.result, Failed):
            return [*self._stop("cancelled"), self._error("internal", event.result.reason)]
        return self._decided(done, event.result, event.verify_us, now_ms)

    def _stale_round(self, event: RoundDone, now_ms: float) -> list[Effect]:
        self._running = None
        return [Dropped("stale_round", event.round.n_taken)]

    # -- a round's outcome

    def _decided(self, done: Round, decided: Decided, verify_us: int, now_ms: float) -> list[Effect]:
        """Commit what stands, answer the frames, and say how it goes on."""
        block, base = done.request.block, self._path.commit_len
        accepted, next_id, drafted = self._until_stop(block, decided)
        rejected = len(accepted) < drafted
        behind = self._path.n_pending - done.n_taken
        continues, finished = self._path.commit([*accepted, next_id], rejected=rejected)
        self._prefilled, self._finish = True, self._finish_after(next_id)
        verdict = self._verdict(
            base,
            seq=max(done.seqs, default=0),
            drafted=drafted,
            accepted=accepted,
            is_tree=block.parents is not None,
            finish=self._finish,
            queue_us=done.queue_us,
            verify_us=verify_us,
        )
        self._remember(verdict, {*done.seqs, *(frame.seq for frame in finished)})
        effects: list[Effect] = [Send(verdict)]
        if rejected:
            self.epoch = after_reject(self.epoch)
        if not continues:
            effects += _dropped("tail_rejected", behind)
        self._ready_ms = now_ms
        self._wait_until_ms = now_ms + (self._open.draft_wait_ms if done.seqs else 0)
        if self._finish:
            effects += self._stop(self._finish)
        return effects

    def _until_stop(self, block: Block, decided: Decided) -> tuple[list[int], int, int]:
        """(accepted ids, next id, tokens judged): a stop token among the accepted becomes the next id.

        Draft tokens from the stop on were neither accepted nor rejected, so they do not count as drafted.
        """
        accepted = [block.ids[node] for node in decided.accepted]
        for index, token in enumerate(accepted):
            if token in self._stop_ids:
                return accepted[:index], token, index
        return accepted, decided.next_id, len(block.ids)

    def _finish_after(self, next_id: int) -> Finish:
        if next_id in self._stop_ids:
            return "stop"
        if self._path.commit_len - self._context_len >= self._open.max_tokens:
            return "length"
        return "context_full" if self._path.commit_len >= self._limits.max_context else ""

    def _verdict(
        self,
        base: int,
        *,
        seq: int = 0,
        drafted: int = 0,
        accepted: Sequence[int] = (),
        is_tree: bool = False,
        finish: Finish = "",
        queue_us: int = 0,
        verify_us: int = 0,
    ) -> Verdict:
        """The verdict that commits `accepted` and the token after them, at `base` of the committed path."""
        end = base + len(accepted) + 1
        return Verdict(
            session=self._open.session,
            epoch=self.epoch,
            seq=seq,
            base_pos=base,
            drafted=drafted,
            accepted=len(accepted),
            next_id=self._path.token(end - 1),
            commit_len=end,
            commit_hash=self._path.hash_at(end),
            path=list(accepted) if is_tree else [],
            finish=finish,
            queue_us=min(queue_us, _MAX_U32),
            verify_us=min(verify_us, _MAX_U32),
        )

    def _remember(self, verdict: Verdict, seqs: set[int]) -> None:
        """Keep the verdict for frames that are sent again, the last ones only."""
        for seq in sorted(seqs):
            self._answered[verdict.epoch, seq] = verdict
        while len(self._answered) > _KEPT_VERDICTS:
            del self._answered[next(iter(self._answered))]

    def _stop(self, finish: Finish) -> list[Effect]:
        """End generation under this CONTEXT; draft tokens without a verdict are dropped."""
        self.phase, self._finish = Phase.FINISHED, finish
        return _dropped("finished", self._path.drop_pending())

    def _out_of_range(self, ids: Sequence[int]) -> Send | None:
        if max(ids, default=0) < self._limits.n_vocab:
            return None
        return self._error(
            "token_out_of_range", f"the target has {self._limits.n_vocab} tokens: send ids below that"
        )

    def _error(self, code: ErrorCode, message: str) -> Send:
        return Send(Error(code, message, self._open.session))


def _dropped(reason: DropReason, n_tokens: int) -> list[Effect]:
    return [Dropped(reason, n_tokens)] if n_tokens else []


def _nothing(session: Session, event: RoundDone, now_ms: float) -> list[Effect]:
    return []


_TABLE: dict[tuple[Phase, type[Event]], Callable[..., list[Effect]]] = {
    (Phase.OPENED, Context): Session._context,
    (Phase.OPENED, Draft): Session._draft,
    (Phase.OPENED, Cancel): Session._cancel,
    (Phase.OPENED, Resume): Session._resume,
    (Phase.GENERATING, Context): Session._context,
    (Phase.GENERATING, Draft): Session._draft,
    (Phase.GENERATING, RoundDone): Session._round_done,
    (Phase.GENERATING, Cancel): Session._cancel,
    (Phase.GENERATING, Resume): Session._resume,
    (Phase.FINISHED, Context): Session._context,
    (Phase.FINISHED, Draft): Session._draft,
    (Phase.FINISHED, RoundDone): Session._stale_round,
    (Phase.FINISHED, Cancel): Session._cancel,
    (Phase.FINISHED, Resume): Session._resume,
    (Phase.CLOSED, RoundDone): _nothing,
}
