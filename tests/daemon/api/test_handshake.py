"""The handshake: whoever or whatever answers at the daemon's address, one clear error, or a greeted client."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonRefused, DaemonUnavailable
from daemon.api.framing import encode
from daemon.api.messages import Failed, Welcome
from daemon.api.paths import Endpoint, RuntimePaths, read_endpoint, runtime_paths, write_endpoint
from tests.fakes.daemon import READY, ScriptedDaemon
from tests.fakes.raw_daemon import RawDaemon

pytestmark = pytest.mark.asyncio


@pytest.fixture(params=["unix", "tcp"])
def paths(request: pytest.FixtureRequest, tmp_path: Path) -> RuntimePaths:
    """Both transports: Windows has the second alone."""
    return runtime_paths(tmp_path / "run", transport=request.param)


async def test_nobody_there(paths: RuntimePaths) -> None:
    """The error says how to start one."""
    paths.prepare()
    with pytest.raises(DaemonUnavailable, match="draftwire daemon start"):
        await DaemonClient.connect(paths, client="test")
    if paths.transport == "tcp":
        write_endpoint(paths, Endpoint(1, "stale"))
        with pytest.raises(DaemonUnavailable, match="draftwire daemon start"):
            await DaemonClient.connect(paths, client="test")


async def test_a_refusal(paths: RuntimePaths) -> None:
    """The daemon's own words."""
    async with ScriptedDaemon(paths) as daemon:
        daemon.refuse = Failed("bad_hello", "versions differ; run: draftwire daemon stop")
        with pytest.raises(DaemonRefused, match="versions differ") as caught:
            await DaemonClient.connect(paths, client="test")
    assert caught.value.code == "bad_hello"


async def test_the_token_of_another_run(tmp_path: Path) -> None:
    """Loopback TCP is open to all users; the token is not (ux-41)."""
    paths = runtime_paths(tmp_path / "run", transport="tcp")
    async with ScriptedDaemon(paths):
        client = await DaemonClient.connect(paths, client="test")
        await client.close()
        write_endpoint(paths, Endpoint(read_endpoint(paths).port, "guess"))
        with pytest.raises(DaemonRefused) as caught:
            await DaemonClient.connect(paths, client="test")
        assert caught.value.code == "unauthorized"


@pytest.mark.parametrize(
    ("sent", "error", "match"),
    [
        (b"", DaemonUnavailable, "closed the connection"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", DaemonUnavailable, "not a Draftwire daemon"),
        (b"\0\0\0\1\xc1", DaemonUnavailable, "not a Draftwire daemon"),
        (encode(READY), DaemonUnavailable, "not a Draftwire daemon"),
        (
            encode(Welcome(0, "v", 1, "m")),
            DaemonRefused,
            "version 0, this client 1; run: draftwire daemon stop",
        ),
        (encode(Welcome(99, "v", 1, "m")), DaemonRefused, "version 99, this client 1; restart the editor"),
        (None, DaemonUnavailable, "does not answer within"),
    ],
    ids=["silence", "another protocol", "garbage", "no welcome", "older", "newer", "hangs"],
)
async def test_what_is_no_daemon(
    tmp_path: Path, sent: bytes | None, error: type[Exception], match: str
) -> None:
    """Whatever answers at the socket, one clear error (the stale socket of ux-30 among them)."""
    paths = runtime_paths(tmp_path / "run", transport="unix")
    async with RawDaemon(paths, sent):
        with pytest.raises(error, match=match):
            await DaemonClient.connect(paths, client="test", timeout_s=0.2 if sent is None else 5)
