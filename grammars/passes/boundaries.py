"""Where a statement may be over: texts after which a parser that lost its way can find it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from grammars.form import (
    CharacterSet,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    walk,
)
from grammars.passes.characters import LINE_ENDS, holds, only

_SEPARATORS: Final = frozenset({";", ";;", "；", "。"})
"""What stands between statements wherever it is written between the items of a list."""
_ENDING: Final = frozenset(";.}>；。」》")
"""The last character of what may end a statement."""
_PAIRS: Final = {"{": "}", "[": "]", "(": ")", "<": ">", "（": "）", "【": "】", "《": "》", "「": "」"}
_OPENING: Final = frozenset("([{<@#$%&\\（【《「")
"""What statements may begin with; other punctuation at the front of a repeated part is an operator."""
_MAX_FOLLOWED: Final = 200
"""Rules looked into for the last text of a statement."""


def boundaries(grammar: Grammar) -> tuple[str, ...]:
    """Punctuation that ends items of repetitions, the brackets around repetitions, and line ends; longest first.

    Where all the items that a whole text is made of end with a sign or a word of the grammar, any such sign counts.
    """
    found, closing = {"\n"}, set(_PAIRS.values())
    for rule in grammar.rules.values():
        if rule.lexical:
            continue
        for one in walk(rule.expression):
            if (
                isinstance(one, Repeat)
                and one.most is None
                and any(isinstance(part, Reference) for part in walk(one))
            ):
                first = set(_beginnings(one.item))
                found.update(first & _SEPARATORS)
                if not any(_is_punctuation(text) and text not in _OPENING for text in first):
                    endings, always_text = _endings(one.item, grammar.rules)
                    is_whole = always_text and rule.name == grammar.start
                    found.update(
                        text for text in endings if text[-1] in _ENDING or (is_whole and text not in closing)
                    )
            elif isinstance(one, Sequence):
                found.update(_brackets(one, grammar.rules))
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def line_comments(grammar: Grammar) -> tuple[str, ...]:
    """What begins a comment that goes to the end of the line: as annotated, and as skip rules say (`"//" [^\\n]*`)."""
    found = dict.fromkeys(grammar.annotations.line_comments)
    for name in grammar.skip:
        match grammar.rules[name].expression:
            case Sequence((Literal(text), Repeat(CharacterSet() as body), *rest)):
                if not holds(body, "\n") and holds(body, " ") and all(_is_line_end(one) for one in rest):
                    found[text] = None
            case _:
                pass
    return tuple(found)


def _is_line_end(expression: Expression) -> bool:
    match expression:
        case Literal(text):
            return bool(text) and not text.strip("\n")
        case CharacterSet():
            return only(expression, LINE_ENDS)
        case Repeat(item):
            return _is_line_end(item)
        case Choice(alternatives):
            return all(map(_is_line_end, alternatives))
        case _:
            return False


def _endings(expression: Expression, rules: Mapping[str, Rule]) -> tuple[set[str], bool]:
    """The punctuation that may be the last of the expression, through rules; and whether the last is always text."""
    found: set[str] = set()
    always_text = True
    seen: set[str] = set()
    waiting = [expression]
    while waiting and len(seen) < _MAX_FOLLOWED:
        one = waiting.pop()
        match one:
            case Literal(text) if text:
                if _is_punctuation(text):
                    found.add(text)
            case Sequence(items) if items:
                waiting.append(items[-1])
            case Choice(alternatives):
                waiting.extend(alternatives)
            case Repeat(item, least):
                always_text = always_text and least > 0
                waiting.append(item)
            case Reference(name) if name in seen:
                pass
            case Reference(name) if name in rules and not rules[name].lexical:
                seen.add(name)
                waiting.append(rules[name].expression)
            case _:
                always_text = False
    return found, always_text and not waiting


def _beginnings(expression: Expression) -> Iterator[str]:
    match expression:
        case Literal(text):
            yield text
        case Sequence(items) if items:
            yield from _beginnings(items[0])
        case Choice(alternatives):
            for one in alternatives:
                yield from _beginnings(one)
        case _:
            pass


def _brackets(row: Sequence, rules: Mapping[str, Rule]) -> Iterator[str]:
    """The literals right before and right after a repetition without separators."""
    for before, middle, after in zip(row.items, row.items[1:], row.items[2:], strict=False):
        inner = middle
        if isinstance(middle, Reference) and middle.name in rules and not rules[middle.name].lexical:
            inner = rules[middle.name].expression
        if not (isinstance(inner, Repeat) and inner.most is None):
            continue
        if isinstance(before, Literal) and isinstance(after, Literal) and _is_pair(before.text, after.text):
            yield from (before.text, after.text)


def _is_pair(before: str, after: str) -> bool:
    return before[-1:] in _PAIRS and after[:1] == _PAIRS[before[-1:]]


def _is_punctuation(text: str) -> bool:
    return bool(text) and not any(one.isalnum() or one.isspace() or one == "_" for one in text)
