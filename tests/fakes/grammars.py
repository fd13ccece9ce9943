"""A tiny language of assignments, loaded for the test engine's bytes: `let a = 1, b;`, `del a;`, `# remarks`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from daemon.draft.engine import Vocabulary
from daemon.grammars.document_grammar import DocumentGrammar, LoadedGrammar
from grammars.compiled import CompiledGrammar
from grammars.engine import TokenTable, load
from grammars.islands import Island
from tests.fakes.engine import byte_vocabulary

LETS = CompiledGrammar(
    name="lets",
    dialect="lark",
    text="""%llguidance {"allow_initial_skip": true, "no_forcing": true}
start: statement*
statement: "let" NAME "=" value ("," value)* ";" | "del" NAME ";"
value: NAME | NUMBER | "(" value ")"
NAME: /[a-z]+/
NUMBER: /[0-9]+/
%ignore /[ \\n]+/
%ignore /#[^\\n]*/
""",
    rules=3,
    boundaries=(";", "\n"),
    line_comments=("#",),
)


@cache
def table_of(extra_tokens: tuple[bytes, ...] = ()) -> TokenTable:
    """The table of the test engine's vocabulary."""
    vocabulary = byte_vocabulary(extra_tokens)
    return _table(vocabulary)


def _table(vocabulary: Vocabulary) -> TokenTable:
    return TokenTable(
        vocabulary.token_bytes, control_ids=vocabulary.control_ids, stop_ids=vocabulary.stop_ids
    )


@cache
def lets(extra_tokens: tuple[bytes, ...] = ()) -> LoadedGrammar:
    """The grammar, loaded."""
    table = table_of(extra_tokens)
    return LoadedGrammar("lets", Path("lets.lark"), LETS, load(LETS, table), table, ())


def whole(extra_tokens: tuple[bytes, ...] = ()) -> DocumentGrammar:
    """A document of it."""
    return DocumentGrammar(lets(extra_tokens))


def quoted() -> DocumentGrammar:
    """A document with islands of it between `lets"` and `"`."""
    return DocumentGrammar(None, ((Island('lets"', '"', "lets"), lets()),), expected=False)
