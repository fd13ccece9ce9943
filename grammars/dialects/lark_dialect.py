"""Lark, as an author writes it: terminals in upper case, templates, imports, `%ignore`, indentation by `%declare`.

What only shapes Lark's tree (aliases, `?`, `!`, `_`) is dropped, and so are priorities, with a note: more is allowed
then. What Lark gets from elsewhere (other files, a program's terminals) is named and refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Final, cast

from grammars.diagnostics import Diagnostic, Span
from grammars.dialects.lark_common import COMMON, common_terminal
from grammars.dialects.lark_statements import (
    Declare,
    Ignore,
    Import,
    InlineTerminal,
    Override,
    Statement,
    Template,
    TemplateUse,
)
from grammars.dialects.lark_syntax import DIALECT
from grammars.dialects.literal_terminals import literal_terminals, spelt_out, without_spelt_out
from grammars.dialects.reading import Definition, Reading, collected, prepared, read_definitions, refusal
from grammars.form import (
    Annotations,
    CharacterSet,
    Expression,
    Literal,
    Reference,
    mapped,
    parts,
    references,
)

MAX_INSTANCES: Final = 500
"""Of templates."""
MAX_ARGUMENT: Final = 1_000
"""Parts of a template's argument."""
MAX_NESTING: Final = 100
"""Of the parts of an argument."""
MAX_SHOWN: Final = 100
"""Characters of the arguments in the name of a rule that a template makes."""

_INDENTATION: Final = {"_INDENT": "INDENT", "_DEDENT": "DEDENT", "INDENT": "INDENT", "DEDENT": "DEDENT"}
_NEWLINES: Final = ("_NEWLINE", "_NL", "NEWLINE", "NL")
"""What Lark's Indenter is told to be the terminal of line ends, by custom."""


def read(text: str, annotations: Annotations) -> Reading:
    """A file in Lark's language in the form; it starts at `start`. Raises GrammarError at the first mistake."""
    statements = cast(tuple[Statement, ...], read_definitions(DIALECT, prepared(text)))
    definitions = _defined(statements)
    templates = {one.name: one for one in statements if isinstance(one, Template)}
    declared = [one for one in statements if isinstance(one, Declare)]
    if declared:
        definitions = _indented(definitions, declared)
        annotations = replace(annotations, indent=True)
    ignores = [one.expression for one in statements if isinstance(one, Ignore)]
    literals = literal_terminals(definitions, _kept(ignores, annotations))
    expansion = _Expansion(templates, literals)
    ignored = [expansion.ignored(one) for one in ignores]
    definitions = without_spelt_out([expansion.definition(one) for one in definitions], literals)
    started = any(one.name == "start" for one in definitions)
    reading = collected(
        DIALECT,
        [*definitions, *expansion.made()],
        annotations,
        start="start" if started else next((one.name for one in definitions if not one.lexical), ""),
        skip=tuple(ignored),
        explicit_lexer=True,
    )
    return reading if started or annotations.start else _without_start(reading)


def _kept(ignores: list[Expression], annotations: Annotations) -> set[str]:
    """The terminals that something refers to by name, besides rules."""
    ignored = {one.name for expression in ignores for one in references(expression)}
    return ignored.union((annotations.start,), annotations.terminals, annotations.rules, annotations.skip)


def _without_start(reading: Reading) -> Reading:
    grammar = reading.grammar
    warning = Diagnostic(
        "warning",
        "no-start",
        f"there is no rule start, where Lark starts; {grammar.start} is taken, the first one",
        "call the first rule start, or name another in a comment: // @start NAME",
        grammar.rules[grammar.start].span,
    )
    return Reading(grammar, (*reading.diagnostics, warning))


def _defined(statements: Iterable[Statement]) -> list[Definition]:
    """The definitions that count: imported ones, and after an %override those before it do not."""
    definitions: list[Definition] = []
    for statement in statements:
        match statement:
            case Import():
                definitions.append(_imported(statement))
            case Override(definition):
                if all(one.name != definition.name for one in definitions):
                    raise refusal(
                        f"%override has no rule {definition.name} before it to override",
                        span=definition.span,
                        advice="leave out %override, or import the rule first",
                    )
                definitions = [*(one for one in definitions if one.name != definition.name), definition]
            case Definition():
                definitions.append(statement)
            case _:
                pass
    return definitions


def _imported(statement: Import) -> Definition:
    known = [name for name in COMMON if not name.startswith("_")]
    if statement.path != "common":
        raise refusal(
            f"%import from {statement.path or 'another file'} is not supported: a grammar is one file",
            span=statement.span,
            code="unsupported",
            advice=f"copy the rules of {statement.name} into this file; from common there are {', '.join(known)}",
        )
    if statement.name not in COMMON:
        close = get_close_matches(statement.name, COMMON, n=1)
        raise refusal(
            f"common has no terminal {statement.name}",
            span=statement.span,
            advice=(f"did you mean {close[0]}? " if close else "") + f"it has {', '.join(known)}",
        )
    expression = common_terminal(statement.name)
    return Definition(statement.alias, expression, statement.span, lexical=True)


def _indented(definitions: list[Definition], declared: list[Declare]) -> list[Definition]:
    """The definitions with Lark's names for indentation and line ends replaced by the form's."""
    other = next((one for one in declared if one.name not in _INDENTATION), None)
    if other is not None:
        raise refusal(
            f"%declare {other.name} leaves the terminal to a program, which there is none of here",
            span=other.span,
            code="unsupported",
            advice=f"define {other.name} by a pattern; only _INDENT and _DEDENT can be declared",
        )
    names = {one.name for one in definitions}
    newline = next((name for name in _NEWLINES if name in names), None)
    if newline is None:
        raise refusal(
            "blocks are told by indentation, and there is no terminal for line ends",
            span=declared[0].span,
            advice="define _NEWLINE (or _NL), and use it before _INDENT and at the end of statements",
        )
    given = _INDENTATION | {newline: "NEWLINE"}

    def renamed(expression: Expression) -> Expression:
        if isinstance(expression, Reference) and expression.name in given:
            return Reference(given[expression.name], expression.span)
        return expression

    return [
        replace(one, expression=mapped(one.expression, renamed)) for one in definitions if one.name != newline
    ]


class _Expansion:
    """Makes rules of templates, and terminals of the regular expressions and texts that stand in rules."""

    def __init__(self, templates: dict[str, Template], literals: dict[str, Literal]) -> None:
        self._literals = literals
        self._templates = templates
        self._instances: dict[tuple[str, tuple[Expression, ...]], str] = {}
        self._waiting: list[tuple[str, Template, tuple[Expression, ...]]] = []
        self._terminals: dict[str, Definition] = {}

    def definition(self, definition: Definition) -> Definition:
        """The definition in what the form has."""
        change = self._in_terminal if definition.lexical else self._in_rule
        return replace(definition, expression=mapped(definition.expression, change))

    def ignored(self, expression: Expression) -> str:
        """The name of the terminal that %ignore takes; one is made where there is none."""
        if type(expression) is Reference:
            return expression.name
        if isinstance(expression, InlineTerminal):
            return self._terminal(expression)
        name = f"%ignore {len(self._terminals) + 1}"
        self._terminals[name] = Definition(
            name, mapped(expression, self._in_terminal), Span(1, 1, 1, 1), lexical=True
        )
        return name

    def made(self) -> list[Definition]:
        """The rules and terminals that were made."""
        made: list[Definition] = []
        while self._waiting:
            name, template, arguments = self._waiting.pop()
            body = _substituted(template.expression, dict(zip(template.parameters, arguments, strict=True)))
            made.append(Definition(name, mapped(body, self._in_rule), template.span, lexical=False))
        return [*made, *self._terminals.values()]

    def _in_terminal(self, expression: Expression) -> Expression:
        if isinstance(expression, TemplateUse):
            raise refusal(
                f"the template {expression.name} is used in a terminal",
                span=expression.span,
                code="unsupported",
                advice="write it out there, or make a rule of the terminal",
            )
        return expression.expression if isinstance(expression, InlineTerminal) else expression

    def _in_rule(self, expression: Expression) -> Expression:
        if isinstance(expression, TemplateUse):
            return self._instance(expression)
        if isinstance(expression, InlineTerminal):
            if isinstance(expression.expression, Literal | CharacterSet):
                return expression.expression
            return Reference(self._terminal(expression), expression.span)
        return spelt_out(expression, self._literals)

    def _terminal(self, inline: InlineTerminal) -> str:
        span = inline.span or Span(1, 1, 1, 1)
        self._terminals.setdefault(
            inline.name, Definition(inline.name, inline.expression, span, lexical=True)
        )
        return inline.name

    def _instance(self, use: TemplateUse) -> Expression:
        template = self._templates.get(use.name)
        if template is None or len(template.parameters) != len(use.arguments):
            raise self._no_such(use, template)
        if len(self._instances) >= MAX_INSTANCES or not all(map(_manageable, use.arguments)):
            raise refusal(
                f"the template {use.name} makes too many rules, or too large ones",
                span=use.span,
                code="too-large",
                advice="a template that uses itself must do so with the arguments it was given",
            )
        arguments = tuple(mapped(one, self._in_rule) for one in use.arguments)
        key = (use.name, arguments)
        if key not in self._instances:
            self._instances[key] = self._unused_name(use.name, arguments)
            self._waiting.append((self._instances[key], template, arguments))
        return Reference(self._instances[key], use.span)

    def _no_such(self, use: TemplateUse, template: Template | None) -> Exception:
        if template is not None:
            wanted, given = len(template.parameters), len(use.arguments)
            return refusal(
                f"the template {use.name} takes {wanted} arguments, and {given} are given", span=use.span
            )
        close = get_close_matches(use.name, self._templates, n=1)
        return refusal(
            f"there is no template {use.name}",
            span=use.span,
            code="undefined-rule",
            advice=f"did you mean {close[0]}?" if close else f"define it: {use.name}{{x, y}}: ...",
        )

    def _unused_name(self, template: str, arguments: tuple[Expression, ...]) -> str:
        shown = ", ".join(map(_shown, arguments))
        name = f"{template}{{{shown if len(shown) <= MAX_SHOWN else '...'}}}"
        count = sum(one == name or one.startswith(f"{name} #") for one in self._instances.values())
        return f"{name} #{count + 1}" if count else name


def _manageable(argument: Expression) -> bool:
    """Whether an argument is small enough: templates that use themselves can make them grow without end."""
    waiting, count = [(argument, 0)], 0
    while waiting:
        expression, depth = waiting.pop()
        count += 1
        if count > MAX_ARGUMENT or depth > MAX_NESTING:
            return False
        inside = expression.arguments if isinstance(expression, TemplateUse) else parts(expression)
        waiting.extend((part, depth + 1) for part in inside)
    return True


def _substituted(body: Expression, values: dict[str, Expression]) -> Expression:
    """A template's body with the arguments in place of its parameters."""

    def change(expression: Expression) -> Expression:
        if isinstance(expression, TemplateUse):
            arguments = tuple(mapped(one, change) for one in expression.arguments)
            return TemplateUse(expression.name, expression.span, arguments)
        if type(expression) is Reference:
            return values.get(expression.name, expression)
        return expression

    return mapped(body, change)


def _shown(argument: Expression) -> str:
    match argument:
        case Reference(name):
            return name
        case Literal(text):
            return f'"{text}"'
        case _:
            return "..."
