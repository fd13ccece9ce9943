"""Finding or starting the daemon, with real processes: the scripted one stands in for it."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from daemon.api import start as start_module
from daemon.api.client import DaemonClient
from daemon.api.errors import (
    DaemonLost,
    DaemonMisconfigured,
    DaemonRefused,
    DaemonSilent,
    DaemonStartFailed,
    RuntimePathError,
)
from daemon.api.messages import Failed, Shutdown
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.api.start import ensure_daemon
from tests.fakes.daemon import ScriptedDaemon
from tests.fakes.processes import end_processes_of

pytestmark = pytest.mark.asyncio
FAKE = Path(__file__).parents[2] / "fakes" / "daemon.py"


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Starts the scripted daemon; -P, or its own name would hide the package `daemon`."""
    script = tmp_path / "script.json"
    script.write_text('{"rules": []}')
    return [sys.executable, "-P", str(FAKE), "--script", str(script)]


@pytest_asyncio.fixture
async def paths(tmp_path: Path) -> AsyncIterator[RuntimePaths]:
    """A runtime directory; a daemon that a test started there is ended."""
    paths = runtime_paths(tmp_path / "run")
    yield paths
    await asyncio.to_thread(end_processes_of, tmp_path)


def link(pid: int, name: str) -> Path:
    return Path(f"/proc/{pid}/{name}").readlink()


async def test_one_that_runs_is_used(paths: RuntimePaths) -> None:
    """Nothing is started."""
    async with ScriptedDaemon(paths):
        client = await ensure_daemon(paths, client="test", command=["/nonexistent"])
        assert client.welcome.pid == os.getpid()
        await client.close()


async def test_one_is_started(paths: RuntimePaths, command: list[str]) -> None:
    """On its own: another session, no input of ours, its output in the log."""
    client = await ensure_daemon(paths, client="test", command=command)
    pid = client.welcome.pid
    assert os.getsid(pid) == pid
    assert link(pid, "fd/0") == Path("/dev/null")
    assert link(pid, "cwd") != Path(__file__).parents[3]
    assert paths.log.read_text() == "ready\n"
    await client.close()
    again = await ensure_daemon(paths, client="test", command=["/nonexistent"])
    assert again.welcome.pid == pid
    await again.close()


async def test_start_races_end_with_one(paths: RuntimePaths, command: list[str]) -> None:
    """Whoever starts, all meet the same process (ux-30)."""
    clients = await asyncio.gather(
        *(ensure_daemon(paths, client=f"test {number}", command=command) for number in range(4))
    )
    assert len({client.welcome.pid for client in clients}) == 1
    for client in clients:
        await client.close()


async def test_a_stale_socket_is_no_daemon(paths: RuntimePaths, command: list[str]) -> None:
    """A file alone proves nothing; the handshake does (ux-30)."""
    paths.prepare()
    server = await asyncio.start_unix_server(lambda *_: None, str(paths.socket))
    server.close()
    await server.wait_closed()
    assert paths.socket.exists()
    client = await ensure_daemon(paths, client="test", command=command)
    await client.close()


async def test_a_refusing_one_is_not_replaced(paths: RuntimePaths) -> None:
    """Its reason is for the user."""
    async with ScriptedDaemon(paths) as daemon:
        daemon.refuse = Failed("bad_hello", "another version")
        with pytest.raises(DaemonRefused, match="another version"):
            await ensure_daemon(paths, client="test", command=["/nonexistent"])


async def test_one_that_fails_shows_its_log(paths: RuntimePaths) -> None:
    """The last lines of this start, not of an older one."""
    paths.prepare()
    paths.log.write_text("an old failure\n")
    program = "import sys; [print('line', n) for n in range(40)]; sys.exit('no model found')"
    with pytest.raises(DaemonStartFailed) as caught:
        await ensure_daemon(paths, client="test", command=[sys.executable, "-c", program])
    text = str(caught.value)
    assert "ended with code 1" in text
    assert "draftwire doctor" in text
    assert "no model found" in text
    assert "line 39" in text
    assert "line 3\n" not in text
    assert "an old failure" not in text


async def test_one_that_refuses_its_configuration(paths: RuntimePaths) -> None:
    """Its own words are the error: file, line, what to do; nothing of an older start, nothing of its log."""
    paths.prepare()
    paths.log.write_text("draftwire: an old failure\n")
    program = "import sys; sys.stderr.write('WARNING x\\ndraftwire: /c.toml:2: no\\nand\\n'); sys.exit(78)"
    command = [sys.executable, "-c", program]
    with pytest.raises(DaemonMisconfigured) as caught:
        await ensure_daemon(paths, client="test", command=command)
    assert str(caught.value) == "/c.toml:2: no\nand"
    with pytest.raises(DaemonMisconfigured, match="ended with code 78"):
        await ensure_daemon(paths, client="test", command=[sys.executable, "-c", "raise SystemExit(78)"])


async def test_one_that_ends_at_once(paths: RuntimePaths) -> None:
    """An end without an error is none of a daemon either."""
    program = "import sys; sys.stdin.read()"  # /dev/null: ends at once
    with pytest.raises(DaemonStartFailed, match="ended with code 0"):
        await ensure_daemon(paths, client="test", command=[sys.executable, "-c", program])


async def test_a_loser_without_a_winner(paths: RuntimePaths) -> None:
    """Code 75 says that another one is coming up; if none does, the wait ends."""
    with pytest.raises(DaemonStartFailed, match=r"did not answer within 0\.3 s[\s\S]*nothing was written"):
        await ensure_daemon(
            paths, client="test", command=[sys.executable, "-c", "raise SystemExit(75)"], timeout_s=0.3
        )


async def test_nothing_to_run(paths: RuntimePaths) -> None:
    """A missing interpreter is named."""
    with pytest.raises(DaemonStartFailed, match="/nonexistent"):
        await ensure_daemon(paths, client="test", command=["/nonexistent"])


async def test_an_unsafe_directory(paths: RuntimePaths) -> None:
    """Nothing is started in it."""
    paths.directory.mkdir(mode=0o755)
    paths.directory.chmod(0o755)
    with pytest.raises(RuntimePathError, match="chmod 700"):
        await ensure_daemon(paths, client="test", command=["/nonexistent"])
    paths.directory.chmod(0o700)


async def test_a_large_log_is_set_aside(
    paths: RuntimePaths, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not grow for ever."""
    monkeypatch.setattr(start_module, "MAX_LOG_BYTES", 10)
    paths.prepare()
    paths.log.write_text("x" * 11)
    client = await ensure_daemon(paths, client="test", command=command)
    assert paths.log.read_text() == "ready\n"
    assert paths.log.with_suffix(".log.1").read_text() == "x" * 11
    client.send(Shutdown())
    with pytest.raises(DaemonLost):
        await client.status()
    await client.close()


async def test_one_that_holds_the_lock_and_is_silent_is_not_waited_for(
    paths: RuntimePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs: the error is what to run, and comes long before the time that a start may take."""
    monkeypatch.setitem(DaemonClient.connect.__func__.__kwdefaults__, "timeout_s", 0.2)
    monkeypatch.setattr(start_module, "HANDSHAKE_TIMEOUT_S", 0.2)
    paths.prepare()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(paths.socket))
        silent.listen()
        command = [sys.executable, "-c", "raise SystemExit(75)"]
        with pytest.raises(DaemonSilent, match="run: draftwire daemon stop"):
            await ensure_daemon(paths, client="test", command=command, timeout_s=600)


async def test_another_is_started_where_the_one_that_held_the_lock_was_ending(
    paths: RuntimePaths, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first finds the lock held by one that does not listen any more."""
    monkeypatch.setattr(start_module, "SPAWN_AGAIN_S", 0.0)
    once = tmp_path / "once"
    program = "import os, pathlib, sys\nonce = pathlib.Path(sys.argv[1])\n"
    program += "if not once.exists(): once.touch(); sys.exit(75)\nos.execv(sys.argv[2], sys.argv[2:])"
    client = await ensure_daemon(
        paths, client="test", command=[sys.executable, "-c", program, str(once), *command]
    )
    await client.status()
    await client.close()
