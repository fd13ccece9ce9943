"""A schema's pattern becomes a regular expression only where both surely mean the same."""

from __future__ import annotations

import re

import pytest

from grammars.schema_patterns import string_pattern


@pytest.mark.parametrize(
    ("pattern", "legal", "illegal"),
    [
        ("^[a-z]{2,4}-[0-9]+$", ['"ab-1"', '"abcd-12"'], ['"a-1"', '"ab-"', "ab-1", '"abcde-1"']),
        (r"^\d{4}-\d\d$", ['"2026-11"'], ['"2026-1"', '"２026-11"']),
        (r"^\w+(\.\w+)*$", ['"a.b_c"'], ['"a..b"', '"a."']),
        ("^(?:on|off)$", ['"on"', '"off"'], ['"onoff"', '"offx"']),
        (r"^#[A-F\d]{3}$", ['"#1AF"'], ['"#1ag"']),
        (r"^[a-c&~\-]+?$", ['"a&~-"'], ['"d"']),
        (r"^\/v1\/(x|y)*$", ['"/v1/xyx"'], ['"/v1"']),
        ("^[a-]+$", ['"a-"'], ['"b"']),
        (r"^[\[\|||&&]+$", ['"[|&"'], ['"a"', '"\\\\"']),
        ("^$", ['""'], ['"a"']),
    ],
)
def test_a_simple_pattern_is_followed(pattern: str, legal: list[str], illegal: list[str]) -> None:
    found = string_pattern(pattern)
    assert found is not None
    assert [text for text in legal if not re.fullmatch(found, text)] == []
    assert [text for text in illegal if re.fullmatch(found, text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        None,
        "abc",
        "^abc",
        "^a|b$",
        "^.*$",
        "^[^a]$",
        r"^\D$",
        r"^[\W]$",
        r"^\bword$",
        '^"$',
        r"^a\\b$",
        "^ü$",
        "^(a$",
        "^a)b(c$",
        "^(?=a)b$",
        "^[z-a]$",
        "^*$",
        "^(+a)$",
        "^a**$",
        "^a+??$",
        "^(a|?)$",
        "^[--/]$",
        r"^\$",
    ],
)
def test_any_other_pattern_is_left_alone(pattern: str | None) -> None:
    assert string_pattern(pattern) is None
