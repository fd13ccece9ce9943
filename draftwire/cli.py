"""The command line: names the subcommands and turns errors into one line and an exit status.

Thin, and quick to load: each subcommand imports what it needs when it runs, so that `draftwire --help`, and a
bridge that an editor waits for, load no model library.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from draftwire.commands import complete, config, daemon, doctor, grammar, stats
from draftwire.commands.options import LogLevel
from draftwire.failures import EXIT_HELP, CommandFailed, Exit, explain


class _Root(TyperGroup):
    """Ends every subcommand that raises with a message for people."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort) or _is_usage_error(error):
                raise
            message, status = explain(error)
            if ctx.params.get("debug"):
                message = "".join(traceback.format_exception(error)).rstrip()
            typer.echo(f"draftwire: {message}", err=True)
            raise typer.Exit(int(status)) from None


app = typer.Typer(
    name="draftwire",
    cls=_Root,
    help="Code completion: drafted on this machine, verified by a larger model elsewhere.",
    epilog=EXIT_HELP,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(daemon.app, name="daemon")
app.add_typer(config.app, name="config")
app.add_typer(grammar.app, name="grammar")
app.command("complete")(complete.complete)
app.command("doctor")(doctor.doctor)
app.command("stats")(stats.stats)

_PASS_ON = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}
"""Leaves all options to the application that is loaded for the subcommand, --help included."""


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=lambda value: _version(value), is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="On an error, print the whole traceback.")] = False,
) -> None:
    """Options that stand before the subcommand."""


@app.command()
def lsp(
    *,
    log_level: Annotated[
        LogLevel, typer.Option(help="What goes to stderr; never code or secrets.")
    ] = LogLevel.WARNING,
    stdio: Annotated[
        bool, typer.Option("--stdio", hidden=True, help="For clients that always pass it.")
    ] = True,
    without_daemon: Annotated[
        bool, typer.Option("--without-daemon", hidden=True, help="Do not start one; for `draftwire doctor`.")
    ] = False,
) -> None:
    """The language server on stdin and stdout: what an editor starts. It starts the daemon if none runs."""
    from daemon.api.paths import runtime_paths
    from daemon.version import VERSION
    from lsp_bridge.main import run

    command = [sys.executable, "-c", "raise SystemExit(1)"] if without_daemon else None
    raise typer.Exit(run(runtime_paths(), version=VERSION, log_level=log_level.value, daemon_command=command))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def verifier(context: typer.Context) -> None:
    """Serve a target model that verifies the drafts of many daemons; `draftwire verifier --help` says more."""
    _hand_over("verifier.cli", context)


@app.command(context_settings=_PASS_ON, add_help_option=False)
def demo(context: typer.Context) -> None:
    """Show the whole path at work on this machine; `draftwire demo --help` says more."""
    _hand_over("draftwire.demo", context)


def main() -> None:
    """Run the command with the arguments of this process; ends it."""
    app(prog_name="draftwire")


def _hand_over(module: str, context: typer.Context) -> None:
    """Run the typer application `app` of a module, loaded now, with the arguments that are left."""
    try:
        command: Any = typer.main.get_command(importlib.import_module(module).app)
        command.context_settings["help_option_names"] = ["-h", "--help"]
        command.main(args=context.args, prog_name=f"draftwire {context.info_name}")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors", "gguf"):
            raise
        from verifier.extras import install_command

        text = f"{error.name} is not installed; run: {install_command('verifier')}"
        raise CommandFailed(text, Exit.UNAVAILABLE) from error


def _is_usage_error(error: Exception) -> bool:
    """Whether typer itself reports this error, with the usage line (its class is not public)."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def _version(wanted: bool) -> None:  # noqa: FBT001
    if not wanted:
        return
    from daemon.version import VERSION

    typer.echo(f"draftwire {VERSION}")
    raise typer.Exit
