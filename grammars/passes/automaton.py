"""Terminals as position automata (Glushkov 1961): which character may follow which, and where a text may end.

A position is one place for a character in the expression. Characters are bits of an alphabet in which all characters
that no set tells apart are one. Small counts are written out; larger ones are taken as "any number of times", and
exclusions as what they exclude from: the automaton accepts what the terminal does, and perhaps more.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from grammars.characters import Ranges
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
    parts,
    walk,
)
from grammars.passes.characters import folded_character, most

_WRITTEN_OUT: Final = 32
"""Positions of a counted repetition that is written out."""


class Alphabet:
    """Characters in classes that no set of the grammar tells apart, each a bit."""

    def __init__(self, sets: Iterable[CharacterSet]) -> None:
        borders = {0}
        for one in sets:
            for first, last in most(one):
                borders.update((first, last + 1))
        self._starts = sorted(borders)
        self._masks: dict[CharacterSet, int] = {}

    def mask(self, characters: CharacterSet) -> int:
        """The bits of the classes that the set holds (of what it may hold, for properties)."""
        if characters not in self._masks:
            self._masks[characters] = self._bits(most(characters))
        return self._masks[characters]

    def _bits(self, ranges: Ranges) -> int:
        bits = 0
        for first, last in ranges:
            low, high = bisect_left(self._starts, first), bisect_left(self._starts, last + 1)
            bits |= ((1 << (high - low)) - 1) << low
        return bits


def alphabet(rules: Mapping[str, Rule], more: Iterable[CharacterSet] = ()) -> Alphabet:
    """The alphabet in which every set and literal of the rules has a mask."""
    sets = [*more]
    for rule in rules.values():
        for one in walk(rule.expression):
            if isinstance(one, CharacterSet):
                sets.append(one)
            elif isinstance(one, Literal):
                sets.extend(letters(one))
    return Alphabet(sets)


def letters(literal: Literal) -> Iterator[CharacterSet]:
    """The characters of the literal as sets."""
    for character in literal.text:
        if literal.ignore_case:
            yield folded_character(character)
        else:
            yield CharacterSet(((ord(character), ord(character)),))


@dataclass(slots=True)
class Node:
    """A part of a terminal's expression, references followed. Positions are bits."""

    expression: Expression
    children: list[Node]
    nullable: bool
    first: int
    last: int


@dataclass(slots=True)
class Automaton:
    """The positions of one terminal."""

    root: Node
    masks: list[int] = field(default_factory=list)
    """Position -> its characters."""
    follow: list[int] = field(default_factory=list)
    """Position -> the positions that may come next."""
    words: int = 0
    """Positions inside a word: all but the first letter of a literal that is letters and digits only."""
    inexact: int = 0
    """Positions inside an exclusion."""

    @property
    def first_mask(self) -> int:
        """The characters that a text may begin with."""
        return self.characters(self.root.first)

    def characters(self, positions: int) -> int:
        """The characters of all these positions."""
        mask = 0
        for position in bits(positions):
            mask |= self.masks[position]
        return mask


def bits(positions: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while positions:
        low = positions & -positions
        yield low.bit_length() - 1
        positions ^= low


def automaton(expression: Expression, rules: Mapping[str, Rule], letters_of: Alphabet) -> Automaton:
    """The automaton of a terminal's expression; references are followed through `rules`."""
    return _Builder(rules, letters_of).whole(expression)


def share_a_text(one: Automaton, other: Automaton) -> bool:
    """Whether both may match the same text."""
    waiting = [(p, q) for p in bits(one.root.first) for q in bits(other.root.first)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        p, q = waiting.pop()
        if (p, q) in seen or not one.masks[p] & other.masks[q]:
            continue
        if one.root.last >> p & 1 and other.root.last >> q & 1:
            return True
        seen.add((p, q))
        waiting.extend((r, s) for r in bits(one.follow[p]) for s in bits(other.follow[q]))
    return False


def _written_out(item: Expression, least: int, bound: int | None) -> Expression:
    """The repetition without counts above one."""
    if bound is None:
        return Sequence((*[item] * (least - 1), Repeat(item, 1, None)))
    rest: tuple[Expression, ...] = ()
    for _ in range(bound - least):
        rest = (Repeat(Sequence((item, *rest)), 0, 1),)
    return Sequence((*[item] * least, *rest))


class _Builder:
    def __init__(self, rules: Mapping[str, Rule], letters_of: Alphabet) -> None:
        self._rules = rules
        self._alphabet = letters_of
        self._made = Automaton(Node(Sequence(()), [], True, 0, 0))
        self._sizes: dict[str, int] = {}

    def whole(self, expression: Expression) -> Automaton:
        self._made.root = self._node(expression)
        return self._made

    def _position(self, characters: CharacterSet) -> int:
        self._made.masks.append(self._alphabet.mask(characters))
        self._made.follow.append(0)
        return 1 << (len(self._made.masks) - 1)

    def _link(self, last: int, first: int) -> None:
        for position in bits(last):
            self._made.follow[position] |= first

    def _node(self, expression: Expression) -> Node:
        match expression:
            case Literal():
                return self._literal(expression)
            case CharacterSet():
                position = self._position(expression)
                return Node(expression, [], False, position, position)
            case Reference(name):
                inner = self._node(self._rules[name].expression)
                return Node(expression, [inner], inner.nullable, inner.first, inner.last)
            case Sequence(items):
                return self._sequence(expression, items)
            case Choice(alternatives):
                children = [self._node(one) for one in alternatives]
                node = Node(expression, children, any(one.nullable for one in children), 0, 0)
                for child in children:
                    node.first |= child.first
                    node.last |= child.last
                return node
            case Repeat(item, least, bound) if (
                max(least, bound or 0) > 1 and self._size(item) * max(least, bound or 0) <= _WRITTEN_OUT
            ):
                inner = self._node(_written_out(item, least, bound))
                return Node(expression, [inner], inner.nullable, inner.first, inner.last)
            case Repeat(item, least, bound):
                inner = self._node(item)
                if bound != 1:
                    self._link(inner.last, inner.first)
                return Node(expression, [inner], inner.nullable or least == 0, inner.first, inner.last)
            case Exclusion(item):
                begin = len(self._made.masks)
                inner = self._node(item)
                self._made.inexact |= (1 << len(self._made.masks)) - (1 << begin)
                return Node(expression, [inner], inner.nullable, inner.first, inner.last)
            case _:
                raise AssertionError("patterns are read into the form before this")

    def _size(self, expression: Expression) -> int:
        """How many positions it takes, about: what is counted inside counts once."""
        match expression:
            case Literal(text):
                return len(text)
            case CharacterSet():
                return 1
            case Reference(name):
                if name not in self._sizes:
                    self._sizes[name] = self._size(self._rules[name].expression)
                return self._sizes[name]
            case _:
                return sum(map(self._size, parts(expression)))

    def _literal(self, literal: Literal) -> Node:
        positions = [self._position(characters) for characters in letters(literal)]
        for before, after in itertools.pairwise(positions):
            self._link(before, after)
        if literal.text.replace("_", "a").isalnum():
            self._made.words |= sum(positions[1:])
        if not positions:
            return Node(literal, [], True, 0, 0)
        return Node(literal, [], False, positions[0], positions[-1])

    def _sequence(self, expression: Expression, items: tuple[Expression, ...]) -> Node:
        node = Node(expression, [], True, 0, 0)
        for item in items:
            child = self._node(item)
            self._link(node.last, child.first)
            node.first |= child.first if node.nullable else 0
            node.last = child.last | (node.last if child.nullable else 0)
            node.nullable = node.nullable and child.nullable
            node.children.append(child)
        return node
