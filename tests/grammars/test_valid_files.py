"""No false reject: in files of the built-in languages, by the bundled model's vocabulary, all that stands is legal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import pytest

import grammars
from benchmarks.dsl.files import GENERATORS, generated, real_files
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.document import GrammarDocument
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from grammars.healing import Healed

pytestmark = pytest.mark.model

LIBRARY: Final = Path(grammars.__file__).parent / "library"
NAMES: Final = ("dot", "fsm_zh", "graphql", "promql", "proto3", "sql", "st")
LEAST_BYTES: Final = 50_000


@pytest.fixture(scope="module")
def engine() -> Iterator[object]:
    from daemon.draft.llama_engine import LlamaEngine
    from daemon.draft.model_source import bundled_source

    with LlamaEngine(bundled_source(), n_context=256, n_sequences=1, threads=1) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def table(engine: object) -> TokenTable:
    from daemon.draft.llama_engine import LlamaEngine

    assert isinstance(engine, LlamaEngine)
    known = engine.vocabulary
    return TokenTable(known.token_bytes, control_ids=known.control_ids, stop_ids=known.stop_ids)


@cache
def compiled(name: str) -> CompiledGrammar:
    [file] = (LIBRARY / name).glob("grammar.*")
    return compile_text(file.read_text(), file_name=file.name)


def files(name: str) -> list[str]:
    """At least LEAST_BYTES of them."""
    if name in GENERATORS:
        return [generated(name, 13_000, seed) for seed in range(4)]
    found: list[str] = []
    for _, text in real_files(name):
        found.append(text)
        if sum(len(one.encode()) for one in found) >= LEAST_BYTES:
            break
    return found


def refused(template: LlguidanceRecogniser, table: TokenTable, tokens: list[int]) -> str:
    """The first token that may not come, and what stands before it; empty: there is none."""
    recogniser = template.copy()
    taken = recogniser.consume(tokens)
    if taken == len(tokens):
        return "" if recogniser.accepting() else "the text may not end"
    words = [table.token_bytes[one] if one < table.n_vocab else b"" for one in tokens]
    return repr((b"".join(words[max(0, taken - 12) : taken]), words[taken]))


def cut_anyhow(table: TokenTable, data: bytes, source: Random) -> list[int]:
    """The text in random tokens of the vocabulary, which split characters where there are such tokens."""
    tokens: list[int] = []
    while data:
        fitting = [one for one in table.pieces.agreeing(data[:8]) if data.startswith(table.token_bytes[one])]
        token = source.choice([*fitting, table.byte_tokens[data[0]]])
        tokens.append(token)
        data = data[table.length(token) :]
    return tokens


@pytest.mark.parametrize("name", NAMES)
def test_every_token_of_every_file_is_legal(name: str, engine: object, table: TokenTable) -> None:
    """As the model cuts the text, as the longest tokens do, and cut anyhow."""
    from daemon.draft.llama_engine import LlamaEngine

    assert isinstance(engine, LlamaEngine)
    template = load(compiled(name), table)
    texts = files(name)
    assert sum(len(text.encode()) for text in texts) >= LEAST_BYTES
    for text in texts:
        data, source = text.encode(), Random(name)
        assert refused(template, table, list(engine.tokenize(text))) == ""
        assert refused(template, table, table.greedy(data)) == ""
        anyhow = b"\n".join(data[:4_000].split(b"\n")[:-1])
        recogniser = template.copy()
        tokens = cut_anyhow(table, anyhow, source)
        assert recogniser.consume(tokens) == len(tokens)


@pytest.mark.parametrize("name", ["dot", "fsm_zh", "promql", "sql", "st"])
def test_at_every_byte_of_a_file_the_true_continuation_is_legal(name: str, table: TokenTable) -> None:
    """The cursor anywhere, the bytes of the token that it cuts pending; in characters, too."""
    text = generated(name, 1_500, 7)
    data = text.encode()
    document = GrammarDocument(load(compiled(name), table), compiled(name), table)
    starts = [0]
    for token in table.greedy(data):
        starts.append(starts[-1] + table.length(token))
    for end in range(1, len(data)):
        begin = max(one for one in starts if one < end)
        characters = len(data[:end].decode(errors="ignore"))
        before = len(text[:characters].encode())
        begin = min(begin, before)
        inner = document.at(text, characters, back_bytes=before - begin)
        assert inner.mode.kind == "masked"
        state = Healed(inner, data[begin:end], table)
        tokens = table.greedy(data[begin : begin + 60])[:12]
        for token in tokens[:-1]:
            assert state.first_legal([token]) == 0
            assert state.push(token)
        state.pop(len(tokens) - 1)
