"""Whether a document is completed at all: switches, excluded files, size. Pure."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from daemon.api.messages import NothingReason, Trigger
from daemon.config import Config
from daemon.documents import Document


def refusal(config: Config, document: Document, trigger: Trigger) -> NothingReason | None:
    """Why `document` gets no completion; None if it does."""
    completion = config.completion_for(document.language)
    if is_excluded(document.name, config.files.exclude):
        return "excluded_file"
    if not completion.enabled:
        return "disabled"
    if completion.trigger == "manual" and trigger == "automatic":
        return "manual_only"
    if len(document.text) > config.files.max_bytes:
        return "file_too_large"
    return None


def is_excluded(uri: str, patterns: tuple[str, ...]) -> bool:
    """Whether a document's path matches one of the globs; a pattern without / matches the name in any folder."""
    path = PurePosixPath(unquote(urlsplit(uri).path).replace("\\", "/"))
    for pattern in patterns:
        if "/" not in pattern:
            if any(fnmatchcase(part.lower(), pattern.lower()) for part in (path.name,)):
                return True
        elif fnmatchcase(str(path), pattern) or fnmatchcase(str(path), f"*/{pattern.lstrip('/')}"):
            return True
    return False
