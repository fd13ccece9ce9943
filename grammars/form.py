"""The one form that every dialect is read into: rules over expressions, with their places in the source.

Reading a dialect is `grammars/dialects/`, rewriting is `grammars/passes/`, writing it down for the engine is
`grammars/emit.py`. Nothing here knows any of them. All values are immutable; passes return new grammars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from grammars.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Literal:
    """These characters."""

    text: str
    ignore_case: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """Exactly one character: one in the ranges or with one of the Unicode properties; negated: any other one.

    `CharacterSet((), (), negated=True)` is any character at all, line ends included.
    """

    ranges: tuple[tuple[int, int], ...] = ()
    """Code points, both ends included."""
    properties: tuple[str, ...] = ()
    """Names as a regular expression's \\p{...} takes them: "L", "Nd", "Han", "Greek"; "^L" for all that is not."""
    negated: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text that matches a regular expression (the syntax of Rust's regex crate, no look-around, no anchors)."""

    source: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """What the rule of this name says."""

    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another. The empty sequence matches the empty text."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of two or more."""

    alternatives: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`least` to `most` times; most None: without bound. `lazy`: as few as let the rest match (in terminals only)."""

    item: Expression
    least: int
    most: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What `item` matches and `excluded` does not, as whole texts. In terminals only."""

    item: Expression
    excluded: Expression
    span: Span | None = field(default=None, compare=False)


Expression: TypeAlias = Literal | CharacterSet | Pattern | Reference | Sequence | Choice | Repeat | Exclusion

EMPTY = Sequence(())
ANY_CHARACTER = CharacterSet(negated=True)


@dataclass(frozen=True, slots=True)
class Rule:
    """A name and what it stands for."""

    name: str
    """As the author wrote it, in the dialect's canonical spelling (ABNF: lower case)."""
    expression: Expression
    span: Span | None = field(default=None, compare=False)
    """The name where it is defined."""
    lexical: bool | None = None
    """Whether it is a terminal: no white space between its parts. None: the dialect does not say, it is inferred."""
    fragment: bool = False
    """A part of terminals that is no terminal by itself (implies lexical)."""
    of: str = field(default="", compare=False)
    """Of a rule that a pass has made: the rule it is a part or a copy of, or what it is called for people."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What an author adds for us in comments of the grammar file: lines that begin with @ after the comment sign."""

    dialect: str = ""
    name: str = ""
    languages: tuple[str, ...] = ()
    """LSP language ids the grammar is for."""
    globs: tuple[str, ...] = ()
    """File names the grammar is for."""
    start: str = ""
    terminals: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules that are not terminals, whatever inference says."""
    skip: tuple[str, ...] = ()
    """Rules whose text may stand between any two terminals."""
    line_comments: tuple[str, ...] = ()
    """What begins a comment that goes to the end of the line."""
    block_comments: tuple[tuple[str, str], ...] = ()
    blanks: str | None = None
    """What white space is between terminals: "all" (the default), "line" (no line ends: they count), "none"."""
    ignore_case: bool = False
    """All literals match in any case."""
    reserved: bool = False
    """Literals that look like identifiers can't be used as such."""
    indent: bool = False
    """Blocks are told by indentation: the rules named INDENT, DEDENT and NEWLINE are given."""
    indent_unit: str = ""
    """What one level is indented by: "2", "3", "4" or "8" blanks, or "tab"; empty: a tab, two blanks or four."""
    spans: Mapping[str, Span] = field(default_factory=dict, compare=False)
    """Where each annotation stands, by its word."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar as its author wrote it, or as a pass left it."""

    dialect: str
    rules: Mapping[str, Rule]
    """By name, in the order of the file."""
    start: str
    annotations: Annotations = Annotations()
    skip: tuple[str, ...] = ()
    """Rules whose text may stand between any two terminals (from `-> skip`, `%ignore`, or an annotation)."""
    explicit_lexer: bool = False
    """The dialect tells terminals from rules by itself (ANTLR4, Lark): nothing is inferred."""

    def with_rules(self, rules: Mapping[str, Rule]) -> Grammar:
        """The same grammar with other rules."""
        return replace(self, rules=rules)


def sequence(items: Iterator[Expression] | list[Expression] | tuple[Expression, ...]) -> Expression:
    """The items one after another, nested sequences flattened, one item as itself."""
    flat: list[Expression] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Sequence) else [item])
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def choice(alternatives: Iterator[Expression] | list[Expression] | tuple[Expression, ...]) -> Expression:
    """Any of the alternatives, nested choices flattened, equal ones once, one alternative as itself."""
    flat: dict[Expression, None] = {}
    for alternative in alternatives:
        flat.update(
            dict.fromkeys(alternative.alternatives if isinstance(alternative, Choice) else [alternative])
        )
    return next(iter(flat)) if len(flat) == 1 else Choice(tuple(flat))


def optional(item: Expression) -> Expression:
    """The item or nothing."""
    return Repeat(item, 0, 1)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that this one is directly made of."""
    match expression:
        case Sequence(items):
            return items
        case Choice(alternatives):
            return alternatives
        case Repeat(item):
            return (item,)
        case Exclusion(item, excluded):
            return (item, excluded)
        case _:
            return ()


def alternatives_of(expression: Expression) -> tuple[Expression, ...]:
    """What may be chosen from: the alternatives of a choice; of anything else, itself."""
    return expression.alternatives if isinstance(expression, Choice) else (expression,)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, outermost first."""
    waiting = [expression]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(parts(one)))


def references(expression: Expression) -> Iterator[Reference]:
    """Every reference in it, in order."""
    return (one for one in walk(expression) if isinstance(one, Reference))


def mapped(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to everything in it, innermost first."""
    match expression:
        case Sequence(items):
            expression = sequence([mapped(item, change) for item in items])
        case Choice(alternatives):
            expression = choice([mapped(alternative, change) for alternative in alternatives])
        case Repeat(item):
            expression = replace(expression, item=mapped(item, change))
        case Exclusion(item, excluded):
            expression = replace(expression, item=mapped(item, change), excluded=mapped(excluded, change))
    return change(expression)
