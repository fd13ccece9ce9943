"""Open documents in which the daemon suggests nothing, whatever is asked, and why: as its answers say. Pure."""

from __future__ import annotations

from typing import Final

from daemon.api.messages import NothingReason
from daemon.api.reasons import in_words

_OF_THE_DOCUMENT: Final = frozenset({"disabled", "excluded_file", "ignored_file", "file_too_large"})
_OF_THE_QUESTION: Final = frozenset({"no_document", "stale_version", "cancelled", "superseded"})
"""What says nothing of the document."""


class LeftOut:
    """Of one client."""

    def __init__(self) -> None:
        self.why: dict[str, str] = {}
        """By URI, in words for people."""

    def note(self, document: str, reason: NothingReason | None) -> bool:
        """Take in the reason of an answer, None where it had suggestions; whether that is news."""
        if reason in _OF_THE_QUESTION:
            return False
        before, now = self.why.pop(document, None), in_words(reason) if reason in _OF_THE_DOCUMENT else None
        if now is not None:
            self.why[document] = now
        return now != before

    def forget(self, document: str) -> None:
        """It is closed, or opened anew."""
        self.why.pop(document, None)
