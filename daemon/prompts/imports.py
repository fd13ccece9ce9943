"""Which files a text imports, by how its language writes that. Pure: it knows names, not whether there are such files.

By regular expressions, not by parsing: what looks like an import within a string is taken for one, and a file that is
not there is passed over by whoever looks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

READ: Final = 16_384
"""Characters of a text that are looked at: imports stand first."""


@dataclass(frozen=True, slots=True)
class Import:
    """A file that is imported: it is at the first of these paths where there is one."""

    paths: tuple[str, ...]
    """Relative, / between the parts; ".." leads to the folder above."""
    from_above: bool = False
    """The folder they start from may be any of those that the importing file is in; else it is its own."""


def imports_of(language: str, text: str) -> list[Import]:
    """What a text in this language (the editor's id) imports, in its order, each once; none where that is not known."""
    find = _BY_LANGUAGE.get(language)
    return list(dict.fromkeys(find(text[:READ]))) if find is not None else []


def are_alike(language: str, other: str) -> bool:
    """Whether texts in these languages import each other, or are in one language."""
    find = _BY_LANGUAGE.get(language)
    return language == other or (find is not None and find is _BY_LANGUAGE.get(other))


_FROM: Final = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT: Final = re.compile(r"^[ \t]*import[ \t]+([\w., \t]+)", re.MULTILINE)
_NAME: Final = re.compile(r"([\w.]+)(?:[ \t]+as[ \t]+\w+)?")


def _python(text: str) -> Iterator[Import]:
    for dots, module, names in _FROM.findall(text):
        above, path = "../" * (len(dots) - 1), module.replace(".", "/")
        if module:
            yield Import(_modules(above + path), not dots)
        for name in _NAME.findall(re.sub(r"#[^\n]*", "", names)):
            yield Import(_modules(f"{above}{path}/{name}" if module else above + name), not dots)
    for modules in _IMPORT.findall(text):
        for name in _NAME.findall(modules):
            yield Import(_modules(name.replace(".", "/")), from_above=True)


def _modules(path: str) -> tuple[str, ...]:
    return f"{path}.py", f"{path}/__init__.py"


_SPECIFIER: Final = re.compile(
    r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'](\.{1,2}/[^"'\n]+)["']"""
)
_SCRIPTS: Final = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
_COMPILED: Final = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""What a script that is imported by its compiled name may be written in."""


def _script(text: str) -> Iterator[Import]:
    for path in _SPECIFIER.findall(text):
        stem, dot, ending = path.rpartition(".")
        sources = [stem + other for other in _COMPILED.get(dot + ending, ())] if stem else []
        added = [path.rstrip("/") + other for other in (*_SCRIPTS, *(f"/index{one}" for one in _SCRIPTS))]
        yield Import((*sources, *([path] if dot + ending in (*_SCRIPTS, ".mts", ".cts") else []), *added))


_INCLUDE: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_HEADER_FOLDERS: Final = ("", "include/", "src/")


def _c(text: str) -> Iterator[Import]:
    for path in _INCLUDE.findall(text):
        yield Import(tuple(folder + path for folder in _HEADER_FOLDERS), from_above=True)


_BY_LANGUAGE: Final[dict[str, Callable[[str], Iterator[Import]]]] = {
    "python": _python,
    "typescript": _script,
    "typescriptreact": _script,
    "javascript": _script,
    "javascriptreact": _script,
    "c": _c,
    "cpp": _c,
    "objective-c": _c,
    "cuda-cpp": _c,
}
