"""Alternatives of single characters in terminals (`"0" | "1" | "2"`) gathered into one set of characters."""

from __future__ import annotations

from dataclasses import replace

from grammars.characters import folded, has_case, merged
from grammars.form import CharacterSet, Choice, Expression, Grammar, Literal, Reference, choice, mapped
from grammars.passes.graph import components, neighbours


def gathered(grammar: Grammar) -> Grammar:
    """The same language; every rule has `lexical` set. Terminals of one character become one set."""
    rules = dict(grammar.rules)
    sets: dict[str, CharacterSet] = {}
    for component in components(neighbours(rules)):
        for name in component:
            if rules[name].lexical:
                expression = mapped(rules[name].expression, lambda one: _one_set(one, sets))
                rules[name] = replace(rules[name], expression=expression)
                known = _set(expression, sets)
                if known is not None:
                    sets[name] = known
    return grammar.with_rules(rules)


def _one_set(expression: Expression, sets: dict[str, CharacterSet]) -> Expression:
    """A choice with the sets and single characters among its alternatives as one, where there are several."""
    if not isinstance(expression, Choice):
        return expression
    found = [(one, _set(one, sets)) for one in expression.alternatives]
    together = [characters for _, characters in found if characters is not None]
    if len(together) < 2:
        return expression
    union = CharacterSet(
        merged(pair for one in together for pair in one.ranges),
        tuple(dict.fromkeys(name for one in together for name in one.properties)),
    )
    return choice([union, *(one for one, characters in found if characters is None)])


def _set(expression: Expression, sets: dict[str, CharacterSet]) -> CharacterSet | None:
    """The expression as a set that is not negated, if it is one."""
    match expression:
        case CharacterSet(negated=False):
            return expression
        case Literal(text, ignore_case) if len(text) == 1:
            ranges = ((ord(text), ord(text)),)
            return CharacterSet(folded(ranges) if ignore_case and has_case(text) else ranges)
        case Reference(name):
            return sets.get(name)
        case _:
            return None
