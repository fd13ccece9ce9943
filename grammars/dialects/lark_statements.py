"""What a file in Lark's language says, statement by statement, before templates and imports are resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lark import Token

from grammars.diagnostics import Span
from grammars.dialects.reading import Definition
from grammars.form import EMPTY, Expression, Reference


@dataclass(frozen=True, slots=True)
class TemplateUse(Reference):
    """`name{arguments}`."""

    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class InlineTerminal(Reference):
    """A regular expression where it is used; in a rule it is a terminal, named by how it is written."""

    expression: Expression = EMPTY


@dataclass(frozen=True, slots=True)
class Head:
    """What stands before the colon."""

    name: Token
    parameters: tuple[str, ...]
    priority: Token | None


@dataclass(frozen=True, slots=True)
class Template:
    """A rule with parameters."""

    name: str
    parameters: tuple[str, ...]
    expression: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Override:
    """A definition that takes the place of those before it."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class Ignore:
    """`%ignore`."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Import:
    """`%import path.name -> alias`."""

    path: str
    name: str
    alias: str
    span: Span


@dataclass(frozen=True, slots=True)
class Declare:
    """`%declare NAME`: a terminal that the author's program makes."""

    name: str
    span: Span


Statement: TypeAlias = Definition | Template | Override | Ignore | Import | Declare


def is_terminal(name: str) -> bool:
    """Whether Lark takes a name for a terminal's."""
    return name.lstrip("_")[:1].isupper()
