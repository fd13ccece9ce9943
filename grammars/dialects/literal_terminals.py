"""Terminals that only name a text (`PLUS : '+' ;`): in rules the text stands for them, as it may in the dialect.

Dialects with a lexer let authors write either, and take both for the same token. With the text in the rules,
messages show what people type, and what finds brackets and ends of statements need not look through names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from grammars.dialects.reading import Definition
from grammars.form import Expression, Literal, Reference, references


def literal_terminals(definitions: Iterable[Definition], kept: Collection[str]) -> dict[str, Literal]:
    """The terminals that are one literal, by name; not those in `kept`, and not parts of terminals."""
    definitions = tuple(definitions)
    places = Counter(one.name for one in definitions)
    return {
        one.name: one.expression
        for one in definitions
        if one.lexical
        and not one.fragment
        and places[one.name] == 1
        and one.name not in kept
        and isinstance(one.expression, Literal)
    }


def spelt_out(expression: Expression, literals: Mapping[str, Literal]) -> Expression:
    """A reference to one of the terminals as its text, anything else as it is."""
    if type(expression) is Reference and expression.name in literals:
        return replace(literals[expression.name], span=expression.span)
    return expression


def without_spelt_out(definitions: Iterable[Definition], literals: Mapping[str, Literal]) -> list[Definition]:
    """The definitions without those of the terminals that no other terminal is made of."""
    definitions = tuple(definitions)
    parts = {part.name for one in definitions if one.lexical for part in references(one.expression)}
    return [one for one in definitions if one.name not in literals or one.name in parts]
