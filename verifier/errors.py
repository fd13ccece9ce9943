"""What can go wrong in the verifier. Each message says what to do; none carries a user's text or a secret."""

from typing import ClassVar


class VerifierFailed(Exception):
    """The verifier can't start or go on: for the person who runs it."""

    exit_status: ClassVar[int] = 1
    """Of the process that this ends, as in sysexits.h."""


class SettingsContradict(VerifierFailed):
    """What the options say can't be served."""

    exit_status = 2


class FileUnusable(VerifierFailed):
    """A file named by an option (token, certificate) is not there or is not what it should be."""

    exit_status = 66


class ModelUnusable(VerifierFailed):
    """The model file is missing, damaged, or of a kind that the engine does not compute."""

    exit_status = 66


class Unavailable(VerifierFailed):
    """The address to listen on, a package, or a device is not to be had."""

    exit_status = 69


class EngineFailed(VerifierFailed):
    """A forward pass failed; the batch it carried has no result."""
