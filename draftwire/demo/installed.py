"""What the demo needs beyond the program itself: a target to serve, and the model that both ends run."""

from __future__ import annotations

import importlib.util
from typing import Final

from daemon.draft.model_source import bundled_source
from draftwire.failures import CommandFailed, Exit
from verifier.extras import install_command

TARGET_PACKAGES: Final = ("torch", "safetensors", "gguf")
"""Those of the extra `verifier`."""


def check_installed() -> None:
    """Raise CommandFailed or ModelMissing, with the command that brings what is missing, before it takes any time."""
    missing = [name for name in TARGET_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        text = f"the demo verifies with a target on this machine, and {', '.join(missing)} "
        text += "is not installed" if len(missing) == 1 else "are not installed"
        raise CommandFailed(f"{text}; run: {install_command('verifier')}", Exit.UNAVAILABLE)
    bundled_source()
