"""`draftwire daemon`: run, start, stop and look at the background process."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import typer

from daemon.api.reasons import in_words
from draftwire.commands.options import ConfigFile, Json
from draftwire.running_daemon import CHANGED, config_changed, other_version
from draftwire.terminal import note, print_json, print_pairs, spinner

if TYPE_CHECKING:
    from daemon.api.messages import Status
    from daemon.api.paths import RuntimePaths

app = typer.Typer(help="The background process that all your editors share.", no_args_is_help=True)

CLIENT = "draftwire daemon"
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@app.command()
def run(config: ConfigFile = None) -> None:
    """Run the daemon here, until it has been idle for long enough. Exit status 75 if one runs already."""
    from daemon.api.paths import runtime_paths
    from daemon.settings.config import load_config

    settings = load_config(config)  # first: what is wrong with it is told before the rest is imported
    from daemon.serving.server import run_daemon

    logging.basicConfig(level=settings.daemon.log_level.upper(), format=LOG_FORMAT)
    logging.getLogger("websockets").setLevel(logging.WARNING)  # at debug it writes frames, hence token ids
    asyncio.run(run_daemon(settings, runtime_paths()))


@app.command()
def start(config: ConfigFile = None) -> None:
    """Start the daemon in the background, if none runs. Editors do this by themselves.

    One that runs and does not answer is not replaced: `draftwire daemon stop` ends it.
    """
    from daemon.api.paths import runtime_paths
    from daemon.settings.config import load_config

    load_config(config)
    with spinner("starting the daemon"):
        text = asyncio.run(_start(runtime_paths(), _run_command(config)))
    note(text)


@app.command()
def stop() -> None:
    """End the daemon; one that does not answer is killed. Editors start it again when you type on.

    Where it answers it has 10 seconds to end; where it does not, 3 after a SIGTERM. Does nothing if none runs.
    """
    from daemon.api.paths import runtime_paths
    from draftwire.stopping import stop_daemon

    with spinner("stopping the daemon"):
        outcome = stop_daemon(runtime_paths(), CLIENT, note)
    note(outcome)


@app.command()
def status(*, json: Json = False) -> None:
    """What the daemon is doing: draft model, verifier, grammars, clients. Exit status 69 if none runs."""
    from daemon.api.paths import runtime_paths

    found = asyncio.run(_status(runtime_paths()))
    if json:
        print_json(status_values(found))
    else:
        print_status(found)


def status_values(found: Status) -> dict[str, Any]:
    """A Status as plain values, without what belongs to the request."""
    from msgspec.structs import asdict

    values = asdict(found)
    del values["request"]
    return {**values, "config_changed": config_changed(found)}


def print_status(found: Status) -> None:
    """A Status as a table for people."""
    link = found.link if not found.verifier else f"{found.link}, {found.verifier}"
    retry = f"{found.retry_in_ms / 1000:.1f} s" if found.retry_in_ms else ""
    grammars = found.grammars or ["none is needed by the open documents"]
    rows = [
        (
            "daemon",
            f"process {found.pid}, version {found.version}" + (f", on {found.host}" if found.host else ""),
        ),
        ("", other_version(found.version)),
        ("serves", f"{_count(found.clients, 'client')}, {_count(found.sessions, 'session')}"),
        ("draft model", f"{found.draft}  {found.draft_model}".strip()),
        ("draft error", found.draft_error),
        ("verifier", link),
        ("target model", found.target_model),
        ("reason", found.link_reason),
        ("next try in", retry),
        ("round trip", f"{found.round_trip_ms:.1f} ms" if found.round_trip_ms else ""),
        *(("" if number else "grammars", line) for number, line in enumerate(grammars)),
        *(
            ("" if number else "not completed", f"{unquote(name)}: {in_words(reason)}")
            for number, (name, reason) in enumerate(found.left_out.items())
        ),
        ("configuration", found.config_file),
        ("", CHANGED if config_changed(found) else ""),
    ]
    print_pairs(found.message, rows)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _run_command(config: ConfigFile) -> list[str]:
    """How to run the daemon, for the one who starts it."""
    command = [sys.executable, "-m", "draftwire", "daemon", "run"]
    return command if config is None else [*command, "--config", str(config.absolute())]


async def _start(paths: RuntimePaths, command: list[str]) -> str:
    from daemon.api.client import DaemonClient
    from daemon.api.errors import DaemonSilent, DaemonUnavailable
    from daemon.api.start import ensure_daemon
    from daemon.serving.lifecycle import is_held

    paths.prepare()
    try:
        client = await DaemonClient.connect(paths, client=CLIENT)
        text = "the daemon (process {}) runs already"
    except DaemonUnavailable as error:
        if isinstance(error, DaemonSilent) and is_held(paths):
            raise
        client = await ensure_daemon(paths, client=CLIENT, command=command)
        text = "the daemon (process {}) runs"
    welcome = client.welcome
    await client.close()
    return "\n".join(filter(None, (text.format(welcome.pid), other_version(welcome.daemon_version))))


async def _status(paths: RuntimePaths) -> Status:
    """The daemon's status, without this command among its clients."""
    from msgspec.structs import replace

    from daemon.api.client import DaemonClient

    client = await DaemonClient.connect(paths, client=CLIENT)
    try:
        found = await client.status()
        return replace(found, clients=max(0, found.clients - 1))
    finally:
        await client.close()
