"""Whether a document is completed at all: switches, excluded files, size. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import unquote

from daemon.api.messages import NothingReason, Trigger
from daemon.config import Config
from daemon.documents import Document

_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:(//[^/]*)?")
"""Of at least two letters: one alone is a drive."""
_QUERY: Final = re.compile(r"[?#].*", re.DOTALL)
"""Or a part of the path, where an editor does not encode # and ?: a path is excluded if either reading is."""
_MOST_BYTES: Final = 4
"""Of one character, in UTF-8."""


def refusal(config: Config, document: Document, trigger: Trigger) -> NothingReason | None:
    """Why `document` gets no completion; None if it does."""
    completion = config.completion_for(document.language)
    if is_excluded(document.name, config.files.exclude):
        return "excluded_file"
    if not completion.enabled:
        return "disabled"
    if completion.trigger == "manual" and trigger == "automatic":
        return "manual_only"
    if _is_larger(document.text, config.files.max_bytes):
        return "file_too_large"
    return None


def is_excluded(uri: str, patterns: Iterable[str]) -> bool:
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


def _is_larger(text: str, max_bytes: int) -> bool:
    """Whether the text has more bytes in UTF-8, encoding it only if its length does not tell."""
    if len(text) > max_bytes or text.isascii():
        return len(text) > max_bytes
    return _MOST_BYTES * len(text) > max_bytes and len(text.encode()) > max_bytes
