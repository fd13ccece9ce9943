"""Which grammar files there are: built in, in the user's folder, in the workspaces a document lies in.

In a folder of grammars a grammar is `NAME.EXTENSION` with examples in `NAME.examples/`, or `NAME/grammar.EXTENSION`
with examples in `NAME/examples/`. Looks at files and never writes; blocking, so called in a thread. What a grammar
is for, and whether it may be used, this module does not know.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from daemon.api.files import EXTENSIONS, NAME_IN_A_FOLDER, grammar_extension, grammar_name
from daemon.api.files import SCHEMA_EXTENSION as SCHEMA_EXTENSION
from daemon.api.files import WORKSPACE_FOLDER as WORKSPACE_FOLDER
from daemon.api.files import document_path as document_path

Origin = Literal["built in", "user", "workspace"]

MAX_GRAMMAR_BYTES: Final = 1_000_000
MAX_EXAMPLE_BYTES: Final = 1_000_000
MAX_FILES: Final = 200
"""Grammars taken from one folder."""
MAX_EXAMPLES: Final = 20
"""Example files taken for one grammar."""


class Unreadable(Exception):
    """A grammar file that can't be read; the text says why, and goes on after its name."""


@dataclass(frozen=True, slots=True)
class GrammarFile:
    """A grammar file as it was when its folder was listed."""

    path: Path
    name: str
    """What it is called by its file or folder."""
    extension: str
    """One of EXTENSIONS."""
    origin: Origin
    identity: tuple[int, int, int, int]
    """Device, inode, size, modification time (ns): another file has another one, and so has a changed one."""
    examples: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return self.identity[2]

    @property
    def called(self) -> str:
        """Name and extension: `sql.bnf`, for a file `sql/grammar.bnf` too."""
        return self.name + self.extension


def built_in_folder() -> Path:
    """The folder of the grammars that come with Draftwire."""
    return Path(str(files("grammars") / "library"))


def workspaces_of(folder: Path, home: Path | None = None) -> tuple[Path, ...]:
    """The folders from `folder` up that have grammars in `.draftwire/grammars/`, the outermost first.

    The walk ends at `home` (default: the user's) and at the root of the file system, which are no workspaces.
    """
    end = (home or Path("~").expanduser()).absolute()
    found = []
    for place in (folder, *folder.parents):
        if place in (end, end.resolve()) or place == place.parent:
            break
        if place.joinpath(*WORKSPACE_FOLDER).is_dir():
            found.append(place)
    return tuple(reversed(found))


def grammars_in(folder: Path, origin: Origin, *, within: Path | None = None) -> tuple[GrammarFile, ...]:
    """The grammars of a folder, by name, at most MAX_FILES; none if it can't be listed.

    `within`: links that lead out of it are left out, so that a checkout can't pass other files off as its own.
    """
    found: dict[str, GrammarFile] = {}
    for path, name, examples in sorted(_candidates(folder), key=lambda one: _rank(one[0])):
        if name in found or len(found) == MAX_FILES:
            continue
        status = _regular(path, within)
        if status is not None:
            identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            own = tuple(_examples(examples, within))
            found[name] = GrammarFile(path, name, grammar_extension(path.name), origin, identity, own)
    return tuple(found[name] for name in sorted(found))


def read_grammar(path: Path) -> str:
    """The text of a grammar file, with LF line ends. Raises Unreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not make us wait
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("is no file")
            data = file.read(MAX_GRAMMAR_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from None
    if len(data) > MAX_GRAMMAR_BYTES:
        raise Unreadable(f"is larger than the {MAX_GRAMMAR_BYTES:,} bytes that a grammar may have")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"is not UTF-8 text (line {line}); save it as UTF-8") from None


def _candidates(folder: Path) -> Iterator[tuple[Path, str, Path]]:
    """Path, name and folder of examples of what may be a grammar."""
    for path in _entries(folder):
        if name := grammar_name(path.name):
            yield path, name, folder / f"{name}.examples"
        elif path.is_dir():
            for inner in _entries(path):
                if grammar_name(inner.name) == NAME_IN_A_FOLDER:
                    yield inner, path.name, path / "examples"


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _rank(path: Path) -> tuple[int, Path]:
    return EXTENSIONS.index(grammar_extension(path.name)), path


def _examples(folder: Path, within: Path | None) -> Iterator[Path]:
    taken = 0
    for path in _entries(folder):
        status = _regular(path, within)
        if status is not None and 0 < status.st_size <= MAX_EXAMPLE_BYTES and taken < MAX_EXAMPLES:
            taken += 1
            yield path


def _regular(path: Path, within: Path | None) -> os.stat_result | None:
    """The status of a plain file; None for anything else, and for what a link out of `within` leads to."""
    try:
        status = path.stat()
        inside = within is None or path.resolve().is_relative_to(within.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return None
    return status if stat.S_ISREG(status.st_mode) and inside else None
