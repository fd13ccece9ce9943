"""A finding in a file with the line it is about, and a mark under the place. Pure text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grammars.diagnostics import Diagnostic, Span

_LONGEST: Final = 160
"""Characters of a line that are shown, around the place."""
_BEFORE: Final = 60


def told(diagnostic: Diagnostic, file: str, text: str) -> Iterator[str]:
    """The finding in one line, then the line of the file and the mark under it, if the finding has a place."""
    yield _printable(diagnostic.located(file))
    if diagnostic.span is not None:
        yield from excerpt(text, diagnostic.span)


def excerpt(text: str, span: Span) -> Iterator[str]:
    """The span's first line and a mark under the span; nothing if the text has no such line."""
    lines = text.split("\n")
    if not 1 <= span.line <= len(lines):
        return
    line = lines[span.line - 1].rstrip("\r")
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    first = start - _BEFORE if start > _BEFORE and len(line) > _LONGEST else 0
    shown = line[first : first + _LONGEST]
    marked = line[start : min(max(end, start + 1), first + _LONGEST)]
    yield f"    {_printable(shown)}"
    yield f"    {_room(line[first:start])}^{'~' * (_width(marked) - 1)}".rstrip()


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a code point, both from 1."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def span_at(text: str, offset: int, length: int) -> Span:
    """The span of `length` code points from an offset, within its line."""
    line, column = place_of(text, offset)
    return Span(line, column, line, column + max(length, 1))


def _printable(line: str) -> str:
    """The line as a terminal shows it: control characters as one blank, tabs as they are."""
    return "".join(one if one == "\t" or one.isprintable() else " " for one in line)


def _room(before: str) -> str:
    """As much room as the text takes: tabs stay, wide characters are two columns."""
    return "".join("\t" if one == "\t" else " " * _width(one) for one in before)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(_printable(text)) if text else 1
