"""Why nothing was suggested, in words that say what to do. The codes are `daemon.api.messages.NothingReason`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_document": "the document is not open in the daemon",
        "stale_version": "the document changed while the question was on its way",
        "cancelled": "it was no longer wanted: the text or the cursor had moved on",
        "superseded": "a newer question took its place",
        "disabled": "completion is off here (completion.enabled, or the language's own table)",
        "manual_only": 'this language is completed only when asked for (completion.trigger = "manual")',
        "in_comment": "comments are not completed, or only when asked for (completion.comments)",
        "in_string": "strings are not completed, or only when asked for (completion.strings)",
        "excluded_file": "the file's name says that it holds secrets, or Draftwire's own setting exclude names it",
        "ignored_file": "git ignores the file (.gitignore), or that is still being looked at",
        "file_too_large": "the file is larger than files.max_bytes",
        "model_loading": "the draft model is still loading; ask again in a few seconds",
        "model_failed": "the draft model does not work; run: draftwire doctor",
        "empty_draft": "the model would write nothing here",
        "filtered_duplicate": "the model would only repeat what follows the cursor",
        "filtered_repetition": "the model would only repeat itself",
        "filtered_blank": "the model would write only blanks",
        "filtered_grammar": "nothing of what the model would write fits the grammar and the text after the cursor",
        "grammar_unused": "the grammar of this language is not in use (yet), and nothing is suggested without it",
        "mid_word": "the cursor is inside a word, or before one",
        "secret": "a key or a password is being written here, and no model reads it",
        "timeout": "not there within display.answer_ms; it is shown as soon as it is",
        "internal_error": "a defect of the daemon; its log says more (its place: draftwire doctor)",
    }
)


def in_words(reason: str | None) -> str:
    """The reason for people; a code that a newer daemon has is given as it is."""
    return REASONS.get(reason or "", reason or "the daemon gave no reason")
