"""What a dialect's reader makes of a text, and what it refuses where: asked the same way of each dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from grammars.compiler import compile_text
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.dialects.reading import Reading
from grammars.form import Annotations, Grammar, references
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.form_text import shown

Read = Callable[[str, Annotations], Reading]


def rules_as_text(read: Read, text: str) -> dict[str, str]:
    """The rules of a file by name."""
    return {name: shown(rule.expression) for name, rule in read(text, Annotations()).grammar.rules.items()}


def faultless(read: Read, text: str) -> Grammar:
    """The grammar of a file of which there is nothing to say."""
    reading = read(text, Annotations())
    assert reading.diagnostics == ()
    return reading.grammar


def refusal(read: Read, text: str) -> Diagnostic:
    """The one error in a file that can't be read."""
    with pytest.raises(GrammarError) as error:
        read(text, Annotations())
    (one,) = error.value.diagnostics
    assert one.severity == "error"
    return one


def assert_says(found: Diagnostic, message: str, advice: str, span: Span | None) -> None:
    """The words are part of what is said; the place counts where it is given."""
    assert message in found.message
    assert advice in found.advice
    assert span is None or found.span == span


def assert_says_at(found: Diagnostic, place: tuple[int, int] | None, message: str, advice: str) -> None:
    """The place is a line and a column; the advice begins so."""
    assert (None if found.span is None else (found.span.line, found.span.column)) == place
    assert message in found.message
    assert found.advice.startswith(advice)


def assert_warned(read: Read, text: str, code: str, place: tuple[int, int]) -> None:
    """Of one thing only."""
    (warning,) = read(text, Annotations()).diagnostics
    assert warning.span is not None
    assert (warning.severity, warning.code) == ("warning", code)
    assert (warning.span.line, warning.span.column) == place


def assert_read_whole(
    read: Read, file: Path, count: int, expected: Mapping[str, str], remarks: Iterable[str] = ()
) -> None:
    """So many rules, some of which are these; each name leads to one; nothing is said but perhaps these `remarks`."""
    reading = read(file.read_text(encoding="utf-8"), Annotations())
    found = reading.grammar.rules
    assert len(found) == count
    assert {name: shown(found[name].expression) for name in expected} == expected
    assert {one.name for rule in found.values() for one in references(rule.expression)} <= found.keys()
    assert {one.code for one in reading.diagnostics} <= set(remarks)


def assert_means(file: Path, right: Iterable[str], wrong: Iterable[str]) -> None:
    """A grammar's file, compiled, accepts just what it should."""
    engine = ByteEngine(compile_text(file.read_text(encoding="utf-8"), file_name=file.name).text)
    assert [one for one in right if not engine.accepts(one)] == []
    assert [one for one in wrong if engine.accepts(one)] == []
