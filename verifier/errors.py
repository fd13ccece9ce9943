"""What can go wrong in the verifier. Each message says what to do; none carries a user's text or a secret."""


class VerifierFailed(Exception):
    """The verifier can't start or go on: for the person who runs it."""


class ModelUnusable(VerifierFailed):
    """The model file is missing, damaged, or of a kind that the engine does not compute."""


class EngineFailed(VerifierFailed):
    """A forward pass failed; the batch it carried has no result."""
