"""The command as a whole: help, version, how errors end, and what it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner

from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.version import VERSION
from draftwire import cli
from draftwire.failures import Exit

runner = CliRunner()


def draftwire(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "draftwire", *arguments],
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, encoding="utf-8",
    )  # fmt: skip


def test_help_names_every_subcommand_and_the_exit_statuses() -> None:
    result = runner.invoke(cli.app, ["--help"])
    assert result.exit_code == 0
    for name in ("lsp", "daemon", "verifier", "demo", "doctor", "config", "complete", "stats", "Exit status"):
        assert name in result.stdout


def test_no_arguments_show_the_help_and_end_as_wrong_usage() -> None:
    result = runner.invoke(cli.app, [])
    assert result.exit_code == Exit.USAGE
    assert "Commands" in result.output


@pytest.mark.parametrize("name", ["verifier", "demo", "doctor"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_subcommand_answers_both_spellings_of_help(name: str, option: str) -> None:
    result = runner.invoke(cli.app, [name, option])
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"draftwire {name}" in result.stdout


def test_version() -> None:
    result = runner.invoke(cli.app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"draftwire {VERSION}\n")


def test_an_unknown_subcommand_is_wrong_usage() -> None:
    result = runner.invoke(cli.app, ["nonsense"])
    assert result.exit_code == Exit.USAGE
    assert "No such command" in result.stderr


HEAVY = (
    "torch",
    "llama_cpp",
    "pygls",
    "lsprotocol",
    "lark",
    "websockets",
    "numpy",
    "httpx",
    "msgspec",
    "transformers",
)


def test_help_loads_no_heavy_module() -> None:
    program = (
        "import sys; from draftwire.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit as end: assert not end.code\n"
        f"print('LOADED', [name for name in {HEAVY} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout.splitlines()[-1] == "LOADED []"


def test_the_command_runs_as_a_module() -> None:
    run = draftwire("config", "path")
    assert run.returncode == 0
    assert run.stdout.strip().endswith("config.toml")


# How errors end --------------------------------------------------------------------------------------------


@pytest.fixture
def broken_config(tmp_path: Path) -> Path:
    path = tmp_path / "broken.toml"
    path.write_text("[draft]\nmodle = 1\n")
    return path


def test_an_error_is_one_line_on_stderr_and_no_traceback(broken_config: Path) -> None:
    run = draftwire("config", "check", str(broken_config))
    assert run.returncode == Exit.CONFIG
    assert run.stdout == ""
    assert run.stderr.startswith(f"draftwire: {broken_config}:2: unknown setting")
    assert len(run.stderr.splitlines()) == 1


def test_debug_shows_the_traceback(broken_config: Path) -> None:
    result = runner.invoke(cli.app, ["--debug", "config", "check", str(broken_config)])
    assert result.exit_code == Exit.CONFIG
    assert "Traceback (most recent call last)" in result.stderr
    assert "ConfigError" in result.stderr


# Applications loaded when they are called -----------------------------------------------------------------


def mount(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Put a module with a small application in the place of the real one."""
    application = typer.Typer()

    @application.command()
    def echo(word: str, *, loud: bool = False) -> None:
        """Say it."""
        typer.echo(word.upper() if loud else word)

    module = ModuleType(name)
    module.app = application  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize(("command", "module"), [("verifier", "verifier.cli"), ("demo", "draftwire.demo")])
def test_options_are_passed_on(monkeypatch: pytest.MonkeyPatch, command: str, module: str) -> None:
    mount(monkeypatch, module)
    result = runner.invoke(cli.app, [command, "--loud", "word"])
    assert (result.exit_code, result.stdout) == (0, "WORD\n")
    assert runner.invoke(cli.app, [command, "word", "--loud"]).stdout == "WORD\n"
    usage = runner.invoke(cli.app, [command, "--help"])
    assert f"draftwire {command}" in usage.stdout
    assert "Say it." in usage.stdout
    assert runner.invoke(cli.app, [command, "--nonsense"]).exit_code == Exit.USAGE


class _NotInstalled:
    """An import that fails because of a package that is missing."""

    def __init__(self, module: str, missing: str) -> None:
        self._module, self._missing = module, missing

    def find_spec(self, name: str, *_: object) -> None:
        if name == self._module:
            raise ModuleNotFoundError(f"No module named {self._missing!r}", name=self._missing)


def test_a_missing_extra_is_named_with_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "verifier.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_NotInstalled("verifier.cli", "torch"), *sys.meta_path])
    result = runner.invoke(cli.app, ["verifier", "--model", "x"])
    assert result.exit_code == Exit.UNAVAILABLE
    advice = 'run: pip install ".[verifier]" in a checkout of Draftwire'
    assert result.stderr == f"draftwire: torch is not installed; {advice}\n"


def test_another_missing_module_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "draftwire.demo", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_NotInstalled("draftwire.demo", "zzz"), *sys.meta_path])
    result = runner.invoke(cli.app, ["demo"])
    assert result.exit_code == Exit.INTERNAL
    assert "internal error: ModuleNotFoundError" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["--stdio"], ["--without-daemon"]])
def test_lsp_runs_the_bridge_and_ends_as_it_does(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    calls = []

    def run(paths: RuntimePaths, *, version: str, log_level: str, daemon_command: object) -> int:
        calls.append((paths, version, log_level, daemon_command is None))
        return 3

    module = ModuleType("lsp_bridge.main")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lsp_bridge.main", module)
    result = runner.invoke(cli.app, ["lsp", *arguments])
    assert (result.exit_code, result.stdout) == (3, "")
    assert calls == [(runtime_paths(), VERSION, "warning", "--without-daemon" not in arguments)]


def test_main_is_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["draftwire", "--version"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    assert capsys.readouterr().out == f"draftwire {VERSION}\n"
