"""The target is killed and comes back."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from benchmarks.typing.interruption import Interruption
from benchmarks.typing.stage import Stage


class FakeStage:
    """Notes what is done to the target, which is itself."""

    def __init__(self, error: Exception | None = None) -> None:
        self.target = self
        self.done: list[str] = []
        self._error = error

    async def kill(self) -> None:
        self.done.append("killed")

    async def restart_target(self) -> None:
        await asyncio.sleep(0)
        if self._error is not None:
            raise self._error
        self.done.append("started")


@pytest.mark.asyncio
async def test_a_third_of_the_keys_each() -> None:
    stage = FakeStage()
    done = {}
    async with Interruption(cast(Stage, stage), 9) as interruption:
        for keys in range(9):
            await interruption.before_key(keys)
            done[keys] = len(stage.done)
    assert (done[2], done[3], done[6]) == (0, 1, 1)
    assert stage.done == ["killed", "started"]


@pytest.mark.asyncio
async def test_a_target_that_does_not_come_back_is_an_error() -> None:
    with pytest.raises(OSError, match="no"):
        async with Interruption(cast(Stage, FakeStage(OSError("no"))), 3) as interruption:
            await interruption.before_key(2)


@pytest.mark.asyncio
async def test_a_replay_that_fails_does_not_wait_for_it() -> None:
    stage = FakeStage()

    async def fail() -> None:
        async with Interruption(cast(Stage, stage), 3) as interruption:
            await interruption.before_key(2)
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    assert stage.done == []
