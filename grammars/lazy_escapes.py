r"""Lazy loops whose alternatives are in an order: `'"' ('\\"' | .)*? '"'`.

In ANTLR4 and in regular expressions an earlier alternative goes first, so that the backslash above takes the quote
along, and the loop does not end there. In the form alternatives have no order: any of them may match. Here those
single characters that begin an earlier alternative are taken out of the later ones, which says the same where all
such alternatives begin with one character, as escapes do.
"""

from __future__ import annotations

from dataclasses import replace

from grammars.characters import LAST, Ranges, inverted, merged
from grammars.form import (
    CharacterSet,
    Choice,
    Expression,
    Literal,
    Repeat,
    Sequence,
    choice,
    mapped,
    sequence,
)


def in_order(expression: Expression) -> Expression:
    """The expression of a terminal, with the order of alternatives in lazy loops said by what they match."""
    return mapped(expression, _with_loops_in_order)


def _with_loops_in_order(expression: Expression) -> Expression:
    match expression:
        case Sequence(items):
            following = (*items, None)[1:]
            return sequence([_loop_in_order(one, end) for one, end in zip(items, following, strict=True)])
        case _:
            return expression


def _loop_in_order(loop: Expression, end: Expression | None) -> Expression:
    """A lazy loop before `end`, if it is one that could end inside an earlier alternative."""
    match loop, end:
        case Repeat(Choice(alternatives), lazy=True), Literal(text):
            escapes = _escapes(alternatives, ord(text[0]))
            for code, (at, second) in escapes.items():
                alternatives = (*alternatives[:at], *_without(code, second, alternatives[at:]))
            return replace(loop, item=choice(alternatives))
        case _:
            return loop


def _escapes(alternatives: tuple[Expression, ...], end: int) -> dict[int, tuple[int, Ranges]]:
    """First character -> where its first alternative of two characters is, and what may come second.

    Only those that would take the loop's end along.
    """
    found: dict[int, tuple[int, Ranges]] = {}
    for at, one in enumerate(alternatives):
        pair = _pair(one)
        if pair is not None and pair[0] != end:
            first, second = pair
            place, before = found.get(first, (at, ()))
            found[first] = place, merged((*before, *second))
    return {first: one for first, one in found.items() if _holds(one[1], end)}


def _pair(expression: Expression) -> tuple[int, Ranges] | None:
    """One character and the set of what follows it; None for anything else."""
    match expression:
        case Literal(text, ignore_case=False) if len(text) == 2:
            return ord(text[0]), ((ord(text[1]), ord(text[1])),)
        case Sequence((Literal(text, ignore_case=False), CharacterSet(properties=()) as second)) if (
            len(text) == 1
        ):
            return ord(text), _positive(second)
        case _:
            return None


def _without(code: int, second: Ranges, alternatives: tuple[Expression, ...]) -> list[Expression]:
    """The alternatives with this character taken out of the single ones; it goes with what follows it instead."""
    changed: list[Expression] = []
    for one in alternatives:
        if isinstance(one, CharacterSet) and not one.properties and _holds(_positive(one), code):
            others = merged(_minus(_positive(one), code))
            character = Literal(chr(code))
            run = character if _holds(second, code) else Repeat(character, 1, None)
            changed += [_set(others), sequence([run, _set(merged((*second, *others)))])]
        else:
            changed.append(one)
    return changed


def _minus(ranges: Ranges, code: int) -> Ranges:
    return inverted((*inverted(ranges), (code, code)))


def _positive(characters: CharacterSet) -> Ranges:
    return inverted(characters.ranges) if characters.negated else merged(characters.ranges)


def _set(ranges: Ranges) -> CharacterSet:
    if ranges and ranges[-1][1] == LAST:
        return CharacterSet(inverted(ranges), negated=True)
    return CharacterSet(ranges)


def _holds(ranges: Ranges, code: int) -> bool:
    return any(first <= code <= last for first, last in ranges)
