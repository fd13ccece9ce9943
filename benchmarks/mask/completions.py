"""Part of `benchmarks.masks`: real completions put into files that parse. Do the files still parse?

The completions are the daemon's own (`daemon/completion.py`): its draft model under the grammar, shaped and cut before
the text after the cursor; no verifier, and no other file first in the prompt, so that the draft knows little of the
language. The judge is lark's Earley parser over the whole file, which shares nothing with the engine that masks.

Cursors stand where one types and the file is right as it is: on a new line below another one, at the end of a line, and
in mid-line; not within a word, where nothing is shown, nor at the end of the file, where what is shown may be begun and
left to be finished.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from random import Random
from typing import Final, Literal

from benchmarks.dsl.files import GENERATORS, generated, real_files
from benchmarks.mask.earley_oracle import accepts
from daemon.completion import Answer, Completer
from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.engine import DraftEngine
from daemon.grammars.document_grammar import DocumentGrammar, LoadedGrammar
from daemon.grammars.legality import Legality
from daemon.grammars.worker import GrammarWorker
from daemon.screen.display import Display
from daemon.screen.merge import Timing
from daemon.screen.shaping import splits_word
from daemon.settings.config import Config
from daemon.statistics import Statistics
from grammars.compiled import CompiledGrammar
from grammars.engine import TokenTable, load

Where = Literal["new line", "line end", "mid-line"]
WHERE: Final[tuple[Where, ...]] = ("new line", "line end", "mid-line")

FILES: Final = 3
FILE_CHARACTERS: Final = (1_500, 3_000)
"""Of a real file, so that its prompt is read in a second or two; generated ones are as long as the shortest."""
PATIENCE_S: Final = 10.0
"""For the engine: what is measured is what it says, not whether the machine is busy."""
_CONTENT: Final = re.compile(r"[^\S\n]*\S[^\n]*")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A text that parses, and a place in it; offset in code points."""

    where: Where
    text: str
    offset: int

    def with_inserted(self, completion: str) -> str:
        """The text with a completion at the place."""
        return self.text[: self.offset] + completion + self.text[self.offset :]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was shown at one place."""

    language: str
    cursor: Cursor
    shown: str
    """Empty: nothing."""
    still_parses: bool


def figures(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Of the completions that were shown, the share after which the file still parses; and how many those were."""
    shown = [one for one in outcomes if one.shown]
    found: dict[str, float | None] = {
        "still_parses": _share(shown),
        "completions_shown": len(shown),
        "completions_asked": len(outcomes),
    }
    for where in WHERE:
        name = f"still_parses_{where.replace(' ', '_').replace('-', '_')}"
        found[name] = _share([one for one in shown if one.cursor.where == where])
    return found


def _share(shown: Sequence[Outcome]) -> float | None:
    return sum(one.still_parses for one in shown) / len(shown) if shown else None


def files_of(language: str, seed: int, *, count: int = FILES) -> list[str]:
    """Whole files: real ones where the language has no generator."""
    shortest, longest = FILE_CHARACTERS
    if language in GENERATORS:
        return [generated(language, shortest, seed + number) for number in range(count)]
    fitting = [text for _, text in real_files(language) if shortest <= len(text) <= longest]
    return Random(seed).sample(fitting, min(count, len(fitting)))


def cursors_in(text: str, random: Random, count: int, parses: Callable[[str], bool]) -> list[Cursor]:
    """About `count` places in the order of the text, a third of each kind, none of them behind the last line.

    A new line is indented as the one above it, and only where the text `parses` with it.
    """
    lines = list(_CONTENT.finditer(text))[:-1]
    found: list[Cursor] = []
    for line in random.sample(lines, min(count - count * 2 // 3, len(lines))):
        indentation = line[0][: len(line[0]) - len(line[0].lstrip())]
        opened = f"{text[: line.end()]}\n{indentation}{text[line.end() :]}"
        if parses(opened):
            found.append(Cursor("new line", opened, line.end() + 1 + len(indentation)))
    for line in random.sample(lines, min(count // 3, len(lines))):
        found.append(Cursor("line end", text, line.end()))
    inner = [
        offset
        for line in lines
        for offset in range(line.start() + len(line[0]) - len(line[0].lstrip()), line.end())
        if not splits_word(Place(Document("", "", 1, text), offset))
    ]
    found += [Cursor("mid-line", text, at) for at in random.sample(inner, min(count // 3, len(inner)))]
    return sorted(found, key=lambda one: one.offset)


def measure(
    engine: DraftEngine, grammars: Mapping[str, CompiledGrammar], table: TokenTable, count: int, seed: int
) -> list[Outcome]:
    """Complete at about `count` places of every language's files. The engine is closed afterwards.

    ValueError for a file that does not parse, or that the grammar does not follow.
    """
    return asyncio.run(_measured(engine, grammars, table, count, seed))


async def _measured(
    engine: DraftEngine, grammars: Mapping[str, CompiledGrammar], table: TokenTable, count: int, seed: int
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    worker = DraftWorker(lambda: engine, lambda: None, time.monotonic)
    await worker.start()
    try:
        for name, compiled in grammars.items():
            loaded = LoadedGrammar(name, Path(name), compiled, load(compiled, table), table, ())
            random = Random(f"{name} {seed}")
            texts = files_of(name, seed)
            for number, text in enumerate(texts):

                def parses(text: str, judge: str = compiled.text) -> bool:
                    return accepts(judge, text)

                if not parses(text):
                    raise ValueError(f"file {number} of {name} does not parse")
                cursors = cursors_in(text, random, -(-count // len(texts)), parses)
                ending = PurePath(next(iter(compiled.globs), "*.txt")).suffix
                async with _completer(worker, loaded) as completer:
                    for cursor in cursors:
                        shown = await _shown(completer, f"file{number}{ending}", cursor)
                        right = not shown or parses(cursor.with_inserted(shown))
                        outcomes.append(Outcome(name, cursor, shown, right))
    finally:
        await worker.close()
    return outcomes


async def _shown(completer: Completer, name: str, cursor: Cursor) -> str:
    document = Document(name, "", 1, cursor.text)
    completer.opened(document, completer.settings)
    answer: Answer = await completer.complete(Place(document, cursor.offset), "verified")
    if answer.grammar != "masked":
        raise ValueError(f"{name}: the text before the cursor is not followed: {answer.grammar}")
    return answer.suggestions[0].text if answer.suggestions else ""


@asynccontextmanager
async def _completer(worker: DraftWorker, loaded: LoadedGrammar) -> AsyncIterator[Completer]:
    config = Config()
    settings = Settings(
        config.completion,
        config.display,
        config.draft.context_tokens,
        drafting=True,
        deadline_s=0,
        exemplar=False,
    )
    display = Display(itertools.count(1), lambda update: None, Timing(0, 0))
    grammar_worker = GrammarWorker(patience_s=PATIENCE_S, dear_s=PATIENCE_S, stuck_s=6 * PATIENCE_S)
    legality = Legality(grammar_worker, time.monotonic)
    completer = Completer(1, settings, worker, None, Statistics(), display, legality, time.monotonic)
    completer.use_grammar(DocumentGrammar(loaded))
    try:
        yield completer
    finally:
        await completer.close()
        await grammar_worker.close()
