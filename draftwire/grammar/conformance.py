"""Does a text follow a grammar: yes, not from some place on, or it ends too early. With what could have stood there."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from daemon.grammars.exercise import byte_table
from grammars.compiled import CompiledGrammar
from grammars.cursor import consume_bytes
from grammars.engine import TokenTable, load
from grammars.expectation import Expectations
from grammars.interface import Recogniser, RecogniserFailed

Outcome = Literal["parses", "error", "ends too early", "too much"]
_WORD_END: Final = re.compile(r"\w*")
_WORD_START: Final = re.compile(r"\w*\Z")
_LOOKED_BACK: Final = 100
_LARGE_BYTES: Final = 32_768
"""Of a text for which a vocabulary is worth it."""
_MOST_WORDS: Final = 8192
_WORD: Final = re.compile(r"\s*\w+|\s+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a grammar says of a text."""

    outcome: Outcome
    offset: int
    """Code points of the text that are allowed."""
    expected: tuple[str, ...] = ()
    """Terminals that could have come there, by the author's names; empty where that can't be told."""
    found: str = ""
    """What stands there: the word around it, or the character. Empty at the end."""
    allowed: int = 0
    """Characters of `found` that are allowed: the place lies within the word."""
    reason: str = ""
    """Why the engine gave up (too much)."""


class Judge:
    """A grammar ready to judge texts. It knows bytes, so no model's vocabulary is needed.

    Large texts are followed by words instead, two to three times as fast, and byte by byte in the first word that is
    wrong. The words are those of the first large text: any will do, and texts of one language share most.
    """

    def __init__(self, compiled: CompiledGrammar) -> None:
        """Raises GrammarError if the engine does not take it."""
        self._compiled = compiled
        self._table = byte_table()
        self._template = load(compiled, self._table)
        self._by_words: tuple[TokenTable, Recogniser] | None = None
        self._expectations = Expectations(compiled, self._table)

    def judge(self, text: str) -> Verdict:
        """About 0.1 s for 20 kB, 3 s for 1 MB."""
        data = text.encode(errors="surrogatepass")
        table, template = self._of_size(text, len(data))
        try:
            recogniser = template.copy()
            consumed = consume_bytes(recogniser, table, data)
            complete = consumed.length == len(data) and recogniser.accepting()
        except RecogniserFailed as error:
            return Verdict("too much", 0, reason=str(error))
        if complete:
            return Verdict("parses", len(text))
        expected = self._expectations.after(data[: consumed.length])
        offset = len(data[: consumed.length].decode(errors="ignore"))
        if consumed.length == len(data):
            return Verdict("ends too early", len(text), expected)
        found, allowed = _word_around(text, offset)
        return Verdict("error", offset, expected, found, allowed)

    def _of_size(self, text: str, size: int) -> tuple[TokenTable, Recogniser]:
        """What a text of `size` bytes is followed with."""
        if size < _LARGE_BYTES:
            return self._table, self._template
        if self._by_words is None:
            table = _table_of_words(text)
            self._by_words = table, load(self._compiled, table)
        return self._by_words


def _table_of_words(text: str) -> TokenTable:
    """The most frequent words of a text, with the blanks before them, and all bytes, as a vocabulary."""
    counted = Counter(_WORD.findall(text)).most_common(_MOST_WORDS)
    words = [data for word, _ in counted if len(data := word.encode(errors="surrogatepass")) > 1]
    end = 256 + len(words)
    pieces = (*(bytes([byte]) for byte in range(256)), *words, b"<end>")
    return TokenTable(pieces, control_ids={end}, stop_ids={end})


def _word_around(text: str, offset: int) -> tuple[str, int]:
    """The word that a place lies in, and how much of it is before the place; else the character there."""
    before = _WORD_START.search(text[max(0, offset - _LOOKED_BACK) : offset])
    after = _WORD_END.match(text, offset, offset + _LOOKED_BACK)
    assert before is not None
    assert after is not None, "both match nothing"
    return (before[0] + after[0], len(before[0])) if after[0] else (text[offset], 0)
