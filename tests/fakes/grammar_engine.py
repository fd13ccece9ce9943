"""Vocabularies and grammars that are small enough to see through, and a recogniser that gives up when it is told to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grammars.compiled import CompiledGrammar
from grammars.engine import TokenTable, load
from grammars.interface import Recogniser, RecogniserFailed

HEADER = '%llguidance {"allow_initial_skip": true, "no_forcing": true}\n'
CONTROL, STOP, OTHER_STOP = 0, 1, 2
WORDS = (
    "SELECT", " SELECT", "SEL", "ECT", " FROM", " FR", "OM", " a", " b", ", ", "; ", ";\n", " WHERE", " WH", " =",
    "状态", "状", "态机", "\n  ", '"""', '""', "'ab", " (", " )", " {", "}\n",
)  # fmt: skip
PIECES = (
    b"<pad>",
    b"<end>",
    b"<turn>",
    *(bytes([byte]) for byte in range(256) if byte not in (0x06, 0xF3, 0xFF)),
    *(word.encode() for word in WORDS),
    "态".encode()[:2],
    "机".encode()[1:],
)
"""All bytes but three, some words, two pieces of characters."""

QUERIES = """
start: statement*
statement: "SELECT"i item ("," item)* "FROM" NAME [where] ";"
where: "WHERE" NAME "=" item
item: NAME | NUMBER | STRING | "(" item ")"
NAME: /[a-z_\\p{Han}]+/
NUMBER: /[0-9]+/
STRING: /'[^']*'/
WS: /[ \\t\\n]+/
COMMENT: /--[^\\n]*/
%ignore WS
%ignore COMMENT
"""
MACHINE = """
start: machine*
machine: "状态机" NAME "{" (state | goto | "记录" STRING ";")* "}"
state: "状态" NAME "{" (state | goto)* "}"
goto: "转移" NAME ";"
NAME: /[\\p{Han}a-z]+/
STRING: /“[^”]*”/
WS: /[ \\n]+/
%ignore WS
"""


def token_table() -> TokenTable:
    """A table of PIECES."""
    return TokenTable(PIECES, control_ids={CONTROL, STOP}, stop_ids={STOP, OTHER_STOP})


def compiled(rules: str, **fields: object) -> CompiledGrammar:
    """A compiled grammar of rules in the engine's language."""
    known: dict[str, object] = {
        "name": "test",
        "dialect": "lark",
        "rules": 1,
        "boundaries": (";", "{", "}", "\n"),
    }
    return CompiledGrammar(**{**known, **fields, "text": HEADER + rules})  # type: ignore[arg-type]


def recogniser(rules: str, table: TokenTable) -> Recogniser:
    """At the start of a text."""
    return load(compiled(rules), table)


class FailingRecogniser:
    """A recogniser that gives up at a call of one of its methods: `fail` names them, or none."""

    def __init__(self, inner: Recogniser, *fail: str) -> None:
        self.inner = inner
        self.fail = set(fail)

    def consume(self, tokens: Sequence[int]) -> int:
        self._ask("consume")
        return self.inner.consume(tokens)

    def consume_pieces(self, pieces: Sequence[Sequence[int]]) -> int:
        self._ask("consume")
        return self.inner.consume_pieces(pieces)

    def valid(self, tokens: Sequence[int]) -> int:
        self._ask("valid")
        return self.inner.valid(tokens)

    def rollback(self, count: int) -> None:
        self.inner.rollback(count)

    def mask(self) -> NDArray[np.bool_]:
        self._ask("mask")
        return self.inner.mask()

    def accepting(self) -> bool:
        self._ask("accepting")
        return self.inner.accepting()

    def copy(self) -> FailingRecogniser:
        """With the same `fail`, changed for all copies at once."""
        self._ask("copy")
        copy = FailingRecogniser(self.inner.copy())
        copy.fail = self.fail
        return copy

    def _ask(self, method: str) -> None:
        if method in self.fail:
            raise RecogniserFailed("too many items")
