"""Which grammar is meant on a command line: a file, or the name of one that is built in, the user's or a project's.

Blocking. What is found has not been compiled: `draftwire/grammar/trial.py` does that.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from daemon.api.files import EXTENSIONS, NAME_IN_A_FOLDER, SCHEMA_EXTENSION, grammar_extension
from daemon.grammars.catalogue import Catalogue, Known, Layer, look_at
from daemon.grammars.lookout import Lookout
from daemon.grammars.places import GrammarFile, grammars_in
from daemon.settings.config import Config
from draftwire.failures import CommandFailed, Exit

_PATH_SIGNS: Final = frozenset("/\\")


def find(asked: str, config: Config, folders: Iterable[Path]) -> Known:
    """The grammar that `asked` means: a file that is there, else a name known in one of `folders`.

    Raises CommandFailed: no such file, no such name, or one of a project that is not trusted.
    """
    path = Path(asked)
    if path.is_file():
        return in_file(path)
    if path.is_dir():
        text = f"{asked} is a folder; name one of the grammars in it"
        raise CommandFailed(text, Exit.USAGE)
    if not _PATH_SIGNS.isdisjoint(asked) or asked.lower().endswith(EXTENSIONS):
        raise CommandFailed(f"{asked} can't be read: there is no such file", Exit.UNREADABLE)
    lookout = Lookout(config)
    catalogues = [lookout.look(folder.absolute()) for folder in dict.fromkeys(folders)]
    for catalogue in catalogues:
        if (found := catalogue.used(config.grammars).get(asked)) is not None:
            return found
    raise CommandFailed(_unknown(asked, config, catalogues), Exit.USAGE)


def in_file(path: Path) -> Known:
    """The grammar in a file, whatever its extension; with the examples that the daemon would find beside it.

    Raises CommandFailed if there is no such file.
    """
    absolute = path.absolute()
    is_inner = path.name.startswith(f"{NAME_IN_A_FOLDER}.") and (absolute.parent / "examples").is_dir()
    for file in grammars_in(absolute.parent.parent if is_inner else absolute.parent, "user"):
        if file.path == absolute:
            return look_at(file)
    try:
        status = absolute.stat()
    except OSError as error:
        raise CommandFailed(f"{path} can't be read: {error.strerror}", Exit.UNREADABLE) from None
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    extension = grammar_extension(path.name) or path.suffix
    name = path.name[: len(path.name) - len(extension)]
    return look_at(GrammarFile(absolute, name, extension, "user", identity, ()))


def files_of(arguments: Iterable[Path]) -> list[Path]:
    """The files among the arguments, and the grammars in those that are folders. Raises CommandFailed for none."""
    found: list[Path] = []
    for path in arguments:
        if not path.is_dir():
            found.append(path)
            continue
        inside = [path / file.path.relative_to(path) for file in grammars_in(path, "user")]
        if not inside:
            endings = ", ".join(EXTENSIONS)
            raise CommandFailed(f"{path} is a folder without grammars (files ending in {endings})")
        found += inside
    return found


def schema_name(known: Known) -> str:
    """The name of the grammar made of a JSON schema; empty for a file that is none."""
    name = known.file.path.name.lower()
    is_schema = known.file.extension == SCHEMA_EXTENSION or name.endswith(".json")
    return known.name if is_schema else ""


def _unknown(asked: str, config: Config, catalogues: Iterable[Catalogue]) -> str:
    names: dict[str, None] = {}
    for catalogue in catalogues:
        for layer in catalogue.layers:
            if _is_left_out(layer, config) and any(one.name == asked for one in layer.grammars):
                return (
                    f"the grammar {asked} of {layer.workspace} is not trusted; "
                    f"run: draftwire grammar trust {layer.workspace}"
                )
        names |= dict.fromkeys(catalogue.used(config.grammars))
    return f"there is no file and no grammar {asked}; the grammars are {', '.join(sorted(names))}"


def _is_left_out(layer: Layer, config: Config) -> bool:
    return not layer.trusted and not config.grammars.trust_workspace
