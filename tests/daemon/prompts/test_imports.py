"""Which files a text imports, by language."""

from __future__ import annotations

import pytest

from daemon.prompts.imports import READ, Import, are_alike, imports_of


def modules(path: str, *, from_above: bool = False) -> Import:
    return Import((f"{path}.py", f"{path}/__init__.py"), from_above)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import a.b", [modules("a/b", from_above=True)]),
        ("import a, b.c as d", [modules("a", from_above=True), modules("b/c", from_above=True)]),
        ("from a import b", [modules("a", from_above=True), modules("a/b", from_above=True)]),
        ("from . import x, y as z", [modules("x"), modules("y")]),
        ("from .a import x", [modules("a"), modules("a/x")]),
        ("from ..a.b import (\n    x,  # why\n)", [modules("../a/b"), modules("../a/b/x")]),
        ("from ... import x", [modules("../../x")]),
        ("    from .a import x", [modules("a"), modules("a/x")]),
        ("important = 1\nfromage = 2", []),
        ("import x\nimport x", [modules("x", from_above=True)]),
        (" " * READ + "\nimport x", []),
    ],
)
def test_python(line: str, found: list[Import]) -> None:
    assert imports_of("python", line) == found


@pytest.mark.parametrize("language", ["typescript", "javascript", "typescriptreact", "javascriptreact"])
@pytest.mark.parametrize(
    "line",
    [
        'import { a } from "./b/c";',
        "export * from './b/c'",
        'import "./b/c";',
        "const a = require('./b/c')",
        'await import("./b/c")',
        'import {\n  a,\n} from "./b/c"',
    ],
)
def test_scripts_import_relative_paths_without_their_endings(language: str, line: str) -> None:
    [found] = imports_of(language, line)
    assert found.paths[:2] == ("./b/c.ts", "./b/c.tsx")
    assert "./b/c/index.ts" in found.paths
    assert not found.from_above


def test_scripts_imported_by_their_compiled_name_are_sought_by_their_source_first() -> None:
    [found] = imports_of("typescript", 'import a from "../b.js"')
    assert found.paths[:3] == ("../b.ts", "../b.tsx", "../b.js")
    [plain] = imports_of("typescript", 'import a from "./v1.2"')
    assert "./v1.2" not in plain.paths
    assert "./v1.2.ts" in plain.paths


def test_packages_of_scripts_are_none_of_the_workspaces_files() -> None:
    assert imports_of("javascript", 'import a from "react"; require("fs")') == []


def test_c_headers_in_quotes() -> None:
    text = '#include "a/b.h"\n#include <stdio.h>\n#  include "c.h"\n'
    found = [Import((f"{path}", f"include/{path}", f"src/{path}"), True) for path in ("a/b.h", "c.h")]
    assert imports_of("c", text) == imports_of("cpp", text) == found


def test_of_other_languages_nothing_is_known() -> None:
    assert imports_of("cobol", "import a") == []


def test_languages_that_import_each_other_are_alike() -> None:
    assert are_alike("typescript", "javascriptreact")
    assert are_alike("go", "go")
    assert not are_alike("go", "rust")
    assert not are_alike("c", "python")
