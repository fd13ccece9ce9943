"""Where the engine's lexer would go on in a terminal and not find back to what the grammar says.

A terminal T has such a place between two characters where a text up to there is a whole terminal, T itself or another,
and the next character of T can also begin what follows that terminal.

Where blanks may stand between terminals the longest text is mostly what is meant if T is complete with that character:
`selected` is no `select` before `ed`, and `++` no `+` twice. So with a letter or a blank, and in literals, that is no
such place; with another character it is a *soft* one, which a terminal is split at if that is easy (`1.` in `1..2`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from grammars.diagnostics import Diagnostic, Severity
from grammars.form import CharacterSet, Grammar, Literal, Reference, Repeat, Sequence
from grammars.passes.automaton import Alphabet, Automaton, Node, automaton, bits, share_a_text
from grammars.passes.blanks import Spacing
from grammars.passes.characters import BLANKS
from grammars.passes.following import Following, Terminal, beside_alike, following
from grammars.passes.lead_bytes import terminals_used

BLANK_CHARACTERS: Final = CharacterSet(tuple((ord(one), ord(one)) for one in sorted(BLANKS)))
WORD_CHARACTERS: Final = CharacterSet(
    (
        (48, 57),
        (65, 90),
        (95, 95),
        (97, 122),
        (0xC0, 0x1FFF),
        (0x3005, 0x3007),
        (0x3041, 0xD7FF),
        (0x10000, 0x3FFFF),
    )
)
"""Letters and digits, roughly: what needs a blank between, to be two words."""

_MAX_POSITIONS: Final = 2_000
"""Of a terminal that is looked at."""
_MAX_PAIRS: Final = 20_000
"""Of positions of two terminals that are compared."""
_MAX_PAIRS_IN_ALL: Final = 200_000
"""Of all terminals: about a second."""

Edges = set[tuple[int, int]]
"""Pairs of a position in a terminal and one that may come next."""


@dataclass(slots=True)
class Conflict:
    """The places in one terminal."""

    hard: Edges = field(default_factory=set)
    soft: Edges = field(default_factory=set)
    contested: dict[int, int] = field(default_factory=dict)
    """Position -> the characters by which another terminal, whole there, goes on too."""
    others: dict[Terminal, int] = field(default_factory=dict)
    """The terminals that are whole before such a place, and the characters with which the terminal goes on there."""


def automata_of(
    grammar: Grammar, letters_of: Alphabet, known: dict[Terminal, Automaton]
) -> dict[Terminal, Automaton]:
    """The automaton of each terminal that rules use; those that are not in `known` are made, and go into it."""
    used = terminals_used(grammar)
    for key in used:
        if key not in known:
            one = key if isinstance(key, Literal) else Reference(key)
            known[key] = automaton(one, grammar.rules, letters_of)
    return {key: known[key] for key in used}


def terminals_after(
    grammar: Grammar, automata: Mapping[Terminal, Automaton], transparent: Collection[str] = ()
) -> Following:
    """What may come after each terminal; `transparent` ones are looked through."""
    nullable = {key: one.root.nullable for key, one in automata.items()}
    return following(grammar.rules, grammar.start, nullable, transparent)


class Conflicts:
    """Finds those places, and tells which of them a terminal can be split at."""

    def __init__(
        self,
        grammar: Grammar,
        spacing: Spacing,
        letters_of: Alphabet,
        known: dict[Terminal, Automaton],
        pieces: Collection[str] = (),
    ) -> None:
        """`known`: automata of earlier rounds, which stay the same; those that are made here go into it.

        `letters_of` knows the blanks, BLANK_CHARACTERS and WORD_CHARACTERS.
        """
        self._grammar = grammar
        self._written_out = spacing.written_out
        self.automata = automata_of(grammar, letters_of, known)
        skipped = letters_of.mask(spacing.ignored) if spacing.ignored else 0
        for name in grammar.skip:
            skipped |= automaton(Reference(name), grammar.rules, letters_of).first_mask
        self._skipped = skipped
        self._blanks = skipped & letters_of.mask(BLANK_CHARACTERS)
        self._plain = letters_of.mask(WORD_CHARACTERS) | letters_of.mask(BLANK_CHARACTERS)
        self._first = {key: one.first_mask for key, one in self.automata.items()}
        self._by_first: dict[int, int] = {}
        self._literals: dict[str, int] = {}
        self._all_literals = 0
        self._follow = self._told_by_pieces(terminals_after(grammar, self.automata), pieces)
        self._index()
        self._after = dict.fromkeys(self.automata, 0)
        for key in self.automata:
            for number in bits(self._follow.after[key]):
                self._after[key] |= self._first[self._follow.order[number]]
        self._left = _MAX_PAIRS_IN_ALL
        self.cuts: dict[Terminal, Edges] = {}
        """Where terminals are to be split."""
        self.kept: dict[Terminal, Conflict] = {}
        """What can't be split."""
        for key in self.automata:
            self._look_at(key)

    def _told_by_pieces(self, follow: Following, pieces: Collection[str]) -> Following:
        """What may come next, where a piece of one terminal may at once be another terminal as a whole."""
        made = [key for key in pieces if key in self.automata]
        alike: dict[Terminal, int] = {
            key: sum(
                1 << number
                for number in bits(follow.beside[key])
                if follow.order[number] != key
                and share_a_text(self.automata[key], self.automata[follow.order[number]])
            )
            for key in made
        }
        return replace(follow, beside=beside_alike(follow, alike)) if any(alike.values()) else follow

    def _look_at(self, key: Terminal) -> None:
        one = self.automata[key]
        if not any(one.follow) or len(one.masks) > _MAX_POSITIONS or self._is_word(one):
            return
        conflict = Conflict()
        goes_on = one.characters(_united(one.follow) & ~one.inexact)
        exempt = self._exempt(key)
        for number in bits(self._rivals(key)):
            other = self._follow.order[number]
            if goes_on & (self._after[other] | self._skipped) and self._left > 0:
                self._compare(one, other, exempt, conflict)
        for edges in (conflict.hard | conflict.soft, conflict.hard):
            first = self._cut(one, set(edges), conflict)
            if first and not (edges - conflict.hard and _cuts_before(one, first)):
                self.cuts[key] = first
                conflict.hard -= edges
                conflict.soft -= edges
                break
        if conflict.hard or conflict.soft:
            self.kept[key] = conflict

    def _cut(self, one: Automaton, edges: Edges, conflict: Conflict) -> Edges:
        """Where the terminal is to be split, for a beginning, to have done with `edges`; none: it can't be."""
        if self._holds_blanks(one, edges) or not _made_deterministic(one, edges):
            return set()
        if self._written_out:
            return edges
        first = _earliest(one, edges)
        return set() if self._is_contested(one, first, conflict) else first

    def _is_contested(self, one: Automaton, edges: Edges, conflict: Conflict) -> bool:
        """Whether another terminal goes on where this one would be cut: it is longer than the piece, and is taken."""
        return any(conflict.contested.get(p, 0) & one.masks[r] for p, r in cut_between(one.root, edges))

    def _is_word(self, one: Automaton) -> bool:
        """Whether the terminal is a word, which the lexer holds together as it does identifiers."""
        return not self._written_out and 0 < one.words == (1 << len(one.masks)) - 2

    def _exempt(self, key: Terminal) -> int:
        """The characters by which the terminal may go on and be complete, since the longest text is meant."""
        one = self.automata[key]
        if self._written_out:
            return 0
        if isinstance(key, Literal):
            return -1
        after_whole = _united([one.follow[p] for p in bits(one.root.last)])
        return 0 if one.characters(after_whole) & self._blanks else self._plain

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

    def _compare(self, one: Automaton, other_key: Terminal, exempt: int, found: Conflict) -> None:
        """Find where `one` goes on after a text that is a whole `other`."""
        other = self.automata[other_key]
        after = self._after[other_key]
        seen = {
            (p, q)
            for p in bits(one.root.first)
            for q in bits(other.root.first)
            if one.masks[p] & other.masks[q]
        }
        waiting = list(seen)
        while waiting and len(seen) <= _MAX_PAIRS:
            p, q = waiting.pop()
            if other.root.last >> q & 1 and not one.inexact >> p & 1:
                clash = self._clash(one, p, other, q, after, exempt, found)
                if clash:
                    found.others[other_key] = found.others.get(other_key, 0) | clash
                if other is not one:
                    goes_on = other.characters(other.follow[q])
                    found.contested[p] = found.contested.get(p, 0) | goes_on
            for r in bits(one.follow[p]):
                for s in bits(other.follow[q]):
                    if one.masks[r] & other.masks[s] and (r, s) not in seen:
                        seen.add((r, s))
                        waiting.append((r, s))
        self._left -= len(seen)

    def _clash(
        self, one: Automaton, p: int, other: Automaton, q: int, after: int, exempt: int, found: Conflict
    ) -> int:
        """The characters that go on in `one` and also begin what follows `other`, after the positions p and q."""
        complete = one.characters(one.follow[p] & one.root.last) | other.characters(
            other.follow[q] & other.root.last
        )
        united = 0
        for r in bits(one.follow[p] & ~one.inexact):
            if self._written_out:
                clash, edges = one.masks[r] & after, found.hard
            elif one.root.last >> r & 1:
                clash, edges = one.masks[r] & after & ~exempt, found.soft
            elif one.words >> r & 1:
                continue
            else:
                clash, edges = one.masks[r] & (after | self._skipped) & ~complete, found.hard
            if clash:
                edges.add((p, r))
                united |= clash
        return united

    def _holds_blanks(self, one: Automaton, edges: Edges) -> bool:
        """Whether a piece after a cut may hold blanks that are skipped: it is the rest of a string or the like."""
        return bool(one.characters(_reached(one, {r for _, r in edges})) & self._blanks)

    def diagnostics(self) -> Iterator[tuple[Terminal, Diagnostic]]:
        """What the author should know of: what is kept as it is and may be read too far.

        For strings it is a note: there the longest text is what is nearly always meant.
        """
        for key, conflict in self.kept.items():
            other, characters = next(iter(conflict.others.items()))
            following = self._beginning_with(other, characters)
            severity = self._severity(key, conflict, following)
            if severity is None:
                continue
            name, next_name = called(key), "a blank or a comment" if following is None else called(following)
            rule = self._grammar.rules[key] if isinstance(key, str) else None
            yield (
                key,
                Diagnostic(
                    severity,
                    "lexer-backtrack",
                    f"{name} may be read too far: it can go on by what {next_name} begins with, "
                    f"which may follow {'it' if other == key else called(other)}",
                    f"take what {next_name} begins with out of {name}, or put a blank between them in texts",
                    rule.span if rule else key.span if isinstance(key, Literal) else None,
                ),
            )

    def _severity(self, key: Terminal, conflict: Conflict, following: Terminal | None) -> Severity | None:
        """None: what is kept is the better reading."""
        one = self.automata[key]
        if self._written_out:
            return "warning"
        if one.characters(_united([one.follow[p] for p in bits(one.root.last)])) & self._blanks:
            return "warning" if conflict.soft and following is not None else None
        if self._holds_blanks(one, conflict.hard | conflict.soft):
            return "note"
        hard = set(conflict.hard)
        if _made_deterministic(one, hard) and self._is_contested(one, hard, conflict):
            return None
        return "warning" if conflict.hard or isinstance(following, Literal) else None

    def _beginning_with(self, other: Terminal, characters: int) -> Terminal | None:
        """What may follow `other` and begins with one of the characters; None: only what is skipped does."""
        for number in bits(self._follow.after[other]):
            if self._first[self._follow.order[number]] & characters:
                return self._follow.order[number]
        return None


def called(key: Terminal) -> str:
    """The terminal as authors are told of it."""
    return key if isinstance(key, str) else f'"{key.text}"'


def cut_between(node: Node, edges: Edges) -> Edges:
    """All that is cut when `edges` are: a part in which something is split stands apart from what is beside it."""
    inner = [cut_between(child, edges) for child in node.children]
    found: Edges = set().union(*inner)
    match node.expression:
        case Literal():
            return {(p, r) for p, r in edges if node.first <= 1 << p and 1 << r <= node.last}
        case Sequence():
            before, apart = 0, False
            for at, child in enumerate(node.children):
                stands_apart = bool(inner[at]) and _is_group(child)
                if apart or stands_apart or _crosses(before, child.first, edges):
                    following = _first_of(node.children[at:])
                    found.update((p, r) for p in bits(before) for r in bits(following))
                before = child.last | (before if child.nullable else 0)
                apart = stands_apart
        case Repeat() if _crosses(node.last, node.first, edges):
            found.update((p, r) for p in bits(node.last) for r in bits(node.first))
        case _:
            pass
    return found


def _is_group(node: Node) -> bool:
    """Whether the node is a choice or a repetition, or a name for one."""
    while isinstance(node.expression, Reference):
        node = node.children[0]
    return not isinstance(node.expression, Literal | Sequence)


def _first_of(row: Iterable[Node]) -> int:
    first = 0
    for node in row:
        first |= node.first
        if not node.nullable:
            break
    return first


def _crosses(before: int, after: int, edges: Edges) -> bool:
    return any(before >> p & 1 and after >> r & 1 for p, r in edges)


def _cuts_before(one: Automaton, edges: Edges) -> bool:
    """Whether to cut there means to cut something before, too: a short piece would come of it."""
    ends = {p for p, _ in edges}
    return any(not ends.isdisjoint(bits(_reached(one, {r}))) for _, r in cut_between(one.root, edges) - edges)


def _reached(one: Automaton, positions: Iterable[int]) -> int:
    """The positions and all that can come after them."""
    reached, waiting = 0, set(positions)
    while waiting:
        position = waiting.pop()
        reached |= 1 << position
        waiting.update(bits(one.follow[position] & ~reached))
    return reached


def _earliest(one: Automaton, edges: Edges) -> Edges:
    """Those of the edges that come first in a text: what is in the way of the pieces is found in the next round."""
    reached = _reached(one, {r for _, r in edges})
    return {(p, r) for p, r in edges if not reached >> p & 1} or set(edges)


def _united(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _made_deterministic(one: Automaton, edges: Edges) -> bool:
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
