"""A JSON schema as a grammar: the right keys and values are offered, and nothing that the schema allows is refused."""

# ruff: noqa: E501  (tables of schemas)

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from grammars import json_schema
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import GrammarError, Span
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from grammars.json_schema import compile_schema


@cache
def table() -> TokenTable:
    return TokenTable([bytes([byte]) for byte in range(256)] + [b"<end>"], control_ids=(), stop_ids=(256,))


def compiled(schema: Any) -> CompiledGrammar:
    return compile_schema(json.dumps(schema), name="settings")


@cache
def _loaded(schema_text: str) -> LlguidanceRecogniser:
    return load(compile_schema(schema_text, name="settings"), table())


def allows(schema: Any, text: str) -> bool:
    recogniser = _loaded(json.dumps(schema)).copy()
    data = list(text.encode())
    return recogniser.consume(data) == len(data) and recogniser.accepting()


def offered(schema: Any, text: str) -> set[str]:
    """The characters that may come next."""
    recogniser = _loaded(json.dumps(schema)).copy()
    data = list(text.encode())
    assert recogniser.consume(data) == len(data)
    return {chr(byte) for byte in range(33, 127) if recogniser.mask()[byte]}


SERVICE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Service settings",
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "port": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["fast", "slow", None, 3, -1.5, True]},
        "城市": {"const": "上海"},
        "id": {"type": "string", "pattern": "^[a-z]{2}-[0-9]+$"},
        "weights": {"type": "object", "additionalProperties": {"type": "number"}},
        "pair": {"prefixItems": [{"type": "string"}, {"type": "number"}], "items": {"type": "boolean"}, "type": "array"},
        "either": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/node"}]},
        "open": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "shape": {"allOf": [{"$ref": "#/$defs/node"}, {"properties": {"name": {"type": "string"}}}]},
        "anything": {},
        "fixed": {"const": {"a": [1, "b"], "c": {}}},
        "empty": {"type": "array", "items": False},
        "none": {"type": "object", "additionalProperties": False},
        "flag": {"type": "boolean"},
        "never": False,
        "loose": {"properties": {"deep": {"type": "null"}}},
    },
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"value": {"type": "number"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "additionalProperties": False,
        }
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"name": "x", "port": 80}',
        '{"port": -1.0e2, "name": ""}',
        ' {\n"port" : 1\n} ',
        '{"mode": "fast"}',
        '{"mode": null}',
        '{"mode": 3}',
        '{"mode": -1.5}',
        '{"mode": true}',
        '{"城市": "上海"}',
        '{"\\u57ce\\u5e02": "\\u4e0a\\u6d77"}',
        '{"id": "ab-12"}',
        '{"weights": {"a": 1.5, "b": -2}}',
        '{"pair": []}',
        '{"pair": ["a"]}',
        '{"pair": ["a", 1, true, false]}',
        '{"either": "s"}',
        '{"either": {"children": [{"value": 1, "children": []}]}}',
        '{"open": {"y": [1, {"z": null}], "x": 1, "xx": "s"}}',
        '{"shape": {"value": 1, "name": "n", "children": [{}]}}',
        '{"anything": [{"a": "b"}, 1, true, false, null]}',
        '{"fixed": {"a": [1, "b"], "c": {}}}',
        '{"empty": []}',
        '{"none": {}}',
        '{"flag": true}',
        '{"loose": {"deep": null, "other": 1}}',
        '{"loose": 3}',
    ],
)
def test_what_the_schema_allows_is_taken(text: str) -> None:
    assert allows(SERVICE, text)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"name": 1}',
        '{"nam": "x"}',
        '{"port": 1.5}',
        '{"port": "1"}',
        '{"mode": "fas"}',
        '{"mode": false}',
        '{"城市": "北京"}',
        '{"id": "ab12"}',
        '{"weights": {"a": "b"}}',
        '{"pair": [1]}',
        '{"pair": ["a", 1, 2]}',
        '{"either": 1}',
        '{"either": {"children": [{"x": 1}]}}',
        '{"open": {"x": "s"}}',
        '{"shape": {"other": 1}}',
        '{"fixed": {"a": [1, "c"]}}',
        '{"empty": [1]}',
        '{"none": {"a": 1}}',
        '{"never": 1}',
        '{"port": 1,}',
        '{"loose": {"deep": 1}}',
    ],
)
def test_what_the_schema_forbids_is_refused(text: str) -> None:
    assert not allows(SERVICE, text)


def test_only_the_keys_of_the_schema_are_offered() -> None:
    assert offered(SERVICE, '{"p') == {"o", "a"}
    assert offered(SERVICE, '{"weights": {"a": ') == set("-0123456789")
    assert offered(SERVICE, '{"mode": "f') == {"a"}


def test_a_tuple_that_must_stay_empty_from_some_place_on_ends_there() -> None:
    schema = {"type": "array", "items": [{"type": "null"}, False, True], "additionalItems": True}
    assert allows(schema, "[null]")
    assert not allows(schema, "[null, 1]")
    assert allows({"type": "array", "items": [{"type": "null"}], "additionalItems": False}, "[null]")
    assert not allows({"type": "array", "items": [{"type": "null"}], "additionalItems": False}, "[null, 1]")


@pytest.mark.parametrize(
    "schema",
    [{}, True, {"items": True}, {"description": "whatever"}, {"minimum": 3}, {"$ref": "other.json"}, {"$ref": "#"}, {"not": {"type": "null"}}],
)  # fmt: skip
def test_what_is_not_followed_leaves_any_value(schema: Any) -> None:
    for text in ("null", '{"a": [1, "b"]}', "-0.5", '""', "[]"):
        assert allows(schema, text)


def test_a_recursive_combination_comes_to_an_end() -> None:
    schema = {
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"next": {"allOf": [{"$ref": "#/$defs/node"}, {"properties": {"extra": {"type": "null"}}}]}},
                "additionalProperties": False,
            }
        },
        "$ref": "#/$defs/node",
    }  # fmt: skip
    assert allows(schema, '{"next": {"next": {"extra": null, "next": {}}}}')
    assert not allows(schema, '{"next": {"extra": 1}}')


def test_beyond_the_limit_any_value_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_schema, "MAX_RULES", 2)
    schema = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"type": "null"}}}},
    }
    recogniser = load(compiled(schema), table())
    data = list(b'{"a": {"b": 1}}')
    assert recogniser.consume(data) == len(data)


def test_a_keyword_of_no_draft_is_noted_with_its_place() -> None:
    text = '{\n  "type": "object",\n  "propertys": {}, "x-files": []\n}'
    found = compile_schema(text, name="settings").diagnostics
    assert [(one.severity, one.code, one.span) for one in found] == [
        ("note", "unknown-keyword", Span(3, 3, 3, 14))
    ]


def test_it_says_what_it_is() -> None:
    found = compiled(SERVICE)
    assert (found.name, found.dialect, found.diagnostics) == ("settings", "json-schema", ())


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('{\n "type": }', "no JSON", (2, 10)),
        ("[1]", "a schema is a JSON object", (1, 1)),
        ('{\n  "type": "strng"\n}', "there is no type 'strng'", (2, 11)),
        ('{"properties": {"a": {\n"$ref": "#/$defs/b"}}}', "leads nowhere", (2, 9)),
        ('{"properties": {"a": 3}}', "stands where a schema should", None),
        ('{"items": "a\\u00e9b"}', "stands where a schema should", None),
        ("false", "allows no value at all", None),
        ('{"allOf": [{"type": "null"}, {"type": "string"}]}', "allows no value at all", None),
    ],
)
def test_a_bad_schema_is_refused_with_its_place(
    text: str, message: str, place: tuple[int, int] | None
) -> None:
    with pytest.raises(GrammarError, match=message) as caught:
        compile_schema(text, name="settings")
    [found] = caught.value.diagnostics
    assert found.advice
    assert (found.span and (found.span.line, found.span.column)) == place


@pytest.mark.parametrize("text", ["[" * 100_000, '{"not":' * 100_000, '{"items":' * 700 + "true" + "}" * 700])
def test_nesting_beyond_reason_is_refused(text: str) -> None:
    with pytest.raises(GrammarError, match="nested too deeply"):
        compile_schema(text, name="settings")


def test_the_files_and_languages_it_is_for_are_known_to_the_compiled_grammar() -> None:
    found = compiled({"x-draftwire-files": ["*.conf"], "x-draftwire-languages": ["conf"], "type": "object"})
    assert (found.globs, found.languages, found.diagnostics) == (("*.conf",), ("conf",), ())


def test_files_that_are_no_list_are_told() -> None:
    text = '{\n  "x-draftwire-files": "*.conf",\n  "type": "object"\n}'
    found = compile_schema(text, name="settings")
    [warning] = found.diagnostics
    assert found.globs == ()
    assert (warning.severity, warning.code, warning.span) == ("warning", "bad-files", Span(2, 3, 2, 22))


def test_terminals_are_called_by_the_schemas_keys() -> None:
    """Rules of one key have numbers to tell them apart, which are no concern of the author's."""
    code = {"type": "string", "pattern": "^[a-z]+$"}
    other = {"type": "string", "pattern": "^[0-9]+$"}
    found = compiled(
        {
            "type": "object",
            "properties": {"code": code, "in it": {"type": "object", "properties": {"code": other}}},
            "additionalProperties": False,
        }
    )
    named = [one.name for one in found.terminals if one.emitted]
    assert named.count("code") == 2
    assert set(named) == {"code", "in it key", "string", "number", "blanks"}
    assert not any(name[-1].isdigit() for name in found.names.values())
