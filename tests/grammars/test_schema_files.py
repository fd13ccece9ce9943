"""What a JSON schema says of the files it is for, well and badly written."""

from __future__ import annotations

from typing import Any

import pytest

from grammars.schema_files import FILES, LANGUAGES, malformed, said_of


@pytest.mark.parametrize(
    ("schema", "files", "languages", "wrong"),
    [
        ({}, (), (), []),
        (True, (), (), []),
        ([FILES], (), (), []),
        ({FILES: ["*.x", "a/*.y"], LANGUAGES: ["yaml"]}, ("*.x", "a/*.y"), ("yaml",), []),
        ({FILES: [], LANGUAGES: []}, (), (), []),
        ({FILES: ["*.x", 3]}, ("*.x",), (), [FILES]),
        ({FILES: "*.x", LANGUAGES: {"yaml": 1}}, (), (), [FILES, LANGUAGES]),
    ],
)
def test_strings_in_lists_count(
    schema: Any, files: tuple[str, ...], languages: tuple[str, ...], wrong: list[str]
) -> None:
    assert (said_of(schema, FILES), said_of(schema, LANGUAGES)) == (files, languages)
    assert malformed(schema) == wrong
