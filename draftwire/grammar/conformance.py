"""Does a text follow a grammar: yes, not from some place on, or it ends too early. With what could have stood there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from daemon.grammar_exercise import byte_table
from grammars.compiled import CompiledGrammar
from grammars.cursor import consume_bytes
from grammars.engine import load
from grammars.expectation import Expectations
from grammars.interface import RecogniserFailed

Outcome = Literal["parses", "error", "ends too early", "too much"]
_WORD_END: Final = re.compile(r"\w*")
_WORD_START: Final = re.compile(r"\w*\Z")
_LOOKED_BACK: Final = 100


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
    """A grammar ready to judge texts. It knows bytes, so no model's vocabulary is needed."""

    def __init__(self, compiled: CompiledGrammar) -> None:
        """Raises GrammarError if the engine does not take it."""
        self._table = byte_table()
        self._template = load(compiled, self._table)
        self._expectations = Expectations(compiled, self._table)

    def judge(self, text: str) -> Verdict:
        """About 0.1 s for 20 kB."""
        data = text.encode(errors="surrogatepass")
        recogniser = self._template.copy()
        try:
            consumed = consume_bytes(recogniser, self._table, data)
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


def _word_around(text: str, offset: int) -> tuple[str, int]:
    """The word that a place lies in, and how much of it is before the place; else the character there."""
    before = _WORD_START.search(text[max(0, offset - _LOOKED_BACK) : offset])
    after = _WORD_END.match(text, offset, offset + _LOOKED_BACK)
    assert before is not None
    assert after is not None, "both match nothing"
    return (before[0] + after[0], len(before[0])) if after[0] else (text[offset], 0)
