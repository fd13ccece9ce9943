"""What of a document its grammars are about at a place: the island around it, or else the document as a whole.

Islands are found by what opens and closes them (`grammars/islands.py`). What a draft itself opens is none until the
next key: it is text of the host. Touched by the engine's thread only.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from daemon.documents import Place
from daemon.grammars.document_grammar import DocumentGrammar, LoadedGrammar
from grammars.document import GrammarDocument, encoded
from grammars.interface import CursorState
from grammars.island_state import LOOK_BACK, Closer, IslandState
from grammars.islands import IslandFinder
from grammars.suffix import Suffix

SUFFIX_CHARACTERS: Final = 2048
"""More of the text after the cursor than anybody looks at."""
READ_BYTES: Final = 2048
"""Followed in one call: 5 to 10 ms."""


class Language:
    """A grammar at work in one document: on all of it, or on the islands that `closer` closes."""

    def __init__(self, grammar: LoadedGrammar, closer: Closer | None = None) -> None:
        self.document = GrammarDocument(grammar.template, grammar.compiled, grammar.table)
        self.table = grammar.table
        self.line_comments = grammar.compiled.line_comments
        self.boundaries = grammar.compiled.boundaries
        self.closer = closer


@dataclass(frozen=True, slots=True)
class Inside:
    """What of a draft's text belongs to the subject it began in."""

    text: str
    is_closed: bool
    """What closes the island comes next. Else all of the text belongs to it, but for a close that has only begun."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The text that one grammar is about, and a cursor in it."""

    language: Language
    text: str
    offset: int
    """The cursor's, in this text."""
    start: int
    """The text's, in the document."""
    is_closed: bool
    """It is an island, and what closes it stands after its text."""

    @property
    def after(self) -> str:
        """The beginning of the text after the cursor; empty if it is blank."""
        after = self.text[self.offset : self.offset + SUFFIX_CHARACTERS]
        return after if after.strip() else ""

    def is_same(self, other: Subject | None) -> bool:
        """Whether the other is about the same island, or about the whole document as this is."""
        return other is not None and (other.language, other.start) == (self.language, self.start)

    def left(self) -> Subject:
        """Where the user has closed the island: nothing that comes after belongs to it."""
        return replace(self, text=self.text[: self.offset], is_closed=False)

    def read(self) -> bool:
        """Follow READ_BYTES of the text before the cursor; whether `state` is cheap now."""
        return self.language.document.prepare(self.text, self.offset, budget_bytes=READ_BYTES)

    def state(self) -> CursorState:
        """At the cursor; the one before, of this language, is stale then."""
        language = self.language
        state = language.document.at(self.text, self.offset)
        if language.closer is None:
            return state
        return IslandState(state, language.closer, self._before, language.table)

    def suffix(self) -> Suffix:
        """`after`, cut into tokens."""
        return Suffix(self.language.table.greedy, encoded(self.after))

    def inside(self, text: str) -> Inside:
        """What of `text`, which stands at the cursor, comes before what closes the island."""
        closer = self.language.closer
        if closer is None:
            return Inside(text, is_closed=False)
        data = encoded(text)
        end = closer.find_after(self._before, data)
        kept = data[: closer.begun_after(self._before, data) if end is None else end]
        return Inside(kept.decode(errors="surrogatepass"), is_closed=end is not None)

    @property
    def _before(self) -> bytes:
        return encoded(self.text[max(0, self.offset - LOOK_BACK) : self.offset])


class Subjects:
    """Of one document, version after version. `grammars` has at least one."""

    def __init__(self, grammars: DocumentGrammar) -> None:
        self._islands = [island for island, _ in grammars.islands]
        self._inner = [
            grammar if isinstance(grammar, str) else Language(grammar, Closer(island.close))
            for island, grammar in grammars.islands
        ]
        self._lack = grammars.lack
        self._whole = None if grammars.whole is None else Language(grammars.whole)
        self._finder = IslandFinder(self._islands)
        self._last: deque[tuple[Place, Subject | None]] = deque(maxlen=2)

    def look(self, place: Place) -> bool:
        """Look for islands in some of the text before the place; whether `at` is cheap there now."""
        return self._finder.advance(place.document.text, place.offset)

    def at(self, place: Place) -> Subject | None:
        """The island around the place, or the document as a whole; None if there is a grammar for neither."""
        for known, subject in self._last:
            if known.document is place.document and known.offset == place.offset:
                return subject
        subject = self._find(place)
        self._last.append((place, subject))
        return subject

    def lack(self, place: Place) -> str:
        """Why the grammar is not there that should be for the place; empty if it is, or none should be."""
        found = self._finder.at(place.document.text, place.offset)
        if found is None:
            return self._lack
        inner = self._inner[self._islands.index(found.island)]
        return inner if isinstance(inner, str) else ""

    def _find(self, place: Place) -> Subject | None:
        text, offset = place.document.text, place.offset
        found = self._finder.at(text, offset)
        if found is not None:
            end = offset if found.end is None else found.end
            is_closed = found.end is not None
            inner = self._inner[self._islands.index(found.island)]
            if isinstance(inner, str):
                return None
            return Subject(inner, text[found.start : end], offset - found.start, found.start, is_closed)
        return None if self._whole is None else Subject(self._whole, text, offset, 0, is_closed=False)
