"""Repetitions of what may be empty: `(x?)*` says the same as `x*`, and costs the engine less."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from grammars.diagnostics import Diagnostic
from grammars.form import EMPTY, Choice, Expression, Grammar, Repeat, Rule, Sequence, choice, mapped
from grammars.passes.graph import is_nullable, nullable_rules


def without_empty_loops(grammar: Grammar) -> tuple[Grammar, tuple[Diagnostic, ...]]:
    """The same language; a note for each rule of the author's that had such a loop."""
    nullable = nullable_rules(grammar.rules)
    rules: dict[str, Rule] = {}
    notes: list[Diagnostic] = []
    for name, rule in grammar.rules.items():
        expression = mapped(rule.expression, lambda one: _cured(one, nullable))
        rules[name] = replace(rule, expression=expression)
        if expression != rule.expression and rule.span is not None:
            notes.append(
                Diagnostic(
                    "note",
                    "empty-loop",
                    f"{name} repeats what may be empty; it is read as repeating what is not",
                    "make either the repetition or what is in it optional, not both",
                    rule.span,
                )
            )
    return grammar.with_rules(rules), tuple(notes)


def _cured(expression: Expression, nullable: Collection[str]) -> Expression:
    if not isinstance(expression, Repeat) or expression.most is not None:
        return expression
    if not is_nullable(expression.item, nullable):
        return expression
    item = _loop_item(expression.item, nullable)
    return EMPTY if item == EMPTY else replace(expression, item=item, least=0)


def _loop_item(item: Expression, nullable: Collection[str]) -> Expression:
    """An expression that, repeated any number of times, matches what `item` does so repeated; `item` may be empty."""
    match item:
        case Repeat(inner, _, most) if most is None or most == 1:
            return _loop_item(inner, nullable) if is_nullable(inner, nullable) else inner
        case Choice(alternatives):
            return _some(alternatives, nullable)
        case Sequence(items):
            return _some(items, nullable)
        case _:
            return item


def _some(items: tuple[Expression, ...], nullable: Collection[str]) -> Expression:
    """Any of the items: what a loop over a choice, or over a sequence of which every part may be missing, takes."""
    kept = [_loop_item(one, nullable) if is_nullable(one, nullable) else one for one in items]
    kept = [one for one in kept if one != EMPTY]
    return choice(kept) if kept else EMPTY
