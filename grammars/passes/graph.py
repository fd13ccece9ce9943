"""Which rule leads to which: reachability, recursion and what may be empty, each in time linear in the grammar."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping

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
    references,
)


def neighbours(rules: Mapping[str, Rule]) -> dict[str, tuple[str, ...]]:
    """Rule -> the defined rules it refers to, each once, in order."""
    return {
        name: tuple(dict.fromkeys(one.name for one in references(rule.expression) if one.name in rules))
        for name, rule in rules.items()
    }


def reachable(graph: Mapping[str, Collection[str]], starts: Iterable[str]) -> set[str]:
    """What can be reached from `starts`, these included."""
    found = {name for name in starts if name in graph}
    waiting = list(found)
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def components(graph: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Strongly connected components, those that others lead to first (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    result: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        path = [(root, iter(graph[root]))]
        while path:
            name, following = path[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    path.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[name] = min(low[name], index[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == index[name]:
                    component: list[str] = []
                    while not component or component[-1] != name:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    result.append(component)
    return result


def recursive(graph: Mapping[str, Collection[str]]) -> set[str]:
    """The rules that lead back to themselves."""
    return {
        name
        for component in components(graph)
        for name in component
        if len(component) > 1 or name in graph[name]
    }


def closed_under(rules: Mapping[str, Rule], holds: Callable[[Expression, set[str]], bool]) -> set[str]:
    """The least set of rules whose expression `holds`, given the set. `holds` must be monotone in the set."""
    found: set[str] = set()
    found.update(name for name, rule in rules.items() if holds(rule.expression, found))
    if not found:
        return found
    users: dict[str, list[str]] = {}
    for name, others in neighbours(rules).items():
        for other in others:
            users.setdefault(other, []).append(name)
    waiting = deque(user for name in found for user in users.get(name, ()))
    while waiting:
        name = waiting.popleft()
        if name not in found and holds(rules[name].expression, found):
            found.add(name)
            waiting.extend(users.get(name, ()))
    return found


def nullable_rules(rules: Mapping[str, Rule]) -> set[str]:
    """The rules that match the empty text."""
    return closed_under(rules, is_nullable)


def is_nullable(expression: Expression, rules: Collection[str]) -> bool:
    """Whether the expression matches the empty text, if `rules` are the rules that do."""
    match expression:
        case Literal(text):
            return not text
        case Reference(name):
            return name in rules
        case Sequence(items):
            return all(is_nullable(item, rules) for item in items)
        case Choice(alternatives):
            return any(is_nullable(item, rules) for item in alternatives)
        case Repeat(item, least):
            return least == 0 or is_nullable(item, rules)
        case Exclusion(item, excluded):
            return is_nullable(item, rules) and not is_nullable(excluded, rules)
        case _:
            return False


def is_productive(expression: Expression, rules: Collection[str]) -> bool:
    """Whether the expression matches any text, if `rules` are the rules that do."""
    match expression:
        case Reference(name):
            return name in rules
        case Sequence(items):
            return all(is_productive(item, rules) for item in items)
        case Choice(alternatives):
            return any(is_productive(item, rules) for item in alternatives)
        case Repeat(item, least):
            return least == 0 or is_productive(item, rules)
        case Exclusion(item):
            return is_productive(item, rules)
        case CharacterSet(ranges, properties, negated):
            return bool(ranges or properties or negated)
        case _:
            return True
