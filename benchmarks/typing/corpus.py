"""What is typed: real source files that come with Python and with pinned packages, in several languages.

Nothing is downloaded. Each file is laid out with its neighbours (files of its kind from the same folder) in a project
of its own, as an editor would find it: whatever reads other files of a project has real ones to read. The file itself
is written as it stands when it is opened, so that nothing which reads the project finds what is yet to be typed.
"""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from draftwire.language_ids import language_id

CORPUS: Final = (
    # (where it is installed, the file below that)
    ("stdlib", "json/encoder.py"),
    ("purelib", "coverage/htmlfiles/coverage_html.js"),
    ("purelib", "google/api/distribution.proto"),
    ("stdlib", "graphlib.py"),
    ("purelib", "websockets/speedups.c"),
    ("purelib", "huggingface_hub/templates/datasetcard_template.md"),
    ("stdlib", "concurrent/futures/thread.py"),
    ("purelib", "importlinter/ui/static/explorer.js"),
    ("purelib", "torch/_export/serde/schema.yaml"),
    ("purelib", "google/rpc/error_details.proto"),
    ("stdlib", "xml/dom/pulldom.py"),
    ("purelib", "coverage/htmlfiles/style.css"),
    ("purelib", "setuptools/config/setuptools.schema.json"),
    ("purelib", "coverage/htmlfiles/index.html"),
)
"""In this order; what is not installed is left out."""
MAX_NEIGHBOURS: Final = 8
MAX_NEIGHBOUR_BYTES: Final = 100_000


class NothingToType(Exception):
    """There is no file to type. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to type, with LF line ends."""

    path: Path
    text: str

    @property
    def language(self) -> str:
        """As editors call it."""
        return language_id(self.path)

    @property
    def name(self) -> str:
        """The file and its folder: short, and alike on every machine."""
        return f"{self.path.parent.name}/{self.path.name}"


def installed() -> list[Source]:
    """The files of CORPUS that are installed here; NothingToType if none is."""
    paths = [Path(sysconfig.get_path(scheme)) / name for scheme, name in CORPUS]
    found = [path for path in paths if path.is_file()]
    if not found:
        raise NothingToType("none of the files to type is installed; name some with --files")
    return named(found)


def named(paths: Sequence[Path]) -> list[Source]:
    """These files; NothingToType for one that is no text."""
    return [Source(path.resolve(), _read(path)) for path in paths]


def lay_out(source: Source, opened: str, folder: Path) -> Path:
    """Write the file as `opened`, with its neighbours, into a folder below `folder`; the file's path there."""
    project = folder / source.path.parent.name
    project.mkdir(parents=True, exist_ok=True)
    for neighbour in _neighbours(source.path):
        shutil.copyfile(neighbour, project / neighbour.name)
    target = project / source.path.name
    target.write_text(opened, "utf-8")
    return target


def _neighbours(path: Path) -> list[Path]:
    """The files of the same kind beside it that come next in the order of names, the first ones after the last."""
    alike = sorted(p for p in path.parent.glob(f"*{path.suffix}") if p != path and _is_small_file(p))
    after = sum(1 for neighbour in alike if neighbour.name < path.name)
    return (alike[after:] + alike[:after])[:MAX_NEIGHBOURS]


def _is_small_file(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= MAX_NEIGHBOUR_BYTES


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise NothingToType(f"{path} can't be typed, give text files in UTF-8: {error}") from error
