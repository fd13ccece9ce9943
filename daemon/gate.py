"""Whether a document is completed at all: switches, excluded files, size. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.api.messages import NothingReason, Trigger
from daemon.config import Config
from daemon.documents import Document
from daemon.globs import matches_glob

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
    """Whether one of the globs matches the path of `uri` in either of its readings (`matches_glob`)."""
    return matches_glob(uri, patterns)


def _is_larger(text: str, max_bytes: int) -> bool:
    """Whether the text has more bytes in UTF-8, encoding it only if its length does not tell."""
    if len(text) > max_bytes or text.isascii():
        return len(text) > max_bytes
    return _MOST_BYTES * len(text) > max_bytes and len(text.encode()) > max_bytes
