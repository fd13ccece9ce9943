"""The vocabularies that `benchmarks.masks` measures with: the bundled model's, and one three times as large."""

from __future__ import annotations

import base64
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from daemon.draft.engine import Vocabulary
from grammars.engine import TokenTable

LARGE = 152_064
"""Tokens of the Qwen2 family's vocabulary, padding included."""
_PACKAGE, _FILE = "dashscope", "resources/qwen.tiktoken"


@dataclass(frozen=True, slots=True)
class MeasuredVocabulary:
    """A vocabulary and where it is from."""

    name: str
    """"49k" or "152k"."""
    origin: str
    token_bytes: tuple[bytes, ...]
    control_ids: frozenset[int]
    stop_ids: frozenset[int]

    def table(self) -> TokenTable:
        """Made anew."""
        return TokenTable(self.token_bytes, control_ids=self.control_ids, stop_ids=self.stop_ids)


def small(vocabulary: Vocabulary, model: str) -> MeasuredVocabulary:
    """The draft model's."""
    return MeasuredVocabulary(
        "49k", model, tuple(vocabulary.token_bytes), vocabulary.control_ids, vocabulary.stop_ids
    )


def large(base: MeasuredVocabulary, ranks: Path | None = None) -> MeasuredVocabulary:
    """Qwen's, from a file of tiktoken ranks or from the installed package `dashscope`; else one made of `base`.

    Raises ValueError for a file that holds something else.
    """
    file = ranks or _packaged()
    if file is None:
        pieces, origin = _merged(base), f"{base.origin}, its tokens put together in pairs"
    else:
        pieces, origin = _ranked(file), file.name
    stop = len(pieces)
    padded = (*pieces, *(b"" for _ in range(LARGE - len(pieces))))
    return MeasuredVocabulary("152k", origin, padded, frozenset(range(stop, LARGE)), frozenset({stop}))


def _packaged() -> Path | None:
    found = importlib.util.find_spec(_PACKAGE)
    file = None if found is None or found.origin is None else Path(found.origin).parent / _FILE
    return file if file is not None and file.is_file() else None


def _ranked(file: Path) -> tuple[bytes, ...]:
    try:
        lines = [line.split() for line in file.read_text(encoding="ascii").splitlines()]
        ranks = {int(rank): base64.b64decode(piece, validate=True) for piece, rank in lines}
    except ValueError as error:
        raise ValueError(f"{file}: not a file of tiktoken ranks: {error}") from error
    if sorted(ranks) != list(range(len(ranks))) or len(ranks) >= LARGE:
        raise ValueError(f"{file}: its ranks are not 0 to at most {LARGE - 2}")
    return tuple(ranks[rank] for rank in range(len(ranks)))


def _merged(base: MeasuredVocabulary) -> tuple[bytes, ...]:
    """The base's pieces, then pairs of them: the earliest (the most frequent) with the earliest."""
    pieces = dict.fromkeys(
        piece for token, piece in enumerate(base.token_bytes) if token not in base.control_ids
    )
    frequent = [piece for piece in pieces if len(piece) > 1]
    for total in range(2 * len(frequent)):
        for first in range(max(0, total - len(frequent) + 1), min(total + 1, len(frequent))):
            if len(pieces) == LARGE - 1:
                return tuple(pieces)
            pieces.setdefault(frequent[first] + frequent[total - first])
    raise ValueError(f"{len(pieces)} pairs at most can be made of this vocabulary")
