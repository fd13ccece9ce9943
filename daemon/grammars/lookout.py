"""Keeps an eye on the folders of grammars: each look costs a few listings and `stat`s, and reads what has changed.

Blocking, and safe to call from several threads.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Final

import platformdirs

from daemon.grammars.catalogue import Catalogue, Known, Layer, look_at
from daemon.grammars.places import (
    WORKSPACE_FOLDER,
    GrammarFile,
    Origin,
    built_in_folder,
    grammars_in,
    workspaces_of,
)
from daemon.grammars.trust import FILE_NAME, is_trusted, trusted_folders
from daemon.settings.config import Config

_MOST_KEPT: Final = 1000
"""Files that are remembered; beyond, all are forgotten and looked at again."""


def settings_folder(config: Config) -> Path:
    """Where the configuration file lies, or would."""
    return (
        platformdirs.user_config_path("draftwire") if config.file is None else config.file.absolute().parent
    )


def user_folder(config: Config) -> Path:
    """The folder of the user's own grammars."""
    return Path(config.grammars.folder) if config.grammars.folder else settings_folder(config) / "grammars"


def trust_file(config: Config) -> Path:
    """The list of trusted folders that `draftwire grammar trust` writes."""
    return settings_folder(config) / FILE_NAME


class Lookout:
    """Looks at the folders of grammars, and remembers what the files said."""

    def __init__(self, config: Config, built_in: Path | None = None, home: Path | None = None) -> None:
        """`built_in` and `home`: other folders than the real ones, for tests."""
        self._config = config
        self._built_in = built_in or built_in_folder()
        self._home = home
        self._known: dict[Path, Known] = {}
        self._turn = threading.Lock()

    def look(self, folder: Path | None) -> Catalogue:
        """The grammars for documents in `folder` (None: documents that are no files) as they are now."""
        with self._turn:
            layers = [
                Layer(self._grammars(self._built_in, "built in", None)),
                Layer(self._grammars(user_folder(self._config), "user", None)),
            ]
            workspaces = workspaces_of(folder, self._home) if folder is not None else ()
            trusted = self._trusted() if workspaces else ()
            for workspace in workspaces:
                found = self._grammars(workspace.joinpath(*WORKSPACE_FOLDER), "workspace", workspace)
                if found:
                    layers.append(Layer(found, workspace, is_trusted(workspace, trusted)))
            return Catalogue(tuple(layers))

    def _trusted(self) -> tuple[Path, ...]:
        named = (Path(folder) for folder in self._config.grammars.trusted)
        return (*named, *trusted_folders(trust_file(self._config)))

    def _grammars(self, folder: Path, origin: Origin, within: Path | None) -> tuple[Known, ...]:
        return tuple(self._one(file) for file in grammars_in(folder, origin, within=within))

    def _one(self, file: GrammarFile) -> Known:
        before = self._known.get(file.path)
        if before is not None and before.file.identity == file.identity:
            return before if before.file == file else replace(before, file=file)
        known = look_at(file)
        # Until it is mended it is for the same files.
        if before is not None and _is_unfinished(known, before):
            known = replace(known, name=before.name, globs=before.globs, languages=before.languages)
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        self._known[file.path] = known
        return known


def _is_unfinished(known: Known, before: Known) -> bool:
    """Whether the file has errors, or names no files any more, as one that is empty or only begun."""
    named, names = before.globs or before.languages, known.globs or known.languages
    return bool(known.diagnostics or (named and not names))
