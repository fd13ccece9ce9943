"""Whose projects may bring grammars: a small file of folders beside the configuration file, one a line.

`draftwire grammar trust` adds to it; the setting grammars.trusted counts as well. It is a file of its own so that a
change counts at once (the configuration is read when the daemon starts) and nobody's comments are rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from daemon.atomic_file import write_whole

FILE_NAME: Final = "trusted-folders"
_HEAD: Final = (
    "# Folders whose projects may bring grammars of their own; written by `draftwire grammar trust`.\n"
)


class TrustNotKept(Exception):
    """The list of trusted folders can't be changed; the text says why and what to do."""


def trusted_folders(file: Path) -> tuple[Path, ...]:
    """The folders listed in `file`; none if it can't be read."""
    try:
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    return tuple(Path(line) for line in lines if line.strip() and not line.startswith("#"))


def is_trusted(workspace: Path, folders: Iterable[Path]) -> bool:
    """Whether a workspace is one of the folders or lies in one, links followed on both sides."""
    real = workspace.resolve()
    return any(folder.is_absolute() and real.is_relative_to(folder.resolve()) for folder in folders)


def trust(folder: Path, file: Path) -> bool:
    """Add `folder` (links followed) to the list in `file`; False if it is covered already. Raises TrustNotKept."""
    real = folder.expanduser().resolve()
    if not real.is_dir():
        raise TrustNotKept(f"{real} is no folder; name the folder that has .draftwire/grammars/ in it")
    if str(real).splitlines() != [str(real)] or str(real).startswith("#"):
        raise TrustNotKept(f"{str(real)!r} has a line end in its name; put it into grammars.trusted")
    known = trusted_folders(file)
    if is_trusted(real, known):
        return False
    _write(file, (*known, real))
    return True


def distrust(folder: Path, file: Path) -> bool:
    """Take `folder` off the list in `file`; False if it was not on it. Raises TrustNotKept."""
    real = folder.expanduser().resolve()
    known = trusted_folders(file)
    kept = [one for one in known if one != real]
    if len(kept) == len(known):
        return False
    _write(file, kept)
    return True


def _write(file: Path, folders: Iterable[Path]) -> None:
    """The whole list, in one step."""
    text = _HEAD + "".join(f"{one}\n" for one in folders)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise TrustNotKept(
            f"{file} can't be written ({error.strerror}); put the folder into grammars.trusted of the configuration"
        ) from None
