"""ANTLR4: parser rules in lower case, terminals in upper case, `-> skip`; the declarative part of it.

What code does is dropped with a note (`grammars/dialects/antlr4_actions.py`). Lexer modes, imported grammars and
tokens that only a program can make are named and refused. A lexer grammar and its parser grammar are read from one
file that holds both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeVar, cast

from grammars.characters import folded, folded_properties, has_case, merged
from grammars.diagnostics import Span
from grammars.dialects.antlr4_actions import without_code
from grammars.dialects.antlr4_syntax import DIALECT, Complement, Header, Prequel, RuleDefinition, Statement
from grammars.dialects.literal_terminals import literal_terminals, spelt_out, without_spelt_out
from grammars.dialects.reading import Definition, Reading, collected, prepared, read_definitions, refusal
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    mapped,
    references,
    walk,
)
from grammars.lazy_escapes import in_order

_INDENTATION: Final = frozenset({"INDENT", "DEDENT"})
_MODES: Final = frozenset({"more", "mode", "pushMode", "popMode"})
_Kind = TypeVar("_Kind", Header, Prequel, RuleDefinition)


def read(text: str, annotations: Annotations) -> Reading:
    """An ANTLR4 file in the form. It starts at the rule that ends with EOF if there is one such, else at the first.

    Raises GrammarError at the first mistake.
    """
    blanked = without_code(prepared(text))
    statements = cast(tuple[Statement, ...], read_definitions(DIALECT, blanked.text))
    rules = _of_kind(statements, RuleDefinition)
    _check_whole(_of_kind(statements, Header), rules)
    _check_commands(rules)
    prequels = _of_kind(statements, Prequel)
    ignore_case = any(one.ignore_case for one in prequels if one.kind == "options")
    declared = _declared(prequels)
    indented = declared.keys() >= _INDENTATION
    if indented:
        rules = [one for one in rules if one.definition.name != "NEWLINE"]
    definitions = _typed(rules, [_cased(one, ignore_case=ignore_case) for one in rules])
    _check_declared(declared, definitions, indented=indented)
    start = _start(definitions)
    skip = tuple(
        one.definition.name
        for one in rules
        if any(command.name in ("skip", "channel") for command in one.commands)
    )
    reading = collected(
        DIALECT,
        _settled(definitions, skip, {*skip, *_annotated(annotations)}, newline=indented),
        replace(
            annotations,
            ignore_case=annotations.ignore_case or ignore_case,
            indent=annotations.indent or indented,
        ),
        start=start,
        skip=skip,
        explicit_lexer=True,
    )
    return Reading(reading.grammar, (*blanked.diagnostics, *reading.diagnostics))


def _annotated(annotations: Annotations) -> tuple[str, ...]:
    """The rules that annotations name."""
    return (annotations.start, *annotations.terminals, *annotations.rules, *annotations.skip)


def _of_kind(statements: Iterable[Statement], kind: type[_Kind]) -> list[_Kind]:
    return [one for one in statements if isinstance(one, kind)]


def _check_whole(headers: list[Header], rules: list[RuleDefinition]) -> None:
    """Half a grammar is none."""
    defined = {one.definition.name for one in rules}
    kinds = {one.kind for one in headers}
    if kinds == {"lexer"} and all(one.definition.lexical for one in rules):
        raise refusal(
            f"{headers[0].name} is a lexer grammar: it has terminals and no rule that uses them",
            span=headers[0].span,
            code="half-grammar",
            advice="put the parser grammar that belongs to it into the same file, below it",
        )
    missing = next(
        (
            one
            for rule in rules
            for one in references(rule.definition.expression)
            if one.name[0].isupper() and one.name != "EOF" and one.name not in defined
        ),
        None,
    )
    if kinds == {"parser"} and missing is not None:
        raise refusal(
            f"{headers[0].name} is a parser grammar: its terminals, such as {missing.name}, are in another file",
            span=missing.span,
            code="half-grammar",
            advice="put the lexer grammar that belongs to it into the same file, above it",
        )


def _check_commands(rules: list[RuleDefinition]) -> None:
    for rule in rules:
        for command in rule.commands:
            if command.name in _MODES:
                raise refusal(
                    f"the lexer command {command.name} of {rule.definition.name} is not supported",
                    span=command.span,
                    code="unsupported",
                    advice="write what is read in another mode as one terminal or as rules",
                )
            if command.name not in ("skip", "channel", "type"):
                raise refusal(
                    f"there is no lexer command {command.name}",
                    span=command.span,
                    advice="the commands are skip, channel(NAME) and type(NAME)",
                )


def _declared(prequels: list[Prequel]) -> Mapping[str, Span]:
    """The names in `tokens {...}`."""
    return {name: one.span for one in prequels if one.kind == "tokens" for name in one.names}


def _check_declared(declared: Mapping[str, Span], definitions: list[Definition], *, indented: bool) -> None:
    """A token that is declared, used, and made by no rule comes from a program."""
    known = {one.name for one in definitions} | (_INDENTATION if indented else frozenset())
    used = {one.name for definition in definitions for one in references(definition.expression)}
    name = next((name for name in declared if name in used and name not in known), None)
    if name is not None:
        raise refusal(
            f"the token {name} is made by a program, which there is none of here",
            span=declared[name],
            code="unsupported",
            advice=f"define {name} by a rule; only INDENT and DEDENT, declared together, are given",
        )


def _cased(rule: RuleDefinition, *, ignore_case: bool) -> Definition:
    definition = rule.definition
    wanted = ignore_case if rule.ignore_case is None else rule.ignore_case
    return (
        replace(definition, expression=mapped(definition.expression, _in_any_case)) if wanted else definition
    )


def _in_any_case(expression: Expression) -> Expression:
    match expression:
        case Literal(text):
            return replace(expression, ignore_case=has_case(text))
        case CharacterSet(ranges, properties):
            return replace(expression, ranges=folded(ranges), properties=folded_properties(properties))
        case Complement():
            return replace(expression, item=mapped(expression.item, _in_any_case))
        case _:
            return expression


def _typed(rules: list[RuleDefinition], definitions: list[Definition]) -> list[Definition]:
    """The definitions, with what `-> type(NAME)` makes a NAME among the alternatives of NAME."""
    types = [
        Definition(
            command.argument,
            Reference(rule.definition.name, command.span),
            command.span,
            extends=True,
            lexical=True,
        )
        for rule in rules
        for command in rule.commands
        if command.name == "type" and command.argument != rule.definition.name
    ]
    return [*definitions, *types]


def _start(definitions: list[Definition]) -> str:
    whole = [
        one.name
        for one in definitions
        if not one.lexical and any(part.name == "EOF" for part in references(one.expression))
    ]
    first = next((one.name for one in definitions if not one.lexical), "")
    return whole[0] if len(whole) == 1 else first


def _settled(
    definitions: list[Definition], skip: tuple[str, ...], kept: Collection[str], *, newline: bool
) -> list[Definition]:
    """The definitions in what the form has: without EOF, wildcards and complements by what they can be."""
    literals = literal_terminals(definitions, kept)
    tokens = _tokens(definitions, literals, skip, newline=newline)
    settled = [
        replace(
            one,
            expression=in_order(mapped(one.expression, _in_terminal))
            if one.lexical
            else mapped(one.expression, lambda part: _in_rule(part, literals, tokens)),
        )
        for one in definitions
    ]
    return without_spelt_out(settled, literals)


def _tokens(
    definitions: list[Definition], literals: Mapping[str, Literal], skip: tuple[str, ...], *, newline: bool
) -> tuple[Expression, ...]:
    """Everything that is one token for the parser."""
    named = [
        literals.get(one.name, Reference(one.name))
        for one in definitions
        if one.lexical and not one.fragment and one.name not in skip
    ]
    given = [Reference(name) for name in ("NEWLINE", "INDENT", "DEDENT")] if newline else []
    written = [
        part
        for one in definitions
        if not one.lexical
        for part in walk(one.expression)
        if isinstance(part, Literal)
    ]
    return tuple(dict.fromkeys([*named, *given, *written]))


def _in_rule(
    expression: Expression, literals: Mapping[str, Literal], tokens: tuple[Expression, ...]
) -> Expression:
    match expression:
        case Complement():
            item = mapped(expression.item, lambda part: spelt_out(part, literals))
            return _one_of(tokens, item.alternatives if isinstance(item, Choice) else (item,))
        case Reference("EOF"):
            return EMPTY
        case CharacterSet() if expression == ANY_CHARACTER:
            return _one_of(tokens, ())
        case Repeat(lazy=True):
            return replace(expression, lazy=False)
        case _:
            return spelt_out(expression, literals)


def _one_of(tokens: tuple[Expression, ...], excluded: tuple[Expression, ...]) -> Expression:
    """Any one of the tokens that is not excluded."""
    others = [one for one in tokens if one not in excluded]
    if not others:
        raise refusal(
            "a rule takes any terminal (. or ~), and none is left for it",
            code="no-terminals",
            advice="define terminals (in upper case), or write in the rule what may stand there",
        )
    return choice(others)


def _in_terminal(expression: Expression) -> Expression:
    match expression:
        case Complement(item=item):
            return _other_character(mapped(item, _in_terminal))
        case Reference("EOF"):
            return EMPTY
        case _:
            return expression


def _other_character(item: Expression) -> Expression:
    """One character that `item` is not."""
    ranges: list[tuple[int, int]] = []
    properties: list[str] = []
    for one in item.alternatives if isinstance(item, Choice) else (item,):
        match one:
            case CharacterSet(some, names, negated=False):
                ranges.extend(some)
                properties.extend(names)
            case Literal(text, ignore_case) if len(text) == 1:
                code = (ord(text), ord(text))
                ranges.extend(folded([code]) if ignore_case else [code])
            case _:
                return Exclusion(ANY_CHARACTER, item)
    return CharacterSet(merged(ranges), tuple(dict.fromkeys(properties)), negated=True)
