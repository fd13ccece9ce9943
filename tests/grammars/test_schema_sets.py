"""Combinations of JSON schemas are reduced to sets that hold at least what the schema allows."""

# ruff: noqa: E501  (tables of schemas)

from __future__ import annotations

from typing import Any

import pytest

from grammars.schema_sets import MAX_ALTERNATIVES, TYPES, BadSchema, Plain, Schemas


def alternatives(schema: Any) -> list[Plain]:
    return Schemas(schema).alternatives(schema)


def types(schema: Any) -> list[set[str]]:
    return [set(one.types) for one in alternatives(schema)]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, [{"string"}]),
        ({"type": ["integer", "null"]}, [{"integer", "null"}]),
        ({"type": ["integer", "number"]}, [{"number"}]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, [{"string"}, {"null"}]),
        ({"oneOf": [{"type": "string"}, False]}, [{"string"}]),
        ({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}, [{"string"}]),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "object"]}]}, [{"null"}]),
        ({"allOf": [{"type": "number"}, {"type": ["integer", "string"]}]}, [{"integer"}]),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, []),
        ({"allOf": [False]}, []),
        ({"allOf": [True, {"type": "null"}]}, [{"null"}]),
        ({}, [set(TYPES) - {"integer"}]),
        (False, []),
        (True, [set(TYPES) - {"integer"}]),
    ],
)
def test_types_meet_and_join(schema: Any, expected: list[set[str]]) -> None:
    assert types(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"enum": [1, "a", None, True, [1], {"a": 1}]}, [(1, "a", None, True, [1], {"a": 1})]),
        ({"enum": [1, 1.5, "a", False], "type": ["integer", "boolean"]}, [(1, False)]),
        ({"enum": [1, "a"], "type": "number"}, [(1,)]),
        ({"const": {"b": 1, "a": 2}}, [({"b": 1, "a": 2},)]),
        ({"const": 1, "enum": [1, 2]}, [(1,)]),
        ({"const": 3, "enum": [1, 2]}, []),
        ({"enum": []}, []),
        ({"enum": ["a"], "type": "null"}, []),
        ({"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 2]}]}, [(2, 3)]),
        ({"allOf": [{"enum": [1]}, {"enum": [2]}]}, []),
        ({"allOf": [{"enum": [1, "a"]}, {"type": "string"}]}, [("a",)]),
        ({"allOf": [{"type": "string"}, {"enum": [1, "a"]}]}, [("a",)]),
    ],
)
def test_listed_values_meet_types_and_each_other(schema: Any, expected: list[tuple[Any, ...]]) -> None:
    assert [one.values for one in alternatives(schema)] == expected


def test_properties_of_all_parts_are_kept_and_the_same_one_meets_both_schemas() -> None:
    [plain] = alternatives(
        {
            "properties": {"a": {"type": "string"}, "b": {"minimum": 1}},
            "additionalProperties": False,
            "allOf": [
                {"properties": {"b": {"maximum": 2}, "c": True}},
                {"properties": {"b": {"minimum": 1}, "d": {}}},
            ],
        }
    )
    assert list(plain.properties) == ["a", "b", "c", "d"]
    assert plain.properties["b"] == {"allOf": [{"minimum": 1}, {"maximum": 2}]}
    assert plain.properties["c"] is True
    assert plain.other_properties == ()


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({}, {}, (True,)),
        ({"additionalProperties": False}, {"properties": {"a": True}}, ()),
        ({"additionalProperties": {"type": "null"}}, {"additionalProperties": False}, ()),
        ({"additionalProperties": {"type": "null"}}, {"properties": {"a": True}}, ({"type": "null"},)),
        ({"properties": {"a": True}}, {"additionalProperties": {"type": "null"}}, ({"type": "null"},)),
        (
            {"additionalProperties": {"type": "null"}},
            {"additionalProperties": {"type": "string"}},
            ({"type": "null"}, {"type": "string"}),
        ),
        ({"patternProperties": {"^x": {"type": "null"}}}, {"type": "object"}, ({"type": "null"}, True)),
        (
            {"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False},
            {"type": "object"},
            ({"type": "null"},),
        ),
    ],
)
def test_other_members_are_those_that_either_part_describes(
    left: Any, right: Any, expected: tuple[Any, ...]
) -> None:
    [plain] = alternatives({"allOf": [left, right]})
    assert plain.other_properties == expected


@pytest.mark.parametrize(
    ("schema", "first", "rest"),
    [
        ({"items": {"type": "null"}}, (), {"type": "null"}),
        ({"items": [True, {}], "additionalItems": False}, (True, {}), False),
        ({"items": [True]}, (True,), True),
        ({"prefixItems": [{}], "items": False}, ({},), False),
        ({"prefixItems": {}}, (), True),
        ({"allOf": [{"prefixItems": [True], "items": {}}, {"items": False}]}, (True,), {}),
        ({"allOf": [{"items": {"minimum": 1}}, {"items": {"maximum": 2}}]}, (), {"allOf": [{"minimum": 1}, {"maximum": 2}]}),
        ({"allOf": [{"type": "array"}, {"prefixItems": [True]}]}, (True,), True),
    ],
)  # fmt: skip
def test_items_are_read_as_either_draft_writes_them(schema: Any, first: Any, rest: Any) -> None:
    [plain] = alternatives(schema)
    assert (plain.first_items, plain.items) == (first, rest)


def test_meeting_the_same_parts_again_makes_nothing_larger() -> None:
    schema: Any = {"allOf": [{"properties": {"a": {"allOf": [{"minimum": 1}]}}}] * 3}
    schema["allOf"].append({"properties": {"a": {"maximum": 2}}})
    schema["allOf"].append({"properties": {"a": {"minimum": 1}}})
    [plain] = alternatives(schema)
    assert plain.properties["a"] == {"allOf": [{"minimum": 1}, {"maximum": 2}]}


def test_too_many_combinations_leave_the_larger_set() -> None:
    options = [{"properties": {f"p{number}": {"type": "null"}}} for number in range(12)]
    schema = {
        "allOf": [{"anyOf": options}, {"anyOf": [{"properties": {"q": True}, "type": "object"}, *options]}]
    }
    assert len(alternatives(schema)) == 12 <= MAX_ALTERNATIVES


@pytest.mark.parametrize(
    "reference",
    ["#/$defs/a", "#/$defs/a~1b", "#/$defs/a~0b", "#/$defs/a%20b", "#named", "#old", "#/anyOf/1", "https://x.example/s#/$defs/a"],
)  # fmt: skip
def test_references_are_followed(reference: str) -> None:
    null = {"type": "null"}
    root: Any = {
        "$id": "https://x.example/s",
        "$defs": {
            "a": null,
            "a/b": null,
            "a~b": null,
            "a b": null,
            "c": {"$anchor": "named", "type": "null"},
            "d": {"$id": "#old", "type": "null"},
        },
        "anyOf": [True, null],
    }
    schemas = Schemas(root)
    found = schemas.target({"$ref": reference})
    assert isinstance(found, dict)
    assert found["type"] == "null"
    assert [set(one.types) for one in schemas.alternatives({"$ref": reference, "title": "t"})] == [{"null"}]


@pytest.mark.parametrize("schema", [{"$ref": "other.json#/a"}, {"$ref": "#"}])
def test_what_is_elsewhere_and_what_goes_in_circles_may_be_anything(schema: Any) -> None:
    assert Schemas(schema).target(schema) is True
    assert Schemas(schema).alternatives(schema) == [Plain()]


def test_a_schema_that_meets_itself_is_what_it_says_besides() -> None:
    schema = {"type": "null", "allOf": [{"$ref": "#"}]}
    assert [set(one.types) for one in Schemas(schema).alternatives(schema)] == [{"null"}]


@pytest.mark.parametrize(
    ("schema", "message", "culprit"),
    [
        ({"type": "strng"}, "there is no type 'strng'", "strng"),
        ({"type": []}, "type takes the name of a type, or several in a list", "type"),
        ({"type": [3, "null"]}, "type takes the name of a type, or several in a list", "type"),
        ({"enum": "a"}, "enum takes a list of values", "enum"),
        ({"properties": []}, "properties takes an object: names, and a schema for each", "properties"),
        ({"allOf": {}}, "allOf takes a list of schemas", "allOf"),
        ({"anyOf": ["a"]}, "anyOf takes a list of schemas", "anyOf"),
        ({"$ref": "#/$defs/missing"}, "$ref '#/$defs/missing' leads nowhere in this file", "#/$defs/missing"),
        ({"$ref": "#/anyOf/7", "anyOf": [{}]}, "$ref '#/anyOf/7' leads nowhere in this file", "#/anyOf/7"),
        ({"$ref": "#missing"}, "$ref '#missing' leads nowhere in this file", "#missing"),
        ({"$ref": "#/title", "title": "t"}, "$ref '#/title' leads to what is no schema", "#/title"),
        ({"$ref": 3}, "$ref takes a string", "$ref"),
    ],
)
def test_what_can_not_be_meant_is_named(schema: Any, message: str, culprit: str) -> None:
    with pytest.raises(BadSchema) as caught:
        alternatives(schema)
    assert (caught.value.message, caught.value.culprit) == (message, culprit)
    assert caught.value.advice


@pytest.mark.parametrize(("value", "culprit"), [("string", "string"), (3, None)])
def test_what_stands_in_the_place_of_a_schema_is_named(value: Any, culprit: str | None) -> None:
    with pytest.raises(BadSchema, match="stands where a schema should") as caught:
        Schemas(True).target(value)
    assert caught.value.culprit == culprit
    assert Schemas(True).target({"$ref": "#"}) is True
