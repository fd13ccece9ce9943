"""Keywords kept apart from the words after them: `charged` is one word, not `charge` and a name `d`.

Where blanks are skipped, nothing else would ask for one there. A literal that ends in a letter, digit or _, and that
only words may follow, takes one blank or comment with it, so that the longest match tells the two apart; what else is
skipped goes on after it. (A terminal for blanks alone would not do: the engine's lexer prefers to skip them.)

Left as it is, which allows more: a literal whose text another terminal may match in its place (a name, without
`@reserved`), since that would lose against the longer one; and one that other things than words may follow too, at that
place, or that what begins like a comment may follow (`-` and `--`), since the lexer does not go back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass, field, replace
from typing import Final

from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Rule,
    Sequence,
    choice,
    mapped,
    sequence,
)
from grammars.passes.annotate import fresh
from grammars.passes.automaton import alphabet, automaton, bits, letters
from grammars.passes.blanks import Spacing
from grammars.passes.characters import folded_character
from grammars.passes.conflicts import WORD_CHARACTERS
from grammars.passes.following import Following, Terminal, beside_alike, following
from grammars.passes.lead_bytes import terminals_used
from grammars.passes.rivals import Alike, without_rivals

_ASCII_WORD: Final = CharacterSet(((48, 57), (65, 90), (95, 95), (97, 122)))
_BLANK: Final = CharacterSet(((32, 32),))
_END: Final = Literal("\0end of the text")
"""Stands after the whole text, to tell what nothing may follow."""


@dataclass(frozen=True, slots=True)
class Separated:
    """A grammar in which keywords are kept apart from words."""

    grammar: Grammar
    literals: Mapping[str, str] = field(default_factory=dict)
    """The terminals that were made -> the literal, in quotes."""


def separate(grammar: Grammar, spacing: Spacing) -> Separated:
    """The same language without words that run together; every rule has `lexical` set."""
    ignored = [spacing.ignored] if spacing.ignored else []
    skipped: list[Expression] = [*ignored, *map(Reference, grammar.skip)]
    used = [key for key in terminals_used(grammar) if isinstance(key, Literal)]
    if not skipped or not any(map(_ends_in_word, used)):
        return Separated(grammar)
    separator = choice(skipped)
    found = _Keywords(grammar, separator, ignored)
    if not found.separable:
        return Separated(grammar)
    rules, apart, called = dict(grammar.rules), dict[Literal, Reference](), dict[str, str]()
    for literal in found.separable:
        name = fresh(f'"{literal.text}" apart', rules)
        rules[name] = Rule(name, sequence([literal, separator]), literal.span, lexical=True)
        apart[literal] = Reference(name)
        called[name] = f'"{literal.text}"'
    for name, expression in found.occurrences.bodies.items():
        rules[name] = replace(
            rules[name], expression=mapped(expression, lambda one: found.placed(one, apart))
        )
    return Separated(grammar.with_rules(rules), called)


def _ends_in_word(literal: Literal) -> bool:
    return _is_word(literal.text[-1])


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


class _Occurrences:
    """Every place of some literals in the rules, as a terminal of its own."""

    def __init__(self, grammar: Grammar, wanted: Collection[Literal]) -> None:
        self.literals: dict[str, Literal] = {}
        """The place's name -> what stands there."""

        def numbered(one: Expression) -> Expression:
            if isinstance(one, Literal) and one in wanted:
                name = f"\0{len(self.literals)}"
                self.literals[name] = one
                return Reference(name)
            return one

        self.bodies = {
            name: mapped(rule.expression, numbered)
            for name, rule in grammar.rules.items()
            if not rule.lexical
        }


class _Keywords:
    """Finds the places at which literals can be kept apart from what follows."""

    def __init__(self, grammar: Grammar, separator: Expression, ignored: list[CharacterSet]) -> None:
        self._grammar = grammar
        self._letters = alphabet(grammar.rules, [WORD_CHARACTERS, _ASCII_WORD, _BLANK, *ignored])
        separating = automaton(separator, grammar.rules, self._letters)
        self._begins = separating.first_mask
        self._masks: dict[Literal, list[int]] = {}
        self._split: dict[str, bool] = {}
        """The places that get a separator -> whether only words follow, so that it must stand there."""
        able = not separating.root.nullable and bool(self._begins & self._letters.mask(_BLANK))
        used = terminals_used(grammar)
        self._machines = {
            key: automaton(Reference(key), grammar.rules, self._letters)
            for key in used
            if isinstance(key, str) and able
        }
        wanted = {key for key in used if isinstance(key, Literal) and _ends_in_word(key) and able}
        self.occurrences = _Occurrences(grammar, wanted)
        if wanted:
            self._look_at([key for key in used if key not in wanted])
        self.separable = {self.occurrences.literals[name] for name in self._split}

    def placed(self, one: Expression, apart: Mapping[Literal, Reference]) -> Expression:
        """What stands at a place of the rules from now on."""
        if not isinstance(one, Reference) or one.name not in self.occurrences.literals:
            return one
        literal = self.occurrences.literals[one.name]
        if one.name not in self._split:
            return literal
        return apart[literal] if self._split[one.name] else choice([apart[literal], literal])

    def _look_at(self, others: Items[Terminal]) -> None:
        """Find the places; `others`: the terminals that are none."""
        places = self.occurrences.literals
        follow = self._following(others)
        at = {key: 1 << number for number, key in enumerate(follow.order)}
        alike = Alike({key: self._terminal(key) for key in follow.order}, at, self._named)
        wordlike = sum(bit for key, bit in at.items() if self._is_word(self._terminal(key)))
        clashing = sum(bit for key, bit in at.items() if self._begins_alike(self._terminal(key)))
        pure = {name for name in places if not follow.after[name] & ~wordlike}
        texts = {places[name] for name in pure}
        able = {name for name in places if places[name] in texts and not follow.after[name] & clashing}
        rivals = {literal: alike.of(literal) | alike.going_on(literal, self._goes_on) for literal in texts}
        for name in places:
            if places[name] in texts and name in able:
                rivals[places[name]] &= ~at[name]
        able = without_rivals(able, places, rivals, follow.beside, at)
        if able & pure:
            able = without_rivals(
                able, places, rivals, beside_alike(follow, {key: alike.of(key) for key in follow.order}), at
            )
        useful = {places[name] for name in able & pure}
        self._split = {name: name in pure for name in able if places[name] in useful}

    def _terminal(self, key: Terminal) -> Terminal:
        """What stands at a place; any other terminal itself."""
        return self.occurrences.literals.get(key, key) if isinstance(key, str) else key

    def _following(self, others: Items[Terminal]) -> Following:
        rules = {
            **self._grammar.rules,
            **{name: Rule(name, body, lexical=False) for name, body in self.occurrences.bodies.items()},
        }
        start = fresh("start", rules)
        whole = Rule(start, Sequence((Reference(self._grammar.start), _END)), lexical=False)
        nullable = {key: isinstance(key, str) and self._machines[key].root.nullable for key in others}
        nullable |= dict.fromkeys(self.occurrences.literals, False)
        return following({**rules, start: whole}, start, {**nullable, _END: False})

    def _is_word(self, key: Terminal) -> bool:
        """Whether all that the terminal may begin with goes on a word."""
        if isinstance(key, Literal):
            return _is_word(key.text[0])
        one = self._machines[key]
        ascii_word, word = self._letters.mask(_ASCII_WORD), self._letters.mask(WORD_CHARACTERS)
        return not one.root.nullable and not one.first_mask & ~word and bool(one.first_mask & ascii_word)

    def _begins_alike(self, key: Terminal) -> bool:
        """Whether the terminal may begin as a separator does."""
        if isinstance(key, Literal):
            return key != _END and self._separates(key.text[0])
        return bool(self._machines[key].first_mask & self._begins)

    def _separates(self, character: str) -> bool:
        return bool(self._letters.mask(folded_character(character)) & self._begins)

    def _named(self, one: str, other: Terminal) -> bool:
        """Whether a terminal of this name may match a text that the other does."""
        if isinstance(other, Literal):
            return other != _END and self._after_text(one, other)[0]
        return bool(self._machines[one].first_mask & self._machines[other].first_mask)

    def _goes_on(self, key: Terminal, literal: Literal) -> bool:
        """Whether the terminal may go on after the literal's text as a separator begins."""
        if isinstance(key, str):
            return bool(self._after_text(key, literal)[1] & self._begins)
        rest = key.text[len(literal.text) :]
        return key.text.lower().startswith(literal.text.lower()) and bool(rest) and self._separates(rest[0])

    def _after_text(self, key: str, literal: Literal) -> tuple[bool, int]:
        """Whether the terminal may match the literal's text, and the characters that it may go on by after it."""
        machine = self._machines[key]
        positions, reached = machine.root.first, 0
        if literal not in self._masks:
            self._masks[literal] = [self._letters.mask(one) for one in letters(literal)]
        for mask in self._masks[literal]:
            reached = sum(1 << one for one in bits(positions) if machine.masks[one] & mask)
            if not reached:
                return False, 0
            positions = 0
            for one in bits(reached):
                positions |= machine.follow[one]
        whole = bool(reached & machine.root.last) and not self._leaves_out(Reference(key), literal)
        return whole, machine.characters(positions)

    def _leaves_out(self, expression: Expression, literal: Literal) -> bool:
        """Whether a terminal is said not to be the literal."""
        match expression:
            case Reference(name):
                return self._leaves_out(self._grammar.rules[name].expression, literal)
            case Exclusion(item, excluded):
                return self._leaves_out(item, literal) or any(
                    _covers(one, literal) for one in _alternatives(excluded, self._grammar.rules)
                )
            case _:
                return False


def _alternatives(expression: Expression, rules: Mapping[str, Rule]) -> Iterator[Expression]:
    match expression:
        case Choice(alternatives):
            for one in alternatives:
                yield from _alternatives(one, rules)
        case Reference(name):
            yield from _alternatives(rules[name].expression, rules)
        case _:
            yield expression


def _covers(one: Expression, literal: Literal) -> bool:
    if one == literal:
        return True
    return isinstance(one, Literal) and one.ignore_case and one.text.lower() == literal.text.lower()
