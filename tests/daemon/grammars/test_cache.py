"""Compiled grammars on disk: found again, never wrong, bounded in number."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from daemon.grammars import cache as grammar_cache
from daemon.grammars.cache import GrammarCache, cache_key
from grammars.compiled import CompiledGrammar, Terminal
from grammars.diagnostics import Diagnostic, Span

COMPILED = CompiledGrammar(
    name="规则",
    dialect="bnf",
    text='start: "a"\n',
    rules=1,
    terminals=(Terminal('"a"', "", inferred=True),),
    names={"start": "起"},
    diagnostics=(Diagnostic("warning", "code", "message", "advice", Span(1, 2, 3, 4)),),
)
KEY = cache_key("text", "name")


def test_what_was_put_is_got(tmp_path: Path) -> None:
    cache = GrammarCache(tmp_path / "grammars")
    assert cache.get(KEY) is None
    cache.put(KEY, COMPILED)
    assert cache.get(KEY) == COMPILED
    assert [path.suffix for path in cache.folder.iterdir()] == [".grammar"]


def test_keys_depend_on_every_part_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {KEY, cache_key("textname"), cache_key("tex", "tname"), cache_key("text", "name", "")}
    monkeypatch.setattr(grammar_cache, "_VERSIONS", ("2", "x", "y"))
    assert len(keys | {cache_key("text", "name")}) == 5


def test_a_source_tree_without_the_engine_has_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(grammar_cache, "version", absent)
    assert grammar_cache._engine_version() == "none"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data.replace(b'"a', b'"b'),
        lambda data: b"\xff" + data[1:],
        lambda data: data + b" ",
    ],
)
def test_a_damaged_entry_is_unknown_and_removed(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    cache = GrammarCache(tmp_path)
    cache.put(KEY, COMPILED)
    path = next(tmp_path.iterdir())
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None
    assert list(tmp_path.iterdir()) == []


def test_those_used_longest_ago_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_cache, "MAX_ENTRIES", 2)
    cache = GrammarCache(tmp_path)
    keys = [cache_key(str(number)) for number in range(3)]
    for number, key in enumerate(keys[:2]):
        cache.put(key, COMPILED)
        os.utime(tmp_path / f"{key}.grammar", (number, number))
    assert cache.get(keys[0]) == COMPILED  # and so it is the younger one
    cache.put(keys[2], COMPILED)
    assert [cache.get(key) is not None for key in keys] == [True, False, True]


def test_a_folder_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        GrammarCache(tmp_path / "file").put(KEY, COMPILED)
    assert GrammarCache(tmp_path / "file").get(KEY) is None
