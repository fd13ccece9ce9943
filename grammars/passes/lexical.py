"""Which rules are terminals, where the dialect does not say it, and terminals for the pieces of text in other rules.

A *fragment* matches exactly one character and describes characters (a set, or several letters or digits to choose
from). A *token* does not lead back to itself and is made of fragments or sets directly. All else stays a rule, so that
`range = integer ".." integer` keeps free spacing while `integer = digit+` holds together. What is not allowed in a
terminal is widened or refused here, so that all passes after this find one of two kinds of rule: terminals, and rules
that are made of literals and references.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    choice,
    references,
    sequence,
    walk,
)
from grammars.passes.annotate import fresh
from grammars.passes.blanks import Spacing, blank_rules, line_end_rules, spacing
from grammars.passes.characters import BLANKS, most
from grammars.passes.graph import closed_under, components, neighbours, recursive

MAX_TERMINAL: Final = 20_000
"""Nodes of a terminal with everything it refers to put in and its counts written out."""


@dataclass(frozen=True, slots=True)
class Lexed:
    """A grammar in which every rule says whether it is a terminal."""

    grammar: Grammar
    inferred: frozenset[str]
    """The terminals that we found; the dialect did not say so."""
    spacing: Spacing
    diagnostics: tuple[Diagnostic, ...] = ()


def lexed(grammar: Grammar) -> Lexed:
    """The grammar with every rule marked, and all text in rules that are not terminals made terminals or literals.

    Raises GrammarError for terminals that need themselves.
    """
    grammar, cut = _without_recursive_terminals(grammar)
    if grammar.explicit_lexer:
        terminals = _declared(grammar)
        space = spacing(grammar, terminals)
    else:
        terminals, space = _inferred(grammar)
    inferred = frozenset(name for name in terminals if grammar.rules[name].lexical is None)
    if grammar.start in terminals:
        grammar = _with_start_rule(grammar)
    rules = {
        name: replace(rule, lexical=name in terminals, fragment=rule.fragment and name in terminals)
        for name, rule in grammar.rules.items()
    }
    hoisted = _Hoisting(rules, joining=not space.written_out)
    for name, rule in list(rules.items()):
        if not rule.lexical:
            rules[name] = replace(rule, expression=hoisted.body(name, rule.expression))
    _check_sizes(rules)
    return Lexed(
        grammar.with_rules(rules),
        inferred | frozenset(hoisted.made),
        space,
        (*cut, *space.diagnostics, *hoisted.found),
    )


def _with_start_rule(grammar: Grammar) -> Grammar:
    """The grammar with a rule to start with that is not a terminal."""
    start = fresh(f"{grammar.start} alone", grammar.rules)
    rules = {start: Rule(start, Reference(grammar.start)), **grammar.rules}
    return replace(grammar, rules=rules, start=start)


def _declared(grammar: Grammar) -> set[str]:
    """The terminals of a dialect that tells them apart, with all that they are made of."""
    terminals = {name for name, rule in grammar.rules.items() if rule.lexical or rule.fragment}
    graph = neighbours(grammar.rules)
    waiting = list(terminals)
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in terminals:
                terminals.add(name)
                waiting.append(name)
    return terminals


def _inferred(grammar: Grammar) -> tuple[set[str], Spacing]:
    rules = grammar.rules
    loops = recursive(neighbours(rules))
    blanks = blank_rules(grammar) | line_end_rules(grammar)
    able = closed_under(
        rules,
        lambda one, found: all(name.name in found for name in references(one)),
    )
    able = {name for name in able if name not in loops and rules[name].lexical is not False}
    characters = _character_rules(rules, able)
    forced = {name for name in able if rules[name].lexical}
    terminals = forced | characters | (blanks & able)

    def is_token(name: str) -> bool:
        expression = rules[name].expression
        return (
            name in able
            and name != grammar.start
            and any(
                isinstance(one, CharacterSet) or (isinstance(one, Reference) and one.name in characters)
                for one in walk(expression)
            )
            and not _has_word_before_characters(expression, characters)
            and not _at_edge(expression, lambda one: isinstance(one, Reference) and one.name in blanks)
        )

    terminals |= {name for name in rules if is_token(name)}
    terminals = _with_parts(terminals, rules)
    space = spacing(grammar, terminals)
    if not space.written_out:
        terminals = _with_parts(_holding_blanks(rules, terminals, able - {grammar.start}, blanks), rules)
    return terminals, space


def _with_parts(terminals: Collection[str], rules: Mapping[str, Rule]) -> set[str]:
    """The terminals and all that they are made of."""
    found, waiting = set(terminals), list(terminals)
    while waiting:
        for one in references(rules[waiting.pop()].expression):
            if one.name not in found:
                found.add(one.name)
                waiting.append(one.name)
    return found


def _character_rules(rules: Mapping[str, Rule], able: Collection[str]) -> set[str]:
    """The rules that describe one character: a set, or several letters or digits."""
    one_character = closed_under(rules, _is_one_character) & set(able)
    return closed_under(
        {name: rules[name] for name in one_character},
        lambda one, found: (
            any(isinstance(part, CharacterSet) for part in walk(one))
            or any(part.name in found for part in references(one))
            or sum(isinstance(part, Literal) and part.text.isalnum() for part in walk(one)) >= 2
        ),
    )


def _is_one_character(expression: Expression, rules: Collection[str]) -> bool:
    match expression:
        case CharacterSet():
            return True
        case Literal(text):
            return len(text) == 1
        case Reference(name):
            return name in rules
        case Choice(alternatives):
            return all(_is_one_character(one, rules) for one in alternatives)
        case Exclusion(item, _):
            return _is_one_character(item, rules)
        case _:
            return False


def _has_word_before_characters(expression: Expression, characters: Collection[str]) -> bool:
    """Whether a word stands right before a set of characters, as in `"let" letter`: there is a blank between them."""

    def is_word(one: Expression) -> bool:
        return isinstance(one, Literal) and len(one.text) > 1 and one.text.isalpha()

    def begins_with_letter(one: Expression) -> bool:
        return _at_begin(
            one,
            lambda part: (
                (
                    isinstance(part, CharacterSet)
                    and any(first <= ord("a") <= last for first, last in most(part))
                )
                or (isinstance(part, Reference) and part.name in characters)
            ),
        )

    return any(
        is_word(first) and begins_with_letter(second)
        for one in walk(expression)
        if isinstance(one, Sequence)
        for first, second in zip(one.items, one.items[1:], strict=False)
    )


def _at_begin(expression: Expression, holds: Callable[[Expression], bool]) -> bool:
    match expression:
        case Sequence(items):
            return bool(items) and _at_begin(items[0], holds)
        case Choice(alternatives):
            return any(_at_begin(one, holds) for one in alternatives)
        case Repeat(item):
            return _at_begin(item, holds)
        case _:
            return holds(expression)


def _at_edge(expression: Expression, holds: Callable[[Expression], bool]) -> bool:
    """Whether what `holds` may begin or end a text of the expression, in a sequence of several parts."""
    match expression:
        case Sequence(items):
            return len(items) > 1 and (_edge(items[0], holds) or _edge(items[-1], holds))
        case Choice(alternatives):
            return any(_at_edge(one, holds) for one in alternatives)
        case Repeat(item):
            return _at_edge(item, holds)
        case _:
            return False


def _edge(expression: Expression, holds: Callable[[Expression], bool]) -> bool:
    return _at_edge(expression, holds) or (
        holds(expression.item if isinstance(expression, Repeat) else expression)
    )


def _holding_blanks(
    rules: Mapping[str, Rule], terminals: Collection[str], able: Collection[str], blanks: Collection[str]
) -> set[str]:
    """The terminals, and the rules around them that must be terminals too because blanks count inside them.

    In `string = quote text quote` with `text = character*`, a blank at the edge of `text`
    is no space between terminals.
    """
    found = set(terminals)
    left = closed_under(rules, lambda one, known: _may_edge_on_blank(one, known, 0)) - set(blanks)
    right = closed_under(rules, lambda one, known: _may_edge_on_blank(one, known, -1)) - set(blanks)

    def is_open(expression: Expression, side: set[str]) -> bool:
        match expression:
            case Reference(name):
                return name in side and name in found
            case Repeat(item):
                return is_open(item, side)
            case Choice(alternatives):
                return any(is_open(one, side) for one in alternatives)
            case _:
                return False

    def joins(one: Expression) -> bool:
        match one:
            case Sequence(items):
                return any(is_open(item, right) for item in items[:-1]) or any(
                    is_open(item, left) for item in items[1:]
                )
            case Repeat(item, _, most_times):
                return most_times != 1 and (is_open(item, left) or is_open(item, right))
            case _:
                return False

    for component in components(neighbours(rules)):
        for name in component:
            if name not in found and name in able and any(map(joins, walk(rules[name].expression))):
                found.add(name)
    return found


def _may_edge_on_blank(expression: Expression, rules: Collection[str], side: int) -> bool:
    """Whether a text of the expression may begin (`side` 0) or end (-1) with a blank."""
    match expression:
        case CharacterSet():
            return any(first <= 32 <= last for first, last in most(expression))
        case Literal(text):
            return bool(text) and text[side] in BLANKS
        case Reference(name):
            return name in rules
        case Sequence(items):
            return bool(items) and _may_edge_on_blank(items[side], rules, side)
        case Choice(alternatives):
            return any(_may_edge_on_blank(one, rules, side) for one in alternatives)
        case Repeat(item) | Exclusion(item):
            return _may_edge_on_blank(item, rules, side)
        case _:
            return False


class _Hoisting:
    """Gives names to the text in rules that are not terminals."""

    def __init__(self, rules: dict[str, Rule], *, joining: bool) -> None:
        self._rules = rules
        self._joining = joining
        self._names: dict[Expression, str] = {}
        self.made: list[str] = []
        self.found: list[Diagnostic] = []

    def body(self, name: str, expression: Expression) -> Expression:
        """The expression with its pieces of text replaced by references to terminals."""
        match expression:
            case Sequence(items):
                return sequence(self._items(name, items))
            case Literal() | Reference():
                return expression
            case _ if self._is_text(expression):
                return self._named(name, expression)
            case Choice(alternatives):
                return choice([self.body(name, one) for one in alternatives])
            case Repeat(item):
                return replace(expression, item=self.body(name, item))
            case Exclusion(item, _, span):
                self.found.append(
                    Diagnostic(
                        "warning",
                        "exclusion-dropped",
                        f"in {name} something is excluded from what is not a terminal; it is allowed here",
                        "make the excluded and what it is excluded from terminals: @token RULE in a comment",
                        span or self._rules[name].span,
                    )
                )
                return self.body(name, item)
            case _:
                raise AssertionError(f"{type(expression).__name__} has no place in a rule")

    def _items(self, name: str, items: tuple[Expression, ...]) -> Iterator[Expression]:
        """The items of a sequence, runs of text as one terminal each."""
        run: list[Expression] = []
        for index, item in enumerate(items):
            following = items[index + 1] if index + 1 < len(items) else None
            if self._is_text(item) or (isinstance(item, Literal) and self._bleeds(run[-1:], following)):
                run.append(item)
                continue
            yield from self._run(name, run)
            run = []
            yield self.body(name, item)
        yield from self._run(name, run)

    def _run(self, name: str, run: list[Expression]) -> Iterator[Expression]:
        if run:
            yield self._named(name, sequence(run)) if any(map(self._is_text, run)) else sequence(run)

    def _bleeds(self, before: list[Expression], following: Expression | None) -> bool:
        """Whether a literal belongs to the text beside it, since blanks at the edge of that text count."""
        return self._joining and any(
            one is not None and self._is_text(one) and _may_edge_on_blank(one, (), side)
            for one, side in (*((one, -1) for one in before), (following, 0))
        )

    def _is_text(self, expression: Expression) -> bool:
        """Whether the expression is one of characters: sets, and what is made of them without other terminals."""
        match expression:
            case CharacterSet():
                return True
            case Exclusion(item, excluded):
                return self._is_lexical(item) and self._is_lexical(excluded)
            case Repeat(item):
                return self._is_text(item)
            case Sequence(items) | Choice(items):
                return any(map(self._is_text, items)) and all(
                    (isinstance(one, Literal) and len(one.text) <= 1) or self._is_text(one) for one in items
                )
            case _:
                return False

    def _is_lexical(self, expression: Expression) -> bool:
        return all(self._rules[one.name].lexical for one in references(expression))

    def _named(self, name: str, expression: Expression) -> Reference:
        if expression not in self._names:
            made = fresh(f"{name} text", self._rules)
            self._names[expression] = made
            self._rules[made] = Rule(made, expression, lexical=True, of=name)
            self.made.append(made)
        return Reference(self._names[expression])


def _without_recursive_terminals(grammar: Grammar) -> tuple[Grammar, list[Diagnostic]]:
    """Terminals that lead back to themselves (nested comments) without the alternatives that do.

    Raises GrammarError where nothing is left of one.
    """
    grammar, found = _unmarked(grammar)
    marked = _declared(grammar)
    graph = {
        name: tuple(other for other in others if other in marked)
        for name, others in neighbours(grammar.rules).items()
        if name in marked
    }
    loops = recursive(graph)
    rules = dict(grammar.rules)
    for name in grammar.rules:
        if name not in loops:
            continue
        rule = rules[name]
        cut = _cut(rule.expression, loops)
        if cut is None:
            raise GrammarError(
                [
                    Diagnostic(
                        "error",
                        "recursive-terminal",
                        f"the terminal {name} needs itself",
                        "make it a rule (@rule in a comment), or describe it by repetition",
                        rule.span,
                    )
                ]
            )
        rules[name] = replace(rule, expression=cut)
        found.append(
            Diagnostic(
                "warning",
                "recursive-terminal",
                f"the terminal {name} contains itself; it is followed without that",
                "nested comments and the like are read up to the first end",
                rule.span,
            )
        )
    return grammar.with_rules(rules), found


def _unmarked(grammar: Grammar) -> tuple[Grammar, list[Diagnostic]]:
    """The grammar with rules that were only annotated as terminals, and lead back to themselves, left rules."""
    if grammar.explicit_lexer:
        return grammar, []
    skipped = _with_parts([name for name in grammar.skip if name in grammar.rules], grammar.rules)
    loops = recursive(neighbours(grammar.rules)) - skipped
    rules, found = dict(grammar.rules), []
    for name, rule in grammar.rules.items():
        if rule.lexical and name in loops:
            rules[name] = replace(rule, lexical=False, fragment=False)
            found.append(
                Diagnostic(
                    "warning",
                    "recursive-terminal",
                    f"{name} leads back to itself, so it is no terminal: blanks are allowed inside it",
                    "describe it by repetition, or leave it out of @token",
                    rule.span,
                )
            )
    return grammar.with_rules(rules), found


def _cut(expression: Expression, loops: Collection[str]) -> Expression | None:
    """The expression without what refers to `loops`; None: nothing is left."""
    match expression:
        case Reference(name):
            return None if name in loops else expression
        case Sequence(items):
            kept = [_cut(one, loops) for one in items]
            return None if None in kept else sequence([one for one in kept if one is not None])
        case Choice(alternatives):
            rest = [one for one in (_cut(one, loops) for one in alternatives) if one is not None]
            return choice(rest) if rest else None
        case Repeat(item, least):
            inner = _cut(item, loops)
            if inner is None:
                return Sequence(()) if least == 0 else None
            return replace(expression, item=inner)
        case Exclusion(item, excluded):
            inner, outer = _cut(item, loops), _cut(excluded, loops)
            return (
                inner if inner is None or outer is None else replace(expression, item=inner, excluded=outer)
            )
        case _:
            return expression


def _check_sizes(rules: Mapping[str, Rule]) -> None:
    """Raise GrammarError for a terminal that is too large, written out."""
    sizes: dict[str, int] = {}

    def size(expression: Expression) -> int:
        match expression:
            case Reference(name):
                return sizes.get(name, 1)
            case Literal(text):
                return max(1, len(text))
            case Sequence(items) | Choice(items):
                return 1 + sum(map(size, items))
            case Repeat(item, least, bound):
                return 1 + max(1, least, bound or 0) * size(item)
            case Exclusion(item, excluded):
                return 1 + size(item) + size(excluded)
            case _:
                return 1

    lexical = {name: rule for name, rule in rules.items() if rule.lexical}
    for name in _parts_first(lexical):
        sizes[name] = size(lexical[name].expression)
        if sizes[name] > MAX_TERMINAL:
            raise GrammarError(
                [
                    Diagnostic(
                        "error",
                        "too-large",
                        f"the terminal {name}, written out, has {sizes[name]:,} parts; {MAX_TERMINAL:,} are the most",
                        "use smaller counts, or repeat without bound",
                        rules[name].span,
                    )
                ]
            )


def _parts_first(rules: Mapping[str, Rule]) -> list[str]:
    return [name for component in components(neighbours(rules)) for name in component]
