"""Terminals split where the engine's lexer would go on and not find back.

The lexer takes the longest text and never goes back to a shorter one: with `NUMBER: /[0-9]+(\\.[0-9]+)?/` it dies in
`0..15` after `0.`, though `0` followed by `..` is what the grammar says. So a terminal T is split between two
characters where (1) a text up to there is a whole terminal, T itself or another, (2) the next character of T can also
begin what follows that terminal, and (3) T is not complete with that character. The pieces become terminals and T a
rule of them; blanks are then allowed between the pieces, which is more than was written. The rest of a string is no
such piece: the lexer would rather skip a comment in it. There the longest match is what is meant, as between `''` and
`'''`.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from grammars.diagnostics import Diagnostic, Severity
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
from grammars.passes.automaton import Alphabet, Automaton, Node, alphabet, automaton, bits
from grammars.passes.blanks import Spacing, blank_rules
from grammars.passes.characters import BLANKS
from grammars.passes.following import Following, Terminal, following
from grammars.passes.graph import is_nullable, nullable_rules
from grammars.passes.lead_bytes import terminals_used

_BLANKS: Final = CharacterSet(tuple((ord(one), ord(one)) for one in sorted(BLANKS)))
_ROUNDS: Final = 4
"""Pieces can be in each other's way again; after so many rounds what is left is left."""
_MAX_POSITIONS: Final = 2_000
"""Of a terminal that is looked at."""
_MAX_PAIRS: Final = 20_000
"""Of positions of two terminals that are compared."""
_MAX_PAIRS_IN_ALL: Final = 200_000
"""Of all terminals: about a second."""


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
    found: dict[str, Diagnostic] = {}
    if spacing.written_out:
        grammar = _loosened(grammar, pieces)
    letters_of = alphabet(grammar.rules, [_BLANKS, *([spacing.ignored] if spacing.ignored else [])])
    known: dict[Terminal, Automaton] = {}
    for _ in range(_ROUNDS):
        conflicts = _Conflicts(grammar, spacing, letters_of, known)
        cuts = conflicts.all()
        found.update(conflicts.found)
        if not cuts:
            break
        cutter = _Cutter(dict(grammar.rules))
        for key, edges in cuts.items():
            cutter.cut(key, conflicts.automata[key], edges)
        grammar = cutter.grammar(grammar)
        pieces |= cutter.pieces
    return Split(grammar, frozenset(pieces), tuple(found.values()))


def _automata(
    grammar: Grammar, letters_of: Alphabet, known: dict[Terminal, Automaton]
) -> dict[Terminal, Automaton]:
    used = terminals_used(grammar)
    for key in used:
        if key not in known:
            one = key if isinstance(key, Literal) else Reference(key)
            known[key] = automaton(one, grammar.rules, letters_of)
    return {key: known[key] for key in used}


def _following(
    grammar: Grammar, automata: Mapping[Terminal, Automaton], transparent: Collection[str] = ()
) -> Following:
    nullable = {key: one.root.nullable for key, one in automata.items()}
    return following(grammar.rules, grammar.start, nullable, transparent)


class _Conflicts:
    """Finds the places in terminals where the lexer would not find back."""

    def __init__(
        self, grammar: Grammar, spacing: Spacing, letters_of: Alphabet, known: dict[Terminal, Automaton]
    ) -> None:
        """`known`: automata of earlier rounds, which stay the same; those that are made here go into it."""
        self._grammar = grammar
        self._words_hold = not spacing.written_out
        self.automata = _automata(grammar, letters_of, known)
        skipped = letters_of.mask(spacing.ignored) if spacing.ignored else 0
        for name in grammar.skip:
            skipped |= automaton(Reference(name), grammar.rules, letters_of).first_mask
        self._blanks = skipped & letters_of.mask(_BLANKS)
        self._first = {key: one.first_mask for key, one in self.automata.items()}
        self._by_first: dict[int, int] = {}
        self._literals: dict[str, int] = {}
        self._all_literals = 0
        self._follow = _following(grammar, self.automata)
        self._index()
        self._after = dict.fromkeys(self.automata, skipped)
        for key in self.automata:
            for number in bits(self._follow.after[key]):
                self._after[key] |= self._first[self._follow.order[number]]
        self._open = {
            key: _open_characters(one, one.root.last if self._words_hold else 0)
            for key, one in self.automata.items()
        }
        self._left = _MAX_PAIRS_IN_ALL
        self.found: dict[str, Diagnostic] = {}

    def all(self) -> dict[Terminal, set[tuple[int, int]]]:
        """Terminal -> the (position, next position) between which it is to be split."""
        cuts = {}
        for key, one in self.automata.items():
            if not 1 < len(one.masks) <= _MAX_POSITIONS or self._is_word(one):
                continue
            edges: set[tuple[int, int]] = set()
            for number in bits(self._rivals(key)):
                other = self._follow.order[number]
                if self._open[key] & self._after[other] and self._left > 0:
                    edges |= self._between(one, other)
            if edges and self._holds_blanks(one, edges):
                self._report(key, "note")
            elif edges and self._deterministic(one, edges):
                cuts[key] = edges
            elif edges:
                self._report(key, "warning")
        return cuts

    def _is_word(self, one: Automaton) -> bool:
        """Whether the terminal is a word, which the lexer holds together as it does identifiers."""
        return self._words_hold and one.words == (1 << len(one.masks)) - 2

    def _rivals(self, key: Terminal) -> int:
        """The terminals that may stand in its place and of which a text may be the beginning of one of its own."""
        found = 0
        for bit in bits(self._first[key]):
            found |= self._by_first.get(bit, 0)
        if isinstance(key, Literal):
            found &= ~self._all_literals
            for end in range(1, len(key.text)):
                found |= self._literals.get(key.text[:end].lower(), 0)
        return found & self._follow.beside[key]

    def _index(self) -> None:
        """Sets of terminals: by a character they may begin with, and literals by their text."""
        for number, key in enumerate(self._follow.order):
            for bit in bits(self._first[key]):
                self._by_first[bit] = self._by_first.get(bit, 0) | 1 << number
            if isinstance(key, Literal):
                text = key.text.lower()
                self._literals[text] = self._literals.get(text, 0) | 1 << number
                self._all_literals |= 1 << number

    def _between(self, one: Automaton, other_key: Terminal) -> set[tuple[int, int]]:
        """Where `one` goes on after a text that is a whole `other`."""
        other = self.automata[other_key]
        after = self._after[other_key]
        seen = {
            (p, q)
            for p in bits(one.root.first)
            for q in bits(other.root.first)
            if one.masks[p] & other.masks[q]
        }
        waiting = list(seen)
        edges: set[tuple[int, int]] = set()
        while waiting and len(seen) <= _MAX_PAIRS:
            p, q = waiting.pop()
            if other.root.last >> q & 1:
                edges.update(self._dead_ends(one, p, other, q, after))
            for r in bits(one.follow[p]):
                for s in bits(other.follow[q]):
                    if one.masks[r] & other.masks[s] and (r, s) not in seen:
                        seen.add((r, s))
                        waiting.append((r, s))
        self._left -= len(seen)
        return edges

    def _dead_ends(
        self, one: Automaton, p: int, other: Automaton, q: int, after: int
    ) -> Iterable[tuple[int, int]]:
        complete, may_end = 0, 0
        if self._words_hold:
            may_end = one.root.last
            complete = one.characters(one.follow[p] & may_end) | other.characters(
                other.follow[q] & other.root.last
            )
        for r in bits(one.follow[p] & ~may_end & ~one.inexact):
            inside_word = self._words_hold and one.words >> r & 1
            if one.masks[r] & after & ~complete and not inside_word and not one.inexact >> p & 1:
                yield p, r

    def _deterministic(self, one: Automaton, edges: set[tuple[int, int]]) -> bool:
        """Add to `edges` what else goes on by the same characters; False if that splits a text into characters."""
        waiting = list(edges)
        while waiting:
            p, r = waiting.pop()
            if p == r:
                return False
            for s in bits(one.follow[p]):
                if (p, s) not in edges and one.masks[s] & one.masks[r]:
                    edges.add((p, s))
                    waiting.append((p, s))
        return True

    def _holds_blanks(self, one: Automaton, edges: Iterable[tuple[int, int]]) -> bool:
        """Whether a piece after a cut may hold blanks that are skipped: it is the rest of a string or the like."""
        seen, waiting = 0, {r for _, r in edges}
        while waiting:
            position = waiting.pop()
            if one.masks[position] & self._blanks:
                return True
            seen |= 1 << position
            waiting.update(bits(one.follow[position] & ~seen))
        return False

    def _report(self, key: Terminal, severity: Severity) -> None:
        name = key if isinstance(key, str) else f'"{key.text}"'
        rule = self._grammar.rules[key] if isinstance(key, str) else None
        self.found[name] = Diagnostic(
            severity,
            "lexer-backtrack",
            f"{name} may be read too far: it can go on by a character that can also begin what follows it",
            "end it by what can't be inside it, or put blanks after it in texts",
            rule.span if rule else key.span if isinstance(key, Literal) else None,
        )


def _open_characters(one: Automaton, complete: int) -> int:
    """The characters that a text may go on by, but to the positions that are `complete`."""
    found = 0
    for after in one.follow:
        found |= after & ~complete & ~one.inexact
    return one.characters(found)


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
            name = fresh(f'"{key.text}"', self._rules)
            self._literals[key] = Reference(name)
        else:
            name = key
        self._name = name
        expression = self._parts(one.root)
        rule = self._rules.get(name, Rule(name, expression))
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
            self._rules[self._made[expression]] = Rule(self._made[expression], expression, lexical=True)
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
    automata = _automata(grammar, letters_of, {})
    blanks = {name for name in blank_rules(grammar) if name in automata}
    follow = _following(grammar, automata, blanks)

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
                rules[one] = Rule(one, item, lexical=True)
                rules[name] = replace(
                    rules[name], expression=Repeat(Reference(one), least, bound), lexical=False
                )
                pieces.add(one)
            case _:
                pass
    return grammar.with_rules(rules)
