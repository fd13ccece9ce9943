"""Terminals split where the engine's lexer would go on and not find back.

The lexer takes the longest text and never goes back to a shorter one: with `NUMBER: /[0-9]+(\\.[0-9]+)?/` it dies in
`0..15` after `0.`, though `0` followed by `..` is what the grammar says. So a terminal is split there (where that is:
`grammars/passes/conflicts.py`). The pieces become terminals and it a rule of them; blanks are then allowed between the
pieces, which is more than was written. The rest of a string is no such piece: the lexer would rather skip a comment in
it. There the longest match is what is meant, as between `''` and `'''`.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from grammars.diagnostics import Diagnostic
from grammars.form import (
    EMPTY,
    CharacterSet,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    choice,
    mapped,
    sequence,
)
from grammars.passes.annotate import fresh
from grammars.passes.automaton import Automaton, Node, alphabet, bits
from grammars.passes.blanks import Spacing, blank_rules
from grammars.passes.conflicts import (
    BLANK_CHARACTERS,
    WORD_CHARACTERS,
    Conflicts,
    automata_of,
    terminals_after,
)
from grammars.passes.following import Terminal
from grammars.passes.graph import is_nullable, nullable_rules

_ROUNDS: Final = 6
"""Pieces can be in each other's way again; after so many rounds what is left is left."""


@dataclass(frozen=True, slots=True)
class Split:
    """A grammar whose terminals the lexer can tell apart, as far as that was possible."""

    grammar: Grammar
    pieces: frozenset[str]
    """Terminals that were made."""
    diagnostics: tuple[Diagnostic, ...] = ()


def split_tails(grammar: Grammar, spacing: Spacing) -> Split:
    """The same language, or with blanks between pieces of terminals, in a shape that the lexer never dies in."""
    pieces: set[str] = set()
    found: list[Diagnostic] = []
    if spacing.written_out:
        grammar = _loosened(grammar, pieces)
    ignored = [spacing.ignored] if spacing.ignored else []
    letters_of = alphabet(grammar.rules, [BLANK_CHARACTERS, WORD_CHARACTERS, *ignored])
    known: dict[Terminal, Automaton] = {}
    for _ in range(_ROUNDS):
        conflicts = Conflicts(grammar, spacing, letters_of, known, pieces)
        found = [one for key, one in conflicts.diagnostics() if key not in pieces or one.severity != "note"]
        if not conflicts.cuts:
            break
        cutter = _Cutter(dict(grammar.rules))
        for key, edges in conflicts.cuts.items():
            cutter.cut(key, conflicts.automata[key], edges)
        grammar = cutter.grammar(grammar)
        pieces |= cutter.pieces
    return Split(grammar, frozenset(pieces), tuple(found))


@dataclass(frozen=True, slots=True)
class _Made:
    """A part of a terminal in which something is split."""

    expression: Expression


_Run: TypeAlias = "list[Node] | _Made"
"""Parts that stay together as one piece, or one that does not."""


class _Cutter:
    """Splits terminals; the pieces become terminals, and what was split a rule."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        self._rules = rules
        self._literals: dict[Literal, Reference] = {}
        self._name = ""
        self._edges: set[tuple[int, int]] = set()
        self._made: dict[Expression, str] = {}
        self._nullable = nullable_rules(rules)

    def cut(self, key: Terminal, one: Automaton, edges: set[tuple[int, int]]) -> None:
        """Split one terminal between these positions."""
        self._edges = edges
        if isinstance(key, Literal):
            called = f'"{key.text}"'
            name = fresh(called, self._rules)
            self._literals[key] = Reference(name)
        else:
            name = called = key
        self._name = name
        expression = self._parts(one.root)
        rule = self._rules.get(name) or Rule(name, expression, of=called)
        self._rules[name] = replace(rule, expression=expression, lexical=False, fragment=False)

    def grammar(self, grammar: Grammar) -> Grammar:
        """The grammar with what was split."""

        def replaced(one: Expression) -> Expression:
            return self._literals.get(one, one) if isinstance(one, Literal) else one

        own = {reference.name for reference in self._literals.values()}
        return grammar.with_rules(
            {
                name: rule
                if rule.lexical or name in own
                else replace(rule, expression=mapped(rule.expression, replaced))
                for name, rule in self._rules.items()
            }
        )

    def _crosses(self, before: int, after: int) -> bool:
        return any(before >> p & 1 and after >> r & 1 for p, r in self._edges)

    def _is_whole(self, node: Node) -> bool:
        """Whether nothing is split inside."""
        match node.expression:
            case Literal(text):
                low = node.first.bit_length() - 1
                return not any((low + at, low + at + 1) in self._edges for at in range(len(text) - 1))
            case Repeat(_, _, bound) if bound != 1 and self._crosses(node.last, node.first):
                return False
            case Sequence():
                last, children = 0, node.children
                for child in children:
                    if self._crosses(last, child.first):
                        return False
                    last = child.last | (last if child.nullable else 0)
                return all(map(self._is_whole, children))
            case _:
                return all(map(self._is_whole, node.children))

    def _parts(self, node: Node) -> Expression:
        """The node as an expression of rules over pieces."""
        return sequence(
            [one.expression if isinstance(one, _Made) else self._piece(one) for one in self._runs(node)]
        )

    def _runs(self, node: Node) -> list[_Run]:
        """The node as what stays together, between what is split."""
        if self._is_whole(node):
            return [[node]]
        match node.expression:
            case Literal():
                return self._literal_runs(node, node.expression)
            case Sequence():
                return self._sequence_runs(node)
            case Choice():
                return [_Made(choice([self._parts(child) for child in node.children]))]
            case Repeat(item) if node.children[0].expression == item:
                return [_Made(replace(node.expression, item=self._parts(node.children[0])))]
            case _:
                return self._runs(node.children[0])

    def _sequence_runs(self, node: Node) -> list[_Run]:
        made: list[_Run] = []
        last = 0
        for child in node.children:
            first, *rest = self._runs(child)
            before = made[-1] if made else None
            if isinstance(before, list) and isinstance(first, list) and not self._crosses(last, child.first):
                before.extend(first)
            else:
                made.append(first)
            made.extend(rest)
            last = child.last | (last if child.nullable else 0)
        return made

    def _literal_runs(self, node: Node, literal: Literal) -> list[_Run]:
        low = node.first.bit_length() - 1
        begins = [at for at in range(1, len(literal.text)) if (low + at - 1, low + at) in self._edges]
        return [
            [Node(replace(literal, text=literal.text[begin:end]), [], False, 0, 0)]
            for begin, end in itertools.pairwise((0, *begins, len(literal.text)))
        ]

    def _piece(self, run: list[Node]) -> Expression:
        """A terminal for what stays together; what may be empty is one that may be missing."""
        expression = sequence([node.expression for node in run])
        if isinstance(expression, Literal):
            return expression
        if all(node.nullable for node in run):
            return Repeat(self._named(non_empty(expression, self._rules, self._nullable)), 0, 1)
        return self._named(expression)

    def _named(self, expression: Expression) -> Expression:
        if isinstance(expression, Reference) and expression.name in self._rules:
            return expression
        if expression not in self._made:
            self._made[expression] = fresh(f"{self._name} part", self._rules)
            made = self._made[expression]
            self._rules[made] = Rule(made, expression, lexical=True, of=self._name)
        return Reference(self._made[expression])

    @property
    def pieces(self) -> set[str]:
        """The terminals that were made."""
        return set(self._made.values())


def non_empty(expression: Expression, rules: Mapping[str, Rule], nullable: Collection[str]) -> Expression:
    """What the expression, which may be empty, matches apart from the empty text. `nullable`: the rules that may be."""

    def kept(one: Expression) -> Expression:
        return non_empty(one, rules, nullable) if is_nullable(one, nullable) else one

    match expression:
        case Reference(name):
            return non_empty(rules[name].expression, rules, nullable)
        case Repeat(item, least, bound):
            inner = kept(item)
            return inner if bound == 1 else Repeat(inner, 1 if inner != item else max(1, least), bound)
        case Choice(alternatives):
            return choice([one for one in map(kept, alternatives) if one != EMPTY])
        case Sequence(items):
            rows = [
                sequence([kept(one), *items[at + 1 :]]) for at, one in enumerate(items) if kept(one) != EMPTY
            ]
            return choice(rows) if rows else EMPTY
        case _:
            return EMPTY


def _loosened(grammar: Grammar, pieces: set[str]) -> Grammar:
    """Where rules say themselves where blanks stand: blanks character by character, if a blank may follow them.

    Else `ws "\\n"` with `ws: /[ \\n]*/` would take the line end with the blanks before it.
    """
    letters_of = alphabet(grammar.rules)
    automata = automata_of(grammar, letters_of, {})
    blanks = {name for name in blank_rules(grammar) if name in automata}
    follow = terminals_after(grammar, automata, blanks)

    def may_follow(name: str) -> int:
        mask = 0
        for number in bits(follow.after[name]):
            mask |= automata[follow.order[number]].first_mask
        return mask

    rules = dict(grammar.rules)
    for name in sorted(blanks):
        match rules[name].expression:
            case Repeat(CharacterSet() as item, least, bound) if letters_of.mask(item) & may_follow(name):
                one = fresh(f"{name} character", rules)
                rules[one] = Rule(one, item, lexical=True, of=name)
                rules[name] = replace(
                    rules[name], expression=Repeat(Reference(one), least, bound), lexical=False
                )
                pieces.add(one)
            case _:
                pass
    return grammar.with_rules(rules)
