"""Rounds between a daemon and a verifier in virtual time, for `benchmarks.gamma`: one recorded passage, one rule.

Both ends' state machines are the real ones (`daemon/target/link_session.py`, `verifier/session.py`); what is simulated
is what they run on: a draft model that takes a fixed time a token, a network, and a target that takes a fixed time a
step. As in the daemon, the draft goes on from its own tokens while verdicts are under way, and starts again from a
verdict that contradicts it. Milliseconds.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from benchmarks.rounds.recording import Draw, Passage
from daemon.target.link_session import Committed, LinkSession
from speculation.messages import Context, Draft, Open, Verdict
from verifier.engine import Decided, Prefilled, Result
from verifier.session import Session
from verifier.session_events import Effect, Limits, Round, RoundDone, Send

CREDIT: Final = 64
CONTEXT: Final = [1, 2, 3]
_STOP: Final = 9
_WRONG: Final = 10_000
"""What the draft says at position i of the passage, if it is not what the target says, is 10,000 + i."""
_N_VOCAB: Final = 20_000


@dataclass(frozen=True, slots=True)
class Setting:
    """The times of a line."""

    token_ms: float
    """Of a draft token."""
    round_trip_ms: float
    verify_ms: float
    """Of a step of the target."""
    row_ms: float = 0.0
    """What each draft token adds to a step."""


class Rule(Protocol):
    """When draft tokens go out."""

    def wait_ms(self, setting: Setting) -> float:
        """How long the target waits for drafts before it decodes by itself."""
        ...

    def begin(self, language: str, setting: Setting) -> None:
        """A passage begins."""
        ...

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        """How many of the tail's tokens go out beyond the `sent` ones; `ended`: no more will be drafted."""
        ...

    def heard(self, tail: list[int], entropies: list[float], ids: tuple[int, ...]) -> None:
        """The target's next tokens are `ids`."""
        ...


class Rounds:
    """One passage under one rule; `run` it once."""

    def __init__(self, passage: Passage, rule: Rule, setting: Setting) -> None:
        self.now, self.rounds, self.rows = 0.0, 0, 0
        self.setting, self.rule = setting, rule
        self._draws, self._length = passage.draws, len(passage.draws)
        opened = Open(
            1, max_tokens=self._length, stop_ids=[_STOP], draft_wait_ms=round(rule.wait_ms(setting))
        )
        self._daemon = LinkSession(opened, CREDIT, _N_VOCAB)
        self._verifier = Session(1, opened, Limits(_N_VOCAB, _N_VOCAB, CREDIT, CREDIT, frozenset({_STOP})))
        self._committed = 0
        self._tail: list[int] = []
        self._entropies: list[float] = []
        self._erred_at: int | None = None
        """Position of the first wrong token of the tail."""
        self._evaluation = 0
        """Number of the evaluation under way; one that a verdict contradicts is given up and never ends."""
        self._evaluating = self._overtaken = self._stepping = self._over = False
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        rule.begin(passage.language, setting)

    def run(self) -> float:
        """Milliseconds until the whole passage is verified."""
        context = self._daemon.edit(CONTEXT)
        self._after(self.setting.round_trip_ms / 2, lambda: self._at_verifier(context))
        self._draft_on()
        while self._events and not self._over:
            self.now, _, happen = heapq.heappop(self._events)
            happen()
        if self._committed != self._length:
            raise RuntimeError(f"{self._committed} of {self._length} tokens verified")
        return self.now

    def _after(self, delay_ms: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + delay_ms, next(self._order), happen))

    # --- the draft model

    @property
    def _ended(self) -> bool:
        return self._committed + len(self._tail) >= self._length

    def _draft_on(self) -> None:
        if self._evaluating or self._ended:
            return
        self._evaluating = True
        number = self._evaluation = self._evaluation + 1
        self._after(self.setting.token_ms, lambda: self._evaluated(number))

    def _evaluated(self, number: int) -> None:
        if number != self._evaluation:
            return
        self._evaluating = False
        if not self._overtaken:
            self._draw()
            self._advance()
        self._overtaken = False
        self._draft_on()

    def _draw(self) -> None:
        position = self._committed + len(self._tail)
        draw = self._draws[position if self._erred_at is None else self._erred_at]
        if self._erred_at is not None:
            self._entropies.append(_astray(draw, position - self._erred_at))
        else:
            self._entropies.append(draw.entropy)
            self._erred_at = None if draw.rank == 0 else position
        self._tail.append(true_token(position) if self._erred_at is None else _WRONG + position)

    # --- the daemon

    def _advance(self) -> None:
        sent = self._daemon.sent(self._tail)
        due = self.rule.due(self._entropies, sent, ended=self._ended)
        count = min(due, CREDIT - sent, len(self._tail) - sent)
        if count > 0:
            self._send(self._daemon.draft(self._tail, count))

    def _send(self, draft: Draft) -> None:
        self._after(self.setting.round_trip_ms / 2, lambda: self._at_verifier(draft))

    def _at_daemon(self, verdict: Verdict) -> None:
        committed = self._daemon.verdict(verdict)
        if committed is None:
            return
        self.rule.heard(self._tail, self._entropies, committed.ids)
        self._commit(committed)
        self._over = committed.finish != ""
        if not self._over:
            self._advance()
            self._draft_on()

    def _commit(self, committed: Committed) -> None:
        ids, tail = list(committed.ids), self._tail
        self._committed += len(ids)
        if tail[: len(ids)] == ids:
            del tail[: len(ids)], self._entropies[: len(ids)]
            return
        self._overtaken = self._evaluating and ids[: len(tail)] == tail
        if not self._overtaken:
            self._evaluating, self._evaluation = False, self._evaluation + 1
        tail.clear()
        self._entropies.clear()
        self._erred_at = None

    # --- the verifier

    def _at_verifier(self, message: Context | Draft) -> None:
        self._carry_out(self._verifier.handle(message, self.now))
        self._step()

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send) and isinstance(effect.message, Verdict):
                arrive = partial(self._at_daemon, effect.message)
                self._after(self.setting.round_trip_ms / 2, arrive)

    def _step(self) -> None:
        if self._stepping:
            return
        work = self._verifier.next_round(self.now)
        if work is None:
            wake = self._verifier.wake_at_ms()
            if wake is not None:
                self._after(wake - self.now, self._step)
            return
        self._stepping = True
        rows = len(work.request.block.ids)
        self._after(self.setting.verify_ms + rows * self.setting.row_ms, lambda: self._step_done(work))

    def _step_done(self, work: Round) -> None:
        self._stepping = False
        result: Result = Prefilled(0)
        if work.request.decide:
            result = self._judge(work)
            self.rounds += 1
            self.rows += 1 + len(work.request.block.ids)
        done = RoundDone(work, result, round(1000 * self.setting.verify_ms))
        self._carry_out(self._verifier.handle(done, self.now))
        self._step()

    def _judge(self, work: Round) -> Decided:
        """The target's word: it says the passage. Follows the block's path, be it a chain or a tree."""
        block = work.request.block
        base = len(work.request.tokens) - len(CONTEXT)
        path: list[int] = []
        for node, token in enumerate(block.ids):
            parent = node - 1 if block.parents is None else block.parents[node]
            if parent == (path[-1] if path else -1) and token == true_token(base + len(path)):
                path.append(node)
        return Decided(tuple(path), true_token(base + len(path)))


def true_token(position: int) -> int:
    """What the target says at a position of the passage."""
    return _STOP + 1 + position


def _astray(draw: Draw, tokens: int) -> float:
    """The entropy so many tokens after an error: as recorded, the last of those for all that come later."""
    return draw.astray[min(tokens, len(draw.astray)) - 1]
