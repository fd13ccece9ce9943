"""All short sentences of a small grammar, by brute force: what rewriting passes must leave as it is."""

from __future__ import annotations

from collections.abc import Mapping

from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
)

CHARACTERS = "abc+-;\n"
"""What a set of characters may match here."""


def sentences(rules: Mapping[str, Rule], start: str, longest: int) -> frozenset[str]:
    """The texts of at most `longest` characters that `start` derives: the least fixed point, by iteration."""
    known: dict[str, frozenset[str]] = {name: frozenset() for name in rules}
    changed = True
    while changed:
        changed = False
        for name, rule in rules.items():
            found = _texts(rule.expression, known, longest)
            if found != known[name]:
                known[name] = found
                changed = True
    return known[start]


def _texts(expression: Expression, known: Mapping[str, frozenset[str]], longest: int) -> frozenset[str]:
    match expression:
        case Literal(text):
            return frozenset({text} if len(text) <= longest else ())
        case CharacterSet(ranges, _, negated):
            return frozenset(
                one for one in CHARACTERS if any(low <= ord(one) <= high for low, high in ranges) != negated
            )
        case Reference(name):
            return known[name]
        case Sequence(items):
            texts = frozenset({""})
            for item in items:
                texts = _product(texts, _texts(item, known, longest), longest)
            return texts
        case Choice(alternatives):
            return frozenset().union(*(_texts(one, known, longest) for one in alternatives))
        case Repeat(item, least, most):
            return _repeated(_texts(item, known, longest), least, most, longest)
        case Exclusion(item, excluded):
            return _texts(item, known, longest) - _texts(excluded, known, longest)
        case _:
            raise AssertionError(expression)


def _product(left: frozenset[str], right: frozenset[str], longest: int) -> frozenset[str]:
    return frozenset(one + other for one in left for other in right if len(one) + len(other) <= longest)


def _repeated(texts: frozenset[str], least: int, most: int | None, longest: int) -> frozenset[str]:
    result = frozenset({""})
    for _ in range(least):
        result = _product(result, texts, longest)
    found, last = result, result
    for _ in range(longest if most is None else most - least):
        last = _product(last, texts, longest)
        found |= last
    return found
