"""Are the files and folders that a configuration names there? Looks, and changes nothing.

What they hold is found out by who uses them; a model's file is looked at for what it begins with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from daemon.draft.gguf_file import GgufInvalid, check_gguf
from daemon.settings.config import Config


def place_warnings(config: Config) -> list[str]:
    """One line for each place that can't be used as it is: file and line of the setting, and what to do."""
    return [f"{_where(config, section, key)}{text}" for section, key, text in _problems(config)]


def _problems(config: Config) -> Iterator[tuple[str, str, str]]:
    if not config.draft.model.startswith("bundled"):
        try:
            check_gguf(Path(config.draft.model))
        except GgufInvalid as invalid:
            yield "draft", "model", str(invalid)
    folder = config.draft.cache_path
    nearest = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        text = f"{nearest} is no folder that can be written; name another in draft.cache_dir"
        yield "draft", "cache_dir", text
    ca_file = config.verifier.ca_file
    if ca_file and not os.access(ca_file, os.R_OK):
        yield "verifier", "ca_file", f"{ca_file} is not there or can't be read; correct the path"
    for key, named in (("folder", (config.grammars.folder,)), ("trusted", config.grammars.trusted)):
        for path in named:
            if path and not Path(path).is_dir():
                yield "grammars", key, f"{path} is no folder; make it, or correct the path"


def _where(config: Config, section: str, key: str) -> str:
    line = config.lines.get((section, key), 0)
    place = f"{config.file}:{line}: " if line else ""
    return f"{place}{section}.{key}: "
