"""Whether a document's URI matches globs of files, as the settings and the grammars write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import unquote

_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:(//[^/]*)?")
"""Of at least two letters: one alone is a drive."""
_QUERY: Final = re.compile(r"[?#].*", re.DOTALL)
"""Or a part of the path, where an editor does not encode # and ?: a path matches if either reading does."""


def matches_glob(uri: str, patterns: Iterable[str]) -> bool:
    """Whether one of the globs matches the path of `uri` (an editor's URI, or a bare path), whatever its case.

    A pattern without / matches the file's name; one that begins with / the whole path; any other a part of it from
    some folder on. `*` stands for any characters, / included; a pattern that ends with / means all in that folder.
    """
    paths = {_path(uri), _path(_QUERY.sub("", uri))}
    forms = [pattern.replace("\\", "/").lower() for pattern in patterns]
    return any(fnmatchcase(*_subject(path, form)) for path in paths for form in forms)


def _path(uri: str) -> str:
    """The path in lower case, with / between its parts."""
    return unquote(_SCHEME.sub("", uri)).replace("\\", "/").lower()


def _subject(path: str, pattern: str) -> tuple[str, str]:
    """What of the path a pattern is held against, and the pattern in the form `fnmatch` takes."""
    if "/" not in pattern:
        return path.rpartition("/")[2], pattern
    within = pattern + "*" if pattern.endswith("/") else pattern
    whole = path if path.startswith("/") else f"/{path}"
    return whole, within if within.startswith("/") else f"*/{within.removeprefix('**/')}"
