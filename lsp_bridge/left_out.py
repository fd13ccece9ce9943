"""Open documents in which the daemon suggests nothing, whatever is asked, and why: as its answers say. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.api.messages import NothingReason

WHY: Final[Mapping[NothingReason, str]] = {
    "disabled": "completion is switched off here",
    "excluded_file": "the file is excluded (files with secrets always are)",
    "ignored_file": "git ignores the file",
    "file_too_large": "the file is larger than files.max_bytes",
}
"""In words for people, a clause each."""
_OF_THE_QUESTION: Final = frozenset({"no_document", "stale_version", "cancelled", "superseded"})
"""What says nothing of the document."""


class LeftOut:
    """Of one client."""

    def __init__(self) -> None:
        self.why: dict[str, str] = {}
        """By URI."""

    def note(self, document: str, reason: NothingReason | None) -> bool:
        """Take in the reason of an answer, None where it had suggestions; whether that is news."""
        if reason in _OF_THE_QUESTION:
            return False
        before, now = self.why.pop(document, None), WHY.get(reason) if reason else None
        if now is not None:
            self.why[document] = now
        return now != before

    def forget(self, document: str) -> None:
        """It is closed, or opened anew."""
        self.why.pop(document, None)
