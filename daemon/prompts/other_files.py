"""The other files that a document's prompt may show pieces of, as far as they may be read. Blocks: for a thread.

What the document imports is read from the files; of what is open beside it the text is known. Neither is taken from
outside of the document's workspace (without one: its folder), from an excluded file, from one that git ignores, or
from behind a symbolic link. Key-shaped strings are masked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from daemon.documents import Document
from daemon.gate import is_excluded
from daemon.prompts.context_pieces import Source
from daemon.prompts.imports import Import, imports_of
from daemon.prompts.key_shapes import masked
from daemon.prompts.workspace import (
    IgnoreFiles,
    folders_above,
    ignore_files,
    read_text,
    real_path,
    workspace_of,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop looking. Whatever was found till then is what there is."""

    imports: int = 64
    """Imports looked at."""
    files: int = 12
    """Files read."""
    file_bytes: int = 49_152
    """So much is read of each, from its beginning."""
    seconds: float = 0.5


LIMITS: Final = Limits()


def sources_for(
    document: Document,
    opened: Sequence[Source],
    exclude: Sequence[str],
    clock: Callable[[], float],
    limits: Limits = LIMITS,
) -> list[Source]:
    """What may stand before a document: open documents first, then what it imports; none if it is no file here.

    opened: texts that the client has open, each under its URI. They stand for the files of their names.
    """
    path = real_path(document.name)
    if path is None:
        return []
    reader = _Reader(path, workspace_of(path) or path.parent, tuple(exclude))
    seen = {path}
    found: list[Source] = []
    for source in opened:
        other = real_path(source.name)
        if other is not None and other not in seen and reader.may_read(other):
            seen.add(other)
            found.append(replace(source, name=reader.name_of(other), text=masked(source.text)))
    imports = imports_of(document.language, document.text)[: limits.imports]
    return [*found, *reader.imported(imports, seen, clock, limits)]


@dataclass(slots=True)
class _Reader:
    """What may be read for one document, whose real path is `document`."""

    document: Path
    root: Path
    exclude: tuple[str, ...]
    _ignore: IgnoreFiles = field(init=False)

    def __post_init__(self) -> None:
        self._ignore = ignore_files(self.root)

    def imported(
        self, imports: Iterable[Import], seen: set[Path], clock: Callable[[], float], limits: Limits
    ) -> Iterator[Source]:
        until, read = clock() + limits.seconds, 0
        for one in imports:
            if read == limits.files or clock() >= until:
                return
            path = self._file_of(one)
            if path is None or path in seen:
                continue
            seen.add(path)
            text = read_text(path, limits.file_bytes) if self.may_read(path) else None
            if text is not None:
                read += 1
                yield Source(self.name_of(path), text[0])

    def may_read(self, path: Path) -> bool:
        """Whether a path, in a folder that is no link, is of the workspace and not to be left alone."""
        return (
            path.is_relative_to(self.root)
            and not path.is_symlink()
            and not is_excluded(str(path), self.exclude)
            and not self._ignore.ignores(path)
        )

    def name_of(self, path: Path) -> str:
        """What prompts call it: its path in the workspace."""
        return path.relative_to(self.root).as_posix()

    def _file_of(self, one: Import) -> Path | None:
        """The file of an import; None if there is none in the workspace, or a link leads to it."""
        folders = folders_above(self.document, self.root) if one.from_above else [self.document.parent]
        for folder in folders:
            for relative in one.paths:
                path = Path(os.path.normpath(folder / relative))
                if path.is_relative_to(self.root) and _is_plain_file(path):
                    return path
        return None


def _is_plain_file(path: Path) -> bool:
    try:
        return path.is_file() and path.resolve(strict=True) == path
    except (OSError, RuntimeError, ValueError):  # a loop of links; a name that no file can have
        return False
