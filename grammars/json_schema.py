"""A JSON schema (draft 7 or 2020-12) read as a grammar: the JSON texts that it may allow.

Whatever is approximated allows more than the schema: members come in any order, as often as one likes, and none is
required; ranges, lengths and formats don't count; a keyword that can't be followed leaves any value. What is
followed (types, properties, items, enumerations, references, combinations, simple patterns) is held to exactly, so
that a mask offers the right keys and values. `grammars/schema_sets.py` reduces the combinations; nothing here knows
files or the engine.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final

from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_grammar
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import (
    Annotations,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Pattern,
    Reference,
    Repeat,
    Rule,
    choice,
    optional,
    sequence,
)
from grammars.schema_files import FILES, LANGUAGES, malformed, said_of
from grammars.schema_patterns import string_pattern
from grammars.schema_sets import TYPES, BadSchema, Json, Plain, Schema, Schemas

DIALECT: Final = "json-schema"
MAX_RULES: Final = 2000
"""Values that are looked at in themselves; what is beyond may be any value."""

_ANNOTATIONS: Final = frozenset({
    "$schema", "$id", "id", "$comment", "$anchor", "$vocabulary", "$defs", "definitions", "title",
    "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding",
    "contentMediaType", "contentSchema", "markdownDescription", "enumDescriptions",
})  # fmt: skip
"""Keywords that allow and forbid nothing."""
_FOLLOWED: Final = frozenset({
    "$ref", "allOf", "anyOf", "oneOf", "type", "properties", "patternProperties", "additionalProperties",
    "items", "prefixItems", "additionalItems", "enum", "const", "pattern",
})  # fmt: skip
_WIDENED: Final = frozenset({
    "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor", "not", "if", "then", "else",
    "required", "minProperties", "maxProperties", "propertyNames", "dependencies", "dependentRequired",
    "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "minItems", "maxItems", "uniqueItems",
    "contains", "minContains", "maxContains", "minLength", "maxLength", "format", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "nullable",
})  # fmt: skip
"""Keywords that forbid something which is allowed here all the same."""

_DIGITS: Final = r"(0|[1-9][0-9]*)"
_JSON: Final = (
    Rule("blanks", Repeat(CharacterSet(((0x20, 0x20), (0x9, 0xA), (0xD, 0xD))), 1, None), lexical=True),
    Rule("string", Pattern(r'"([^"\\\x00-\x1F]|\\(["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"'), lexical=True),
    Rule("integer", Pattern(rf"-?{_DIGITS}(\.0+)?([eE][+-]?[0-9]+)?"), lexical=True),
    Rule("number", Pattern(rf"-?{_DIGITS}(\.[0-9]+)?([eE][+-]?[0-9]+)?"), lexical=True),
)
"""The terminals of JSON (RFC 8259). 1.0 is an integer."""
_ANY: Final = Reference("value")
_STRING: Final = Reference("string")


def compile_schema(schema_text: str, *, name: str) -> CompiledGrammar:
    """The grammar of the JSON texts that the schema allows, and perhaps of some more.

    Raises GrammarError, with the line where it can be told, for what is no JSON, no schema, or allows nothing.
    """
    schema = _parsed(schema_text)
    try:
        building = _Building(schema)
        start = building.value(schema, "schema")
    except BadSchema as error:
        raise _refusal(error.message, error.advice, _place(schema_text, error.culprit)) from error
    except RecursionError as error:
        raise _refusal(
            "the schema is nested too deeply", "move inner schemas to $defs and refer to them"
        ) from error
    if start is None:
        raise _refusal(
            "the schema allows no value at all", "look for false, and for types that exclude each other"
        )
    rules = [Rule("schema", start), *building.rules.values(), *_generic(), *_JSON]
    grammar = Grammar(
        DIALECT,
        {rule.name: rule for rule in rules},
        "schema",
        Annotations(name=name, globs=said_of(schema, FILES), languages=said_of(schema, LANGUAGES)),
        skip=("blanks",),
        explicit_lexer=True,
    )
    compiled = compile_grammar(grammar, name=name)
    notes = [_note(word, schema_text) for word in building.unknown]
    notes += [_malformed(word, schema_text) for word in malformed(schema)]
    return replace(
        compiled,
        dialect=DIALECT,
        terminals=tuple(replace(one, name=building.called(one.name)) for one in compiled.terminals),
        names={short: building.called(full) for short, full in compiled.names.items()},
        diagnostics=(*notes, *compiled.diagnostics),
    )


def _parsed(text: str) -> Schema:
    try:
        schema = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        span = Span(error.lineno, error.colno, error.lineno, error.colno + 1)
        raise _refusal(
            f"this is no JSON: {error.msg}", "a schema is a JSON file, without comments", span
        ) from error
    except RecursionError as error:
        raise _refusal(
            "the schema is nested too deeply", "move inner schemas to $defs and refer to them"
        ) from error
    if not isinstance(schema, dict | bool):
        raise _refusal(
            "a schema is a JSON object, or true or false", 'begin with {"type": ...}', Span(1, 1, 1, 2)
        )
    return schema


class _Building:
    """Rules for the values of one schema."""

    def __init__(self, root: Schema) -> None:
        self._schemas = Schemas(root)
        self._known: dict[str, Expression] = {}
        self._names: set[str] = {"schema", *(rule.name for rule in (*_generic(), *_JSON))}
        self.rules: dict[str, Rule] = {}
        self._hints: dict[str, str] = {}
        """Rule -> the key, or what else it is of in the schema."""
        self.unknown: dict[str, None] = {}
        """Keywords of no draft that we know, in the order they were met."""

    def value(self, schema: Json, hint: str) -> Expression | None:
        """The texts of the values that a schema allows; None if there are none."""
        target = self._schemas.target(schema)
        if isinstance(target, bool):
            return _ANY if target else None
        self.unknown.update(dict.fromkeys(word for word in target if _is_unknown(word)))
        followed = {word: value for word, value in target.items() if word in _FOLLOWED}
        if not followed:
            return _ANY
        key = json.dumps(followed, sort_keys=True)
        if key in self._known:
            return self._known[key]
        plain = self._schemas.alternatives(followed)
        if not plain:
            return None
        if len(self.rules) >= MAX_RULES:
            return _ANY
        name = self._name(hint)
        self._known[key] = Reference(name)
        self.rules[name] = Rule(name, _ANY)
        self.rules[name] = Rule(name, choice([self._plain(one, hint) for one in plain]))
        return self._known[key]

    def called(self, rule: str) -> str:
        """What a rule is called for people: the key in the schema, without the number that tells rules apart."""
        return self._hints.get(rule, rule)

    def _name(self, hint: str) -> str:
        asked = hint
        hint = re.sub(r"\W+", "_", hint)[:40].strip("_") or "value"
        name, count = hint, 1
        while name in self._names:
            count += 1
            name = f"{hint}_{count}"
        self._names.add(name)
        self._hints[name] = asked
        return name

    def _plain(self, plain: Plain, hint: str) -> Expression:
        if plain.values is not None:
            return choice([self._constant(value) for value in plain.values])
        if plain.free:
            return _ANY
        return choice([self._of_type(kind, plain, hint) for kind in TYPES if kind in plain.types])

    def _of_type(self, kind: str, plain: Plain, hint: str) -> Expression:
        match kind:
            case "object":
                return self._object(plain, hint)
            case "array":
                return self._array(plain, hint)
            case "string":
                pattern = string_pattern(plain.pattern)
                return _STRING if pattern is None else Reference(self._terminal(hint, Pattern(pattern)))
            case "boolean":
                return Choice((Literal("true"), Literal("false")))
            case "null":
                return Literal("null")
            case _:
                return Reference(kind)

    def _object(self, plain: Plain, hint: str) -> Expression:
        members: list[Expression] = []
        for key, schema in plain.properties.items():
            value = self.value(schema, key)
            if value is not None:
                members.append(sequence([_text(key), Literal(":"), value]))
        others = [self.value(schema, f"{hint} other") for schema in plain.other_properties]
        allowed = [value for value in others if value is not None]
        if allowed:
            members.append(sequence([self._other_key(plain, hint), Literal(":"), choice(allowed)]))
        if not members:
            return sequence([Literal("{"), Literal("}")])
        name = self._name(f"{hint} member")
        self.rules[name] = Rule(name, choice(members))
        return _listed("{", Reference(name), "}")

    def _other_key(self, plain: Plain, hint: str) -> Expression:
        """Any key that has no schema of its own."""
        if not plain.properties:
            return _STRING
        named = choice([_text(key) for key in plain.properties])
        return Reference(self._terminal(f"{hint} key", Exclusion(_STRING, named)))

    def _array(self, plain: Plain, hint: str) -> Expression:
        rest = self.value(plain.items, f"{hint} item")
        more: Expression | None = None if rest is None else Repeat(sequence([Literal(","), rest]), 0, None)
        first = rest
        for schema in reversed(plain.first_items):
            value = self.value(schema, f"{hint} item")
            if value is None:
                first = more = None
                continue
            following = [] if first is None else [optional(sequence([Literal(","), first, *_some(more)]))]
            first, more = value, sequence(following) if following else None
        return _bracketed("[", None if first is None else sequence([first, *_some(more)]), "]")

    def _constant(self, value: Json) -> Expression:
        """The texts of one value."""
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, dict):
            members = [
                sequence([_text(key), Literal(":"), self._constant(one)]) for key, one in value.items()
            ]
            return _listed("{", choice(members), "}") if members else sequence([Literal("{"), Literal("}")])
        if isinstance(value, list):
            items: list[Expression] = []
            for one in value:
                items.extend([*([Literal(",")] if items else []), self._constant(one)])
            return sequence([Literal("["), *items, Literal("]")])
        return Literal(json.dumps(value))

    def _terminal(self, hint: str, expression: Expression) -> str:
        name = self._name(hint)
        self.rules[name] = Rule(name, expression, lexical=True)
        return name


def _is_unknown(word: str) -> bool:
    """Whether no draft has the keyword, and it is no extension, which begin with x-."""
    return word not in _ANNOTATIONS | _FOLLOWED | _WIDENED and not word.startswith("x-")


def _text(value: str) -> Expression:
    """A string as it is written: with its own characters, or with escapes for all but ASCII."""
    spellings = (json.dumps(value, ensure_ascii=False), json.dumps(value))
    return choice([Literal(one) for one in spellings])


def _some(expression: Expression | None) -> list[Expression]:
    return [] if expression is None else [expression]


def _listed(opening: str, item: Expression, closing: str) -> Expression:
    """Brackets around any number of items with commas between them."""
    return _bracketed(opening, sequence([item, Repeat(sequence([Literal(","), item]), 0, None)]), closing)


def _bracketed(opening: str, content: Expression | None, closing: str) -> Expression:
    return sequence([Literal(opening), *([] if content is None else [optional(content)]), Literal(closing)])


def _generic() -> tuple[Rule, ...]:
    """Any JSON value."""
    words = [Literal("true"), Literal("false"), Literal("null")]
    member = sequence([_STRING, Literal(":"), _ANY])
    return (
        Rule(
            "value", choice([Reference("object"), Reference("array"), _STRING, Reference("number"), *words])
        ),
        Rule("object", _listed("{", member, "}")),
        Rule("array", _listed("[", _ANY, "]")),
    )


def _note(word: str, text: str) -> Diagnostic:
    return Diagnostic(
        "note",
        "unknown-keyword",
        f"the keyword {word!r} is of no JSON schema draft that is known here, and is passed over",
        span=_place(text, word),
    )


def _malformed(word: str, text: str) -> Diagnostic:
    return Diagnostic(
        "warning",
        "bad-files",
        f"{word} is no list of strings; what is no string in it is passed over",
        f'write it as "{word}": ["..."]',
        _place(text, word),
    )


def _place(text: str, culprit: str | None) -> Span | None:
    """Where the string stands first in the schema's text."""
    at = -1 if culprit is None else text.find(json.dumps(culprit, ensure_ascii=False))
    if at < 0 or culprit is None:
        return None
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return Span(line, column, line, column + len(culprit) + 2)


def _refusal(message: str, advice: str, span: Span | None = None) -> GrammarError:
    return GrammarError([Diagnostic("error", "bad-schema", message, advice, span)])
