"""The workspace a document lies in: where it begins, what of it may be read, and the reading. Blocks: for a thread.

A workspace is the nearest folder above the document with `.draftwire` or `.git`. What git ignores is not read, nor
what is no text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from daemon.grammars.places import document_path
from daemon.prompts.ignore_rules import Rule, parse, verdict
from daemon.prompts.key_shapes import masked

WORKSPACE_MARKS: Final = (".draftwire", ".git")
_IGNORE_FILE: Final = ".gitignore"


def real_path(document_name: str) -> Path | None:
    """The file a document is, links in its folder followed; None if it is in no folder of this machine."""
    path = document_path(document_name)
    try:
        return None if path is None else path.parent.resolve(strict=True) / path.name
    except (OSError, RuntimeError):  # no such folder; a loop of links
        return None


def workspace_of(document: Path) -> Path | None:
    """The nearest folder above a file that is marked as a workspace; the user's home is none."""
    folder = nearest_marked(document.parent, WORKSPACE_MARKS)
    return None if folder == Path.home().resolve() else folder


def nearest_marked(folder: Path, marks: Sequence[str]) -> Path | None:
    """The nearest of a folder and those above it that has an entry called like one of the marks."""
    folders = (folder, *folder.parents)
    return next((one for one in folders if any((one / mark).exists() for mark in marks)), None)


def folders_above(path: Path, root: Path) -> Sequence[Path]:
    """The folders that `path` is in, from its own up to `root`, which is one of them (or `path` itself)."""
    return path.parents[: len(path.parts) - len(root.parts)]


def read_text(path: Path, most_bytes: int) -> tuple[str, float] | None:
    """The beginning of a file, in whole lines, LF-normalised, and when it was last written (Unix time).

    Key-shaped strings are masked in it. None if it can't be read, or is no UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes)
            modified_s = os.fstat(file.fileno()).st_mtime
        whole = data if len(data) < most_bytes else data[: data.rfind(b"\n") + 1]
        text = whole.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else (masked(text), modified_s)


def ignore_files(root: Path) -> IgnoreFiles:
    """What git ignores below a folder: by its repository, or without one by the folder's own ignore files."""
    return IgnoreFiles(nearest_marked(root, (".git",)) or root)


class IgnoreFiles:
    """What git ignores in a repository, by the ignore files in it and the user's own. Each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._rules: dict[Path, tuple[Rule, ...]] = {}
        self._folders: dict[Path, bool] = {root: False}
        self._general = (
            _rules_in(root / ".git" / "info" / "exclude"),
            _rules_in(Path.home() / ".config" / "git" / "ignore"),
        )

    def ignores(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether the path, or a folder it is in, is ignored."""
        if is_folder and path in self._folders:
            return self._folders[path]
        ignored = self.ignores(path.parent, is_folder=True) or self._by_rules(path, is_folder=is_folder)
        if is_folder:
            self._folders[path] = ignored
        return ignored

    def _by_rules(self, path: Path, *, is_folder: bool) -> bool:
        """The nearest ignore file that says something decides; then the repository's own list; then the user's."""
        for folder in folders_above(path, self._root):
            found = verdict(self._of(folder), path.relative_to(folder).as_posix(), is_folder=is_folder)
            if found is not None:
                return found
        name = path.relative_to(self._root).as_posix()
        verdicts = (verdict(rules, name, is_folder=is_folder) for rules in self._general)
        return next((found for found in verdicts if found is not None), False)

    def _of(self, folder: Path) -> tuple[Rule, ...]:
        if folder not in self._rules:
            self._rules[folder] = _rules_in(folder / _IGNORE_FILE)
        return self._rules[folder]


def _rules_in(file: Path) -> tuple[Rule, ...]:
    try:
        return parse(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ()
