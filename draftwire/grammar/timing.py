"""What a grammar costs on this machine with the draft model's vocabulary: medians and 99th percentiles.

CPU time of the measuring thread, which the engine runs on, so that a busy machine counts less; memory is the growth of
this process. Texts are cut at LONGEST so that a measurement ends.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from grammars.compiled import CompiledGrammar
from grammars.document import GrammarDocument
from grammars.engine import TokenTable, load
from grammars.interface import CursorState

LONGEST: Final = 100_000
"""Characters of a file that are used."""
COMPILED: Final = 3
LOADED: Final = 5
PARSED: Final = 3
"""Times each file is read from its start."""
KEYS: Final = 300
"""Keys typed at the end of each file."""
PLACES: Final = 400
"""Places, over all files, where tokens are checked ..."""
MASKS: Final = 100
"""... and where whole masks are computed."""
_SEED: Final = 1
_MICROSECONDS: Final = 1e6
_MILLISECONDS: Final = 1e3


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured: P50 and P99 of `samples` values; all None without any."""

    name: str
    unit: str
    p50: float | None
    p99: float | None
    samples: int

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"unit": self.unit, "p50": self.p50, "p99": self.p99, "samples": self.samples}


def measure(
    compile_again: Callable[[], CompiledGrammar], table: TokenTable, texts: Sequence[str]
) -> list[Figure]:
    """All figures, in the order in which they are shown. Raises GrammarError if the engine refuses the grammar."""
    compiled = compile_again()  # what is made once per process is made here
    before = resident_bytes()
    loads = [_timed(partial(load, compiled, table)) for _ in range(LOADED)]
    documents = [_Measured(compiled, table, text[:LONGEST]) for text in texts]
    parses = [cost for document in documents for cost in document.parse_ms_per_kb()]
    keys = [cost for document in documents for cost in document.key_ms()]
    checks = [cost for document in documents for cost in document.check_us(PLACES // len(documents))]
    masks = [cost for document in documents for cost in document.mask_us(max(1, MASKS // len(documents)))]
    after = resident_bytes()
    grown = [] if before is None or after is None else [max(0, after - before) / 1e6]
    compiles = [_timed(compile_again) for _ in range(COMPILED)]
    return [
        _figure("compile", "ms", [cost * _MILLISECONDS for cost in compiles]),
        _figure("load", "ms", [cost * _MILLISECONDS for cost in loads]),
        _figure("parse", "ms per kB", parses),
        _figure("key", "ms", keys),
        _figure("token check", "us", checks),
        _figure("full mask", "us", masks),
        _figure("memory", "MB", grown),
    ]


def resident_bytes() -> int | None:
    """What this process holds in memory; None where the system does not say so simply."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return None
    if sys.platform == "win32":
        return None
    import resource

    return pages * resource.getpagesize()


class _Measured:
    """One text."""

    def __init__(self, compiled: CompiledGrammar, table: TokenTable, text: str) -> None:
        self._compiled = compiled
        self._table = table
        self._text = text
        self._template = load(compiled, table)
        self._document = GrammarDocument(self._template, compiled, table)
        self._random = random.Random(_SEED)  # the same places each time

    def parse_ms_per_kb(self) -> Iterator[float]:
        size_kb = len(self._text.encode()) / 1000
        if not size_kb:
            return
        for _ in range(PARSED):
            fresh = GrammarDocument(self._template, self._compiled, self._table)
            seconds = _timed(partial(fresh.at, self._text, len(self._text)))
            yield seconds * _MILLISECONDS / size_kb

    def key_ms(self) -> Iterator[float]:
        """The end of the text, key by key."""
        length = len(self._text)
        self._document.at(self._text, max(0, length - KEYS))
        for offset in range(max(1, length - KEYS + 1), length + 1):
            typed = partial(self._document.at, self._text[:offset], offset)
            yield _timed(typed) * _MILLISECONDS

    def check_us(self, count: int) -> Iterator[float]:
        """Whether the token that does come may come."""
        for state, token in self._states(count):
            yield _timed(partial(state.first_legal, (token,))) * _MICROSECONDS

    def mask_us(self, count: int) -> Iterator[float]:
        for state, _ in self._states(count):
            yield _timed(state.mask) * _MICROSECONDS

    def _states(self, count: int) -> Iterator[tuple[CursorState, int]]:
        """States at places of the text that follow the grammar, in ascending order, each with the next token."""
        places = range(len(self._text))
        for offset in sorted(self._random.sample(places, min(count, len(places)))):
            state = self._document.at(self._text, offset)
            token = self._table.greedy(self._text[offset : offset + 24].encode())[0]
            if state.mode.kind != "unmasked" and token < self._table.n_vocab:
                yield state, token


def _timed(action: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    started = time.thread_time()
    action()
    return time.thread_time() - started


def _figure(name: str, unit: str, values: Sequence[float]) -> Figure:
    if not values:
        return Figure(name, unit, None, None, 0)
    p50, p99 = (round(float(value), 3) for value in np.percentile(values, [50, 99]))
    return Figure(name, unit, p50, p99, len(values))
