"""One document's exemplar: looked for once, in a thread, then kept until the document is closed. Event loop only.

Kept, so that the ids every prompt begins with stay the same and both ends' KV caches hold them. A file that is no
longer there (or may no longer be read) when the document's grammar or settings change is not kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from daemon.documents import Document
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.grammars.places import document_path
from daemon.prompts.exemplar import Candidate, budget_tokens, choose, opening_ids
from daemon.prompts.exemplar_files import candidates_near, examples
from daemon.prompts.opening import heading

log = logging.getLogger(__name__)

Tokenize = Callable[[str], list[int]]
NO_IDS: Final[tuple[int, ...]] = ()


def look_for(
    document: Document, grammar: LoadedGrammar, exclude: Sequence[str], clock: Callable[[], float]
) -> Candidate | None:
    """The exemplar of a document: from around it, else of the grammar's examples; None if there is none. Blocks."""
    near = candidates_near(document.name, grammar.compiled.globs, exclude, clock)
    return choose(document.text, [*near, *examples(grammar.examples, exclude)])


class ExemplarSearch:
    """Finds a document's exemplar, and makes it the ids that its prompts begin with.

    found: called when the search is over, whatever it found.
    """

    def __init__(self, clock: Callable[[], float], found: Callable[[], None]) -> None:
        self._clock = clock
        self._found = found
        self._asked: tuple[str, LoadedGrammar, tuple[str, ...]] | None = None
        self._document_name = ""
        self._line_comment = ""
        self._chosen: Candidate | None = None
        self._ids: dict[int, tuple[int, ...]] = {}
        """By the tokens of the window they are a part of."""
        self._task: asyncio.Task[None] | None = None
        self.is_looking = False

    def use(self, document: Document, grammar: LoadedGrammar | None, exclude: tuple[str, ...]) -> None:
        """The document is of this grammar's language now; None: of none, or no exemplar is wanted."""
        asked = None if grammar is None else (document.name, grammar, exclude)
        if asked == self._asked:
            return
        self.close()
        self._asked = asked
        if grammar is None:
            self._keep(None)
        else:
            path = document_path(document.name)
            self._document_name = document.name if path is None else path.name
            self._line_comment = next(iter(grammar.compiled.line_comments), "")
            self.is_looking = True
            self._task = asyncio.create_task(self._look(document, grammar, exclude))

    def ids(
        self, tokenize: Tokenize, window_tokens: int, file_separator: int | None = None
    ) -> tuple[int, ...]:
        """What every prompt of the document begins with; empty while there is nothing.

        `file_separator`: the model's, if it has one.
        """
        if self._chosen is None:
            return NO_IDS
        found = self._ids.get(window_tokens)
        if found is None:
            budget = budget_tokens(window_tokens)
            found = self._ids[window_tokens] = tuple(
                opening_ids(
                    self._chosen,
                    self._document_name,
                    tokenize,
                    budget=budget,
                    line_comment=self._line_comment,
                    file_separator=file_separator,
                )
            )
        return found

    @property
    def heading(self) -> str:
        """How the line begins in which prompts name a file; empty where they name none."""
        return heading(self._line_comment) if self._chosen is not None else ""

    def close(self) -> None:
        """What is being looked for is of no use any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.is_looking = False

    async def _look(self, document: Document, grammar: LoadedGrammar, exclude: tuple[str, ...]) -> None:
        try:
            chosen = await asyncio.to_thread(look_for, document, grammar, exclude, self._clock)
        except Exception:  # the document does without; its user has nothing to do with it
            log.exception("looking for an exemplar failed")
            chosen = None
        self._keep(chosen)
        self.is_looking = False
        self._found()

    def _keep(self, chosen: Candidate | None) -> None:
        self._chosen = chosen
        self._ids.clear()
