"""Patterns that are still regular expressions in a grammar, read into the form, so that every pass sees into them."""

from __future__ import annotations

from dataclasses import replace

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.form import EMPTY, Expression, Grammar, Pattern, mapped
from grammars.regex_reader import read_regex


def read_patterns(grammar: Grammar) -> Grammar:
    """The grammar without a Pattern in it. Raises GrammarError for all that can't be read."""
    found: list[Diagnostic] = []

    def taken_apart(one: Expression) -> Expression:
        if not isinstance(one, Pattern):
            return one
        try:
            return read_regex(one.source, one.span)
        except GrammarError as error:
            found.extend(error.diagnostics)
            return EMPTY

    rules = {
        name: replace(rule, expression=mapped(rule.expression, taken_apart))
        for name, rule in grammar.rules.items()
    }
    if found:
        raise GrammarError(found)
    return grammar.with_rules(rules)
