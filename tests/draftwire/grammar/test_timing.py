"""What is measured of a grammar: every figure has samples, or says that it has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftwire.grammar import timing
from draftwire.grammar.timing import measure, resident_bytes
from grammars.compiler import compile_text
from tests.fakes.grammars import table_of
from tests.fakes.orders import GRAMMAR, TEXT, WRONG


def figures(texts: list[str]) -> dict[str, int]:
    found = measure(lambda: compile_text(GRAMMAR, file_name="orders.bnf"), table_of(), texts)
    assert all((one.p50 is None) == (one.samples == 0) for one in found)
    return {one.name: one.samples for one in found}


def test_every_figure_has_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "KEYS", 10)
    monkeypatch.setattr(timing, "PLACES", 12)
    found = figures([TEXT, TEXT * 2])
    assert found["compile"] == timing.COMPILED
    assert found["load"] == timing.LOADED
    assert found["parse"] == 2 * timing.PARSED
    assert found["key"] == 20
    assert 6 <= found["token check"] <= 12
    assert found["full mask"] > 0


def test_places_that_the_grammar_can_not_follow_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "PLACES", len(WRONG))
    found = figures([WRONG])
    assert 0 < found["token check"] < len(WRONG)


def test_an_empty_text_gives_no_samples() -> None:
    found = figures([""])
    assert (found["parse"], found["token check"], found["full mask"]) == (0, 0, 0)


def test_memory_is_unknown_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (resident_bytes() or 1) > 0

    def unreadable(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", unreadable)
    assert resident_bytes() is None
