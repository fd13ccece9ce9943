"""The command `draftwire verifier`: options to settings, signals to an orderly end, errors to one line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import stat
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from verifier.errors import FileUnusable, VerifierFailed
from verifier.service import BUNDLED, VerifierSettings, check, serve, warnings

TOKEN_VARIABLE = "DRAFTWIRE_VERIFIER_TOKEN"
EXIT_HELP = (
    "Exit status: 0 ended by a signal; 1 the model does not fit or can't be computed; 2 wrong usage; "
    "66 a file (model, token, certificate) can't be read; 69 the address to listen on, a package or a device is "
    "not to be had."
)


class Device(StrEnum):
    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


class Dtype(StrEnum):
    auto = "auto"
    float32 = "float32"
    bfloat16 = "bfloat16"
    float16 = "float16"


class LogLevel(StrEnum):
    debug = "debug"
    info = "info"
    warning = "warning"
    error = "error"


def verifier_command(
    *,
    model: Annotated[
        str, typer.Option(help="A .gguf file, a folder saved by transformers, or 'bundled'.")
    ] = BUNDLED,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any free one.")] = 8765,
    token_file: Annotated[
        Path | None,
        typer.Option(help=f"File with the bearer token clients must show; else ${TOKEN_VARIABLE} is read."),
    ] = None,
    insecure_no_auth: Annotated[
        bool, typer.Option("--insecure-no-auth", help="Let other hosts connect without a token.")
    ] = False,
    slots: Annotated[
        int, typer.Option(help="Sessions computed in one step; each takes memory for --max-context.", min=1)
    ] = 8,
    max_context: Annotated[
        int | None,
        typer.Option(help="Tokens a session may hold; default: the model's own, at most 4096.", min=2),
    ] = None,
    device: Annotated[Device, typer.Option(help="Where the model runs.")] = Device.auto,
    dtype: Annotated[
        Dtype, typer.Option(help="Number format; auto: float32 on cpu, bfloat16 on cuda.")
    ] = Dtype.auto,
    threads: Annotated[int, typer.Option(help="CPU threads of the model; 0: torch decides.", min=0)] = 0,
    certfile: Annotated[Path | None, typer.Option(help="TLS certificate chain (PEM).")] = None,
    keyfile: Annotated[Path | None, typer.Option(help="TLS private key (PEM).")] = None,
    log_level: Annotated[LogLevel, typer.Option(help="What goes to stderr.")] = LogLevel.info,
    ready_json: Annotated[
        bool, typer.Option("--ready-json", help="Print one line of JSON on stdout once it listens.")
    ] = False,
) -> None:
    """Serve a target model: verify the draft tokens of many daemons over a websocket."""
    logging.basicConfig(
        level=log_level.value.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("websockets").setLevel(logging.WARNING)  # at debug it writes frames, hence token ids
    try:
        settings = VerifierSettings(
            model=model,
            host=host,
            port=port,
            token=read_token(token_file, os.environ.get(TOKEN_VARIABLE, "")),
            insecure_no_auth=insecure_no_auth,
            slots=slots,
            max_context=max_context,
            device=device.value,
            dtype=dtype.value,
            threads=threads,
            certfile=certfile,
            keyfile=keyfile,
        )
        check(settings)
        for warning in (*warnings(settings), *_token_file_warning(token_file)):
            typer.echo(f"warning: {warning}", err=True)
        asyncio.run(_until_signal(settings, ready_json=ready_json))
    except VerifierFailed as error:
        typer.echo(f"draftwire verifier: {error}", err=True)
        raise typer.Exit(error.exit_status) from error


def read_token(token_file: Path | None, from_environment: str) -> str:
    """The bearer token: the file's content without its line end, else the environment's. Raises VerifierFailed."""
    if token_file is None:
        return from_environment
    try:
        token = token_file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        text = f"can't read the token file {token_file} ({reason}): write the token into it, or check --token-file"
        raise FileUnusable(text) from error
    if not token:
        raise FileUnusable(f"the token file {token_file} is empty: write the token into it")
    return token


def _token_file_warning(token_file: Path | None) -> list[str]:
    """What to run if others can read the token."""
    if token_file is None or os.name != "posix":
        return []
    shared = token_file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return [f"{token_file} can be read by others; run: chmod 600 {token_file}"] if shared else []


async def _until_signal(settings: VerifierSettings, *, ready_json: bool) -> None:
    """Serve until SIGTERM or SIGINT."""
    target: list[str] = []

    def report(host: str, port: int) -> None:
        if ready_json:
            typer.echo(json.dumps({"host": host, "port": port, "target": target[0]}))
            sys.stdout.flush()
        else:
            typer.echo(f"serving {target[0]} on {host}:{port}", err=True)

    task = asyncio.create_task(
        serve(
            settings,
            ready=report,
            loaded=lambda engine: target.append(engine.target_id),
            loading=lambda: typer.echo(f"loading {settings.model} ...", err=True),
        )
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows: KeyboardInterrupt does it
            loop.add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


app = typer.Typer(add_completion=False)
app.command(epilog=EXIT_HELP, context_settings={"help_option_names": ["-h", "--help"]})(verifier_command)

if __name__ == "__main__":
    app()
