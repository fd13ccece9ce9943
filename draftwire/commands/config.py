"""`draftwire config`: write, show and check the configuration file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from draftwire.commands.options import Json
from draftwire.failures import CommandFailed, Exit
from draftwire.running_daemon import CHANGED, config_changed, status_of_daemon
from draftwire.terminal import note, print_json

app = typer.Typer(
    help="The configuration file: write it, show what is in force, check it.", no_args_is_help=True
)

_File = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="Default: what `draftwire config path` prints.")
]


@app.command()
def init(
    file: _File = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a configuration file that shows every setting, what it means, and its default."""
    from daemon.settings.annotated_config import annotated_default
    from daemon.settings.config import default_config_path

    path = file or default_config_path()
    if path.exists() and not force:
        raise CommandFailed(f"{path} is there already; --force replaces it", Exit.CANT_CREATE)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as stream:
            stream.write(annotated_default())
    except OSError as error:
        raise CommandFailed(f"{path} can't be written: {error.strerror}", Exit.CANT_CREATE) from None
    note(f"wrote {path}")


@app.command()
def show(file: _File = None, *, json: Json = False) -> None:
    """Print the settings in force: the file's where it has them, else the defaults."""
    from daemon.settings.annotated_config import as_toml, plain_values
    from daemon.settings.config import load_config

    config = load_config(file)
    if json:
        print_json(plain_values(config))
    else:
        typer.echo(as_toml(config), nl=False)


@app.command()
def check(file: _File = None) -> None:
    """Name everything that is wrong with the file, with its line. Exit status 78 if something is.

    Warnings (a file or model it names is not there, a token that others can read) do not change the exit status.
    """
    from daemon.settings.config import default_config_path, load_config
    from daemon.settings.config_places import place_warnings
    from daemon.settings.config_token import verifier_token

    path = file or default_config_path()
    config = load_config(file)
    warnings = (*place_warnings(config), *verifier_token(config).warnings)
    for warning in warnings:
        note(f"warning: {warning}")
    verdict = "ok" if path.exists() else "not there; the defaults are in force"
    number = f", {len(warnings)} warning{'s' if len(warnings) > 1 else ''}" if warnings else ""
    note(f"{path}: {verdict}{number}")
    status = asyncio.run(status_of_daemon("draftwire config"))
    if status is not None and status.config_file == str(path.absolute()) and config_changed(status):
        note(CHANGED)


@app.command()
def path() -> None:
    """Print where the configuration file is looked for ($DRAFTWIRE_CONFIG changes it)."""
    from daemon.settings.config import default_config_path

    typer.echo(default_config_path())
