"""JSON schemas as sets of values: references followed, combinations reduced to alternatives without any.

`allOf` meets, `anyOf` and `oneOf` join; where an exact answer would take too much, the answer is a larger set. Knows
no grammar.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from urllib.parse import unquote

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Schema: TypeAlias = "dict[str, Json] | bool"

TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
MAX_ALTERNATIVES: Final = 64
"""Of one schema; a combination that would make more is passed over."""
MAX_REFERENCES: Final = 64
"""That lead from one to the next."""
_NUMBERS: Final = frozenset({"number", "integer"})
_ALL: Final = frozenset(TYPES) - {"integer"}
_SCALARS: Final = {"string": str, "boolean": bool, "null": type(None), "object": dict, "array": list}


class BadSchema(Exception):
    """A schema that can't be meant: what is the case, what to do, and a string of it that tells where."""

    def __init__(self, message: str, advice: str, culprit: str | None) -> None:
        super().__init__(message)
        self.message, self.advice, self.culprit = message, advice, culprit


@dataclass(frozen=True, slots=True)
class Plain:
    """A schema without references and combinations."""

    types: frozenset[str] = _ALL
    """At most one of number and integer."""
    values: tuple[Json, ...] | None = None
    """From enum and const; None: not listed."""
    properties: Mapping[str, Json] = field(default_factory=dict)
    other_properties: tuple[Json, ...] = (True,)
    """Schemas of which a member without a schema of its own follows one; none: there is no such member."""
    first_items: tuple[Json, ...] = ()
    items: Json = True
    """Of all items after the first ones."""
    pattern: str | None = None

    @property
    def free(self) -> bool:
        """Whether any value will do."""
        return self == Plain()


class Schemas:
    """One schema file."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._anchors: dict[str, Schema] | None = None

    def target(self, schema: Json) -> Schema:
        """The schema itself, or what a reference that stands alone leads to. A circle of references: true."""
        for _ in range(MAX_REFERENCES):
            if not isinstance(schema, dict | bool):
                raise _misplaced(schema)
            if isinstance(schema, bool) or not _only_reference(schema):
                return schema
            schema = self._resolved(schema["$ref"])
        return True

    def alternatives(self, schema: Schema, seen: frozenset[str] = frozenset()) -> list[Plain]:
        """Plain schemas that together allow what this one allows, or more. None at all: it allows nothing."""
        if isinstance(schema, bool):
            return [Plain()] if schema else []
        found = [one for one in [_plain(schema)] if one is not None]
        reference = schema.get("$ref")
        if reference is not None:
            key = json.dumps(reference)
            if key not in seen:
                found = _met(found, self.alternatives(self._resolved(reference), seen | {key}))
        for part in _schemas(schema, "allOf"):
            found = _met(found, self.alternatives(part, seen))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                parts = [one for part in _schemas(schema, word) for one in self.alternatives(part, seen)]
                found = _met(found, parts)
        return found

    def _resolved(self, reference: Json) -> Schema:
        if not isinstance(reference, str):
            raise BadSchema("$ref takes a string", 'write it like "#/$defs/name"', "$ref")
        base, _, fragment = reference.partition("#")
        root_id = self._root.get("$id", "") if isinstance(self._root, dict) else ""
        if base and base != str(root_id).partition("#")[0]:
            return True
        if fragment and not fragment.startswith("/"):
            return self._anchored(unquote(fragment), reference)
        found: Json = self._root
        for step in fragment.split("/")[1:]:
            word = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and word in found:
                found = found[word]
            elif isinstance(found, list) and word.isdecimal() and int(word) < len(found):
                found = found[int(word)]
            else:
                raise _nowhere(reference)
        if not isinstance(found, dict | bool):
            raise BadSchema(
                f"$ref {reference!r} leads to what is no schema", "a schema is an object", reference
            )
        return found

    def _anchored(self, name: str, reference: str) -> Schema:
        if self._anchors is None:
            self._anchors = dict(_anchors(self._root))
        if name not in self._anchors:
            raise _nowhere(reference)
        return self._anchors[name]


def _anchors(root: Json) -> list[tuple[str, Schema]]:
    found: list[tuple[str, Schema]] = []
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for word in ("$anchor", "$dynamicAnchor", "$id", "id"):
                name = one.get(word)
                if isinstance(name, str) and (word.endswith("nchor") or name.startswith("#")):
                    found.append((name.removeprefix("#"), one))
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return found


def _only_reference(schema: Mapping[str, Json]) -> bool:
    beside = {
        "allOf",
        "anyOf",
        "oneOf",
        "type",
        "properties",
        "patternProperties",
        "additionalProperties",
        "items",
    }
    return "$ref" in schema and not (schema.keys() & (beside | {"prefixItems", "enum", "const", "pattern"}))


def _schemas(schema: Mapping[str, Json], word: str) -> list[Schema]:
    value = schema.get(word, [])
    if not isinstance(value, list) or not all(isinstance(one, dict | bool) for one in value):
        raise BadSchema(f"{word} takes a list of schemas", "put it in square brackets", word)
    return [one for one in value if isinstance(one, dict | bool)]


def _plain(schema: Mapping[str, Json]) -> Plain | None:
    """What the schema says by itself; None: it allows nothing."""
    types = _types(schema)
    pattern = schema.get("pattern")
    first, items = _items(schema)
    plain = Plain(
        types=types,
        values=_values(schema, types),
        properties=_mapping(schema, "properties"),
        other_properties=_other_properties(schema),
        first_items=first,
        items=items,
        pattern=pattern if isinstance(pattern, str) else None,
    )
    return None if plain.values == () else plain


def _types(schema: Mapping[str, Json]) -> frozenset[str]:
    named = schema.get("type")
    if named is None:
        return _ALL
    listed = named if isinstance(named, list) else [named]
    found = frozenset(one for one in listed if isinstance(one, str))
    for one in sorted(found - set(TYPES)):
        raise BadSchema(f"there is no type {one!r}", f"the types are {', '.join(TYPES)}", one)
    if not found or len(found) < len(listed):
        raise BadSchema(
            "type takes the name of a type, or several in a list", f"the types are {', '.join(TYPES)}", "type"
        )
    return found - {"integer"} if "number" in found else found


def _values(schema: Mapping[str, Json], types: frozenset[str]) -> tuple[Json, ...] | None:
    listed = schema.get("enum")
    if listed is not None and not isinstance(listed, list):
        raise BadSchema("enum takes a list of values", "put them in square brackets", "enum")
    if "const" in schema:
        listed = [schema["const"]] if listed is None or _among(schema["const"], listed) else []
    return None if listed is None else tuple(one for one in listed if _of_types(one, types))


def _of_types(value: Json, types: frozenset[str]) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number" in types or ("integer" in types and value == int(value))
    return any(isinstance(value, python) and kind in types for kind, python in _SCALARS.items())


def _among(value: Json, values: Sequence[Json]) -> bool:
    return json.dumps(value, sort_keys=True) in {json.dumps(one, sort_keys=True) for one in values}


def _mapping(schema: Mapping[str, Json], word: str) -> dict[str, Json]:
    value = schema.get(word, {})
    if not isinstance(value, dict):
        raise BadSchema(f"{word} takes an object: names, and a schema for each", "put it in braces", word)
    return value


def _other_properties(schema: Mapping[str, Json]) -> tuple[Json, ...]:
    by_pattern = list(_mapping(schema, "patternProperties").values())
    others = schema.get("additionalProperties", True)
    return tuple(by_pattern + ([] if others is False else [others]))


def _items(schema: Mapping[str, Json]) -> tuple[tuple[Json, ...], Json]:
    """The first items and the rest, as either draft writes them."""
    items, first = schema.get("items", True), schema.get("prefixItems")
    if isinstance(items, list):
        return tuple(items), schema.get("additionalItems", True)
    return (tuple(first) if isinstance(first, list) else ()), items


def _met(left: list[Plain], right: list[Plain]) -> list[Plain]:
    """Both at once, for every pair; too many pairs: what is on the left."""
    if len(left) * len(right) > MAX_ALTERNATIVES:
        return left
    found: list[Plain] = []
    for one in (_meeting(a, b) for a in left for b in right):
        if one is not None and one not in found:
            found.append(one)
    return found


def _meeting(left: Plain, right: Plain) -> Plain | None:
    """What both allow, or more; None: nothing."""
    if left.free or right.free:
        return right if left.free else left
    types = left.types & right.types
    if not types & _NUMBERS and left.types & _NUMBERS and right.types & _NUMBERS:
        types |= {"integer"}
    values = left.values if right.values is None else right.values
    if left.values is not None and right.values is not None:
        values = tuple(one for one in left.values if _among(one, right.values))
    if values is not None:
        values = tuple(one for one in values if _of_types(one, types))
    if not types or values == ():
        return None
    return Plain(
        types=types,
        values=values,
        properties={
            key: _both(left.properties.get(key, True), right.properties.get(key, True))
            for key in {**left.properties, **right.properties}
        },
        other_properties=_both_others(left.other_properties, right.other_properties),
        first_items=left.first_items or right.first_items,
        items=_both(left.items, right.items)
        if not (left.first_items or right.first_items)
        else (left if left.first_items else right).items,
        pattern=left.pattern or right.pattern,
    )


def _both_others(left: tuple[Json, ...], right: tuple[Json, ...]) -> tuple[Json, ...]:
    if left == (True,) or right == (True,):
        return right if left == (True,) else left
    return () if not left or not right else tuple({json.dumps(one): one for one in left + right}.values())


def _both(left: Json, right: Json) -> Json:
    """A schema for what both allow; one of them if the other adds nothing."""
    if left is True or right is True or left == right:
        return right if left is True else left
    parts: dict[str, Json] = {}
    for one in (left, right):
        inner = one.get("allOf") if isinstance(one, dict) and one.keys() == {"allOf"} else None
        parts.update(
            {json.dumps(part, sort_keys=True): part for part in (inner if isinstance(inner, list) else [one])}
        )
    return {"allOf": list(parts.values())}


def _misplaced(value: Json) -> BadSchema:
    culprit = value if isinstance(value, str) else None
    return BadSchema(f"{json.dumps(value)[:40]} stands where a schema should", 'write {"type": ...}', culprit)


def _nowhere(reference: str) -> BadSchema:
    return BadSchema(
        f"$ref {reference!r} leads nowhere in this file", "check the spelling and the path", reference
    )
