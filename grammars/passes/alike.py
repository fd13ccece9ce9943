"""Terminals that can't be told apart: two of them, by the same characters."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from grammars.diagnostics import Diagnostic
from grammars.emit import regex
from grammars.form import Grammar, Reference
from grammars.passes.lead_bytes import terminals_used


def ambiguous_terminals(grammar: Grammar, inferred: Collection[str]) -> Iterator[Diagnostic]:
    """A warning for each terminal that the author declared and that matches just what an earlier one does."""
    seen: dict[str, str] = {}
    for name in terminals_used(grammar):
        if not isinstance(name, str) or name in inferred:
            continue
        source = regex(Reference(name), grammar.rules)
        if source is not None and seen.setdefault(source, name) != name:
            yield Diagnostic(
                "warning",
                "ambiguous-terminals",
                f"{name} matches the same texts as {seen[source]}",
                "either may stand where the other does; use one of them if that is not meant",
                grammar.rules[name].span,
            )
