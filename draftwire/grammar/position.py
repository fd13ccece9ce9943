"""What may come at a place in a file: terminals by the author's names, and the tokens that the mask leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daemon.documents import Document, Place
from daemon.draft.engine import DraftEngine
from daemon.prompts.prompt import Prompt
from grammars.compiled import CompiledGrammar
from grammars.document import GrammarDocument
from grammars.engine import TokenTable, load
from grammars.expectation import Expectations
from grammars.interface import Mode

MOST_RANKED: Final = 64
"""So many tokens a draft model ranks."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the vocabulary that may come."""

    id: int
    data: bytes
    logit: float | None = None
    """The draft model's; None where it was not asked."""

    @property
    def text(self) -> str:
        """What it stands for; bytes that are no whole characters as `\\xHH`."""
        return self.data.decode(errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class Next:
    """What may come at a place."""

    mode: Mode
    expected: tuple[str, ...]
    """By the author's names; empty where that can't be told."""
    allowed: int
    """How many tokens of the vocabulary may come."""
    vocabulary: int
    tokens: tuple[Token, ...]
    """Some of them, the best by the model first, or else the shortest."""
    may_end: bool
    """The text may end here."""


def next_at(
    compiled: CompiledGrammar,
    table: TokenTable,
    text: str,
    offset: int,
    *,
    most: int,
    engine: DraftEngine | None = None,
) -> Next:
    """What may come at `text[offset:]` (code points). `most`: tokens to show. Raises GrammarError, EngineFailed."""
    state = GrammarDocument(load(compiled, table), compiled, table).at(text, offset)
    mask = state.mask()
    expected: tuple[str, ...] = ()
    if state.mode.kind == "masked":
        expected = Expectations(compiled, table).after(text[:offset].encode())
    may_end = state.is_complete() if state.mode.kind != "unmasked" else True
    is_text = _is_text(table)
    tokens = (
        _shortest(mask & is_text, table, most)
        if engine is None
        else _best(engine, text, offset, mask & is_text, most)
    )
    allowed = int(np.count_nonzero(mask & is_text))
    return Next(state.mode, expected, allowed, table.n_vocab, tuple(tokens), may_end)


def _is_text(table: TokenTable) -> NDArray[np.bool_]:
    """Shape [n_vocab]: tokens that stand for text; the ends are told by `may_end`."""
    return np.array([bool(data) for data in table.token_bytes])


def _shortest(mask: NDArray[np.bool_], table: TokenTable, most: int) -> list[Token]:
    ids = sorted(np.flatnonzero(mask).tolist(), key=lambda token: (len(table.token_bytes[token]), token))
    return [Token(token, table.token_bytes[token]) for token in ids[:most]]


def _best(engine: DraftEngine, text: str, offset: int, mask: NDArray[np.bool_], most: int) -> list[Token]:
    """Those that the draft model finds most probable after the text before the place."""
    if not mask.any():
        return []
    prompt = Prompt(
        engine.tokenize,
        window_tokens=engine.n_context - 1,
        splits_at_lines=engine.splits_at_lines,
        start=engine.prompt_start,
    )
    ids = prompt.ids(Place(Document("next", "", 1, text), offset))
    found = engine.next_candidates(0, ids, mask)
    pieces = engine.vocabulary.token_bytes
    return [
        Token(token, pieces[token], logit)
        for token, logit in zip(found.ids.tolist()[:most], found.logits.tolist(), strict=False)
    ]
