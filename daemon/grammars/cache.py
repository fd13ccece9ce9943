"""Compiled grammars on disk, so that a grammar that was tried once loads in milliseconds the next time.

An entry's name is a digest of everything the compiled form depends on: text, names, our format, our version and the
engine's; so an entry is never wrong, only unknown. Whatever is damaged counts as unknown. Blocking.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from daemon.atomic_file import write_whole
from daemon.version import VERSION
from grammars.compiled import FORMAT, CompiledGrammar

MAX_ENTRIES: Final = 200
_SUFFIX: Final = ".grammar"


def _engine_version() -> str:
    try:
        return version("llguidance")
    except PackageNotFoundError:
        return "none"


_VERSIONS: Final = (str(FORMAT), VERSION, _engine_version())


def cache_key(*parts: str) -> str:
    """The name of the entry for what is compiled from `parts`, by this version (hexadecimal)."""
    digest = hashlib.sha256()
    for part in (*_VERSIONS, *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class GrammarCache:
    """A folder of compiled grammars; those used longest ago go when there are more than MAX_ENTRIES."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> CompiledGrammar | None:
        """The compiled grammar kept under `key`; None if there is none that can be used."""
        path = self._path(key)
        try:
            checksum, _, body = path.read_bytes().partition(b"\n")
            if checksum.decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
                raise ValueError("damaged")
            found = CompiledGrammar.from_json(body)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str, compiled: CompiledGrammar) -> None:
        """Keep a compiled grammar. Raises OSError if the folder can't be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        body = compiled.to_json().encode("utf-8", "surrogatepass")
        write_whole(self._path(key), hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        self._prune()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _prune(self) -> None:
        used: list[tuple[int, Path]] = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):  # another process may prune as well
                used.append((path.stat().st_mtime_ns, path))
        for _, path in sorted(used, reverse=True)[MAX_ENTRIES:]:
            with contextlib.suppress(OSError):
                path.unlink()
