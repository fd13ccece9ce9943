"""All short sentences of a small grammar, by brute force: what rewriting passes must leave as it is.

And all beginnings of sentences of any length: a sentence cut after some characters. Cutting commutes with putting texts
one after another (`cut(xy) == cut(cut(x) cut(y))`), so that the beginnings are a least fixed point as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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
MOST: Final = 20_000
"""Pairs of texts that are put one after another, where texts are cut."""


def sentences(
    rules: Mapping[str, Rule], start: str, longest: int, characters: str = CHARACTERS
) -> frozenset[str]:
    """The texts of at most `longest` characters that `start` derives: the least fixed point, by iteration."""
    return _Texts(longest, characters, cutting=False).of(rules, start)


def beginnings(
    rules: Mapping[str, Rule], start: str, longest: int, characters: str = CHARACTERS
) -> frozenset[str]:
    """The texts that `start` derives, those of more than `longest` characters cut there. Raises TooMany.

    So its members of fewer characters are sentences, and every beginning of a member is one of a sentence.
    """
    return _Texts(longest, characters, cutting=True).of(rules, start)


class TooMany(Exception):
    """The grammar has more short texts than are worth listing."""


@dataclass(frozen=True)
class _Texts:
    longest: int
    characters: str
    """What a set of characters may match."""
    cutting: bool
    """Longer texts are cut; else they are left out."""

    def of(self, rules: Mapping[str, Rule], start: str) -> frozenset[str]:
        known: dict[str, frozenset[str]] = {name: frozenset() for name in rules}
        changed = True
        while changed:
            changed = False
            for name, rule in rules.items():
                found = self.texts(rule.expression, known)
                if found != known[name]:
                    known[name] = found
                    changed = True
        return known[start]

    def texts(self, expression: Expression, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
        match expression:
            case Literal(text):
                return self.product(frozenset({text}), frozenset({""}))
            case CharacterSet(ranges, _, negated):
                return frozenset(
                    one
                    for one in self.characters
                    if any(low <= ord(one) <= high for low, high in ranges) != negated
                )
            case Reference(name):
                return known[name]
            case Sequence(items):
                texts = frozenset({""})
                for item in items:
                    texts = self.product(texts, self.texts(item, known))
                return texts
            case Choice(alternatives):
                return frozenset().union(*(self.texts(one, known) for one in alternatives))
            case Repeat(item, least, most):
                return self.repeated(self.texts(item, known), least, most)
            case Exclusion(item, excluded):
                out = self.texts(excluded, known)
                return frozenset(
                    one
                    for one in self.texts(item, known)
                    if one not in out or (self.cutting and len(one) == self.longest)
                )
            case _:
                raise AssertionError(expression)

    def product(self, left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
        if not right:
            return right
        if self.cutting:
            if len(left) * len(right) > MOST:
                raise TooMany
            return frozenset((one + other)[: self.longest] for one in left for other in right)
        return frozenset(
            one + other for one in left for other in right if len(one) + len(other) <= self.longest
        )

    def repeated(self, texts: frozenset[str], least: int, most: int | None) -> frozenset[str]:
        result = frozenset({""})
        for _ in range(least):
            result = self.product(result, texts)
        found, last = result, result
        for _ in range(self.longest if most is None else most - least):
            last = self.product(last, texts)
            found |= last
        return found
