"""`draftwire daemon`: run, start, stop and look at the background process."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import typer

from draftwire.commands.options import ConfigFile, Json
from draftwire.config_change import CHANGED, config_changed
from draftwire.failures import CommandFailed, Exit
from draftwire.reasons import in_words
from draftwire.terminal import note, print_json, print_pairs, spinner

if TYPE_CHECKING:
    from daemon.api.messages import Status
    from daemon.api.paths import RuntimePaths

app = typer.Typer(help="The background process that all your editors share.", no_args_is_help=True)

CLIENT = "draftwire daemon"
STOP_TIMEOUT_S = 10.0
POLL_S = 0.02
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@app.command()
def run(config: ConfigFile = None) -> None:
    """Run the daemon here, until it has been idle for long enough. Exit status 75 if one runs already."""
    from daemon.api.paths import runtime_paths
    from daemon.config import load_config

    settings = load_config(config)  # first: what is wrong with it is told before the rest is imported
    from daemon.server import run_daemon

    logging.basicConfig(level=settings.daemon.log_level.upper(), format=LOG_FORMAT)
    logging.getLogger("websockets").setLevel(logging.WARNING)  # at debug it writes frames, hence token ids
    asyncio.run(run_daemon(settings, runtime_paths()))


@app.command()
def start(config: ConfigFile = None) -> None:
    """Start the daemon in the background, if none runs. Editors do this by themselves."""
    from daemon.api.paths import runtime_paths
    from daemon.config import load_config

    load_config(config)
    with spinner("starting the daemon"):
        text = asyncio.run(_start(runtime_paths(), _run_command(config)))
    note(text)


@app.command()
def stop() -> None:
    """End the daemon. Does nothing if none runs."""
    from daemon.api.errors import DaemonUnavailable
    from daemon.api.paths import runtime_paths

    paths = runtime_paths()
    try:
        with spinner("stopping the daemon"):
            pid = asyncio.run(_ask_to_end(paths))
            _wait_ended(paths, pid)
    except DaemonUnavailable as error:
        if _is_held(paths):
            pid_text = paths.lock.read_text(encoding="utf-8").strip()
            raise CommandFailed(f"{error}\nit can be ended by: kill {pid_text}", Exit.UNAVAILABLE) from None
        note("no daemon is running")
    else:
        note(f"the daemon (process {pid}) has ended")


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
    from daemon.api.errors import DaemonUnavailable
    from daemon.api.start import ensure_daemon

    paths.prepare()
    try:
        client = await DaemonClient.connect(paths, client=CLIENT)
        text = "the daemon (process {}) runs already"
    except DaemonUnavailable:
        client = await ensure_daemon(paths, client=CLIENT, command=command)
        text = "the daemon (process {}) runs"
    pid = client.welcome.pid
    await client.close()
    return text.format(pid)


async def _ask_to_end(paths: RuntimePaths) -> int:
    """Tell the daemon to end, and wait for the end of the connection; the daemon's process id."""
    from daemon.api.client import DaemonClient
    from daemon.api.messages import Shutdown

    client = await DaemonClient.connect(paths, client=CLIENT)
    try:
        client.send(Shutdown())
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await client.wait_lost()
    except TimeoutError:
        pass  # found out by its lock
    finally:
        await client.close()
    return client.welcome.pid


def _wait_ended(paths: RuntimePaths, pid: int) -> None:
    """Wait until the daemon has let go of its lock."""
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while _is_held(paths):
        if time.monotonic() > deadline:
            text = f"the daemon (process {pid}) has not ended within {STOP_TIMEOUT_S:g} s; run: kill {pid}"
            raise CommandFailed(text, Exit.UNAVAILABLE)
        time.sleep(POLL_S)


def _is_held(paths: RuntimePaths) -> bool:
    """Whether a daemon lives: it holds its lock as long as it does."""
    from daemon.lifecycle import AlreadyRunning, only_daemon

    if not paths.lock.exists():
        return False
    try:
        with only_daemon(paths):
            return False
    except AlreadyRunning:
        return True


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
