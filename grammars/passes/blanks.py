"""What white space means in a grammar: skipped between terminals, written out in the rules, or ending lines.

Texts have LF line ends only, so a CR that a grammar wants before an LF is taken out first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from grammars.diagnostics import Diagnostic
from grammars.form import (
    EMPTY,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Sequence,
    mapped,
    sequence,
    walk,
)
from grammars.passes.characters import BLANKS, LINE_ENDS, holds, only
from grammars.passes.graph import closed_under

_ASCII_BLANKS: Final = ((9, 10), (13, 13), (32, 32))
_ASCII_BLANKS_IN_LINE: Final = ((9, 9), (32, 32))
_FULL_WIDTH_BLANK: Final = (0x3000, 0x3000)
_CJK: Final = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF))
_MIXED_BELOW: Final = 0.2
"""Of the rules of several parts, that write out blanks: below, they are probably forgotten in the others."""


@dataclass(frozen=True, slots=True)
class Spacing:
    """What stands between terminals."""

    ignored: CharacterSet | None
    """Blanks that may stand anywhere between two terminals, beside the grammar's own skip rules."""
    written_out: bool
    """The rules say themselves where blanks stand: nothing is skipped."""
    diagnostics: tuple[Diagnostic, ...] = ()


def without_returns(grammar: Grammar) -> Grammar:
    """The grammar for texts with LF line ends: CR LF becomes LF wherever it is written."""
    returns = closed_under(grammar.rules, lambda one, found: _is_just(one, "\r", found))
    feeds = closed_under(grammar.rules, lambda one, found: _begins_with_feed(one, found))

    def changed(one: Expression) -> Expression:
        if isinstance(one, Literal) and "\r\n" in one.text:
            return replace(one, text=one.text.replace("\r\n", "\n"))
        if not isinstance(one, Sequence):
            return one
        items = one.items
        kept = [
            item
            for item, following in zip(items, (*items[1:], EMPTY), strict=False)
            if not (_is_just(item, "\r", returns) and _begins_with_feed(following, feeds))
        ]
        return sequence(kept)

    return grammar.with_rules(
        {
            name: replace(rule, expression=mapped(rule.expression, changed))
            for name, rule in grammar.rules.items()
        }
    )


def blank_rules(grammar: Grammar) -> set[str]:
    """The rules that match blanks and nothing else, with a space or a tab among them."""
    return _rules_of(grammar, BLANKS) - line_end_rules(grammar)


def line_end_rules(grammar: Grammar) -> set[str]:
    """The rules that match line ends and nothing else."""
    return _rules_of(grammar, LINE_ENDS)


def spacing(grammar: Grammar, lexical: Collection[str]) -> Spacing:
    """What white space means, by annotation, else by what the rules that are not `lexical` do with it."""
    notes = grammar.annotations
    if notes.indent:
        return Spacing(_blanks(grammar, line_ends=False), written_out=False)
    if notes.blanks is not None:
        ignored = None if notes.blanks == "none" else _blanks(grammar, line_ends=notes.blanks == "all")
        return Spacing(ignored, written_out=ignored is None and not grammar.skip)
    if grammar.explicit_lexer or _skips_blanks(grammar):
        return Spacing(None, written_out=not grammar.skip)
    blanks, ends = blank_rules(grammar), line_end_rules(grammar)
    bodies = {
        name: rule for name, rule in grammar.rules.items() if name not in lexical and name not in blanks
    }
    writing = [
        name for name, rule in bodies.items() if any(_is_blank(one, blanks) for one in walk(rule.expression))
    ]
    if writing:
        return Spacing(None, written_out=True, diagnostics=_mixed(grammar, bodies, writing))
    significant = any(
        _is_line_end(one, ends)
        for name, rule in bodies.items()
        if name not in ends
        for one in walk(rule.expression)
    )
    return Spacing(_blanks(grammar, line_ends=not significant), written_out=False)


def _blanks(grammar: Grammar, *, line_ends: bool) -> CharacterSet:
    ranges = _ASCII_BLANKS if line_ends else _ASCII_BLANKS_IN_LINE
    return CharacterSet((*ranges, _FULL_WIDTH_BLANK) if _has_cjk(grammar) else ranges)


def _has_cjk(grammar: Grammar) -> bool:
    return any(
        first <= ord(character) <= last
        for rule in grammar.rules.values()
        for one in walk(rule.expression)
        if isinstance(one, Literal) and not one.text.isascii()
        for character in one.text
        for first, last in _CJK
    )


def _mixed(grammar: Grammar, bodies: Collection[str], writing: list[str]) -> tuple[Diagnostic, ...]:
    several = [
        name
        for name in bodies
        if any(isinstance(one, Sequence) and one.items for one in walk(grammar.rules[name].expression))
    ]
    if len(writing) >= _MIXED_BELOW * len(several):
        return ()
    return (
        Diagnostic(
            "warning",
            "mixed-blanks",
            f"only {len(writing)} of {len(several)} rules of several parts say where blanks stand "
            f"({', '.join(writing[:3])}), so blanks are allowed nowhere else",
            "write @blanks all in a comment if blanks may stand between any two terminals",
            grammar.rules[writing[0]].span,
        ),
    )


def _skips_blanks(grammar: Grammar) -> bool:
    """Whether a skip rule can match a blank."""
    return any(
        (isinstance(one, CharacterSet) and not one.negated and holds(one, " "))
        or (isinstance(one, Literal) and one.text == " ")
        for name in grammar.skip
        if name in grammar.rules
        for one in _inlined(grammar, name)
    )


def _inlined(grammar: Grammar, name: str) -> Collection[Expression]:
    found: list[Expression] = []
    seen, waiting = {name}, [name]
    while waiting:
        for one in walk(grammar.rules[waiting.pop()].expression):
            found.append(one)
            if isinstance(one, Reference) and one.name in grammar.rules and one.name not in seen:
                seen.add(one.name)
                waiting.append(one.name)
    return found


def _rules_of(grammar: Grammar, characters: frozenset[str]) -> set[str]:
    """The rules that match texts of these characters only, and not just the empty text."""
    within = closed_under(grammar.rules, lambda one, found: _is_of(one, characters, found))
    rules = {name: grammar.rules[name] for name in within}
    return closed_under(rules, lambda one, found: any(_has_text(part, found) for part in walk(one)))


def _is_of(expression: Expression, characters: frozenset[str], rules: Collection[str]) -> bool:
    match expression:
        case Literal(text):
            return set(text) <= characters
        case CharacterSet(properties=("White_Space",), ranges=(), negated=False):
            return characters is BLANKS
        case CharacterSet():
            return only(expression, characters)
        case Reference(name):
            return name in rules
        case Sequence(items) | Choice(items):
            return all(_is_of(item, characters, rules) for item in items)
        case Repeat(item) | Exclusion(item):
            return _is_of(item, characters, rules)
        case _:
            return False


def _has_text(expression: Expression, rules: Collection[str]) -> bool:
    match expression:
        case Literal(text):
            return bool(text)
        case Reference(name):
            return name in rules
        case _:
            return isinstance(expression, CharacterSet)


def _is_blank(expression: Expression, blanks: Collection[str]) -> bool:
    """A part of a rule that is blanks, and not line ends only."""
    match expression:
        case Reference(name):
            return name in blanks
        case Literal() | CharacterSet():
            return (
                _has_text(expression, ())
                and _is_of(expression, BLANKS, ())
                and not _is_of(expression, LINE_ENDS, ())
            )
        case _:
            return False


def _is_line_end(expression: Expression, ends: Collection[str]) -> bool:
    match expression:
        case Reference(name):
            return name in ends
        case Literal(text):
            return "\n" in text
        case _:
            return isinstance(expression, CharacterSet) and only(expression, LINE_ENDS)


def _is_just(expression: Expression, character: str, rules: Collection[str]) -> bool:
    match expression:
        case Literal(text):
            return text == character
        case CharacterSet():
            return only(expression, frozenset(character))
        case Reference(name):
            return name in rules
        case Repeat(item, _, 1):
            return _is_just(item, character, rules)
        case _:
            return False


def _begins_with_feed(expression: Expression, rules: Collection[str]) -> bool:
    match expression:
        case Literal(text):
            return text.startswith("\n")
        case CharacterSet():
            return only(expression, frozenset("\n"))
        case Reference(name):
            return name in rules
        case Sequence(items):
            return bool(items) and _begins_with_feed(items[0], rules)
        case _:
            return False
