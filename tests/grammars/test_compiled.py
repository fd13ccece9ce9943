"""A compiled grammar comes back from the cache as it was, or not at all."""

from __future__ import annotations

import json

import pytest

from grammars.compiled import FORMAT, CompiledGrammar, Terminal
from grammars.diagnostics import Diagnostic, Span

WHOLE = CompiledGrammar(
    name="状态机",
    dialect="bnf",
    text='start: "a"\n',
    rules=3,
    terminals=(Terminal("标识符", "T1", inferred=True),),
    names={"t1": "标识符"},
    boundaries=("；", "\n"),
    line_comments=("//",),
    languages=("fsm",),
    globs=("*.fsm",),
    diagnostics=(
        Diagnostic("warning", "w", "a warning", "mend it", Span(1, 2, 1, 3)),
        Diagnostic("note", "n", "a note"),
    ),
)


def test_it_comes_back_as_it_was() -> None:
    assert CompiledGrammar.from_json(WHOLE.to_json()) == WHOLE


@pytest.mark.parametrize(
    "data",
    [
        "",
        "[]",
        "null",
        "{}",
        json.dumps({**json.loads(WHOLE.to_json()), "format": FORMAT + 1}),
        json.dumps({**json.loads(WHOLE.to_json()), "terminals": [{"nome": "x"}]}),
        json.dumps({"format": FORMAT, "name": "x"}),
        b"\xff\xfe",
    ],
)
def test_anything_else_is_refused(data: str | bytes) -> None:
    with pytest.raises(ValueError, match="not a compiled grammar of this version"):
        CompiledGrammar.from_json(data)
