"""Matches texts against the form by trying everything: the slow truth that tests hold readers to."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    Rule,
    Sequence,
)


def matches(expression: Expression, text: str, rules: Mapping[str, Rule] | None = None) -> bool:
    """Whether the expression matches the whole text. Lazy repetition matches what greedy repetition does."""
    return len(text) in ends(expression, text, 0, rules or {})


def ends(expression: Expression, text: str, start: int, rules: Mapping[str, Rule]) -> set[int]:
    """Where a match that begins at `start` can end. Does not return for left recursion."""
    match expression:
        case Literal(literal, ignore_case):
            found = text[start : start + len(literal)]
            alike = found.casefold() == literal.casefold() if ignore_case else found == literal
            return {start + len(literal)} if alike and len(found) == len(literal) else set()
        case CharacterSet():
            return {start + 1} if start < len(text) and _holds(expression, text[start]) else set()
        case Pattern(source):
            return {end for end in range(start, len(text) + 1) if _rust(source).fullmatch(text, start, end)}
        case Reference(name):
            return ends(rules[name].expression, text, start, rules)
        case Sequence(items):
            reached = {start}
            for item in items:
                reached = {end for place in reached for end in ends(item, text, place, rules)}
            return reached
        case Choice(alternatives):
            return {end for one in alternatives for end in ends(one, text, start, rules)}
        case Repeat(item, least, most):
            return _repeated(item, least, most, text, start, rules)
        case Exclusion(item, excluded):
            return ends(item, text, start, rules) - ends(excluded, text, start, rules)


def _repeated(
    item: Expression, least: int, most: int | None, text: str, start: int, rules: Mapping[str, Rule]
) -> set[int]:
    reached, found = {start}, {start} if least == 0 else set()
    bound = max(least, len(text) + 1) if most is None else most
    for count in range(1, bound + 1):
        before = reached
        reached = {end for place in reached for end in ends(item, text, place, rules)}
        found |= reached if count >= least else set()
        if not reached or (reached == before and count >= least):
            break
    return found


def _holds(characters: CharacterSet, character: str) -> bool:
    code = ord(character)
    held = any(first <= code <= last for first, last in characters.ranges) or any(
        (regex.match(rf"\p{{{name.removeprefix('^')}}}", character) is not None) != name.startswith("^")
        for name in characters.properties
    )
    return held != characters.negated


def _rust(source: str) -> regex.Pattern[str]:
    r"""A pattern of Rust's regex for Python's `regex`: `\x{...}` is written otherwise."""
    return regex.compile(
        regex.sub(r"\\x\{([0-9A-F]+)\}", lambda found: f"\\U{int(found[1], 16):08X}", source)
    )
