"""The processes of the demonstration, on loopback, in a private folder: a verifier, and what a daemon needs.

The bridge that the editor starts brings the daemon up itself; the environment made here leads it to this run's
configuration and runtime folder, so that a daemon of the user's is left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.api.client import DaemonClient
from daemon.api.errors import ApiError
from daemon.api.messages import Shutdown
from daemon.api.paths import RuntimePaths, runtime_paths
from draftwire.failures import CommandFailed, Exit

START_S = 120.0


@dataclass(frozen=True, slots=True)
class Workplace:
    """A private folder for one run."""

    folder: Path

    def paths(self) -> RuntimePaths:
        return runtime_paths(self.folder / "run")

    def configured(
        self, *, draft_model: str, verifier_port: int | None, grammars: str = ""
    ) -> dict[str, str]:
        """Write the configuration, `grammars` (TOML) at its end; the environment that leads to it."""
        url = f"ws://127.0.0.1:{verifier_port}" if verifier_port is not None else ""
        return self.environment(
            f"[draft]\nmodel = {json.dumps(draft_model)}\n"
            f"[verifier]\nurl = {json.dumps(url)}\ndeadline_ms = 10000\n"
            f"[completion]\nmax_tokens = 24\nmax_lines = 2\n[daemon]\nidle_exit_s = 20\n{grammars}"
        )

    def environment(self, config_text: str) -> dict[str, str]:
        """Write the configuration; the environment that leads to it."""
        config = self.folder / "config.toml"
        config.write_text(config_text, "utf-8")
        environment = {k: v for k, v in os.environ.items() if k != "DRAFTWIRE_VERIFIER_TOKEN"}
        return {**environment, **self.paths().environment(), "DRAFTWIRE_CONFIG": str(config)}

    async def stop_daemon(self) -> None:
        """End the daemon of this run, if there is one."""
        with contextlib.suppress(ApiError):
            client = await DaemonClient.connect(self.paths(), client="draftwire demo")
            client.send(Shutdown())
            await client.wait_lost()
            await client.close()


@contextlib.contextmanager
def workplace() -> Iterator[Workplace]:
    """A private folder, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="draftwire-demo-") as name:
        yield Workplace(Path(name))


@contextlib.contextmanager
def cleared_when_terminated() -> Iterator[None]:
    """Have SIGTERM cancel the task that is in here, so that its folder and processes are cleared away; exit status 143.

    Not by way of Ctrl-C, which a shell has its background jobs ignore. For the main thread.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    terminated = False

    def terminate(*_: object) -> None:
        nonlocal terminated
        terminated = True
        loop.call_soon_threadsafe(task.cancel)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(128 + signal.SIGTERM) from None
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


@dataclass(frozen=True, slots=True)
class Verifier:
    """A running verifier process."""

    process: asyncio.subprocess.Process
    port: int
    target: str

    async def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@contextlib.asynccontextmanager
async def running_verifier(model: str, threads: int) -> AsyncIterator[Verifier]:
    """`draftwire verifier` on a free loopback port, ready; killed at the end."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "draftwire", "verifier", "--model", model, "--port", "0"),
        *("--threads", str(threads), "--ready-json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(process.stderr.read())
    try:
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        if not line:
            text = (await errors).decode("utf-8", "replace").strip()
            raise CommandFailed(f"the verifier did not start: {text}", Exit.UNAVAILABLE)
        ready = json.loads(line)
        yield Verifier(process, ready["port"], ready["target"])
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await asyncio.gather(errors, return_exceptions=True)
