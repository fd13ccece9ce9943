"""A link with a target behind it that is a function: the verifier's rules at their plainest, for one session.

`step` runs one round when the test wants one; nothing comes by itself. It knows no socket and no scheduler.
"""

from __future__ import annotations

from collections.abc import Callable

from daemon.target.acceptances import Acceptances
from daemon.target.link import LinkUser
from speculation.epochs import after_reject
from speculation.messages import Cancel, Context, Draft, Error, Finish, Message, Open, Verdict, Welcome
from speculation.paths import HashedPath

Target = Callable[[list[int]], int]


class FakeLink:
    """`Link` to a target that says what `target(ids)` says. `welcome_credit` is the credit it grants."""

    def __init__(self, target: Target, *, credit: int = 16) -> None:
        self.sent: list[Message] = []
        self.hits = 0
        self.misses = 0
        self.wanted = 0
        self.up = True
        self.acceptances = Acceptances()
        self.shares_machine = False
        self._target = target
        self._welcome = Welcome(1, "fake-target", "1", 263, 8, 4096, 64, credit, 1000)
        self._users: dict[int, LinkUser] = {}
        self._path = HashedPath()
        self._pending: list[int] = []
        self._epoch = 0
        self._seq = 0
        self._left = 0
        self._opening: Open | None = None

    # --- Link

    @property
    def welcome(self) -> Welcome | None:
        return self._welcome if self.up else None

    @property
    def usable(self) -> bool:
        return self.up

    def attach(self, session: int, user: LinkUser) -> None:
        self._users[session] = user

    def detach(self, session: int) -> None:
        self._users.pop(session, None)

    def send(self, message: Message) -> None:
        self.sent.append(message)
        match message:
            case Open():
                self._opening = message
                self._path = HashedPath()
            case Context():
                self._take_context(message)
            case Draft():
                self._take_draft(message)
            case Cancel():
                self._left = 0

    def want(self) -> None:
        self.wanted += 1

    def hit(self) -> None:
        self.hits += 1

    def miss(self, deadline_s: float) -> None:
        self.misses += 1

    # --- what a test does

    def step(self, *, alone: bool = True) -> bool:
        """One round: verify what is pending or, if `alone`, decode a token. False if there is nothing to do."""
        if self._opening is None or self._left == 0 or not self._users or not (self._pending or alone):
            return False
        base, drafted = len(self._path), len(self._pending)
        accepted = 0
        while (
            accepted < drafted
            and self._target([*self._path.ids]) == self._pending[accepted]
            and self._left > 1
        ):
            self._path.append(self._pending[accepted])
            accepted += 1
            self._left -= 1
            if self._path.ids[-1] in self._opening.stop_ids:
                break
        stopped = accepted > 0 and self._path.ids[-1] in self._opening.stop_ids
        if stopped:
            accepted -= 1
            next_id = self._path.ids[-1]
        else:
            next_id = self._target([*self._path.ids])
            self._path.append(next_id)
            self._left -= 1
        finish: Finish = "stop" if next_id in self._opening.stop_ids else "length" if self._left == 0 else ""
        if finish:
            self._left = 0
        self._pending.clear()
        verdict = Verdict(
            self._opening.session, self._epoch, self._seq if drafted else 0, base, drafted, accepted, next_id,
            len(self._path), self._path.hash, finish=finish,
        )  # fmt: skip
        if accepted < drafted:
            self._epoch = after_reject(self._epoch)
        self.deliver(verdict)
        return True

    def deliver(self, verdict: Verdict) -> None:
        """The verdict arrives, if there is still someone to hear it."""
        if verdict.session in self._users:
            self._users[verdict.session].verdict(verdict)

    def lose(self) -> None:
        """The connection breaks."""
        self.up = False
        self._opening = None
        for user in list(self._users.values()):
            user.lost()

    # --- the verifier's rules

    def _take_context(self, message: Context) -> None:
        assert self._opening is not None, "CONTEXT before OPEN"
        if message.keep_len > len(self._path) or self._path.hash_at(message.keep_len) != message.keep_hash:
            self._users[message.session].error(
                Error("context_mismatch", "keep_hash differs", message.session)
            )
            return
        self._path.truncate(message.keep_len)
        self._path.extend(message.append)
        self._epoch = message.epoch
        self._pending.clear()
        self._left = self._opening.max_tokens

    def _take_draft(self, message: Draft) -> None:
        at = len(self._path) + len(self._pending)
        start = message.base_pos
        ids = list(message.ids)
        if message.epoch != self._epoch:
            return
        while ids and start < at:
            known = [*self._path.ids, *self._pending]
            if known[start] != ids[0]:
                return
            start, ids = start + 1, ids[1:]
        if start == at:
            self._pending.extend(ids)
            self._seq = message.seq
