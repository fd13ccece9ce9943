"""What can't be a grammar: too large, undefined, without end; and what is written but never used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.form import Expression, Grammar, Literal, Reference, Repeat, Rule, parts, references
from grammars.passes.annotate import closest
from grammars.passes.graph import closed_under, is_productive, neighbours, reachable

MAX_RULES: Final = 5_000
MAX_NODES: Final = 200_000
"""Of all expressions together."""
MAX_NESTING: Final = 200
"""Of one expression. Passes walk expressions by recursion."""
MAX_EXPANDED: Final = 50_000
"""Nodes of one rule, with its bounded repetitions written out."""
MAX_CHAIN: Final = 3_500
"""Rules, and nesting in them, that lead from one into the next when each is visited once; a rule counts two or more.
The engine visits them so, by recursion, and an overflow ends the process. Measured: 1.1 to 1.7 kB of stack for each, so
that a stack of 8 MB, as main and other threads have on Linux, ends between 4,900 and 6,300."""
_MAX_UNREACHABLE: Final = 20
"""Warnings about rules that are never used."""


def check_limits(grammar: Grammar) -> None:
    """Raise GrammarError for what would cost more than a grammar may."""
    if not grammar.rules:
        raise GrammarError([Diagnostic("error", "no-rules", "there is no rule in it", "write at least one")])
    if len(grammar.rules) > MAX_RULES:
        raise GrammarError(
            [
                Diagnostic(
                    "error",
                    "too-large",
                    f"there are {len(grammar.rules):,} rules; {MAX_RULES:,} are the most",
                    "leave out what is not needed",
                )
            ]
        )
    nodes = 0
    for rule in grammar.rules.values():
        count, depth, nul = _measured(rule.expression)
        nodes += count
        if nodes > MAX_NODES:
            raise _refused("too-large", f"the rules have more than {MAX_NODES:,} parts in all", rule)
        if depth > MAX_NESTING:
            raise _refused(
                "too-deep", f"{rule.name} is nested more than {MAX_NESTING} deep", rule, "split it into rules"
            )
        if count > MAX_EXPANDED:
            raise _refused(
                "too-large",
                f"{rule.name} has more than {MAX_EXPANDED:,} parts (alternatives, and what they are made of)",
                rule,
                "leave alternatives out, or write a pattern that covers many of them",
            )
        if _expanded(rule.expression) > MAX_EXPANDED:
            raise _refused(
                "too-many-repetitions",
                f"the counts in {rule.name}, written out, have more than {MAX_EXPANDED:,} parts",
                rule,
                "use smaller counts, or repeat without bound",
            )
        if nul:
            raise _refused("nul", f"{rule.name} has a NUL character in a literal", rule, "texts have none")


def check_rules(grammar: Grammar, given: frozenset[str] = frozenset()) -> tuple[Diagnostic, ...]:
    """Warnings. Raises GrammarError for rules that are undefined (but `given`) or without end."""
    found = [*_undefined(grammar, given)]
    if grammar.start not in grammar.rules:
        found.append(
            Diagnostic(
                "error",
                "no-start",
                f"the first rule, {grammar.start}, does not exist",
                closest(grammar.start, grammar.rules) or "name it in a comment: @start RULE",
            )
        )
    found.extend(_undefined_skips(grammar))
    if found:
        raise GrammarError(found)
    live = reachable(neighbours(grammar.rules), (grammar.start, *grammar.skip))
    found = [*_unproductive(grammar, given, live)]
    if found:
        raise GrammarError(found)
    return tuple(_unreachable(grammar, live))


def check_chain(grammar: Grammar) -> None:
    """Raise GrammarError for rules that lead into each other too deep for the engine; every rule has `lexical` set."""
    visited = {grammar.start}
    path = [(1, _nested_references(grammar.rules[grammar.start].expression))]
    while path:
        depth, waiting = path[-1]
        if not waiting:
            path.pop()
            continue
        name, nesting = waiting.pop()
        rule = grammar.rules[name]
        if name in visited or rule.lexical:
            continue
        visited.add(name)
        depth += max(2, nesting)
        if depth > MAX_CHAIN:
            raise _refused(
                "too-deep",
                f"the rules up to {name} lead into each other more than {MAX_CHAIN:,} deep",
                rule,
                "leave out rules, or make those that are only names for others one",
            )
        path.append((depth, _nested_references(rule.expression)))


def _nested_references(expression: Expression) -> list[tuple[str, int]]:
    """The names that the expression refers to and how deep in it, the last first."""
    found: list[tuple[str, int]] = []
    waiting = [(expression, 1)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, Reference):
            found.append((one.name, depth))
        waiting.extend((part, depth + 1) for part in reversed(parts(one)))
    return found[::-1]


def pruned(grammar: Grammar) -> Grammar:
    """The grammar without rules that are never used."""
    live = reachable(neighbours(grammar.rules), (grammar.start, *grammar.skip))
    return grammar.with_rules({name: rule for name, rule in grammar.rules.items() if name in live})


def _measured(expression: Expression) -> tuple[int, int, bool]:
    """Nodes, depth, and whether a literal has a NUL."""
    count, depth, nul, level = 0, 0, False, [expression]
    while level:
        count += len(level)
        depth += 1
        nul = nul or any(isinstance(one, Literal) and "\0" in one.text for one in level)
        level = [part for one in level for part in parts(one)]
        if count > MAX_NODES or depth > MAX_NESTING:
            break
    return count, depth, nul


def _expanded(expression: Expression) -> int:
    times = 1
    if isinstance(expression, Repeat):
        times = max(1, expression.least, expression.most or 0)
    return 1 + times * sum(map(_expanded, parts(expression)))


def _refused(code: str, message: str, rule: Rule, advice: str = "") -> GrammarError:
    return GrammarError([Diagnostic("error", code, message, advice, rule.span)])


def _undefined(grammar: Grammar, given: frozenset[str]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for rule in grammar.rules.values():
        for one in references(rule.expression):
            if one.name not in grammar.rules and one.name not in given and one.name not in seen:
                seen.add(one.name)
                yield Diagnostic(
                    "error",
                    "undefined-rule",
                    f"{rule.name} refers to {one.name}, which is not defined",
                    closest(one.name, grammar.rules) or f"define {one.name}, or quote it if it is text",
                    one.span or rule.span,
                )


def _undefined_skips(grammar: Grammar) -> Iterator[Diagnostic]:
    for name in grammar.skip:
        if name not in grammar.rules:
            yield Diagnostic(
                "error",
                "undefined-rule",
                f"{name} is to be skipped, and is not defined",
                closest(name, grammar.rules) or f"define {name}",
            )


def _unproductive(grammar: Grammar, given: frozenset[str], live: set[str]) -> Iterator[Diagnostic]:
    ending = closed_under(
        grammar.rules, lambda one, found: is_productive(one, found | given if given else found)
    )
    for name, rule in grammar.rules.items():
        if name in ending or name not in live:
            continue
        if rule.expression == Reference(name):
            yield Diagnostic(
                "error",
                "only-itself",
                f"{name} is only itself",
                "say what it is made of",
                rule.span,
            )
            continue
        through = next(
            (one for one in references(rule.expression) if one.name not in ending and one.name not in given),
            None,
        )
        yield Diagnostic(
            "error",
            "unproductive-rule",
            f"{name} can never end: every alternative needs {through.name if through else 'a character that is none'}",
            "add an alternative that does without it",
            rule.span,
        )


def _unreachable(grammar: Grammar, live: set[str]) -> Iterator[Diagnostic]:
    unused = [rule for name, rule in grammar.rules.items() if name not in live and rule.span is not None]
    for rule in unused[:_MAX_UNREACHABLE]:
        yield Diagnostic(
            "warning",
            "unreachable-rule",
            f"{rule.name} is never used from {grammar.start}",
            "leave it out, or name the first rule in a comment: @start RULE",
            rule.span,
        )
    if len(unused) > _MAX_UNREACHABLE:
        yield Diagnostic(
            "warning",
            "unreachable-rule",
            f"{len(unused) - _MAX_UNREACHABLE} more rules are never used from {grammar.start}",
        )
