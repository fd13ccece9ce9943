"""Which errors are told how, and with which exit status."""

from __future__ import annotations

import pytest

from daemon.api.errors import DaemonUnavailable
from daemon.draft.engine import EngineFailed
from daemon.serving.lifecycle import AlreadyRunning
from daemon.settings.config import ConfigError, Problem
from draftwire.failures import EXIT_HELP, CommandFailed, Exit, explain

CASES = [
    (CommandFailed("no"), "no", Exit.NOTHING),
    (CommandFailed("no", Exit.USAGE), "no", Exit.USAGE),
    (ConfigError(None, [Problem("bad")]), "bad", Exit.CONFIG),
    (DaemonUnavailable("gone"), "gone", Exit.UNAVAILABLE),
    (AlreadyRunning("two"), "two", Exit.ALREADY_RUNNING),
    (EngineFailed("broken"), "broken", Exit.NOTHING),
    (
        FileNotFoundError(2, "No such file or directory", "x.py"),
        "x.py: No such file or directory",
        Exit.UNREADABLE,
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "status"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)
def test_errors_for_people_are_told_in_their_own_words(error: Exception, message: str, status: Exit) -> None:
    assert explain(error) == (message, status)


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), OSError("no file in it")])
def test_any_other_error_is_a_defect_and_points_to_debug(error: Exception) -> None:
    message, status = explain(error)
    assert status == Exit.INTERNAL
    assert f"{type(error).__name__}: {error}" in message
    assert "--debug" in message


def test_the_help_names_every_exit_status() -> None:
    for status in Exit:
        assert f" {int(status)} " in EXIT_HELP.replace(": 0", ": 0 ").replace(";", " ; ")
