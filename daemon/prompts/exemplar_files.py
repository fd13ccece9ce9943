"""Reading the files that could be a document's exemplar: its own kind, around it, within bounds. Blocks: for a thread.

Looked at: the document's workspace (`workspace.py`), from its folder outwards; without a workspace, its folder
alone. Never read: excluded files, what git ignores,
anything behind a symbolic link, hidden folders, what is no text; of a large file only the beginning.
Key-shaped strings are masked.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from daemon.gate import is_excluded
from daemon.globs import matches_glob
from daemon.prompts.exemplar import Candidate
from daemon.prompts.workspace import (
    IgnoreFiles,
    folders_above,
    ignore_files,
    read_text,
    real_path,
    workspace_of,
)

_NEVER_ENTERED: Final = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop looking. Whatever was found till then is what there is."""

    entries: int = 4000
    """Files and folders looked at."""
    files: int = 48
    """Files read."""
    file_bytes: int = 16_384
    """So much is read of each, from its beginning: some times what a prompt has room for."""
    seconds: float = 0.5


LIMITS: Final = Limits()


def candidates_near(
    document_name: str,
    globs: Sequence[str],
    exclude: Sequence[str],
    clock: Callable[[], float],
    limits: Limits = LIMITS,
) -> list[Candidate]:
    """The files like the document, nearest first; none if it is no file on this machine.

    document_name: the editor's URI, or a path. globs: names that files of its language have, besides its own ending.
    clock: in seconds, for `limits.seconds`. Files that can't be read are passed over.
    """
    document = real_path(document_name)
    if document is None:
        return []
    root = workspace_of(document)
    walk = _Walk(root or document.parent, document.parent, clock() + limits.seconds, clock, limits)
    found: list[Candidate] = []
    for path in walk.files(and_below=root is not None):
        if len(found) >= limits.files:
            break
        if path != document and _is_like(path, document, globs) and not is_excluded(str(path), exclude):
            found += _read(path, limits, distance=_distance(path.parent, document.parent))
    return found


def examples(paths: Iterable[Path], exclude: Sequence[str], limits: Limits = LIMITS) -> list[Candidate]:
    """The examples that came with a grammar: plain files that are not excluded and can be read."""
    return [
        one
        for path in itertools.islice(paths, limits.files)
        if not path.is_symlink() and not is_excluded(str(path), exclude)
        for one in _read(path, limits, from_grammar=True)
    ]


def _is_like(path: Path, document: Path, globs: Sequence[str]) -> bool:
    same_ending = path.suffix == document.suffix if document.suffix else path.name == document.name
    return same_ending or matches_glob(str(path), globs)


def _distance(folder: Path, other: Path) -> int:
    """How many folders are between two: up to the common one, and down again."""
    common = len(Path(os.path.commonpath((folder, other))).parts)
    return len(folder.parts) + len(other.parts) - 2 * common


def _read(
    path: Path, limits: Limits, *, distance: int = 0, from_grammar: bool = False
) -> Iterator[Candidate]:
    """The file's beginning as a candidate; nothing if it can't be read, or is no UTF-8 text."""
    found = read_text(path, limits.file_bytes)
    if found is not None:
        yield Candidate(path.name, found[0], distance, found[1], from_grammar)


@dataclass(slots=True)
class _Walk:
    """One walk through the folders of `root`, from `start` outwards, until a limit is reached."""

    root: Path
    start: Path
    until: float
    clock: Callable[[], float]
    limits: Limits
    _entered: set[Path] = field(default_factory=set)
    _looked_at: int = 0
    _ignore: IgnoreFiles = field(init=False)

    def __post_init__(self) -> None:
        self._ignore = ignore_files(self.root)

    def files(self, *, and_below: bool) -> Iterator[Path]:
        """Plain files that git does not ignore: in the start and the folders above it, or below any of these too."""
        for centre in (self.start, *folders_above(self.start, self.root)):
            if not self._ignore.ignores(centre, is_folder=True):
                yield from self._below(centre, and_below=and_below)

    def _below(self, top: Path, *, and_below: bool) -> Iterator[Path]:
        """Breadth first, so that what is near comes early."""
        folders = [top]
        while folders:
            below: list[Path] = []
            for folder in folders:
                for entry in self._entries(folder):
                    path = Path(entry.path)
                    if entry.is_dir(follow_symlinks=False):
                        below += [path] if and_below and self._may_enter(path) else []
                    elif entry.is_file(follow_symlinks=False) and not self._ignore.ignores(path):
                        yield path
            folders = below

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        """The folder's entries by name; fewer where a limit is reached."""
        self._entered.add(folder)
        try:
            with os.scandir(folder) as scan:
                some = itertools.islice(scan, self.limits.entries)
                entries = sorted(some, key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            self._looked_at += 1
            if self._looked_at > self.limits.entries or self.clock() >= self.until:
                return
            yield entry

    def _may_enter(self, folder: Path) -> bool:
        hidden = folder.name.startswith(".") or folder.name in _NEVER_ENTERED
        return not hidden and folder not in self._entered and not self._ignore.ignores(folder, is_folder=True)
