"""Blocks by indentation, for rules that use INDENT, DEDENT and NEWLINE: one copy of them for each depth.

Neither the engine's lexer nor its rules can count, but 24 copies are cheap: a rule from which one of the three can be
reached is written for the outermost level, and for eight depths in each of three units (a tab, two blanks, four), or in
the one that the author names. A line at depth 2 in the unit of four begins with exactly eight blanks; the deepest level
takes any depth from there on. Which items begin a line is followed through the rules (`_Lines`); where a rule can be
entered both at the beginning of a line and inside one, the indentation is optional, which allows more.

Blanks and comments stand explicitly after each terminal here, since skipped ones could stand for indentation. Between
brackets that open and close in one rule, line ends are blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate
from typing import Final

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.form import (
    EMPTY,
    CharacterSet,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    choice,
    optional,
    references,
    sequence,
)
from grammars.passes.annotate import fresh
from grammars.passes.blanks import Spacing
from grammars.passes.graph import is_nullable, neighbours, nullable_rules

GIVEN: Final = frozenset({"INDENT", "DEDENT", "NEWLINE"})
"""The rules that an indented grammar may use without defining them."""
DEEPEST: Final = 8
UNITS: Final = {"4": "    ", "2": "  ", "tab": "\t", "3": "   ", "8": "        "}
"""What one level may be indented by."""
USUAL: Final = ("4", "2", "tab")
"""The units where none is named; a file, or a block at the outermost level, keeps to one of them."""

_BRACKETS: Final = {"(": ")", "[": "]", "{": "}", "（": "）", "【": "】"}


class _At(Enum):
    """Where in a line the next terminal stands."""

    BEGIN = "begin"
    INSIDE = "inside"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class _Depth:
    unit: str
    level: int

    @property
    def name(self) -> str:
        """For the names of copies."""
        return f"{self.unit}x{self.level}" if self.level else "0"


_OUTERMOST: Final = _Depth("", 0)


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A grammar without INDENT, DEDENT and NEWLINE."""

    grammar: Grammar
    spacing: Spacing
    made: frozenset[str] = frozenset()
    """Terminals for blanks, line ends and indentation."""


def unrolled_indentation(grammar: Grammar, spacing: Spacing) -> Unrolled:
    """The grammar without INDENT, DEDENT and NEWLINE; blanks and comments are in its rules then, and none is skipped.

    Every rule has `lexical` set. Raises GrammarError for a rule with an INDENT that has no DEDENT, or the reverse.
    """
    if not grammar.annotations.indent:
        return Unrolled(grammar, spacing)
    unrolling = _Unrolling(grammar, spacing)
    level = unrolling.result()
    made = frozenset(name for name, rule in level.rules.items() if rule.lexical and name not in grammar.rules)
    return Unrolled(level, Spacing(None, written_out=False), made)


class _Unrolling:
    def __init__(self, grammar: Grammar, spacing: Spacing) -> None:
        self._grammar = grammar
        self._old = grammar.rules
        self._nullable = nullable_rules(grammar.rules)
        self._blocks = _reaching_given(grammar.rules)
        for name in self._blocks:
            _check_balanced(grammar.rules[name])
        self._ends = _Lines(self._old, self._blocks, self._nullable).ends
        self._rules: dict[str, Rule] = {name: rule for name, rule in self._old.items() if rule.lexical}
        self._waiting: list[tuple[str, _Depth, _At]] = []
        self._plain_waiting: list[tuple[str, bool]] = []
        self._done: set[str] = set()
        self._blank, self._free = self._spaces(spacing)
        self._indents: dict[_Depth, str] = {}
        unit = grammar.annotations.indent_unit
        self._units = (unit,) if unit else USUAL

    def result(self) -> Grammar:
        start = self._block(self._grammar.start, _OUTERMOST, _At.BEGIN)
        entry = fresh("text", {*self._rules, *self._old})
        self._add(
            entry, sequence([Repeat(Reference(self._empty_line), 0, None), Reference(self._blank), start])
        )
        while self._waiting or self._plain_waiting:
            if self._waiting:
                name, depth, at = self._waiting.pop()
                expression, _ = self._expand(self._old[name].expression, depth, at)
                self._add(_copy(name, depth, at), expression, self._old[name])
            else:
                name, free = self._plain_waiting.pop()
                self._add(
                    _plain(name, free=free),
                    self._line(self._old[name].expression, free=free),
                    self._old[name],
                )
        return replace(self._grammar, rules=self._rules, start=entry, skip=())

    def _add(self, name: str, expression: Expression, like: Rule | None = None) -> None:
        span = like.span if like else None
        called = like.name if like else self._grammar.start
        self._rules[name] = Rule(name, expression, span, lexical=False, of=called)

    def _terminal(self, called: str, expression: Expression) -> str:
        name = fresh(called, {*self._rules, *self._old})
        self._rules[name] = Rule(name, expression, lexical=True, of=called)
        return name

    def _spaces(self, spacing: Spacing) -> tuple[str, str]:
        """The rules for what may stand after a terminal: in a line, and where line ends are blanks."""
        in_line = CharacterSet(((9, 9), (32, 32)))
        wide = [] if spacing.ignored is None else [pair for pair in spacing.ignored.ranges if pair[0] >= 0x80]
        single = [Reference(self._terminal("blanks", CharacterSet((pair,)))) for pair in wide]
        blanks = self._terminal("blanks", Repeat(in_line, 1, None))
        comments = [Reference(name) for name in self._grammar.skip]
        self._line_end = self._terminal("line end", Literal("\n"))
        self._empty_line = self._terminal(
            "line end",
            sequence(
                [
                    Repeat(in_line, 0, None),
                    *([optional(choice(list(comments)))] if comments else []),
                    Literal("\n"),
                ]
            ),
        )
        rules = []
        for name, more in (("space", []), ("space between brackets", [Reference(self._line_end)])):
            rules.append(fresh(name, {*self._rules, *self._old}))
            self._add(rules[-1], Repeat(choice([Reference(blanks), *single, *comments, *more]), 0, None))
        return rules[0], rules[1]

    def _block(self, name: str, depth: _Depth, at: _At) -> Reference:
        """The copy of a rule of blocks for this depth."""
        copy = _copy(name, depth, at)
        if copy not in self._done:
            self._done.add(copy)
            self._waiting.append((name, depth, at))
        return Reference(copy)

    def _expand(self, expression: Expression, depth: _Depth, at: _At) -> tuple[Expression, _At]:
        """The expression at this depth, and where in the line it leaves off."""
        match expression:
            case Reference("NEWLINE"):
                return self._newline(), _At.BEGIN
            case Reference(name) if name in self._blocks:
                return self._block(name, depth, at), self._ends[name, at]
            case Sequence(items):
                return self._expand_sequence(items, depth, at)
            case Choice(alternatives) if self._is_block(expression):
                found = [self._expand(one, depth, at) for one in alternatives]
                return choice([one for one, _ in found]), _joined([end for _, end in found])
            case Repeat(item, _, bound) if self._is_block(item):
                inner, end = self._expand(item, depth, at)
                if bound != 1 and end is not at:
                    at = _At.EITHER
                    inner, end = self._expand(item, depth, at)
                least_is_none = expression.least == 0 or is_nullable(item, self._nullable)
                return replace(expression, item=inner), _joined([at, end]) if least_is_none else end
            case _:
                return self._indented(expression, depth, at)

    def _expand_sequence(
        self, items: tuple[Expression, ...], depth: _Depth, at: _At
    ) -> tuple[Expression, _At]:
        made: list[Expression] = []
        for index, item in enumerate(items):
            if item == Reference("INDENT"):
                inner = [self._inner(items[index + 1 :], deeper) for deeper in self._deeper(depth)]
                rest, end = self._expand_sequence(_after_dedent(items[index + 1 :]), depth, _At.BEGIN)
                return sequence([*made, choice(inner), rest]), end
            if at is not _At.INSIDE and not self._is_block(item) and self._goes_on(items[index:]):
                made.extend(self._indentation(depth, at))
                at = _At.INSIDE
            one, at = self._expand(item, depth, at)
            made.append(one)
        return sequence(made), at

    def _goes_on(self, items: tuple[Expression, ...]) -> bool:
        """Whether something stands in the line before its end, or before a rule of blocks."""
        for item in items:
            if self._is_block(item):
                return False
            if not is_nullable(item, self._nullable):
                return True
        return False

    def _indentation(self, depth: _Depth, at: _At) -> list[Expression]:
        """What stands before the first thing in a line."""
        if depth.level == 0:
            return []
        indent = Reference(self._indent(depth))
        return [indent if at is _At.BEGIN else optional(indent)]

    def _deeper(self, depth: _Depth) -> list[_Depth]:
        if depth.level == 0:
            return [_Depth(unit, 1) for unit in self._units]
        return [_Depth(depth.unit, min(depth.level + 1, DEEPEST))]

    def _inner(self, items: tuple[Expression, ...], depth: _Depth) -> Expression:
        """What stands between an INDENT and its DEDENT."""
        inner = items[: len(items) - len(_after_dedent(items)) - 1]
        return self._expand_sequence(inner, depth, _At.BEGIN)[0]

    def _indented(self, expression: Expression, depth: _Depth, at: _At) -> tuple[Expression, _At]:
        """An expression without line ends, with the indentation before it where it begins a line."""
        line = self._line(expression, free=False)
        if not is_nullable(expression, self._nullable):
            before = [] if at is _At.INSIDE else self._indentation(depth, at)
            return sequence([*before, line]), _At.INSIDE
        if at is _At.INSIDE or expression == EMPTY:
            return line, at
        return sequence([*self._indentation(depth, _At.EITHER), line]), _At.EITHER

    def _indent(self, depth: _Depth) -> str:
        if depth not in self._indents:
            width = Literal(UNITS[depth.unit] * depth.level)
            exact = depth.level < DEEPEST
            more = width if exact else sequence([width, Repeat(CharacterSet(((9, 9), (32, 32))), 0, None)])
            self._indents[depth] = self._terminal("indentation", more)
        return self._indents[depth]

    def _newline(self) -> Expression:
        return sequence([Reference(self._line_end), Repeat(Reference(self._empty_line), 0, None)])

    def _is_block(self, expression: Expression) -> bool:
        return any(one.name in self._blocks or one.name in GIVEN for one in references(expression))

    def _line(self, expression: Expression, *, free: bool) -> Expression:
        """The expression with what may stand after each terminal; `free`: line ends, too."""
        match expression:
            case Literal(text):
                return sequence([expression, self._space(free=free)]) if text else expression
            case Reference(name) if self._old[name].lexical:
                return sequence([expression, self._space(free=free)])
            case Reference(name):
                copy = _plain(name, free=free)
                if copy not in self._done:
                    self._done.add(copy)
                    self._plain_waiting.append((name, free))
                return Reference(copy)
            case Sequence(items):
                return sequence(self._line_items(items, free=free))
            case Choice(alternatives):
                return choice([self._line(one, free=free) for one in alternatives])
            case Repeat(item):
                return replace(expression, item=self._line(item, free=free))
            case _:
                raise AssertionError(f"{type(expression).__name__} is not in a terminal")

    def _line_items(self, items: tuple[Expression, ...], *, free: bool) -> list[Expression]:
        made, closing = [], ""
        for index, item in enumerate(items):
            text = item.text if isinstance(item, Literal) else ""
            if closing and text == closing:
                closing = ""
            elif not closing and text in _BRACKETS and Literal(_BRACKETS[text]) in items[index + 1 :]:
                closing = _BRACKETS[text]
            made.append(self._line(item, free=free or bool(closing)))
        return made

    def _space(self, *, free: bool) -> Expression:
        return Reference(self._free if free else self._blank)


class _Lines:
    """Where in a line the rules of blocks leave off, by where they begin: found for all of them at once."""

    def __init__(self, rules: Mapping[str, Rule], blocks: set[str], nullable: set[str]) -> None:
        self._blocks, self._nullable = blocks, nullable
        self._known: dict[tuple[str, _At], _At | None] = {(name, at): None for name in blocks for at in _At}
        changed = True
        while changed:
            changed = False
            for name, at in self._known:
                end = self._end(rules[name].expression, at)
                if end is not self._known[name, at]:
                    self._known[name, at] = end
                    changed = True
        self.ends = {key: end or _At.EITHER for key, end in self._known.items()}

    def _end(self, expression: Expression, at: _At) -> _At | None:
        """None: not known yet."""
        match expression:
            case Reference(name) if name in GIVEN:
                return _At.BEGIN
            case Reference(name) if name in self._blocks:
                return self._known[name, at]
            case Sequence(items):
                for item in items:
                    end = self._end(item, at)
                    if end is None:
                        return None
                    at = end
                return at
            case Choice(alternatives):
                ends = [end for end in (self._end(one, at) for one in alternatives) if end is not None]
                return _joined(ends) if ends else None
            case Repeat(item, least, bound):
                end = self._end(item, at)
                if end is not None and bound != 1 and end is not at:
                    end = self._end(item, _At.EITHER)
                ends = [one for one in (at if least == 0 else None, end) if one is not None]
                return _joined(ends) if ends else None
            case _:
                return _joined([at, _At.INSIDE]) if is_nullable(expression, self._nullable) else _At.INSIDE


def _joined(ends: list[_At]) -> _At:
    return ends[0] if all(one is ends[0] for one in ends) else _At.EITHER


def _copy(name: str, depth: _Depth, at: _At) -> str:
    return f"{name} at {depth.name} {at.value}"


def _plain(name: str, *, free: bool) -> str:
    return f"{name} between brackets" if free else f"{name} in a line"


def _reaching_given(rules: Mapping[str, Rule]) -> set[str]:
    """The rules from which INDENT, DEDENT or NEWLINE can be reached."""
    users: dict[str, list[str]] = {}
    for name, others in neighbours(rules).items():
        for other in others:
            users.setdefault(other, []).append(name)
    found = {
        name for name, rule in rules.items() if any(one.name in GIVEN for one in references(rule.expression))
    }
    waiting = list(found)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def _after_dedent(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """What comes after the DEDENT that belongs to an INDENT right before `items`; `_check_balanced` found it there."""
    steps = [(item == Reference("INDENT")) - (item == Reference("DEDENT")) for item in items]
    return items[list(accumulate(steps)).index(-1) + 1 :]


def _check_balanced(rule: Rule) -> None:
    """Raise GrammarError unless each INDENT has its DEDENT in the same sequence."""
    waiting = [rule.expression]
    while waiting:
        one = waiting.pop()
        items = one.items if isinstance(one, Sequence) else (one,)
        open_ = 0
        for item in items:
            open_ += (item == Reference("INDENT")) - (item == Reference("DEDENT"))
            if open_ < 0:
                break
        if open_:
            raise GrammarError(
                [
                    Diagnostic(
                        "error",
                        "indent-unbalanced",
                        f"in {rule.name} an INDENT and a DEDENT do not belong together",
                        "write both in one alternative, as in: NEWLINE INDENT statement+ DEDENT",
                        rule.span,
                    )
                ]
            )
        if isinstance(one, Sequence):
            waiting.extend(item for item in items if not isinstance(item, Reference))
        elif isinstance(one, (Choice, Repeat)):
            waiting.extend(one.alternatives if isinstance(one, Choice) else (one.item,))
