"""Long lists of words to choose from (the functions of a product, the fields of a table) as a few terminals.

The engine follows every literal of a choice by itself, in time that grows with the square of their number: with 2,000
it takes longer than a person types. The words of one terminal are followed together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from grammars.form import Choice, Expression, Grammar, Literal, Reference, Rule, choice, mapped
from grammars.passes.annotate import fresh

_FEW: Final = 400
"""Words of a choice that stay literals, which are named in messages one by one."""
_IN_A_TERMINAL: Final = 100
"""Words, in the order of the alphabet: terminals much larger are not looked at for conflicts."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A grammar without long choices of words."""

    grammar: Grammar
    origins: Mapping[str, str] = field(default_factory=dict)
    """The terminals that were made -> the rule in which the words stand."""


def word_lists(grammar: Grammar) -> Listed:
    """The same language; every rule has `lexical` set."""
    rules, origins = dict(grammar.rules), dict[str, str]()
    for name, rule in grammar.rules.items():
        if not rule.lexical:

            def listed(one: Expression, name: str = name) -> Expression:
                return _listed(one, name, rules, origins) if isinstance(one, Choice) else one

            rules[name] = replace(rule, expression=mapped(rule.expression, listed))
    return Listed(grammar.with_rules(rules), origins)


def _listed(found: Choice, name: str, rules: dict[str, Rule], origins: dict[str, str]) -> Expression:
    words = sorted((one for one in found.alternatives if _is_word(one)), key=str)
    if len(words) <= _FEW:
        return found
    made: list[Expression] = []
    for begin in range(0, len(words), _IN_A_TERMINAL):
        terminal = fresh(f"{name} words", rules)
        rules[terminal] = Rule(
            terminal, choice(words[begin : begin + _IN_A_TERMINAL]), rules[name].span, lexical=True
        )
        origins[terminal] = name
        made.append(Reference(terminal))
    return choice([*(one for one in found.alternatives if not _is_word(one)), *made])


def _is_word(one: Expression) -> bool:
    return isinstance(one, Literal) and one.text.replace("_", "a").isalnum()
