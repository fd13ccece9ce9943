"""Every reason for nothing has words."""

from __future__ import annotations

from typing import get_args

from daemon.api.messages import NothingReason
from daemon.api.reasons import REASONS, in_words
from daemon.settings.config import SECTIONS
from daemon.settings.settings_schema import settings_of


def test_the_table_is_complete_and_holds_nothing_else() -> None:
    assert set(REASONS) == set(get_args(NothingReason))
    assert all(
        words and not words.endswith(".") and "_" not in words.split()[0] for words in REASONS.values()
    )


def test_the_settings_it_names_are_there() -> None:
    names = {f"{section}.{key}" for section, kind in SECTIONS.items() for key in settings_of(kind)}
    for reason, setting in [
        ("disabled", "completion.enabled"),
        ("manual_only", "completion.trigger"),
        ("in_comment", "completion.comments"),
        ("in_string", "completion.strings"),
        ("file_too_large", "files.max_bytes"),
        ("timeout", "display.answer_ms"),
    ]:
        assert setting in names
        assert setting in REASONS[reason]


def test_no_setting_of_an_editor_is_taken_for_ours() -> None:
    """VS Code has a `files.exclude` that hides files; ours is `draftwire.exclude` there."""
    assert "files.exclude" not in REASONS["excluded_file"]
    assert "Draftwire's own setting exclude" in REASONS["excluded_file"]


def test_a_file_with_secrets_is_not_said_to_be_left_out_by_a_setting() -> None:
    """Its name comes first: where no setting was made, there is none to look for."""
    assert REASONS["excluded_file"].startswith("the file's name says that it holds secrets, or ")


def test_a_code_of_a_newer_daemon_is_given_as_it_is() -> None:
    assert in_words("mid_word") == "the cursor is inside a word, or before one"
    assert in_words("moon_phase") == "moon_phase"
    assert in_words(None) == "the daemon gave no reason"
