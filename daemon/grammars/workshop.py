"""Brings grammar files into use: from the cache or by a trial, then loaded with the draft model's vocabulary.

One version of one file at a time, in the background, in the order in which they were needed. A version in use stays
until the next one is ready, also if that has errors. What was refused is not tried again until the file changes; what
failed for want of this machine's time or memory is, after RETRY_S.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from daemon.grammars.cache import GrammarCache, cache_key
from daemon.grammars.catalogue import Known
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.grammars.places import SCHEMA_EXTENSION, Origin, Unreadable, read_grammar
from daemon.grammars.runner import GrammarRunner, Outcome
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.engine import TokenTable, load

log = logging.getLogger(__name__)

RETRY_S: Final = 30.0
AGAIN_S: Final = 1.0
"""After a file changed between the look at it and its reading."""
LOAD_S: Final = 5.0
"""Loading takes 5 to 100 ms."""
MAX_QUEUE: Final = 64
MAX_REFUSALS: Final = 256
_SAMPLES: Final = 3
_SAMPLE_CHARACTERS: Final = 4000

PATIENCE: Final[Mapping[Origin, float]] = {"built in": 10.0, "user": 2.0, "workspace": 1.0}
"""How much of the usual time a trial may take: what is ours is known to end, and a busy machine may slow it down."""

State = Literal["compiling", "waiting", "ready", "refused"]


@dataclass(eq=False)
class Piece:
    """One grammar file that is needed, and what has become of it."""

    known: Known
    """As it was last looked at."""
    version: str = ""
    """The key of the version that the rest speaks of; empty: none yet."""
    state: State = "compiling"
    loaded: LoadedGrammar | None = None
    """In use; an older version than `version` unless the state is ready."""
    compiled: CompiledGrammar | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    why: str = ""
    """Why it was refused."""
    retry_at: float | None = None

    @property
    def reason(self) -> str:
        """Why the newest version is not in use; empty if it is."""
        called = self.known.file.called
        match self.state:
            case "compiling":
                return f"compiling {called}"
            case "waiting":
                return f"{called} waits for the draft model to be loaded"
            case "refused":
                return f"refused: {called}: {self.why}"
            case _:
                return ""

    @property
    def fallen_back(self) -> str:
        """That an older version is in use because the newest was refused; empty if that is not so."""
        if self.loaded is None or self.state != "refused":
            return ""
        return f"the version before is in use, since the new one was {self.reason}"


class Workshop:
    """All grammar files that are needed. Event loop only."""

    def __init__(
        self,
        runner: GrammarRunner,
        cache: GrammarCache,
        changed: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        """`changed` is called after each change of a piece that `need` did not make itself."""
        self._runner = runner
        self._cache = cache
        self._changed = changed
        self._clock = clock
        self._pieces: dict[Path, Piece] = {}
        self._refusals: OrderedDict[str, Outcome] = OrderedDict()
        self._queue: OrderedDict[Path, None] = OrderedDict()
        self._table: TokenTable | None = None
        self._task: asyncio.Task[None] | None = None

    def need(self, known: Known) -> Piece:
        """The piece for a grammar file; its newest version is brought in, if that has not been tried."""
        path = known.file.path
        piece = self._pieces.setdefault(path, Piece(known))
        piece.known = known
        if piece.loaded is not None and piece.loaded.examples != known.file.examples:
            piece.loaded = replace(piece.loaded, examples=known.file.examples)
        if piece.version != version_of(known):
            piece.state = "compiling"
            self._enqueue(path)
        return piece

    def piece(self, file: Path) -> Piece | None:
        """The piece for a file, if it was ever needed."""
        return self._pieces.get(file)

    def retry(self) -> None:
        """Try again what this machine had no time for, if it is time to."""
        for path, piece in self._pieces.items():
            if piece.retry_at is not None and piece.retry_at <= self._clock():
                piece.retry_at, piece.version = None, ""
                self._enqueue(path)

    def keep(self, files: Collection[Path]) -> None:
        """Forget all but these files."""
        self._pieces = {path: piece for path, piece in self._pieces.items() if path in files}

    def table_known(self, table: TokenTable) -> None:
        """The draft model's vocabulary, without which nothing can be loaded."""
        self._table = table
        for path, piece in self._pieces.items():
            if piece.state == "waiting":
                self._enqueue(path)

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """End what is under way."""
        self._queue.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _enqueue(self, path: Path) -> None:
        if path not in self._queue and len(self._queue) >= MAX_QUEUE:
            piece = self._pieces[path]
            piece.retry_at = self._clock() + RETRY_S
            return
        self._queue[path] = None
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work(), name="grammars")

    async def _work(self) -> None:
        while self._queue:
            path, _ = self._queue.popitem(last=False)
            piece = self._pieces.get(path)
            if piece is None:
                continue
            try:
                await self._bring(piece)
            except Exception:
                log.exception("bringing in a grammar failed")
                piece.version, piece.state, piece.why = (
                    version_of(piece.known),
                    "refused",
                    "an internal error",
                )
            self._changed()

    async def _bring(self, piece: Piece) -> None:
        known, version = piece.known, version_of(piece.known)
        compiled = piece.compiled if piece.version == version else None
        if compiled is None:
            outcome = await self._outcome(known, version)
            piece.version, piece.compiled = version, None
            if outcome is None:  # the file is another one by now: the next look may find that
                piece.retry_at = self._clock() + AGAIN_S
                return
            piece.diagnostics = outcome.diagnostics
            if outcome.compiled is None:
                piece.state, piece.why = "refused", outcome.why
                piece.retry_at = self._clock() + RETRY_S if outcome.passing else None
                return
            compiled = piece.compiled = outcome.compiled
        if self._table is None:
            piece.state = "waiting"
            return
        await self._load(piece, compiled, self._table)

    async def _outcome(self, known: Known, version: str) -> Outcome | None:
        """What comes of a version: as it was the last time, or by a trial. None: the file has changed."""
        if known.diagnostics:
            return Outcome(None, known.diagnostics)
        if (refused := self._refusals.get(version)) is not None:
            return refused
        if (compiled := await asyncio.to_thread(self._cache.get, version)) is not None:
            return Outcome(compiled, compiled.diagnostics)
        try:
            text, samples = await asyncio.to_thread(texts_of, known)
        except Unreadable:
            return None
        if hashlib.sha256(text.encode()).hexdigest() != known.digest:
            return None
        schema = known.name if known.file.extension == SCHEMA_EXTENSION else ""
        patience = PATIENCE[known.file.origin]
        outcome = await self._runner.run(
            text, known.file.called, schema=schema, samples=samples, patience=patience
        )
        if outcome.compiled is not None:
            try:
                await asyncio.to_thread(self._cache.put, version, outcome.compiled)
            except OSError as error:
                log.warning("compiled grammars can't be kept in %s: %s", self._cache.folder, error.strerror)
        elif not outcome.passing:
            self._refusals[version] = outcome
            if len(self._refusals) > MAX_REFUSALS:
                self._refusals.popitem(last=False)
        return outcome

    async def _load(self, piece: Piece, compiled: CompiledGrammar, table: TokenTable) -> None:
        known = piece.known
        try:
            template = await asyncio.wait_for(asyncio.to_thread(load, compiled, table), LOAD_S)
        except GrammarError as error:
            refused = Outcome(None, error.diagnostics)
            piece.state, piece.why, piece.diagnostics = "refused", refused.why, refused.diagnostics
            return
        except TimeoutError:
            piece.state, piece.why = "refused", f"the engine takes more than {LOAD_S:g} s to load it"
            return
        examples = known.file.examples
        piece.loaded = LoadedGrammar(known.name, known.file.path, compiled, template, table, examples)
        piece.state, piece.why = "ready", ""


def version_of(known: Known) -> str:
    """What the compiled form depends on, as one key."""
    return cache_key(known.digest, known.name, known.file.called)


def texts_of(known: Known) -> tuple[str, list[str]]:
    """The grammar's text, and the beginnings of its first examples. Raises Unreadable."""
    samples = []
    for path in known.file.examples[:_SAMPLES]:
        try:
            samples.append(path.read_text(encoding="utf-8-sig")[:_SAMPLE_CHARACTERS])
        except (OSError, UnicodeDecodeError):
            continue  # an example that is no text says nothing of the grammar
    return read_grammar(known.file.path), samples
