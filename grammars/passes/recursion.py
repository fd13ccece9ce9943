"""Recursion at the ends of a rule becomes repetition: `list: item | list "," item` -> `list: item ("," item)*`.

The engine follows recursion of any kind, but long lists by right recursion cost it hundreds of times more, and
ambiguous operators (`e: e "+" e | e "*" e | "-" e | e "!" | atom`) thousands. Which trees a text has does not matter
here, only which texts there are, and those stay the same. With the alternatives of a rule E sorted into

    atoms a,   prefixes p (`p E`),   postfixes q (`E q`),   infixes i (`E i E`)

E is exactly `u (i u)*` where `u` is `p* a q*`: each such text is derived by E, and each alternative, applied to
texts of this shape, gives one of this shape again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from grammars.form import (
    EMPTY,
    Choice,
    Expression,
    Grammar,
    Reference,
    Repeat,
    Rule,
    Sequence,
    alternatives_of,
    choice,
    references,
    sequence,
    walk,
)
from grammars.passes.annotate import fresh
from grammars.passes.graph import components, neighbours

_MAX_ALTERNATIVES: Final = 64
"""Of a rule whose optional ends are multiplied out; more than that are left as they are."""
_MAX_INLINED: Final = 60
"""Nodes of a rule that is put into the rule it ends with."""
_MAX_CYCLE: Final = 8
"""Rules of a cycle in which rules are put into each other."""


def unrolled(grammar: Grammar) -> Grammar:
    """The same language without recursion at the ends of rules, directly or through one other rule."""
    rules = dict(grammar.rules)
    for name in list(rules):
        _flatten(name, rules)
    _flatten_pairs(rules)
    return grammar.with_rules(rules)


@dataclass(slots=True)
class _Shapes:
    atoms: list[Expression] = field(default_factory=list)
    prefixes: list[Expression] = field(default_factory=list)
    postfixes: list[Expression] = field(default_factory=list)
    infixes: list[Expression] = field(default_factory=list)


def _flatten(name: str, rules: dict[str, Rule]) -> bool:
    """Rewrite the rule, if it begins or ends with itself. Whether it did."""
    rule = rules[name]
    self = Reference(name)
    if self not in set(references(rule.expression)):
        return False
    alternatives = _only_chain(rule.expression, self) or _multiplied(rule.expression, self)
    shapes = _sorted(alternatives, self)
    if not shapes.atoms or not (
        shapes.prefixes or shapes.postfixes or shapes.infixes or len(alternatives) > 1
    ):
        return False
    if not (shapes.prefixes or shapes.postfixes or shapes.infixes):
        if self not in alternatives:
            return False
        rules[name] = replace(rule, expression=choice(shapes.atoms))
        return True
    unit = _unit(shapes)
    if shapes.infixes:
        if not isinstance(unit, Reference) and sum(1 for _ in walk(unit)) > 1:
            operand = fresh(f"{name} operand", rules)
            rules[operand] = Rule(operand, unit, lexical=rule.lexical, fragment=rule.lexical is True, of=name)
            unit = Reference(operand)
        following = sequence([choice(shapes.infixes), unit])
        unit = _joined(unit, following)
    rules[name] = replace(rule, expression=unit)
    return True


def _sorted(alternatives: list[Expression], self: Reference) -> _Shapes:
    shapes = _Shapes()
    for alternative in alternatives:
        items = _items(alternative)
        if alternative == self:
            continue
        begins, ends = bool(items) and items[0] == self, bool(items) and items[-1] == self
        if begins and ends:
            shapes.infixes.append(sequence(items[1:-1]))
        elif begins:
            shapes.postfixes.append(sequence(items[1:]))
        elif ends:
            shapes.prefixes.append(sequence(items[:-1]))
        else:
            shapes.atoms.append(alternative)
    return shapes


def _unit(shapes: _Shapes) -> Expression:
    atom = choice(shapes.atoms)
    if shapes.prefixes and not shapes.postfixes and choice(shapes.prefixes) == atom:
        return Repeat(atom, 1, None)
    before = [Repeat(choice(shapes.prefixes), 0, None)] if shapes.prefixes else []
    unit = sequence([*before, atom])
    return _joined(unit, choice(shapes.postfixes)) if shapes.postfixes else unit


def _joined(first: Expression, following: Expression) -> Expression:
    """`first following*`, as `first+` where both are the same."""
    if first == following:
        return Repeat(first, 1, None)
    return sequence([first, Repeat(following, 0, None)])


def _only_chain(expression: Expression, self: Reference) -> list[Expression] | None:
    """`E: a (i E)*`, being all of the rule, says the same as `E: a | E i E`."""
    items = _items(expression)
    match items[-1:]:
        case (Repeat(Sequence(inner), 0, None),) if len(items) > 1 and inner[-1:] == (self,):
            return [sequence(items[:-1]), sequence([self, *inner[:-1], self])]
        case _:
            return None


def _multiplied(expression: Expression, self: Reference) -> list[Expression]:
    """The alternatives, with optional parts and groups at their ends multiplied out where `self` is in them."""
    for side in (-1, 0):
        found: list[Expression] = []
        waiting = list(alternatives_of(expression))
        while waiting:
            items = _items(waiting.pop(0))
            split = _split(items, self, side)
            if split is None:
                found.append(sequence(items))
            else:
                waiting = [*split, *waiting]
            if len(found) + len(waiting) > _MAX_ALTERNATIVES:
                return list(alternatives_of(expression))
        expression = choice(found)
    return list(alternatives_of(expression))


def _split(items: tuple[Expression, ...], self: Reference, side: int) -> list[Expression] | None:
    if not items:
        return None
    edge, rest = items[side], (items[:-1] if side else items[1:])
    if not _reaches(edge, self, side):
        return None
    match edge:
        case Choice(alternatives):
            inner = alternatives
        case Repeat(item, 0, 1):
            inner = (EMPTY, item)
        case _:
            return None
    return [sequence([*rest, one] if side else [one, *rest]) for one in inner]


def _reaches(expression: Expression, self: Reference, side: int) -> bool:
    """Whether the expression can begin or end with `self`, through groups and optional parts."""
    match expression:
        case Reference():
            return expression == self
        case Sequence(items) if items:
            return _reaches(items[side], self, side)
        case Choice(alternatives):
            return any(_reaches(one, self, side) for one in alternatives)
        case Repeat(item, 0, 1):
            return _reaches(item, self, side)
        case _:
            return False


def _flatten_pairs(rules: dict[str, Rule]) -> None:
    """`list: item rest`, `rest: "," list | ` : `rest` is put into `list`, which then ends with itself."""
    for component in components(neighbours(rules)):
        if not 1 < len(component) <= _MAX_CYCLE:
            continue
        for name in sorted(component, key=list(rules).index if len(rules) < 100 else None):
            rule = rules[name]
            inlined = _with_ends(rule.expression, name, set(component), rules)
            if inlined is not None:
                rules[name] = replace(rule, expression=inlined)
                if not _flatten(name, rules):
                    rules[name] = rule


def _with_ends(
    expression: Expression, name: str, component: set[str], rules: dict[str, Rule]
) -> Expression | None:
    """The expression with rules put in at its ends that themselves begin or end with `name` there."""
    self, changed = Reference(name), False
    alternatives: list[Expression] = []
    for alternative in alternatives_of(expression):
        items = list(_items(alternative))
        for side in (-1, 0):
            other = items[side] if items else None
            if isinstance(other, Reference) and other.name in component - {name}:
                inner = rules[other.name].expression
                if _reaches(inner, self, side) and sum(1 for _ in walk(inner)) <= _MAX_INLINED:
                    items[side] = inner
                    changed = True
                    break
        alternatives.append(sequence(items))
    return choice(alternatives) if changed else None


def _items(expression: Expression) -> tuple[Expression, ...]:
    return expression.items if isinstance(expression, Sequence) else (expression,)
