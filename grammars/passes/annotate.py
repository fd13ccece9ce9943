"""What the author's annotations (`@start`, `@token`, `@comment` ...) do to the grammar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from grammars.characters import folded
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    mapped,
    sequence,
)

NOT_LINE_END: Final = CharacterSet(((10, 10),), negated=True)


def apply_annotations(grammar: Grammar) -> Grammar:
    """The grammar as its annotations want it. Raises GrammarError where they name rules that do not exist."""
    notes = grammar.annotations
    found = [
        *_unknown(grammar, "start", [notes.start] if notes.start else []),
        *_unknown(grammar, "token", notes.terminals),
        *_unknown(grammar, "rule", notes.rules),
        *_unknown(grammar, "skip", notes.skip),
    ]
    for name in notes.terminals:
        if name in notes.rules:
            found.append(
                Diagnostic(
                    "error",
                    "contradiction",
                    f"{name} is named by @token and by @rule",
                    "take it out of one of them",
                    notes.spans.get("rule"),
                )
            )
    if found:
        raise GrammarError(found)
    rules = dict(grammar.rules)
    if notes.indent:
        rules = {name: rule for name, rule in rules.items() if name not in ("INDENT", "DEDENT", "NEWLINE")}
    for names, lexical in (
        (notes.terminals, True),
        (notes.rules, False),
        ((*grammar.skip, *notes.skip), True),
    ):
        for name in names:
            if name in rules:
                rules[name] = replace(rules[name], lexical=lexical, fragment=rules[name].fragment and lexical)
    comments = list(_comments(grammar))
    rules.update((rule.name, rule) for rule in comments)
    skip = dict.fromkeys((*grammar.skip, *notes.skip, *(rule.name for rule in comments)))
    grammar = replace(grammar, rules=rules, start=notes.start or grammar.start, skip=tuple(skip))
    return without_case(grammar) if notes.ignore_case else grammar


def closest(name: str, names: Iterable[str]) -> str:
    """Advice that names the rule which was probably meant, if one is close."""
    lowered = {one.lower(): one for one in names}
    matches = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return f"did you mean {lowered[matches[0]]}?" if matches else ""


def fresh(wanted: str, rules: Iterable[str]) -> str:
    """`wanted`, or with a number after it, so that no rule has that name."""
    taken, name, number = rules if isinstance(rules, (dict, set)) else set(rules), wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted} {number}"
    return name


def without_case(grammar: Grammar) -> Grammar:
    """The grammar with letters matching in any case: literals, and the characters of sets that are listed."""

    def caseless(one: Expression) -> Expression:
        match one:
            case Literal():
                return replace(one, ignore_case=True)
            case CharacterSet(ranges, _, False) if ranges:
                return replace(one, ranges=folded(ranges))
            case _:
                return one

    return grammar.with_rules(
        {
            name: replace(rule, expression=mapped(rule.expression, caseless))
            for name, rule in grammar.rules.items()
        }
    )


def _unknown(grammar: Grammar, word: str, names: Iterable[str]) -> Iterable[Diagnostic]:
    for name in names:
        if name not in grammar.rules:
            spans = grammar.annotations.spans
            yield Diagnostic(
                "error",
                "unknown-rule",
                f"@{word} names {name}, and there is no such rule",
                closest(name, grammar.rules),
                spans.get(f"{word} {name}", spans.get(word)),
            )


def _comments(grammar: Grammar) -> Iterable[Rule]:
    for sign in grammar.annotations.line_comments:
        name = fresh(f"comment {sign}", grammar.rules)
        yield Rule(name, sequence([Literal(sign), Repeat(NOT_LINE_END, 0, None)]), lexical=True)
    for opening, closing in grammar.annotations.block_comments:
        name = fresh(f"comment {opening} {closing}", grammar.rules)
        body = Repeat(ANY_CHARACTER, 0, None, lazy=True)
        yield Rule(name, sequence([Literal(opening), body, Literal(closing)]), lexical=True)
