"""Which editors are on this machine. Information: none of them is needed for the others to work."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Final

from draftwire.doctor.findings import Finding

OLDEST_NEOVIM: Final = (0, 10)
TIMEOUT_S: Final = 10.0
_VSCODE_COMMANDS: Final = ("code", "code-insiders", "codium", "code-server")
_VERSION: Final = re.compile(r"v?(\d+)\.(\d+)(?:\.\d+)?")


def check_editors() -> Iterator[Finding]:
    """Neovim and the editors that run VS Code's extensions, as found on the PATH."""
    found = False
    for command in ("nvim", *_VSCODE_COMMANDS):
        if shutil.which(command):
            found = True
            yield _check(command)
    if not found:
        names = ", ".join(("nvim", *_VSCODE_COMMANDS))
        yield Finding("editor", "editors", "info", f"none found on the PATH (looked for {names})")


def _check(command: str) -> Finding:
    try:
        run = subprocess.run(
            [command, "--version"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "editor", command, "warning", f"`{command} --version` failed: {error}", f"reinstall {command}"
        )
    version = _VERSION.search(run.stdout)
    if version is None:
        return Finding("editor", command, "info", f"found, version unknown ({run.stdout.strip()[:60]!r})")
    if command == "nvim" and (int(version[1]), int(version[2])) < OLDEST_NEOVIM:
        return Finding("editor", command, "warning", f"version {version[0]}", "install Neovim 0.10 or newer")
    return Finding("editor", command, "ok", f"version {version[0]}")
