"""Ending a daemon that answers, hangs, or does not end; and what the other commands say of one that hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daemon.api.client import DaemonClient
from daemon.api.messages import Failed
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.serving.lifecycle import is_held
from draftwire import stopping
from draftwire.cli import app
from draftwire.doctor.daemon_hop import check_daemon
from draftwire.failures import CommandFailed, Exit
from draftwire.stopping import stop_daemon
from tests.draftwire.conftest import RunDaemon
from tests.fakes.hung_daemon import daemon_process, hang

runner = CliRunner()
FIX = "run: draftwire daemon stop"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The real daemon in a process of its own."""
    with daemon_process(runtime_paths(), tmp_path) as process:
        yield process


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that hangs does so for ever: there is no use in waiting for it in a test."""
    monkeypatch.setitem(DaemonClient.connect.__func__.__kwdefaults__, "timeout_s", 0.3)
    monkeypatch.setattr(stopping, "SIGNALLED_S", 0.3)


def test_one_that_answers_is_asked_and_ends(running: subprocess.Popen[bytes]) -> None:
    told: list[str] = []
    assert (
        stop_daemon(runtime_paths(), "test", told.append) == f"the daemon (process {running.pid}) has ended"
    )
    assert (running.wait(30), told) == (0, [])


@pytest.mark.usefixtures("impatient")
def test_one_that_hangs_is_named_by_every_command_with_the_one_that_ends_it(
    running: subprocess.Popen[bytes],
) -> None:
    """No two commands send the user from one to the other: all name `daemon stop`, and that works."""
    hang(running)
    silent = f"draftwire: the daemon (process {running.pid}) does not answer within 0.3 s; {FIX}\n"
    for command in (["daemon", "status"], ["daemon", "start"], ["stats"]):
        result = runner.invoke(app, command)
        assert (result.exit_code, result.stderr) == (Exit.UNAVAILABLE, silent), command
    result = runner.invoke(app, ["daemon", "stop"])
    assert (result.exit_code, result.stderr.splitlines()) == (0, [
        f"the daemon (process {running.pid}) does not answer; ending it",
        f"the daemon (process {running.pid}) was killed",
    ])  # fmt: skip
    assert running.wait(30) == -signal.SIGKILL
    assert runner.invoke(app, ["daemon", "stop"]).stderr == "no daemon is running\n"


@pytest.mark.usefixtures("impatient")
@pytest.mark.asyncio
async def test_the_doctor_names_the_command_that_ends_one_that_hangs(
    running: subprocess.Popen[bytes],
) -> None:
    hang(running)
    status, [found] = await check_daemon(runtime_paths(), start=False)
    assert (status, found.level, found.fix) == (None, "failed", FIX)
    assert found.text == f"the daemon (process {running.pid}) does not answer within 0.3 s"


@pytest.mark.asyncio
async def test_the_doctor_finds_one_whose_socket_was_deleted(running: subprocess.Popen[bytes]) -> None:
    """As a cleaner of temporary files may do; a start would find the lock held."""
    runtime_paths().socket.unlink()
    _, [found] = await check_daemon(runtime_paths(), start=False)
    assert (found.level, found.fix) == ("failed", FIX)
    assert "can't be reached" in found.text


def test_one_whose_socket_was_deleted_is_ended_in_order(running: subprocess.Popen[bytes]) -> None:
    """A signal is enough: it is not killed."""
    runtime_paths().socket.unlink()
    told: list[str] = []
    assert (
        stop_daemon(runtime_paths(), "test", told.append) == f"the daemon (process {running.pid}) has ended"
    )
    assert (running.wait(30), told) == (
        0,
        [f"the daemon (process {running.pid}) can't be asked to end; ending it"],
    )


HOLDER = """
import signal, sys, time
from daemon.api.paths import runtime_paths
from daemon.serving.lifecycle import only_daemon
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with only_daemon(runtime_paths()):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder() -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the daemon's lock and hears no SIGTERM."""
    runtime_paths().prepare()
    with subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


@pytest.mark.usefixtures("impatient")
def test_one_that_says_it_ends_and_does_not_is_killed(
    run_daemon: RunDaemon, holder: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "ASKED_S", 0.1)
    told: list[str] = []
    with run_daemon():
        outcome = stop_daemon(runtime_paths(), "test", told.append)
    assert outcome == f"the daemon (process {holder.pid}) was killed"
    assert told == [f"the daemon (process {holder.pid}) has not ended within 0.1 s; ending it"]


@pytest.mark.usefixtures("impatient")
def test_one_of_another_version_is_ended_too(run_daemon: RunDaemon, holder: subprocess.Popen[bytes]) -> None:
    """Its refusal tells to run this very command."""
    with run_daemon() as daemon:
        daemon.refuse = Failed("bad_hello", "another version; run: draftwire daemon stop")
        stop_daemon(runtime_paths(), "test", lambda _: None)
    assert holder.wait(30) == -signal.SIGKILL


def test_one_of_another_user_is_left_alone(
    holder: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(process: int, number: int) -> None:
        raise PermissionError(process, number)

    monkeypatch.setattr(os, "kill", refused)
    with pytest.raises(CommandFailed, match=f"another user's; ask them, or as root run: kill {holder.pid}"):
        stop_daemon(runtime_paths(), "test", lambda _: None)
    monkeypatch.undo()
    assert holder.poll() is None


def test_one_that_even_a_kill_does_not_end(
    holder: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "SIGNALLED_S", 0.0)
    monkeypatch.setattr(os, "kill", lambda process, number: None)
    with pytest.raises(CommandFailed, match="can't be killed"):
        stop_daemon(runtime_paths(), "test", lambda _: None)
    monkeypatch.undo()


def test_a_lock_that_names_nobody(holder: subprocess.Popen[bytes]) -> None:
    paths: RuntimePaths = runtime_paths()
    os.truncate(paths.lock, 0)
    with pytest.raises(CommandFailed, match="does not say which process"):
        stop_daemon(paths, "test", lambda _: None)
    assert is_held(paths)
