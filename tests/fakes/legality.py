"""A document's legality on an engine that can be blocked and broken, in virtual time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.legality import Legality
from daemon.grammars.worker import GrammarWorker
from daemon.run import Run
from grammars.interface import Recogniser
from tests.fakes.engine import byte_vocabulary
from tests.fakes.grammars import lets
from tests.fakes.virtual_time import VirtualTimeLoop, no_time_passes_until

VOCABULARY = byte_vocabulary()


@dataclass
class Engine:
    """What all copies of a recogniser do in a call: nothing, wait until let go, or raise."""

    blocks: bool = False
    raises: Exception | None = None
    entered: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def called(self) -> None:
        if self.raises is not None:
            raise self.raises
        if self.blocks:
            self.entered.set()
            assert self.let_go.wait(20)


@dataclass
class Watched:
    """A recogniser whose every call goes by way of `engine`."""

    inner: Recogniser
    engine: Engine

    def consume(self, tokens: Sequence[int]) -> int:
        self.engine.called()
        return self.inner.consume(tokens)

    def consume_pieces(self, pieces: Sequence[Sequence[int]]) -> int:
        self.engine.called()
        return self.inner.consume_pieces(pieces)

    def valid(self, tokens: Sequence[int]) -> int:
        self.engine.called()
        return self.inner.valid(tokens)

    def rollback(self, count: int) -> None:
        self.inner.rollback(count)

    def mask(self) -> NDArray[np.bool_]:
        self.engine.called()
        return self.inner.mask()

    def accepting(self) -> bool:
        return self.inner.accepting()

    def copy(self) -> Watched:
        return Watched(self.inner.copy(), self.engine)


@dataclass
class LegalityBench:
    loop: VirtualTimeLoop
    engine: Engine
    worker: GrammarWorker
    legality: Legality

    def run_at(self, marked: str, generated: bytes = b"") -> Run:
        """A run that has begun at `|`."""
        before, _, after = marked.partition("|")
        place = Place(Document("x", "lets", 1, before + after), len(before))
        generation = Generation(place, (1,), VOCABULARY, Limits(64, 8))
        for token in generated:
            generation.draft(token, 0.0)
        run = Run(generation, 0.0)
        self.legality.begin(run, VOCABULARY)
        return run

    async def read(self, run: Run) -> None:
        """Wait until the text before the cursor is followed."""
        await no_time_passes_until(lambda: run.grammar.state != "reading")

    @contextmanager
    def blocked(self) -> Iterator[None]:
        """Calls that begin now come back only after the `with`."""
        self.engine.blocks = True
        self.engine.entered.clear()
        self.engine.let_go.clear()
        try:
            yield
        finally:
            self.engine.blocks = False
            self.engine.let_go.set()


Scenario = Callable[[LegalityBench], Coroutine[Any, Any, None]]


def play(scenario: Scenario) -> None:
    """Run a scenario in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualTimeLoop)
        engine = Engine()
        worker = GrammarWorker()
        legality = Legality(worker, loop.time)
        loaded = lets()
        legality.use(DocumentGrammar(replace(loaded, template=Watched(loaded.template, engine))))

        async def all_of_it() -> None:
            try:
                await scenario(LegalityBench(loop, engine, worker, legality))
            finally:
                engine.let_go.set()
                legality.close()
                await worker.close()

        runner.run(all_of_it())
