"""The rules of the tree: what may import what, what is loaded when, what is in the wheel, who reads the environment.

The import contracts are in pyproject.toml and run by `lint-imports`; here each is shown to bite.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = ("draftwire", "speculation", "grammars", "daemon", "lsp_bridge", "verifier")


def modules(package: str) -> list[str]:
    """The dotted names of a package's modules, itself included."""
    files = sorted((ROOT / package).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def loaded_by(names: list[str]) -> set[str]:
    """The modules in a fresh interpreter after importing `names`."""
    program = (
        "import importlib, sys\n"
        f"for name in {names}: importlib.import_module(name)\n"
        "print('LOADED', *sorted(sys.modules))"
    )
    return loaded_after(program)


def loaded_after(program: str) -> set[str]:
    """The modules in a fresh interpreter after `program`, which prints them."""
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines()[-1].split()[1:])


# What is loaded ---------------------------------------------------------------------------------------------


def test_the_daemon_loads_neither_torch_nor_anything_of_the_other_sides() -> None:
    loaded = loaded_by(modules("daemon"))
    assert not loaded & {
        "torch",
        "transformers",
        "safetensors",
        "gguf",
        "pygls",
        "typer",
        "verifier",
        "draftwire",
    }


def test_the_server_loads_engines_only_with_the_model_and_with_grammars() -> None:
    """Nor does it ever parse a grammar: that is another process's."""
    loaded = loaded_by(["daemon.serving.server"])
    assert "grammars.engine" in loaded
    assert not loaded & {"torch", "llama_cpp", "llguidance", "lark"}


@pytest.mark.parametrize("arguments", [["--help"], ["grammar", "--help"], ["lsp", "--help"]])
def test_help_loads_no_engine(arguments: list[str]) -> None:
    program = (
        "import sys, typer.testing, draftwire.cli\n"
        f"result = typer.testing.CliRunner().invoke(draftwire.cli.app, {arguments})\n"
        "assert result.exit_code == 0, result.output\n"
        "print('LOADED', *sorted(sys.modules))"
    )
    assert not loaded_after(program) & {"llama_cpp", "llguidance", "lark", "numpy", "torch", "pygls"}


def test_the_bridge_is_thin() -> None:
    loaded = loaded_by(modules("lsp_bridge"))
    unwanted = {
        "torch",
        "llama_cpp",
        "numpy",
        "websockets",
        "typer",
        "rich",
        "speculation",
        "daemon.settings.config",
    }
    assert "lsp_bridge.main" in loaded
    assert not loaded & unwanted


def test_what_both_ends_share_loads_no_input_or_output() -> None:
    loaded = loaded_by([*modules("speculation"), *modules("grammars")])
    assert not loaded & {"torch", "llama_cpp", "asyncio", "websockets", "daemon", "verifier", "httpx"}


# What is in the wheel -------------------------------------------------------------------------------------


def test_every_package_is_in_the_wheel_and_typed() -> None:
    included = PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    for package in PACKAGES:
        assert any(fnmatch(package, pattern) for pattern in included), package
        assert (ROOT / package / "py.typed").exists(), package
    assert PROJECT["tool"]["setuptools"]["package-data"]["*"] == ["py.typed"]


def test_the_list_of_packages_is_whole() -> None:
    not_shipped = {"benchmarks", "tests", "packaging", "editors", "docs"}
    found = {path.parent.name for path in ROOT.glob("*/*.py")} - not_shipped
    assert {name for name in found if not name.startswith(".")} == set(PACKAGES)
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == set(PACKAGES)


def test_every_folder_with_modules_is_a_package() -> None:
    """Else it would be missing from the wheel, unless it is named as data."""
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            name = file.relative_to(ROOT / package).as_posix()
            is_data = any(fnmatch(name, pattern) for pattern in data.get(package, []))
            assert is_data or (file.parent / "__init__.py").exists(), file.parent


def test_tests_are_no_packages() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))


# Who reads the environment --------------------------------------------------------------------------------

READERS = {
    "daemon/settings/config.py": "the configuration's path",
    "daemon/settings/config_token.py": "the verifier's token",
    "daemon/api/paths.py": "the runtime directory, which client and daemon must agree on",
    "daemon/api/start.py": "passed on to the daemon that is started",
    "daemon/draft/llama_library.py": "set, for OpenMP, before the library loads",
    "daemon/draft/model_probe.py": "passed on to the process that tries a model file",
    "draftwire/demo/processes.py": "passed on to the demo's processes",
    "verifier/cli.py": "the verifier's token",
}


def test_the_environment_is_read_in_few_places() -> None:
    found = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            if names & {"environ", "getenv", "environb", "putenv"}:
                found.add(file.relative_to(ROOT).as_posix())
    assert found <= set(READERS)


# The import contracts -------------------------------------------------------------------------------------

VIOLATIONS = {
    "Imports point down": ("speculation/bad_layer.py", "import daemon.draft.engine"),
    "The verifier knows nothing of the daemon": ("verifier/bad_daemon.py", "import daemon.draft.engine"),
    "The bridge sees daemon.api alone": ("lsp_bridge/bad_daemon.py", "import daemon.draft.engine"),
    "daemon.api stands by itself": ("daemon/api/bad_config.py", "import daemon.settings.config"),
    "speculation and grammars are pure": ("grammars/bad_clock.py", "import time"),
    "torch and what loads weights": ("daemon/bad_torch.py", "import torch"),
    "llama_cpp is loaded in one file": ("daemon/bad_llama.py", "import llama_cpp"),
    "LSP is known to the bridge": ("daemon/bad_lsp.py", "import lsprotocol"),
    "lark parses grammars": ("daemon/bad_lark.py", "import lark"),
    "llguidance is loaded in one file": ("grammars/bad_engine.py", "import llguidance"),
    "websockets are the link's": ("draftwire/bad_socket.py", "import websockets"),
    "typer and rich are the command's": ("daemon/bad_rich.py", "from rich.table import Table"),
}


def lint_imports(folder: Path) -> str:
    run = subprocess.run(
        ["lint-imports", "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=100, check=False,
        env={"PATH": str(Path(sys.executable).parent), "PYTHONPATH": str(folder), "COLUMNS": "300"},
    )  # fmt: skip
    return run.stdout + run.stderr


@pytest.fixture(scope="module")
def broken_tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What lint-imports says of a copy of the tree with one violation for each contract."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in VIOLATIONS.values():
        (folder / name).write_text(text + "\n")
    return lint_imports(folder)


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_each_contract_bites(broken_tree: str, contract: str) -> None:
    outcomes = [line for line in broken_tree.splitlines() if line.startswith(contract)]
    assert any("BROKEN" in line for line in outcomes), broken_tree


def test_there_is_a_violation_for_every_contract() -> None:
    names = [contract["name"] for contract in PROJECT["tool"]["importlinter"]["contracts"]]
    assert len(names) == len(VIOLATIONS)
    for start in VIOLATIONS:
        assert sum(name.startswith(start) for name in names) == 1, start
