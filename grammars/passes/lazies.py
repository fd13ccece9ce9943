"""Lazy repetitions in terminals (`"/*" .*? "*/"`) written without laziness: what ends at the first chance to end.

The engine reads `*?` as `*` without a word. `body*? close` matches the texts of `body* close` of which no shorter
beginning is one too, so it is `body* close` minus `body* close` followed by anything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from grammars.characters import inverted, merged
from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Sequence,
    mapped,
    sequence,
)
from grammars.passes.characters import intersection
from grammars.passes.graph import is_nullable, nullable_rules

_SOMETHING: Final = Repeat(ANY_CHARACTER, 1, None)


def without_laziness(grammar: Grammar) -> Grammar:
    """The same language without lazy repetitions. In what are not terminals laziness means nothing and is dropped."""
    nullable = nullable_rules(grammar.rules)

    def rewritten(expression: Expression, *, lexical: bool) -> Expression:
        if lexical:
            expression = mapped(expression, lambda one: _ending_early(one, nullable))
        return mapped(
            expression, lambda one: replace(one, lazy=False) if isinstance(one, Repeat) and one.lazy else one
        )

    return grammar.with_rules(
        {
            name: replace(rule, expression=rewritten(rule.expression, lexical=rule.lexical is not False))
            for name, rule in grammar.rules.items()
        }
    )


def _ending_early(expression: Expression, nullable: set[str]) -> Expression:
    if not isinstance(expression, Sequence):
        return expression
    items = list(expression.items)
    for at in range(len(items) - 2, -1, -1):
        body = items[at]
        if isinstance(body, Repeat) and body.lazy:
            width = next(
                (
                    width
                    for width in range(1, len(items) - at)
                    if not is_nullable(items[at + width], nullable)
                ),
                0,
            )
            if width:
                closing = sequence(items[at + 1 : at + 1 + width])
                items[at : at + 1 + width] = [_up_to(replace(body, lazy=False), closing)]
    return sequence(items)


def _up_to(body: Repeat, closing: Expression) -> Expression:
    if isinstance(body.item, CharacterSet) and isinstance(closing, Literal) and len(closing.text) == 1:
        without = _without(body.item, closing)
        if without is not None:
            return sequence([replace(body, item=without), closing])
    return Exclusion(sequence([body, closing]), sequence([body, closing, _SOMETHING]))


def _without(characters: CharacterSet, closing: Literal) -> CharacterSet | None:
    """The set without the character that closes; None where that is not simple."""
    if characters.properties or closing.ignore_case:
        return None
    end = (ord(closing.text), ord(closing.text))
    if characters.negated:
        return replace(characters, ranges=merged((*characters.ranges, end)))
    return replace(characters, ranges=intersection(merged(characters.ranges), inverted((end,))))
