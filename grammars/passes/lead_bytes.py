"""Characters that begin with the same byte as what may follow a terminal, split off: the lexer reads bytes.

With `name: /\\p{Han}+/` and `"：" ` after it the lexer dies in `甲：`: the first byte of `：` (EF) is also that of rare
characters in Han, so it goes on into one of those and can't come back. A name becomes a piece without characters
of such lead bytes, and further pieces that begin with one of them; what follows then stands beside those, not inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from grammars.characters import Ranges, merged
from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    alternatives_of,
    choice,
    mapped,
    sequence,
    walk,
)
from grammars.passes.annotate import fresh
from grammars.passes.automaton import bits
from grammars.passes.blanks import Spacing
from grammars.passes.characters import holds, intersection, most
from grammars.passes.following import Terminal, following
from grammars.passes.graph import is_nullable, nullable_rules

_MAX_LISTED: Final = 64
"""Characters of a set that is taken for punctuation; larger ones are letters, which run into each other anyway."""


@dataclass(frozen=True, slots=True)
class LeadBytes:
    """A grammar in which no character is begun that can't be finished."""

    grammar: Grammar
    pieces: frozenset[str] = frozenset()
    """Terminals that were made."""


def split_lead_bytes(grammar: Grammar, spacing: Spacing) -> LeadBytes:
    """The same language, or with blanks inside terminals with rare characters; every rule has `lexical` set."""
    nullable = nullable_rules(grammar.rules)
    terminals = {
        key: isinstance(key, str) and is_nullable(Reference(key), nullable) for key in terminals_used(grammar)
    }
    first = {key: _firsts(key, grammar.rules) for key in terminals}
    blanks = _listed([spacing.ignored] if spacing.ignored else [])
    if not blanks and not any(first.values()):
        return LeadBytes(grammar)
    follow = following(grammar.rules, grammar.start, terminals)
    found: dict[str, _Word] = {}
    for key in terminals:
        if isinstance(key, str):
            after = set(blanks)
            for beside in bits(follow.beside[key]):
                for number in bits(follow.after[follow.order[beside]]):
                    after |= first[follow.order[number]]
            word = _word(key, after, grammar.rules)
            if word is not None:
                found[key] = word
    if not found:
        return LeadBytes(grammar)
    leads = merged(pair for word in found.values() for pair in word.leads)
    rules, pieces = dict(grammar.rules), set()
    for name, word in found.items():
        pieces |= _split(name, word, leads, rules)

    def cut(one: Expression) -> Expression:
        if not isinstance(one, Literal):
            return one
        beside = (follow.order[number] for number in bits(follow.beside.get(one, 0)))
        return _cut(one, leads) if any(other in found for other in beside) else one

    for name, rule in rules.items():
        if not rule.lexical and name not in found:
            rules[name] = replace(rule, expression=mapped(rule.expression, cut))
    return LeadBytes(grammar.with_rules(rules), frozenset(pieces))


def terminals_used(grammar: Grammar) -> dict[Terminal, None]:
    """The terminals that rules use: by name, and literals."""
    used: dict[Terminal, None] = {}
    for rule in grammar.rules.values():
        if not rule.lexical:
            for one in walk(rule.expression):
                if isinstance(one, Literal) and one.text:
                    used[one] = None
                elif isinstance(one, Reference) and grammar.rules[one.name].lexical:
                    used[one.name] = None
    return used


@dataclass(frozen=True, slots=True)
class _Word:
    """A terminal that goes on by characters of a kind, any number of times, and is to be split."""

    head: list[Expression]
    loop: Expression
    excluded: Expression | None
    sets: tuple[CharacterSet, ...]
    """Those of the loop with characters above ASCII."""
    leads: Ranges
    """The characters whose first byte is also that of what may follow."""


def _word(name: str, after: set[int], rules: Mapping[str, Rule]) -> _Word | None:
    """The terminal in its parts, if what comes after it begins like a character of its own."""
    found = _head_and_loop(rules[name].expression, rules)
    if found is None:
        return None
    head, loop, excluded = found
    sets = tuple(one for one in _sets(loop) if any(last >= 0x80 for _, last in most(one)))
    leads = merged(_lead_range(code) for code in after if not any(holds(one, chr(code)) for one in sets))
    if not any(intersection(most(one), leads) for one in sets):
        return None
    return _Word(head, loop, excluded, sets, leads)


def _split(name: str, word: _Word, leads: Ranges, rules: dict[str, Rule]) -> set[str]:
    """Make the terminal a rule of pieces, cut before every character of `leads`. The pieces."""
    inside, outside = CharacterSet(leads), CharacterSet(leads, negated=True)
    plain = choice(
        [Exclusion(one, inside) if one in word.sets else one for one in alternatives_of(word.loop)]
    )
    rare = choice([Exclusion(one, outside) for one in word.sets])
    begin = sequence([*word.head, Repeat(plain, 0, None)])
    pieces = {
        "begin": Exclusion(begin, word.excluded) if word.excluded else begin,
        "rest": sequence([rare, Repeat(plain, 0, None)]),
    }
    made = []
    for what, expression in pieces.items():
        made.append(fresh(f"{name} {what}", rules))
        rules[made[-1]] = Rule(made[-1], expression, lexical=True, of=name)
    whole = sequence([Reference(made[0]), Repeat(Reference(made[1]), 0, None)])
    rules[name] = replace(rules[name], expression=whole, lexical=False, fragment=False)
    return set(made)


def _cut(literal: Literal, leads: Ranges) -> Expression:
    """The literal cut where a word is cut: else it would be longer than the piece, and the lexer take it instead."""
    parts = [literal.text[:1]]
    for character in literal.text[1:]:
        if any(first <= ord(character) <= last for first, last in leads):
            parts.append("")
        parts[-1] += character
    return sequence([replace(literal, text=part) for part in parts])


def _head_and_loop(
    expression: Expression, rules: Mapping[str, Rule]
) -> tuple[list[Expression], Expression, Expression | None] | None:
    """A terminal as what it begins with (not empty), what it may go on with any number of times, and what it is not."""
    match expression:
        case Reference(name):
            return _head_and_loop(rules[name].expression, rules)
        case Exclusion(item, excluded):
            found = _head_and_loop(item, rules)
            return found and (found[0], found[1], excluded)
        case Repeat(item, least, None) if least > 0:
            return [Repeat(item, least, least)] if least > 1 else [item], _inlined(item, rules), None
        case Sequence((*head, Repeat(item, least, None))) if head:
            more = [Repeat(item, least, least)] if least else []
            return [*head, *more], _inlined(item, rules), None
        case _:
            return None


def _inlined(expression: Expression, rules: Mapping[str, Rule]) -> Expression:
    """The expression, or what it refers to, down to the first that is no reference."""
    match expression:
        case Reference(name):
            return _inlined(rules[name].expression, rules)
        case Choice(alternatives):
            return choice([_inlined(one, rules) for one in alternatives])
        case _:
            return expression


def _sets(expression: Expression) -> Iterator[CharacterSet]:
    return (one for one in alternatives_of(expression) if isinstance(one, CharacterSet))


def _firsts(key: Terminal, rules: Mapping[str, Rule]) -> set[int]:
    """The characters above ASCII that the terminal may begin with, if it is a matter of few."""
    return _listed(_first_sets(key if isinstance(key, Literal) else Reference(key), rules))


def _listed(sets: Iterable[CharacterSet]) -> set[int]:
    found: set[int] = set()
    for one in sets:
        if not one.negated and not one.properties:
            ranges: Ranges = tuple((max(first, 0x80), last) for first, last in one.ranges if last >= 0x80)
            if sum(last - first + 1 for first, last in ranges) <= _MAX_LISTED:
                found.update(code for first, last in ranges for code in range(first, last + 1))
    return found


def _first_sets(expression: Expression, rules: Mapping[str, Rule]) -> Iterator[CharacterSet]:
    match expression:
        case Literal(text) if text:
            yield CharacterSet(((ord(text[0]), ord(text[0])),))
        case CharacterSet():
            yield expression
        case Reference(name):
            yield from _first_sets(rules[name].expression, rules)
        case Sequence(items):
            for item in items:
                yield from _first_sets(item, rules)
                if not (isinstance(item, Repeat) and item.least == 0):
                    return
        case Choice(alternatives):
            for one in alternatives:
                yield from _first_sets(one, rules)
        case Repeat(item) | Exclusion(item):
            yield from _first_sets(item, rules)
        case _:
            pass


def _lead_range(code: int) -> tuple[int, int]:
    """The characters whose UTF-8 begins with the same byte."""
    bits_left = 6 if code < 0x800 else 12 if code < 0x10000 else 18
    first = code >> bits_left << bits_left
    return first, first | ((1 << bits_left) - 1)
