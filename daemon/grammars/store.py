"""The grammars of the open documents: which they have, found again when the files change.

    of(document)  ──> what is known now; at most once a second a look at the files, in a thread  (lookout)
                  ──> which grammar is for the document                                          (catalogue)
                  ──> compiled by a process of its own or from the cache, and loaded             (workshop)
    whatever changes the answer for a document ──> `changed` with its name

Lives in the event loop and never blocks it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from daemon.documents import Document
from daemon.draft.engine import Vocabulary
from daemon.grammars.cache import GrammarCache
from daemon.grammars.catalogue import Catalogue
from daemon.grammars.document_grammar import DocumentGrammar, LoadedGrammar, Problem
from daemon.grammars.lookout import Lookout, user_folder
from daemon.grammars.places import document_path
from daemon.grammars.runner import GrammarRunner, Outcome
from daemon.grammars.workshop import PATIENCE, Piece, Workshop
from daemon.settings.config import Config
from daemon.settings.config_sections import GrammarsConfig
from grammars.diagnostics import Diagnostic
from grammars.engine import TokenTable
from grammars.islands import Island

__all__ = ["DocumentGrammar", "GrammarStore", "LoadedGrammar"]

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""The files are looked at no more often than this."""
MAX_LOOK_S: Final = 0.5
"""Who asks what there is waits no longer for a look at the files."""
MAX_DOCUMENTS: Final = 256
"""Documents whose answers are kept up to date; those asked about longest ago are forgotten."""
MAX_FOLDERS: Final = 64

LINE_END: Final = r"\n"
"""What closes an island for which the configuration names nothing."""

LOOKING: Final = DocumentGrammar(None, (), "looking for grammars", expected=False, required=True)

Key = tuple[str, str, bool, bool]


@dataclass(eq=False)
class _Asked:
    """A document that was asked about, without its text."""

    document: Document
    config: GrammarsConfig
    folder: Path | None
    answer: DocumentGrammar = LOOKING


@dataclass(eq=False)
class _Folder:
    """Where documents lie, and the grammars for them at the last look."""

    path: Path | None
    catalogue: Catalogue | None = None
    looked_at: float = float("-inf")
    look: asyncio.Task[None] | None = None


class GrammarStore:
    """Answers which grammars a document has. Event loop only."""

    def __init__(
        self,
        config: Config,
        changed: Callable[[Iterable[str]], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        lookout: Lookout | None = None,
        runner: GrammarRunner | None = None,
        cache: GrammarCache | None = None,
    ) -> None:
        """`changed` gets the names of the documents for which `of` answers differently from now on."""
        self._config = config
        self._changed = changed
        self._clock = clock
        self._lookout = lookout or Lookout(config)
        self._runner = runner or GrammarRunner()
        cache = cache or GrammarCache(config.draft.cache_path / "grammars")
        self._workshop = Workshop(self._runner, cache, self._settle, clock)
        self._folders: OrderedDict[Path | None, _Folder] = OrderedDict()
        self._asked: OrderedDict[Key, _Asked] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def vocabulary_known(self, vocabulary: Vocabulary) -> None:
        """The draft model is loaded: from now on grammars can be, too."""
        self._spawn(self._make_table(vocabulary))

    def of(self, document: Document, config: GrammarsConfig | None = None) -> DocumentGrammar:
        """What is known of the document's grammars now. `config`: the client's settings over the daemon's."""
        grammars = config or self._config.grammars
        key = (document.name, document.language, grammars.enabled, grammars.trust_workspace)
        asked = self._asked.get(key)
        if asked is None:
            path = document_path(document.name)
            folder = None if path is None else path.parent
            asked = self._asked[key] = _Asked(replace(document, text=""), grammars, folder)
            _bound(self._asked, MAX_DOCUMENTS)
            asked.answer = self._answer(asked)
        self._asked.move_to_end(key)
        self._look_at(asked.folder)
        return asked.answer

    def diagnostics_of(self, file: Path) -> tuple[Diagnostic, ...]:
        """What was found in a grammar file when it was last compiled; empty while no document needs it."""
        piece = self._workshop.piece(file)
        return () if piece is None else piece.diagnostics

    async def check(self, text: str, document: str) -> Outcome:
        """Compile and try a text that may be anything, under the URI, path or name that tells its dialect.

        It gets as much time as the file there would.
        """
        path = document_path(document)
        name = PurePosixPath(document).name if path is None else path.name
        schema = name.removesuffix(".json").removesuffix(".schema") if name.endswith(".json") else ""
        is_users = path is not None and path.is_relative_to(user_folder(self._config).absolute())
        patience = PATIENCE["user" if is_users else "workspace"]
        return await self._runner.run(text, name, schema=schema, patience=patience)

    def overview(self, config: GrammarsConfig | None = None, *, needed: bool = False) -> list[str]:
        """One line for each grammar that was found for the documents so far.

        `needed`: only for those that a document needs, and for those that are not trusted.
        """
        grammars = config or self._config.grammars
        found: dict[Path, str] = {}
        for folder in self._folders.values():
            for layer in folder.catalogue.layers if folder.catalogue is not None else ():
                usable = layer.trusted or grammars.trust_workspace
                for known in layer.grammars:
                    piece = self._workshop.piece(known.file.path)
                    if needed and usable and piece is None:
                        continue
                    state = _state_of(piece) if usable else "not trusted"
                    found[known.file.path] = f"{known.name} ({known.file.origin}, {known.file.path}): {state}"
        return sorted(found.values())

    async def look(self) -> None:
        """Look at all folders so far, as no key does once their documents are closed; a slow disk is not waited for."""
        for path in list(self._folders):
            self._look_at(path)
        looks = [folder.look for folder in self._folders.values() if folder.look is not None]
        if looks:
            await asyncio.wait(looks, timeout=MAX_LOOK_S)

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)
            await self._workshop.idle()
        await self._workshop.idle()

    async def close(self) -> None:
        """End what is under way, processes included."""
        await self._workshop.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- answers

    def _answer(self, asked: _Asked) -> DocumentGrammar:
        folder = self._folders.get(asked.folder)
        if folder is None or folder.catalogue is None:
            return asked.answer
        choice = folder.catalogue.choose(asked.document, asked.config)
        notes: list[str] = []
        problems: list[Problem] = []
        islands: list[tuple[Island, LoadedGrammar | str]] = []
        for island, known in choice.islands:
            if isinstance(known, str):
                grammar: LoadedGrammar | str = known
                problems.append(Problem(known, known))
            else:
                piece = self._workshop.need(known)
                grammar = piece.loaded or piece.reason
                problems += _problems_of(piece)
            islands.append((Island(island.open, island.close or LINE_END, island.grammar), grammar))
            if isinstance(grammar, str) and grammar not in notes:
                notes.append(grammar)
        whole, reason, expected = None, choice.reason, choice.expected
        if choice.whole is not None:
            piece = self._workshop.need(choice.whole)
            problems += _problems_of(piece)
            whole, reason = piece.loaded, "" if piece.loaded is not None else piece.reason
            if piece.fallen_back:
                notes.append(piece.fallen_back)
        elif expected:
            problems.append(Problem(reason, reason))
        return DocumentGrammar(
            whole,
            tuple(islands),
            reason,
            expected,
            choice.required,
            tuple(notes),
            tuple(dict.fromkeys(problems)),
        )

    def _settle(self) -> None:
        """Bring all answers up to date, and tell for which documents they are different."""
        names: dict[str, None] = {}
        for asked in self._asked.values():
            before, asked.answer = asked.answer, self._answer(asked)
            if asked.answer != before:
                names[asked.document.name] = None
        if names:
            self._changed(tuple(names))

    # --- looking at the files

    def _look_at(self, path: Path | None) -> None:
        folder = self._folders.setdefault(path, _Folder(path))
        self._folders.move_to_end(path)
        _bound(self._folders, MAX_FOLDERS)
        due = self._clock() - folder.looked_at >= LOOK_S
        if due and (folder.look is None or folder.look.done()):
            folder.look = self._spawn(self._look(folder))

    async def _look(self, folder: _Folder) -> None:
        catalogue = await asyncio.to_thread(self._lookout.look, folder.path)
        folder.looked_at = self._clock()
        if catalogue != folder.catalogue:
            folder.catalogue = catalogue
            seen = [one.catalogue for one in self._folders.values() if one.catalogue is not None]
            files = (known.file.path for one in seen for layer in one.layers for known in layer.grammars)
            self._workshop.keep(set(files))
            self._settle()
        self._workshop.retry()

    async def _make_table(self, vocabulary: Vocabulary) -> None:
        """0.1 to 1 s of work, once."""
        table = await asyncio.to_thread(
            TokenTable,
            vocabulary.token_bytes,
            control_ids=vocabulary.control_ids,
            stop_ids=vocabulary.stop_ids,
        )
        self._workshop.table_known(table)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("looking after grammars failed", exc_info=error)


def _state_of(piece: Piece | None) -> str:
    return "not needed so far" if piece is None else piece.fallen_back or piece.reason or "in use"


def _problems_of(piece: Piece) -> list[Problem]:
    """That a file was refused; unless it is tried again by itself."""
    is_final = piece.state == "refused" and piece.retry_at is None
    return [Problem(str(piece.known.file.path), piece.reason)] if is_final else []


def _bound(kept: OrderedDict[Any, Any], size: int) -> None:
    while len(kept) > size:
        kept.popitem(last=False)
