"""Are the files, folders and models that a configuration names there? Looks, and changes nothing.

What they hold is found out by who uses them; a model's file is looked at for what it begins with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from daemon.draft.gguf_file import GgufInvalid, check_gguf
from daemon.draft.model_source import is_bundled
from daemon.settings.config import Config


def place_warnings(config: Config) -> list[str]:
    """One line for each place that can't be used as it is: file and line of the setting, and what to do."""
    return [f"{_where(config, section, key)}{text}" for section, key, text in _problems(config)]


def _problems(config: Config) -> Iterator[tuple[str, str, str]]:
    if text := _model_problem(config.draft.model):
        yield "draft", "model", text
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


def _model_problem(spec: str) -> str:
    """Why there is no such draft model; empty if there may be one."""
    if spec == "bundled":
        return ""
    if is_bundled(spec):
        from daemon.draft.models import VARIANTS  # brings llama.cpp along: only for who names a form

        return "" if spec in VARIANTS else f"there is no {spec}; take one of {', '.join(VARIANTS)}"
    try:
        check_gguf(Path(spec))
    except GgufInvalid as invalid:
        return str(invalid)
    return ""


def _where(config: Config, section: str, key: str) -> str:
    line = config.lines.get((section, key), 0)
    place = f"{config.file}:{line}: " if line else ""
    return f"{place}{section}.{key}: "
