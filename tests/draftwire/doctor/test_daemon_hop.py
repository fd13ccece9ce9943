"""A daemon that answers, refuses, is gone, is silent, is of another version, or is in trouble."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.api.errors import DaemonMisconfigured, DaemonStartFailed
from daemon.api.messages import Failed
from daemon.api.paths import runtime_paths
from daemon.version import VERSION
from draftwire.doctor import daemon_hop
from draftwire.doctor.daemon_hop import check_daemon
from tests.fakes.daemon import READY, ScriptedDaemon, nothing

STATUS = replace(READY, version=VERSION, pid=7, message="local drafts only")


@pytest.mark.asyncio
async def test_one_that_answers() -> None:
    async with ScriptedDaemon(runtime_paths(), nothing, status=STATUS):
        status, [found] = await check_daemon(runtime_paths(), start=False)
    assert status is not None
    assert (found.level, found.text) == (
        "ok",
        f"process 7, version {VERSION}, other clients: 0. local drafts only",
    )


@pytest.mark.asyncio
async def test_one_with_older_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    status = replace(STATUS, config_file=str(path), settings_digest="others")
    async with ScriptedDaemon(runtime_paths(), nothing, status=status):
        _, [_, found] = await check_daemon(runtime_paths(), start=False)
    assert (found.level, found.text) == ("warning", "the configuration changed after the daemon started")
    assert "draftwire daemon stop" in found.fix


@pytest.mark.asyncio
async def test_none_is_no_failure() -> None:
    status, [found] = await check_daemon(runtime_paths(), start=False)
    assert (status, found.level) == (None, "info")
    assert "draftwire daemon start" in found.text


@pytest.mark.asyncio
async def test_a_stale_socket() -> None:
    paths = runtime_paths()
    paths.prepare()
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(paths.socket))
    _, [found] = await check_daemon(paths, start=False)
    assert (found.level, found.fix) == ("warning", "the next start takes it over")


@pytest.mark.asyncio
async def test_one_that_refuses() -> None:
    async with ScriptedDaemon(runtime_paths()) as daemon:
        daemon.refuse = Failed("bad_hello", "too old")
        _, [found] = await check_daemon(runtime_paths(), start=False)
    assert (found.level, found.fix) == ("failed", "run: draftwire daemon stop")
    assert "too old" in found.text


@pytest.mark.asyncio
async def test_one_of_another_protocol() -> None:
    async with ScriptedDaemon(runtime_paths()) as daemon:
        daemon.api = 99
        _, [found] = await check_daemon(runtime_paths(), start=False)
    assert found.text == "the daemon speaks protocol version 99, this client 1"
    assert (found.level, found.fix) == ("failed", "restart the editor, or upgrade this client")


@pytest.mark.asyncio
async def test_another_version_and_all_its_troubles() -> None:
    status = replace(
        STATUS, version="0.0.1", draft="failed", draft_error="cut off", link="refused", link_reason="no"
    )
    async with ScriptedDaemon(runtime_paths(), nothing, status=status):
        _, findings = await check_daemon(runtime_paths(), start=False)
    assert [found.level for found in findings] == ["warning", "failed", "warning"]
    assert "this command is version" in findings[0].text
    assert findings[1].text == "cut off"
    assert "refused: no" in findings[2].text


@pytest.mark.asyncio
async def test_one_that_ends_before_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedDaemon(runtime_paths()) as daemon:
        monkeypatch.setattr(
            daemon, "_take", lambda connection, message: daemon._greet(connection, message) or True
        )
        _, [found] = await check_daemon(runtime_paths(), start=False)
    assert (found.check, found.level) == ("status", "failed")


@pytest.mark.asyncio
async def test_one_is_started_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise DaemonStartFailed("no memory")

    monkeypatch.setattr(daemon_hop, "ensure_daemon", fails)
    _, [found] = await check_daemon(runtime_paths(), start=True)
    assert (found.level, found.text, found.fix) == ("failed", "no memory", f"see {runtime_paths().log}")


@pytest.mark.asyncio
async def test_one_that_refuses_its_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise DaemonMisconfigured("/c.toml:2: no")

    monkeypatch.setattr(daemon_hop, "ensure_daemon", fails)
    _, [found] = await check_daemon(runtime_paths(), start=True)
    assert (found.level, found.text) == ("failed", "/c.toml:2: no")
    assert found.fix == "mend the configuration where the message says"
