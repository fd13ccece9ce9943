"""A scripted daemon as a process, for an editor that is a process too: what it needs to find it, and what it did.

`with scripted_daemon(folder, rules) as daemon`: the editor gets `daemon.environment`, and `daemon.command` in place of
`draftwire`: the real bridge, which starts the same scripted daemon where none runs any more. The rules are those of
`tests/fakes/daemon.py`; what is typed along a suggestion is answered from the bridge's memory and asks none of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.settings.config import CONFIG_VARIABLE
from tests.fakes.processes import end_processes_of, processes_of

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0
"""A Python process on a busy machine."""

Rules = Sequence[Mapping[str, Any]]

BRIDGE = """\
import sys
from daemon.api.paths import runtime_paths
from lsp_bridge.main import run
sys.exit(run(runtime_paths(), version="test", daemon_command={daemon!r}))
"""
DRAFTWIRE = """\
#!/bin/sh
cd "{root}"
if [ "$1" = lsp ]; then exec "{python}" "{bridge}"; fi
exec "{python}" -m draftwire "$@"
"""


@dataclass(frozen=True, slots=True)
class ScriptedDaemonProcess:
    """What a test knows of the daemon: of each process that has been it, one after the other."""

    folder: Path
    paths: RuntimePaths

    @property
    def command(self) -> Path:
        """Stands for `draftwire`: an executable file whose `lsp` starts this daemon if none runs; the rest is real."""
        return self.folder / "draftwire"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a bridge, and the real command, need beside those of the test."""
        return {**self.paths.environment(), CONFIG_VARIABLE: str(self.folder / "config.toml")}

    def set_rules(self, rules: Rules, status: Mapping[str, Any] | None = None) -> None:
        """What daemons that start from now on answer with, and what of their status differs from all being well."""
        script = {"rules": list(rules), "status": dict(status or {})}
        (self.folder / "script.json").write_text(json.dumps(script), encoding="utf-8")

    def start(self) -> subprocess.Popen[bytes]:
        """Start one by hand, and return when it takes connections. It ends with the test's process at the latest."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [*self.daemon_command(), "--with-stdin"], stdin=pipe, stdout=pipe, cwd=ROOT
        )
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], START_S)
        line = process.stdout.readline() if ready else b""
        if line != b"ready\n":
            process.kill()
            process.communicate()
            raise AssertionError(f"the scripted daemon did not come up: it said {line!r}")
        return process

    def daemon_command(self) -> list[str]:
        """What starts one, as the bridge does it."""
        options = {"--script": "script.json", "--record": "record.jsonl"}
        files = [part for name, file in options.items() for part in (name, str(self.folder / file))]
        fake = str(ROOT / "tests" / "fakes" / "daemon.py")
        return [sys.executable, "-P", fake, *files, "--runtime-dir", str(self.paths.directory)]

    def pids(self) -> list[int]:
        """The daemons that run: one, or none for a while."""
        return [pid for pid in processes_of(self.folder) if b"--script" in _command_line(pid)]

    def bridges(self) -> list[int]:
        """The bridges that `command` started and that still run."""
        return [pid for pid in processes_of(self.folder) if b"bridge.py" in _command_line(pid)]

    def kill(self) -> None:
        """End it with no word said, as a crash does. A bridge starts another."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def received(self, kind: str = "") -> list[dict[str, Any]]:
        """What came from bridges, oldest first; of one kind ("complete", "accepted", ...) if it is named."""
        record = self.folder / "record.jsonl"
        lines = record.read_text("utf-8").splitlines(keepends=True) if record.exists() else []
        messages = [json.loads(line) for line in lines if line.endswith("\n")]
        return [message for message in messages if kind in ("", message["type"])]

    def wait_for(self, kind: str, count: int = 1, within_s: float = START_S) -> list[dict[str, Any]]:
        """All messages of this kind, once there are `count`; AssertionError if that takes too long."""
        end = time.monotonic() + within_s
        while len(found := self.received(kind)) < count:
            assert time.monotonic() < end, (
                f"{len(found)} of {count} messages {kind!r} came: {self.received()}"
            )
            time.sleep(0.02)
        return found


def _command_line(pid: int) -> bytes:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""


@contextlib.contextmanager
def scripted_daemon(
    folder: Path,
    rules: Rules = (),
    *,
    running: bool = True,
    status: Mapping[str, Any] | None = None,
) -> Iterator[ScriptedDaemonProcess]:
    """A daemon that answers with these rules and has this status; not `running`: the first bridge starts it.

    `folder` holds all its files and must be the test's own: in the end every process that names it is killed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    daemon = ScriptedDaemonProcess(folder, runtime_paths(folder / "run"))
    (folder / "config.toml").write_text("", encoding="utf-8")
    daemon.set_rules(rules, status)
    bridge = folder / "bridge.py"
    bridge.write_text(BRIDGE.format(daemon=daemon.daemon_command()), encoding="utf-8")
    script = DRAFTWIRE.format(root=ROOT, python=sys.executable, bridge=bridge)
    daemon.command.write_text(script, encoding="utf-8")
    daemon.command.chmod(0o755)
    started = daemon.start() if running else None
    try:
        yield daemon
    finally:
        end_processes_of(folder)
        if started is not None:
            started.communicate()
