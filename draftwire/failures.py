"""How a command fails: one clear line on stderr and an exit status, never a traceback (unless --debug).

Knows which errors of the other packages are meant for people. They are found by name among the modules already
loaded, so that a command which needs none of those packages does not load them to fail.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """Exit statuses of the command (those above 63 as in sysexits.h)."""

    OK = 0
    NOTHING = 1
    """The command worked but found a fault, or has nothing to show; stderr says why."""
    USAGE = 2
    UNVERIFIED = 3
    """`complete --wait verified` has text that the verifier did not decide on, in whole or in part."""
    UNREADABLE = 66
    """A file named on the command line can't be read."""
    UNAVAILABLE = 69
    """The daemon, or an optional package, is not there."""
    INTERNAL = 70
    """A defect of Draftwire: run again with --debug."""
    CANT_CREATE = 73
    """A file can't be written."""
    ALREADY_RUNNING = 75
    CONFIG = 78
    """The configuration file has errors."""


EXIT_HELP: Final = (
    "Exit status: 0 done; 1 nothing to show, or a check failed; 2 wrong usage; "
    "3 not all of the text is verified (complete --wait verified); 66 a file can't be read; "
    "69 the daemon or an optional package is not there; 70 internal error; 73 a file can't be written; "
    "75 another daemon runs; 78 the configuration has errors."
)


class CommandFailed(Exception):
    """A command can't do what it was asked; the message says what to do."""

    def __init__(self, message: str, status: Exit = Exit.NOTHING) -> None:
        super().__init__(message)
        self.status = status


_KNOWN: Final[tuple[tuple[str, str, Exit], ...]] = (
    ("daemon.settings.config", "ConfigError", Exit.CONFIG),
    ("daemon.serving.lifecycle", "AlreadyRunning", Exit.ALREADY_RUNNING),
    ("daemon.api.errors", "DaemonMisconfigured", Exit.CONFIG),
    ("daemon.api.errors", "ApiError", Exit.UNAVAILABLE),
    ("daemon.draft.engine", "EngineFailed", Exit.NOTHING),
    ("daemon.grammars.trust", "TrustNotKept", Exit.CANT_CREATE),
    ("grammars.diagnostics", "GrammarError", Exit.NOTHING),
)
"""Errors whose own text is for people: module, class, exit status."""


def explain(error: BaseException) -> tuple[str, Exit]:
    """What to print for an error that ended a command, and the exit status."""
    if isinstance(error, CommandFailed):
        return str(error), error.status
    for module_name, class_name, status in _KNOWN:
        module = sys.modules.get(module_name)
        if module is not None and isinstance(error, getattr(module, class_name)):
            return str(error), status
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}", Exit.UNREADABLE
    text = f"internal error: {type(error).__name__}: {error}"
    return f"{text}\nrun the same command with --debug (before the subcommand) to see where", Exit.INTERNAL
