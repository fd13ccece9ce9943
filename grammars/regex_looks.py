"""What in a regular expression looks around without taking text: dropped, put as an exclusion, or refused.

The engine has no look-around. Two facts let most of it go:
- at an end of the pattern, what stands beyond it (`if\\b`, `x(?!=)`, `^a`) changes nothing in which texts match, only
  where they may stand; without it more is allowed, and a mask may allow more;
- `(?!X)Y` up to the pattern's end is Y without the texts that begin with X, `X(?<!Y)` from its begin the mirror of it,
  and `(?:(?!X).)*` any text without X in it.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, replace
from typing import Final
from typing import Literal as OneOf

from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    Sequence,
    choice,
    sequence,
)

MAX_LOOKS: Final = 50
"""In one pattern."""

Kind = OneOf["edge", "ahead", "not ahead", "behind", "not behind"]

_ADVICE: Final = (
    "say it without looking around: a non-greedy .*? up to what ends it, an exclusion by [^...], "
    "or @reserved in a comment to keep keywords out of names"
)


@dataclass(frozen=True, slots=True)
class Look:
    """One place in a pattern that looks around."""

    kind: Kind
    """edge: `\\b`, `^`, `$` and the like."""
    inside: Expression
    written: str
    span: Span | None

    def enter(self, looks: dict[str, Look]) -> Reference:
        """What holds its place until `settled`; nothing else in a pattern is a reference."""
        if len(looks) == MAX_LOOKS:
            raise _refusal(f"the pattern looks around more than {MAX_LOOKS} times", self.span)
        name = str(len(looks))
        looks[name] = self
        return Reference(name, self.span)


def settled(expression: Expression, looks: dict[str, Look]) -> Expression:
    """The pattern without places that look around. Raises GrammarError for those that can't go."""
    return _Settling(looks).whole(expression, left=True, right=True) if looks else expression


class _Settling:
    def __init__(self, looks: dict[str, Look]) -> None:
        self._looks = looks

    def whole(self, expression: Expression, *, left: bool, right: bool) -> Expression:
        """`left`, `right`: whether the expression stands at that end of the pattern."""
        match expression:
            case Reference():
                return self._row([expression], left=left, right=right)
            case Sequence(items):
                return self._row(items, left=left, right=right)
            case Choice(alternatives):
                return choice([self.whole(one, left=left, right=right) for one in alternatives])
            case Repeat(item, _, most):
                tempered = self._tempered(expression)
                once = most == 1
                inside = item if tempered else self.whole(item, left=left and once, right=right and once)
                return tempered or replace(expression, item=inside)
            case _:
                return expression

    def _row(self, items: Items[Expression], *, left: bool, right: bool) -> Expression:
        places = [index for index, item in enumerate(items) if isinstance(item, Reference)]
        for index in places:
            before, after = items[:index], items[index + 1 :]
            look = self._look(items[index])
            if left and look.kind in ("edge", "behind", "not behind") and not before:
                return self._row(after, left=left, right=right)
            if right and look.kind in ("edge", "ahead", "not ahead") and self._only_looks(after):
                return self._row([*before, *after], left=left, right=right)
            if right and look.kind == "not ahead":
                rest = self._without(self._row(after, left=left and not before, right=True), look)
                return sequence([self._row(before, left=left, right=False), rest])
            if left and look.kind == "not behind":
                rest = self._without(self._row(before, left=True, right=right and not after), look)
                return sequence([rest, self._row(after, left=False, right=right)])
            raise _refusal(f"{look.written} looks around in the middle of a pattern", look.span)
        last = len(items) - 1
        return sequence(
            [
                self.whole(item, left=left and index == 0, right=right and index == last)
                for index, item in enumerate(items)
            ]
        )

    def _tempered(self, repeat: Repeat) -> Expression | None:
        """`(?:(?!X)c)*` as the repetition of c without the texts that have X in them."""
        match repeat.item:
            case Sequence((Reference() as place, one)) if self._look(place).kind == "not ahead" and _single(
                one
            ):
                inside = self.whole(self._look(place).inside, left=True, right=True)
                anything = Repeat(ANY_CHARACTER, 0, None)
                return Exclusion(
                    replace(repeat, item=one),
                    sequence([anything, inside, anything]),
                    self._look(place).span,
                )
            case _:
                return None

    def _without(self, expression: Expression, look: Look) -> Expression:
        inside = self.whole(look.inside, left=True, right=True)
        anything = Repeat(ANY_CHARACTER, 0, None)
        if look.kind == "not behind":
            excluded = sequence([anything, inside])
        elif look.written.endswith(("\\b)", "$)")):
            excluded = inside
        else:
            excluded = sequence([inside, anything])
        return Exclusion(expression, excluded, look.span)

    def _only_looks(self, items: Items[Expression]) -> bool:
        return all(isinstance(item, Reference) for item in items)

    def _look(self, item: Expression) -> Look:
        assert isinstance(item, Reference)
        return self._looks[item.name]


def _single(expression: Expression) -> bool:
    """Whether it matches one character at a time."""
    match expression:
        case CharacterSet():
            return True
        case Exclusion(item):
            return _single(item)
        case Literal(text):
            return len(text) == 1
        case Choice(alternatives):
            return all(map(_single, alternatives))
        case _:
            return False


def _refusal(message: str, span: Span | None) -> GrammarError:
    return GrammarError([Diagnostic("error", "look-around", message, _ADVICE, span)])
