"""Whether a document is completed at all: switches, excluded and ignored files, size. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from daemon.api.messages import NothingReason, Trigger
from daemon.config import Config
from daemon.documents import Document
from daemon.globs import matches_glob


def refusal(
    config: Config, document: Document, trigger: Trigger, *, git_ignores: bool | None = False
) -> NothingReason | None:
    """Why `document` gets no completion; None if it does.

    git_ignores: whether git ignores its file; None: that is not known yet, and counts as if it did.
    """
    completion = config.completion_for(document.language)
    if _is_excluded(document.name, config.files.exclude):
        return "excluded_file"
    if git_ignores is not False:
        return "ignored_file"
    if not completion.enabled:
        return "disabled"
    if completion.trigger == "manual" and trigger == "automatic":
        return "manual_only"
    if document.n_bytes > config.files.max_bytes:
        return "file_too_large"
    return None


def is_excluded(uri: str, patterns: Iterable[str]) -> bool:
    """Whether one of the globs matches the path of `uri` in either of its readings (`matches_glob`)."""
    return matches_glob(uri, patterns)


@lru_cache(maxsize=256)
def _is_excluded(uri: str, patterns: tuple[str, ...]) -> bool:
    """The same, remembered: it is asked at every key."""
    return is_excluded(uri, patterns)
