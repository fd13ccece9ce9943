"""Write the documents that are made from the code: docs/configuration.md and docs/command.md.

With `--check`, write nothing and fail if one of them is not what it would be. Run by `make docs` and `make check`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from typing import Any, Final

os.environ |= {
    "TYPER_USE_RICH": "0",
    "COLUMNS": "100",
    "TERMINAL_WIDTH": "100",
}  # read when typer is imported

import typer
from typer.testing import CliRunner

from daemon.settings.annotated_config import toml_value
from daemon.settings.config import (
    CLIENT_SECTIONS,
    CLIENT_SETTINGS,
    CONFIG_VARIABLE,
    SECTIONS,
    TOKEN_VARIABLE,
    LanguageConfig,
)
from daemon.settings.settings_schema import settings_of
from draftwire.cli import app

ROOT: Final = Path(__file__).resolve().parent.parent
NOTE: Final = "<!-- Made by `make docs` from the code; changes here are lost. -->\n\n"
LONG_LIST: Final = 6


def main() -> int:
    """The exit status: 1 if `--check` finds a document that is not up to date."""
    stale = []
    for name, text in (("configuration.md", configuration()), ("command.md", command())):
        path = ROOT / "docs" / name
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"docs/{name}")
    if stale:
        print(f"not up to date: {', '.join(stale)}; run: make docs", file=sys.stderr)
    return 1 if stale else 0


def configuration() -> str:
    """The table of all settings."""
    blocks = [
        f"{NOTE}# Configuration\n\n"
        "One TOML file; `draftwire config path` prints where it is, `draftwire config init` writes it with every "
        "setting explained, `draftwire config check` names what is wrong with it, by line. The environment "
        f"variable `{CONFIG_VARIABLE}` names another file; `{TOKEN_VARIABLE}` holds the verifier's token if no "
        "file is to.\n\n"
        f"An editor may set `{'.*`, `'.join(CLIENT_SECTIONS)}.*` and `{'`, `'.join(CLIENT_SETTINGS)}` for itself, by "
        "dotted name "
        '(`"completion.enabled": false`); the rest belongs to the daemon, which all editors share.'
    ]
    for name, section in SECTIONS.items():
        blocks.append(_section(f"[{name}]", section))
        for key, described in settings_of(section).items():
            if described.element is not None:
                blocks.append(_section(f"[[{name}.{key}]]", described.element))
    *others, last = (f"`{key}`" for key in settings_of(LanguageConfig))
    blocks.append(
        f"## [languages.ID]\n\nFor one language id of the editor: {', '.join(others)} and {last}, where they differ "
        "from [completion]."
    )
    return "\n\n".join(blocks) + "\n"


def command() -> str:
    """The help of every command."""
    import draftwire.demo
    import verifier.cli

    helps = list(_helps(app, ["draftwire"]))
    helps += _helps(verifier.cli.app, ["draftwire", "verifier"])
    helps += _helps(draftwire.demo.app, ["draftwire", "demo"])
    return f"{NOTE}# The command\n\n" + "\n\n".join(helps) + "\n"


def _section(title: str, section: type) -> str:
    return f"## {title}\n\n{_sentence(getdoc(section) or '')}\n\n" + "\n".join(_rows(section))


def _rows(section: type) -> Iterator[str]:
    yield "| setting | default | takes | meaning |"
    yield "|---|---|---|---|"
    defaults = section()
    for key, described in settings_of(section).items():
        value = getattr(defaults, key)
        long = isinstance(value, tuple) and len(value) > LONG_LIST
        default = toml_value((*value[:LONG_LIST], "...") if long else value)
        allowed = described.allowed()
        yield f"| `{key}` | `{default}` | {_cell(allowed)} | {_cell(described.text)} |"


def _helps(application: typer.Typer, path: list[str]) -> Iterator[str]:
    """The help of an application and of its subcommands, but of those that hand over to another application."""
    group: Any = typer.main.get_command(application)
    yield _help(application, path, [])
    yield from _of_subcommands(application, group, path, [])


def _of_subcommands(application: typer.Typer, group: Any, path: list[str], names: list[str]) -> Iterator[str]:
    for name, found in getattr(group, "commands", {}).items():
        if found.hidden or not found.add_help_option:
            continue
        yield _help(application, path, [*names, name])
        yield from _of_subcommands(application, found, path, [*names, name])


def _help(application: typer.Typer, path: list[str], names: list[str]) -> str:
    result = CliRunner().invoke(application, [*names, "--help"], prog_name=" ".join(path))
    if result.exit_code:
        raise RuntimeError(f"no help of {[*path, *names]}: {result.output}")
    lines = "\n".join(line.rstrip() for line in result.stdout.strip().splitlines())
    return f"## {' '.join([*path, *names])}\n\n```text\n{lines}\n```"


def _sentence(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
