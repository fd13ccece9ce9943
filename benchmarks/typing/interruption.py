"""A verifier that is killed in the middle of a replay and comes back, while the typist types on."""

from __future__ import annotations

import asyncio
from types import TracebackType

from benchmarks.typing.stage import Stage


class Interruption:
    """Kill the target after a third of the keys; start it again after two thirds. An async context."""

    def __init__(self, stage: Stage, keys: int) -> None:
        self.killed_at = keys // 3
        self.restarted_at = 2 * keys // 3
        self._stage = stage
        self._starting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Interruption:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for the start under way; raises what went wrong in it."""
        if self._starting is not None:
            if error is not None:
                self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=error is not None)

    async def before_key(self, keys: int) -> None:
        """So many have been pressed."""
        if keys == self.killed_at and self._stage.target is not None:
            await self._stage.target.kill()
        if keys >= self.restarted_at and self._starting is None:
            self._starting = asyncio.create_task(self._stage.restart_target())
