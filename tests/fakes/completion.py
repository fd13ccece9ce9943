"""A completer on one document, with a scripted engine and a scripted target, and what a test does to them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

from daemon.api.messages import Edit, SuggestionUpdate
from daemon.completion import Answer, Completer
from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.legality import Legality
from daemon.grammars.worker import GrammarWorker
from daemon.prompts.open_texts import OpenTexts
from daemon.screen.display import Display
from daemon.screen.merge import Timing
from daemon.settings.config import Config
from daemon.statistics import Statistics
from tests.fakes.engine import FakeEngine, following
from tests.fakes.link import FakeLink

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
EOS = 257


def target_of(text: str) -> Callable[[list[int]], int]:
    """A target that knows `text` by heart."""
    rest = following(text)

    def next_token(ids: list[int]) -> int:
        follows = rest(bytes(i for i in ids if i < 256))
        return follows[0] if follows else EOS

    return next_token


class NothingAround(OpenTexts):
    """No text to draft from: every token is the engine's."""

    def around(self, place: Place) -> list[str]:
        return [""]


@dataclass
class Bench:
    """One completer on one document, and everything around it."""

    completer: Completer
    engine: FakeEngine
    link: FakeLink | None
    statistics: Statistics
    updates: list[SuggestionUpdate] = field(default_factory=list)
    document: Document = field(default_factory=lambda: Document("file:///a.py", "python", 1, ""))

    def open(self, text: str, *, language: str = "python") -> Place:
        self.document = Document("file:///a.py", language, 1, text)
        self.completer.opened(self.document, self.completer.settings)
        return self.end

    def type(self, text: str, *, backspaces: int = 0) -> Place:
        """Edit the end of the document, as keys do."""
        end = len(self.document.text)
        edits = [Edit(end - backspaces, end, text)]
        self.document = self.document.edited(edits, self.document.version + 1)
        self.completer.edited(self.document, len(self.document.text))
        return self.end

    @property
    def end(self) -> Place:
        return Place(self.document, len(self.document.text))

    async def ask(self, place: Place | None = None, wait: str = "first") -> Answer:
        return await self.completer.complete(place or self.end, wait)  # type: ignore[arg-type]

    @contextmanager
    def target_at_work(self) -> Iterator[None]:
        """The target verifies what is pending; when nothing comes for a while it decodes by itself."""

        async def work() -> None:
            assert self.link is not None
            idle = 0
            while True:
                idle = 0 if self.link.step(alone=idle > 20) else idle + 1
                await asyncio.sleep(0.001)

        task = asyncio.create_task(work())
        try:
            yield
        finally:
            task.cancel()

    def sent(self, kind: type) -> list[object]:
        assert self.link is not None
        return [message for message in self.link.sent if isinstance(message, kind)]


def settings(config: Config | None = None, **changes: object) -> Settings:
    config = config or Config()
    base = Settings(
        config.completion, replace(config.display, first_ghost_ms=0, answer_ms=10_000), 1024, True, 1.5
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@asynccontextmanager
async def bench(
    draft: str = SOURCE,
    target: str | None = None,
    *,
    chosen: Settings | None = None,
    timing: Timing | None = None,
    engine: FakeEngine | None = None,
    grammar: DocumentGrammar | None = None,
    grammar_worker: GrammarWorker | None = None,
    texts: OpenTexts | None = None,
) -> AsyncIterator[Bench]:
    engine = engine or FakeEngine(following(draft))
    worker = DraftWorker(lambda: engine, lambda: None, time.monotonic)
    await worker.start()
    link = None if target is None else FakeLink(target_of(target))
    updates: list[SuggestionUpdate] = []
    statistics = Statistics()
    display = Display(itertools.count(1), updates.append, timing or Timing(0.25, 0.0))
    grammar_worker = grammar_worker or GrammarWorker(patience_s=10, dear_s=10)
    legality = Legality(grammar_worker, time.monotonic)
    completer = Completer(
        1,
        chosen or settings(),
        worker,
        link,
        statistics,
        display,
        legality,
        time.monotonic,
        texts or NothingAround(),
    )
    if grammar is not None:
        completer.use_grammar(grammar)
    try:
        yield Bench(completer, engine, link, statistics, updates)
    finally:
        engine.release()
        await completer.close()
        await worker.close()
        await grammar_worker.close()


def only(answer: Answer) -> str:
    assert answer.reason is None, answer
    return answer.suggestions[0].text
