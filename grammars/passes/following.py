"""Which terminals may come after a terminal, from the rules that are not terminals (FIRST and FOLLOW sets)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Final, TypeAlias

from grammars.form import Choice, Expression, Literal, Reference, Repeat, Rule, Sequence
from grammars.passes.automaton import bits
from grammars.passes.graph import neighbours

Terminal: TypeAlias = str | Literal
"""A terminal by its rule's name, or a literal in a rule."""
_First: TypeAlias = tuple[bool, int]
"""Whether it may be empty, and the terminals it may begin with."""


MANY: Final = 2_000
"""Terminals, places where literals stand among them."""


@dataclass(frozen=True, slots=True)
class Following:
    """Sets of terminals as bits, in the order in which they were given."""

    order: Items[Terminal]
    after: Mapping[Terminal, int]
    """Terminal -> the terminals that may come next."""
    beside: Mapping[Terminal, int]
    """Terminal -> the terminals (itself among them) that may stand in its place, somewhere."""


def following(
    rules: Mapping[str, Rule],
    start: str,
    terminals: Mapping[Terminal, bool],
    transparent: Collection[str] = (),
) -> Following:
    """What may come next. `terminals`: each, and whether it may be empty.

    `transparent` terminals are taken for empty: what counts is what comes after them.
    """
    finder = _Following(rules, terminals, transparent)
    after = finder.result()
    order = tuple(terminals)
    beside = dict.fromkeys(order, 0)
    for row in {finder.first(start), *(after.get(key, 0) for key in order)}:
        for number in bits(row):
            beside[order[number]] |= row
    return Following(order, {key: after.get(key, 0) for key in order}, beside)


def beside_alike(follow: Following, alike: Mapping[Terminal, int]) -> dict[Terminal, int]:
    """`Following.beside` where a text may be two terminals at once: what follows either may stand in the same place.

    `alike`: terminal -> those that may match a text that it matches too. Of very many terminals each is taken to stand
    beside all others: nearly all do there, and to find out which takes seconds.
    """
    if len(follow.order) > MANY:
        return dict.fromkeys(follow.order, (1 << len(follow.order)) - 1)
    found = dict(follow.beside)
    joined: dict[int, int] = {}
    while True:
        news: dict[int, int] = {}
        for key, same in alike.items():
            after = 0
            for number in bits(found[key] & same):
                after |= follow.after[follow.order[number]]
            some = follow.after[key]
            if after & ~(some | joined.get(some, 0)):
                news[some] = news.get(some, 0) | after
        if not news:
            return found
        for some, others in news.items():
            fresh = others & ~(some | joined.get(some, 0))
            joined[some] = joined.get(some, 0) | others
            for number in bits(some):
                found[follow.order[number]] |= others
            for number in bits(fresh):
                found[follow.order[number]] |= some


class _Following:
    def __init__(
        self, rules: Mapping[str, Rule], terminals: Mapping[Terminal, bool], transparent: Collection[str]
    ) -> None:
        self._bodies = {name: rule for name, rule in rules.items() if not rule.lexical}
        self._terminal_first = {
            key: (True, 0) if key in transparent else (nullable, 1 << number)
            for number, (key, nullable) in enumerate(terminals.items())
        }
        self._rule_first: dict[str, _First] = dict.fromkeys(self._bodies, (False, 0))
        self._after: dict[Terminal, int] = {}
        self._ends: dict[str, set[Terminal]] = {name: set() for name in self._bodies}

    def result(self) -> dict[Terminal, int]:
        self._find_first()
        for name, rule in self._bodies.items():
            self._visit(rule.expression, 0, name)
        self._pass_on()
        return self._after

    def first(self, name: str) -> int:
        """The terminals that a rule may begin with (a terminal: itself)."""
        return self._first(Reference(name))[1]

    def _find_first(self) -> None:
        users: dict[str, list[str]] = {}
        for name, others in neighbours(self._bodies).items():
            for other in others:
                users.setdefault(other, []).append(name)
        waiting = deque(self._bodies)
        queued = set(self._bodies)
        while waiting:
            name = waiting.popleft()
            queued.discard(name)
            first = self._first(self._bodies[name].expression)
            if first != self._rule_first[name]:
                self._rule_first[name] = first
                for user in users.get(name, ()):
                    if user not in queued:
                        queued.add(user)
                        waiting.append(user)

    def _first(self, expression: Expression) -> _First:
        match expression:
            case Literal():
                return self._terminal_first[expression] if expression.text else (True, 0)
            case Reference(name):
                return self._rule_first[name] if name in self._rule_first else self._terminal_first[name]
            case Sequence(items):
                mask = 0
                for item in items:
                    nullable, first = self._first(item)
                    mask |= first
                    if not nullable:
                        return False, mask
                return True, mask
            case Choice(alternatives):
                found = [self._first(one) for one in alternatives]
                mask = 0
                for _, first in found:
                    mask |= first
                return any(nullable for nullable, _ in found), mask
            case Repeat(item, least):
                nullable, mask = self._first(item)
                return nullable or least == 0, mask
            case _:
                raise AssertionError(f"{type(expression).__name__} is not in a terminal")

    def _visit(self, expression: Expression, after: int, ending: str | None) -> None:
        """Take note of what follows in the rule: the terminals `after`, and if `ending`, what follows that rule."""
        match expression:
            case Literal() if expression.text:
                self._note(expression, after, ending)
            case Reference(name):
                self._note(name, after, ending)
            case Sequence(items):
                for item in reversed(items):
                    self._visit(item, after, ending)
                    nullable, first = self._first(item)
                    after, ending = (after | first, ending) if nullable else (first, None)
            case Choice(alternatives):
                for one in alternatives:
                    self._visit(one, after, ending)
            case Repeat(item, _, bound):
                again = self._first(item)[1] if bound != 1 else 0
                self._visit(item, after | again, ending)
            case _:
                pass

    def _note(self, key: Terminal, after: int, ending: str | None) -> None:
        self._after[key] = self._after.get(key, 0) | after
        if ending is not None:
            self._ends[ending].add(key)

    def _pass_on(self) -> None:
        """What follows a rule follows what ends it."""
        waiting = deque(self._bodies)
        while waiting:
            name = waiting.popleft()
            mask = self._after.get(name, 0)
            for key in self._ends[name]:
                known = self._after.get(key, 0)
                if mask & ~known:
                    self._after[key] = known | mask
                    if isinstance(key, str) and key in self._bodies:
                        waiting.append(key)
