"""Files of domain-specific languages for tests and benchmarks: real ones from installed packages, and generated ones.

Nothing is downloaded here. Real files are looked for where Python's packages are installed, and in the editors'
`node_modules` where those are; of Protocol Buffers they come with `googleapis-common-protos`, which is pinned among
the development dependencies (0.3 MB, 63 files). The generators walk hand-made models of believable projects with
realistic names, with Chinese text and emoji in comments and strings.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, Protocol

from benchmarks.dsl.generated_dot import DotProject
from benchmarks.dsl.generated_fsm_zh import FsmProject
from benchmarks.dsl.generated_graphql import GraphqlProject
from benchmarks.dsl.generated_promql import PromqlProject
from benchmarks.dsl.generated_sql import SqlProject
from benchmarks.dsl.generated_st import StProject

SUFFIXES: Final = {
    "proto3": (".proto",),
    "graphql": (".graphql", ".gql", ".graphqls"),
    "json": (".json",),
    "dot": (".dot", ".gv"),
    "sql": (".sql",),
}
"""What real files of a language are called."""
MAX_BYTES: Final = 2_000_000
"""Of one real file; larger ones are data."""


class Project(Protocol):
    """What writes the files of one made-up project."""

    def header(self) -> str: ...

    def statement(self) -> str: ...


GENERATORS: Final[dict[str, Callable[[Random], Project]]] = {
    "sql": SqlProject,
    "promql": PromqlProject,
    "st": StProject,
    "fsm_zh": FsmProject,
    "dot": DotProject,
    "graphql": GraphqlProject,
}


def places() -> tuple[Path, ...]:
    """Where real files may be: Python's packages, and what the editors' extensions are built with."""
    editors = Path(__file__).resolve().parent.parent / "editors"
    return (Path(sysconfig.get_path("purelib")), *sorted(editors.glob("*/node_modules")))


def real_files(language: str, roots: Sequence[Path] | None = None) -> list[tuple[str, str]]:
    """Name (below its root) and text of every real file of a language, each text once, in the order of the names.

    Raises KeyError for a language whose real files have no known suffix.
    """
    suffixes = SUFFIXES[language]
    found: dict[str, str] = {}
    for name, text in sorted(_files(suffixes, places() if roots is None else roots)):
        found.setdefault(text, name)
    return [(name, text) for text, name in found.items()]


def _files(suffixes: tuple[str, ...], roots: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for root in roots:
        for path in root.rglob("*"):
            if path.suffix in suffixes and path.is_file() and path.stat().st_size <= MAX_BYTES:
                yield path.relative_to(root).as_posix(), path.read_bytes().decode(errors="replace")


def generated(language: str, size: int, seed: int) -> str:
    """A file of a made-up project: whole statements, at least `size` bytes, always the same for the same arguments.

    Raises KeyError for a language that has no generator.
    """
    project = GENERATORS[language](Random(f"{language} {seed}"))
    parts = [project.header()]
    length = len(parts[0].encode())
    while length < size or len(parts) == 1:
        parts.append(project.statement())
        length += len(parts[-1].encode())
    return "".join(parts)
