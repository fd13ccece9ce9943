"""Keywords that are no identifiers (`@reserved`): the words in rules are taken out of the terminals that match them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from grammars.emit import literals
from grammars.form import Exclusion, Expression, Grammar, Literal, Reference, Rule, choice, mapped
from grammars.passes.annotate import fresh
from grammars.passes.automaton import Alphabet, Automaton, alphabet, automaton, bits, letters
from grammars.passes.graph import neighbours

_SHARE: Final = 0.5
"""Of the words: a terminal that matches fewer is no identifier (a hexadecimal number may be "add")."""


def reserve(grammar: Grammar) -> Grammar:
    """The grammar with its words excluded from its identifiers; every rule has `lexical` set."""
    words = [one for one in literals(grammar) if _is_word(one.text)]
    if not words:
        return grammar
    rules = dict(grammar.rules)
    letters_of = alphabet(rules)
    graph = neighbours(rules)
    used = {
        name
        for user, rule in rules.items()
        if not rule.lexical
        for name in graph[user]
        if rules[name].lexical
    }
    for name in sorted(used - set(grammar.skip)):
        machine = automaton(Reference(name), rules, letters_of)
        matched = [word for word in words if _matches(machine, word, letters_of)]
        if len(matched) > _SHARE * len(words) and machine.root.last & _looping(machine):
            _exclude(name, choice(list(matched)), rules)
    return grammar.with_rules(rules)


def _exclude(name: str, words: Expression, rules: dict[str, Rule]) -> None:
    """Make the rule what it was without the words; terminals that it is a part of keep what it was."""
    whole = fresh(f"{name} or word", rules)
    rules[whole] = replace(rules[name], name=whole, fragment=True, of=name)

    def renamed(one: Expression) -> Expression:
        return Reference(whole, one.span) if isinstance(one, Reference) and one.name == name else one

    for user, rule in list(rules.items()):
        if rule.lexical and user != whole:
            rules[user] = replace(rule, expression=mapped(rule.expression, renamed))
    rules[name] = replace(rules[name], expression=Exclusion(Reference(whole), words))


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() and not text[0].isdigit()


def _matches(machine: Automaton, word: Literal, letters_of: Alphabet) -> bool:
    """Whether the terminal may match the word."""
    positions, reached = machine.root.first, 0
    for character in letters(word):
        mask = letters_of.mask(character)
        reached = 0
        for position in bits(positions):
            if machine.masks[position] & mask:
                reached |= 1 << position
        positions = 0
        for position in bits(reached):
            positions |= machine.follow[position]
    return bool(reached & machine.root.last)


def _looping(machine: Automaton) -> int:
    """The positions that may be repeated at once."""
    return sum(1 << position for position, after in enumerate(machine.follow) if after >> position & 1)
