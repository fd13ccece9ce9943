"""One answer of the daemon about one place: what happens if the daemon dies meanwhile, against scripted daemons."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonUnavailable
from daemon.api.messages import Complete, GetStatus, Status
from daemon.api.paths import RuntimePaths, runtime_paths
from draftwire.commands import answer as module
from draftwire.commands.answer import answer_at
from draftwire.failures import CommandFailed, Exit
from tests.fakes.daemon import READY, ScriptedDaemon

LOADING = replace(READY, draft="loading")
CONNECTING = replace(READY, link="connecting")
DIED = "the daemon ended before it answered; it is started again\n"


class Starts:
    """In place of `ensure_daemon`: each time there is none, the next daemon of a list is started."""

    def __init__(self, stack: AsyncExitStack, statuses: Iterable[Status]) -> None:
        self.daemons: list[ScriptedDaemon] = []
        self._stack = stack
        self._statuses = iter(statuses)

    async def ensure(self, paths: RuntimePaths, **options: Any) -> DaemonClient:
        try:
            return await DaemonClient.connect(paths, **options)
        except DaemonUnavailable:
            daemon = ScriptedDaemon(paths, lambda _text, _offset: ["x"], status=next(self._statuses))
            if daemon.status is not READY:
                daemon.hold.clear()
            self.daemons.append(await self._stack.enter_async_context(daemon))
            return await DaemonClient.connect(paths, **options)

    async def kill_each_that_is_not_ready(self, when: type[GetStatus | Complete]) -> None:
        """Kill a daemon as soon as it has received such a message."""
        killed = 0
        while True:
            if killed < len(self.daemons) and self.daemons[killed].status is not READY:
                await self.daemons[killed].wait_for(when)
                await self.daemons[killed].die()
                killed += 1
            await asyncio.sleep(0)


async def asked(starts: Starts, monkeypatch: pytest.MonkeyPatch, when: type[GetStatus | Complete]) -> Any:
    """The answer, while daemons die."""
    monkeypatch.setattr(module, "ensure_daemon", starts.ensure)
    killer = asyncio.create_task(starts.kill_each_that_is_not_ready(when))
    try:
        async with asyncio.timeout(20):
            return await answer_at("file:///a.py", "python", "ab", 1, "verified")
    finally:
        killer.cancel()
        await asyncio.wait({killer})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "when"),
    [
        pytest.param(LOADING, GetStatus, id="while the model loads"),
        pytest.param(CONNECTING, GetStatus, id="while the link is made"),
        pytest.param(replace(READY, message="busy"), Complete, id="while it completes"),
    ],
)
async def test_a_daemon_that_dies_is_noticed_at_once_and_started_again(
    status: Status,
    when: type[GetStatus | Complete],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with AsyncExitStack() as stack:
        starts = Starts(stack, [status, READY])
        answer, told = await asked(starts, monkeypatch, when)
    assert [suggestion.text for suggestion in answer.suggestions] == ["x"]
    assert (told.draft, len(starts.daemons)) == ("ready", 2)
    assert capsys.readouterr() == ("", DIED)


@pytest.mark.asyncio
async def test_a_daemon_that_dies_again_is_given_up_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with AsyncExitStack() as stack:
        starts = Starts(stack, [LOADING, LOADING])
        with pytest.raises(CommandFailed) as caught:
            await asked(starts, monkeypatch, GetStatus)
    said = f"the daemon ended twice before it answered; see {runtime_paths().log} or run: draftwire doctor"
    assert (str(caught.value), caught.value.status) == (said, Exit.UNAVAILABLE)
    assert len(starts.daemons) == 2
    assert capsys.readouterr().err == DIED
