"""Long lists of words become terminals."""

from __future__ import annotations

import itertools

from grammars.compiler import compile_text
from tests.fakes.byte_engine import ByteEngine


def _words(count: int) -> list[str]:
    return ["".join(letters) for letters in itertools.islice(itertools.product("abcdefgh", repeat=5), count)]


def _source(words: list[str]) -> str:
    call = " | ".join(f"'{word}'" for word in words)
    return f"s = {{ function, ';' }} ; function = {call} | '+', name | '*' ; name = ? /[A-Z]+/ ? ;"


def test_five_thousand_words() -> None:
    """They are told apart, stand beside what else may be chosen, and are called by their rule."""
    words = _words(5_000)
    compiled = compile_text(_source(words), dialect="ebnf")
    engine = ByteEngine(compiled.text)
    for text in (f"{words[0]};", f"{words[4_999]} ; {words[700]};", "+A; *;"):
        assert engine.accepts(text)
    for text in ("hhhhh;", "aaaa;", f"{words[0]}a;", "+aaaaa;"):
        assert engine.rejected(text)
    assert {one.name for one in compiled.terminals if one.emitted} == {"name", "function"}
    assert all(one.inferred for one in compiled.terminals if one.name == "function")


def test_short_lists_stay_literals() -> None:
    compiled = compile_text(_source(_words(300)), dialect="ebnf")
    assert sum(not one.emitted for one in compiled.terminals) == 303
