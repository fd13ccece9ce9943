"""The files to hold against a grammar: names, folders and globs of a command line. Blocking."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from daemon.globs import matches_glob
from daemon.settings.config_sections import GrammarsConfig
from draftwire.failures import CommandFailed, Exit


def documents(arguments: Iterable[str], globs: Sequence[str]) -> list[Path]:
    """Each file once, in the order of the arguments.

    Of a folder: the files below it that match one of `globs` (all, if there are none), hidden ones left out. A glob
    that the shell has left alone is expanded. Raises CommandFailed for an argument that gives no file.
    """
    found: dict[Path, None] = {}
    for argument in arguments:
        inside = list(_of(argument, globs))
        if not inside:
            raise CommandFailed(_nothing(argument, globs), Exit.UNREADABLE)
        found |= dict.fromkeys(inside)
    return list(found)


def globs_of(name: str, own: Sequence[str], config: GrammarsConfig) -> tuple[str, ...]:
    """Which files a grammar is for: what it says itself, and what the configuration maps to it."""
    return (*own, *(pattern for pattern, grammar in config.files.items() if grammar == name))


def _of(argument: str, globs: Sequence[str]) -> Iterator[Path]:
    path = Path(argument)
    if path.is_dir():
        yield from _below(path, globs)
    elif path.exists() or not glob.has_magic(argument):
        yield path
    else:
        for name in sorted(glob.glob(argument, recursive=True)):  # noqa: PTH207  # of any path, absolute ones too
            if Path(name).is_dir():
                yield from _below(Path(name), globs)
            else:
                yield Path(name)


def _below(folder: Path, globs: Sequence[str]) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            wanted = not globs or matches_glob(str(path.absolute()), globs)
            if wanted and not name.startswith(".") and path.is_file():
                yield path


def _nothing(argument: str, globs: Sequence[str]) -> str:
    if Path(argument).is_dir():
        kind = f"files like {', '.join(globs)}" if globs else "files"
        return f"there are no {kind} in {argument}"
    return f"no file matches {argument}"
