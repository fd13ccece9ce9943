"""A completer under a user who types anything, and a line on which verdicts are late, lost, doubled and out of order.

Hypothesis chooses what happens next; time is virtual, and every draft token takes some. A naive client keeps the screen
as an editor does, and judges every change of it: nothing is shown that nobody said, verified text is the
target's own, what is shown only grows but for one correction in the settling window, and in the end nobody is stuck.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from daemon.api.messages import Edit, Suggestion, SuggestionUpdate
from daemon.completion import Answer, Completer
from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.grammars.legality import Legality
from daemon.grammars.worker import GrammarWorker
from daemon.screen.display import Display
from daemon.screen.merge import Timing
from daemon.screen.shaping import shape
from daemon.statistics import Statistics
from speculation.messages import Verdict
from speculation.paths import path_hash
from tests.fakes.completion import EOS, settings
from tests.fakes.engine import FakeEngine
from tests.fakes.link import FakeLink
from tests.fakes.virtual_time import VirtualTimeLoop

LETTERS = b"abc\n"
REMEMBERED = 3
"""Bytes that either model looks back."""
BEGINNING = "abc"
"""What no backspace takes away."""
REPEATED = 4
"""Characters that were there before, at least, where what followed them is taken up again."""
TOKEN_S = 0.02
TIMING = Timing(settling=0.25, update_interval=0.15)
SETTINGS = settings()
PATIENCE_S = 200.0


def said_by_target(before: bytes) -> bytes:
    """One byte, or none where the target ends."""
    drawn = path_hash(list(before[-REMEMBERED:])) >> 16
    return b"" if drawn % 23 == 0 else LETTERS[drawn // 23 % 4 :][:1]


def said_by_draft(before: bytes) -> bytes:
    """What the target says, but wrong once in four times."""
    drawn = path_hash([7, *before[-REMEMBERED:]]) >> 16
    right = said_by_target(before)
    return right if drawn % 4 else LETTERS[drawn // 4 % 4 :][:1]


def continued(before: str, say: Callable[[bytes], bytes], length: int) -> str:
    """What comes after a text if one model alone goes on, at most `length` bytes."""
    text = before.encode()
    start = len(text)
    while len(text) - start < length and (said := say(text)):
        text += said
    return text[start:].decode()


class FaultyLink(FakeLink):
    """Verdicts stay on the line until a test delivers or drops them."""

    def __init__(self) -> None:
        super().__init__(lambda ids: next(iter(said_by_target(bytes(i for i in ids if i < 256))), EOS))
        self.line: list[Verdict] = []

    def deliver(self, verdict: Verdict) -> None:
        self.line.append(verdict)

    def arrives(self, index: int, *, stays: bool = False) -> None:
        """The verdict at `index` arrives; it `stays` if it will arrive once more."""
        verdict = self.line[index] if stays else self.line.pop(index)
        super().deliver(verdict)


class SlowLoop(VirtualTimeLoop):
    """Work for another thread is done here, at the end of the time that a draft token takes."""

    def run_in_executor(
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        done = self.create_future()

        def work() -> None:
            if done.cancelled():
                return
            try:
                done.set_result(func(*args))
            except Exception as error:  # the caller's, as it would be with a thread
                done.set_exception(error)

        self.call_later(TOKEN_S, work)
        return done


@dataclass
class Shown:
    """What the naive client has on its screen."""

    id: int
    text: str
    verified: int
    since: float
    corrected: bool = False
    followed: bool = False


class Client:
    """An editor with one document, the cursor always at its end."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.document = Document("file:///f", "python", 1, BEGINNING)
        self.shown: Shown | None = None
        self.wrong: list[AssertionError] = []
        """What updates did that they may not."""

    @property
    def place(self) -> Place:
        return Place(self.document, len(self.document.text))

    def edit(self, added: str, removed: int = 0) -> None:
        end = len(self.document.text)
        edit = Edit(end - removed, end, added)
        self.document = self.document.edited([edit], self.document.version + 1)
        shown = self.shown
        self.shown = None
        if shown is not None and not removed and shown.text.startswith(added) and shown.text != added:
            n = len(added)
            self.shown = replace(
                shown, text=shown.text[n:], verified=max(0, shown.verified - n), followed=True
            )

    def answered(self, place: Place, answer: Answer) -> None:
        """An answer for a text that is gone is not shown."""
        if place.document is not self.document:
            return
        if not answer.suggestions:
            assert answer.reason not in (None, "internal_error")
            return
        new = answer.suggestions[0]
        self.judge(new)
        old, now = self.shown, self.now()
        if old is None or (old.followed and not new.text.startswith(old.text)):
            self.shown = Shown(new.id, new.text, new.verified, now)
        elif new.text.startswith(old.text):
            self.shown = replace(old, id=new.id, text=new.text, verified=new.verified, followed=False)
        else:
            self.correct(old, new)

    def pushed(self, update: SuggestionUpdate) -> None:
        """Called within the run that pushes, which would take an exception for its own."""
        try:
            self.updated(update)
        except AssertionError as error:
            self.wrong.append(error)

    def updated(self, update: SuggestionUpdate) -> None:
        old, new = self.shown, update.suggestion
        if update.version != self.document.version or old is None or old.id != new.id:
            return
        assert update.offset == len(self.document.text)
        if update.kind == "withdrawn":
            assert self.now() - old.since <= TIMING.settling
            assert old.verified == 0
            self.shown = None
            return
        self.judge(new)
        if update.kind == "corrected":
            self.correct(old, new)
            return
        assert new.text.startswith(old.text)
        assert (new.text == old.text) is (update.kind == "verified")
        assert new.verified >= old.verified
        self.shown = replace(old, text=new.text, verified=new.verified)

    def correct(self, old: Shown, new: Suggestion) -> None:
        """Once, in the settling window, and never verified text."""
        assert self.now() - old.since <= TIMING.settling
        assert not old.corrected
        assert new.text.startswith(old.text[: old.verified])
        self.shown = Shown(new.id, new.text, new.verified, old.since, corrected=True)

    def judge(self, suggestion: Suggestion) -> None:
        """Verified is the target's own; every character after it is what a model says there, or a repetition."""
        before, text = self.document.text, suggestion.text
        assert continued(before, said_by_target, len(text)).startswith(text[: suggestion.verified])
        for length in range(suggestion.verified, len(text)):
            known, said = before + text[:length], text[length]
            models = {say(known.encode()).decode() for say in (said_by_target, said_by_draft)}
            assert said in models or known[-REPEATED:] + said in known


class Faults(RuleBasedStateMachine):
    """What happens next."""

    @initialize()
    def start(self) -> None:
        self.loop = SlowLoop()
        asyncio.set_event_loop(self.loop)
        self.client = Client(self.loop.time)
        self.link = FaultyLink()
        engine = FakeEngine(lambda before: said_by_draft(before) or b"")
        self.worker = DraftWorker(lambda: engine, lambda: None, self.loop.time)
        self.grammar_worker = GrammarWorker()
        self.completer = Completer(
            1,
            SETTINGS,
            self.worker,
            self.link,
            Statistics(),
            Display(itertools.count(1), self.client.pushed, TIMING),
            Legality(self.grammar_worker, self.loop.time),
            self.loop.time,
        )
        self.asked: set[asyncio.Task[None]] = set()
        self.loop.run_until_complete(self.worker.start())
        self.do(lambda: self.completer.opened(self.client.document, SETTINGS))

    def do(self, step: Callable[[], None]) -> None:
        async def now() -> None:
            step()

        self.loop.run_until_complete(now())

    def edit(self, added: str, removed: int = 0) -> None:
        self.client.edit(added, removed)
        document = self.client.document
        self.do(lambda: self.completer.edited(document, len(document.text)))

    # --- the user

    @rule(text=st.sampled_from(["a", "b", "c", "\n", "ab"]))
    def type(self, text: str) -> None:
        self.edit(text)

    @precondition(lambda self: self.client.shown is not None)
    @rule(length=st.integers(1, 4))
    def type_along(self, length: int) -> None:
        self.edit(self.client.shown.text[:length])

    @precondition(lambda self: self.client.shown is not None)
    @rule()
    def accept(self) -> None:
        self.edit(self.client.shown.text)

    @rule(length=st.integers(1, 3))
    def backspace(self, length: int) -> None:
        self.edit("", min(length, len(self.client.document.text) - len(BEGINNING)))

    @rule()
    def ask(self) -> None:
        place = self.client.place

        async def answer() -> None:
            self.client.answered(place, await self.completer.complete(place, "first"))

        self.do(lambda: self.asked.add(asyncio.ensure_future(answer())))

    @rule(seconds=st.sampled_from([0.001, TOKEN_S, 0.1, 0.3, 2.0]))
    def pass_time(self, seconds: float) -> None:
        self.loop.pass_time(seconds)

    # --- the line

    @rule(alone=st.booleans())
    def verify(self, alone: bool) -> None:
        if self.link.up:
            self.do(lambda: self.link.step(alone=alone) or None)

    @precondition(lambda self: self.link.line)
    @rule(index=st.integers(0, 3), stays=st.booleans())
    def deliver(self, index: int, stays: bool) -> None:
        self.do(lambda: self.link.arrives(index % len(self.link.line), stays=stays))

    @precondition(lambda self: self.link.line)
    @rule()
    def lose_a_verdict(self) -> None:
        self.link.line.pop(0)

    @precondition(lambda self: self.link.up)
    @rule()
    def cut(self) -> None:
        self.link.line.clear()
        self.do(self.link.lose)

    @precondition(lambda self: not self.link.up)
    @rule()
    def mend(self) -> None:
        self.link.up = True

    # --- in the end

    async def _verified(self) -> Answer:
        """The answer of a line that works."""
        asked = asyncio.ensure_future(self.completer.complete(self.client.place, "verified"))
        for _ in range(round(PATIENCE_S / TOKEN_S)):
            if asked.done():
                break
            self.link.step()
            while self.link.line:
                self.link.arrives(0)
            await asyncio.sleep(TOKEN_S)
        return await asked

    def _whole_text(self) -> str:
        """All that the target has to say at the cursor, within the limits and as it is shown."""
        limits = SETTINGS.completion
        text = continued(self.client.document.text, said_by_target, limits.max_tokens)
        lines = limits.max_lines + len(text) - len(text.lstrip("\n"))
        return shape("\n".join(text.split("\n")[:lines]), self.client.place, ended=True, whole=True).text

    def teardown(self) -> None:
        """Whatever came before: the next key is answered with the target's text, and everything ends."""
        if not hasattr(self, "loop"):
            return
        try:
            self.link.up = True
            self.link.line.clear()
            self.edit("a")
            answer = self.loop.run_until_complete(self._verified())
            text, verified = next(((one.text, one.verified) for one in answer.suggestions), ("", 0))
            whole = self._whole_text()
            assert text == whole or (text and whole.startswith(text)), (
                answer
            )  # or as far as one recalled had to go
            assert verified == len(text)
            assert not self.client.wrong
            for task in self.asked:
                assert task.done()
                task.result()
        finally:
            self.loop.run_until_complete(self.completer.close())
            self.loop.run_until_complete(self.worker.close())
            self.loop.run_until_complete(self.grammar_worker.close())
            asyncio.set_event_loop(None)
            self.loop.close()


Faults.TestCase.settings = hypothesis_settings(max_examples=60, stateful_step_count=40)
test_no_fault_of_the_line_is_seen = Faults.TestCase
