"""Is what was shown legal under the grammar, and does the text after the cursor still follow?

The daemon's own answers are not trusted here: each suggestion is held against the grammar anew, in this process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from daemon.grammars.exercise import byte_table
from draftwire.demo.editor import Suggested
from grammars.compiled import CompiledGrammar
from grammars.document import GrammarDocument
from grammars.engine import load
from grammars.interface import CursorState
from grammars.suffix import WINDOW_TOKENS

_FIRST: Final = re.compile(r"[ \t]*(?:\w+|\S|\n)")


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the suggestions shown, how many could be judged, were legal, and let the text after them follow."""

    judged: int
    """Those at places that the grammar could follow."""
    legal: int
    fitting: int
    shown: int = 0
    as_in_the_file: int = 0
    """Those whose first word is what the file has there."""

    @property
    def legal_share(self) -> float | None:
        return self.legal / self.judged if self.judged else None

    @property
    def fitting_share(self) -> float | None:
        return self.fitting / self.judged if self.judged else None

    @property
    def as_in_the_file_share(self) -> float | None:
        return self.as_in_the_file / self.shown if self.shown else None


def judged(compiled: CompiledGrammar, suggestions: Sequence[Suggested], text: str) -> Shares:
    """`text`: the file's own. Raises GrammarError if the engine does not take the grammar."""
    table = byte_table()
    document = GrammarDocument(load(compiled, table), compiled, table)
    count = legal = fitting = 0
    for one in suggestions:
        state = document.at(one.before + one.after, len(one.before))
        if state.mode.kind == "unmasked" or not one.ghost.text:
            continue
        suffix = one.after if one.after.strip() else ""
        window = state.tokens(suffix[: WINDOW_TOKENS * 4].encode())[: WINDOW_TOKENS * 4]
        wanted = max(state.fits(window), _after_the_files_own(state, text, one, window))
        data = one.ghost.text.encode()
        is_legal = state.extend(data) == len(data)
        count += 1
        legal += is_legal
        fitting += is_legal and state.fits(window) >= wanted
        state.pop(1)
    shown = [one for one in suggestions if one.ghost.text]
    same = sum(_begins_alike(one.ghost.text, text[len(one.before) :]) for one in shown)
    return Shares(count, legal, fitting, len(shown), same)


def _after_the_files_own(state: CursorState, text: str, one: Suggested, window: Sequence[int]) -> int:
    """How much of what is after the cursor can follow what the file has in between."""
    own = text[len(one.before) : len(text) - len(one.after)].encode()
    fits = state.fits(window) if state.extend(own) == len(own) else 0
    state.pop(1)
    return fits


def _begins_alike(suggestion: str, truth: str) -> bool:
    """Whether the first word, or the first sign, is the same; a word may be cut off where the suggestion ends."""
    found = _FIRST.match(suggestion)
    expected = _FIRST.match(truth)
    if found is None or expected is None:
        return False
    cut_off = found.end() == len(suggestion)
    return found[0] == expected[0] or (cut_off and expected[0].startswith(found[0]))
