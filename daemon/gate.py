"""Whether a document is completed, and at which places: switches, excluded and ignored files, size. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from daemon.api.messages import NothingReason, Trigger
from daemon.documents import Document, Place
from daemon.globs import matches_glob
from daemon.scopes import scope_at
from daemon.settings.config import Config


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


def refusal_at(config: Config, place: Place, trigger: Trigger) -> NothingReason | None:
    """Why nothing is completed at a place of a document that is completed otherwise: it is in a comment or a string."""
    completion = config.completion_for(place.document.language)
    by_scope = {"comment": completion.comments, "string": completion.strings}
    if set(by_scope.values()) == {"automatic"}:
        return None
    scope = scope_at(place)
    if scope == "code" or by_scope[scope] == "automatic":
        return None
    if by_scope[scope] == "manual" and trigger == "invoked":
        return None
    return "in_comment" if scope == "comment" else "in_string"


def is_excluded(uri: str, patterns: Iterable[str]) -> bool:
    """Whether one of the globs matches the path of `uri` in either of its readings (`matches_glob`)."""
    return matches_glob(uri, patterns)


@lru_cache(maxsize=256)
def _is_excluded(uri: str, patterns: tuple[str, ...]) -> bool:
    """The same, remembered: it is asked at every key."""
    return is_excluded(uri, patterns)
