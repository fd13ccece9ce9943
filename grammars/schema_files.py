"""Which files a JSON schema says it is for, in keywords of ours that other tools pass over. Values in, values out."""

from __future__ import annotations

from typing import Any, Final

FILES: Final = "x-draftwire-files"
"""A list of globs."""
LANGUAGES: Final = "x-draftwire-languages"
"""A list of language ids of editors."""


def said_of(schema: Any, keyword: str) -> tuple[str, ...]:
    """The strings in the list under FILES or LANGUAGES; what is no string, or no list, is passed over."""
    found = schema.get(keyword) if isinstance(schema, dict) else None
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def malformed(schema: Any) -> list[str]:
    """Which of the two keywords are there and are no lists of strings."""
    return [
        word
        for word in (FILES, LANGUAGES)
        if isinstance(schema, dict) and word in schema and list(said_of(schema, word)) != schema[word]
    ]
